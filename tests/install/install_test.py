"""Installs the build, then builds and runs the examples as a user's project: install_test.py BUILD_FOLDER"""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    prefix = pathlib.Path(folder) / "prefix"
    build = pathlib.Path(folder) / "build"
    run("cmake", "--install", sys.argv[1], "--prefix", prefix)
    run("cmake", "-S", HERE, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DEXAMPLES={EXAMPLES}")
    run("cmake", "--build", build)
    for source in sorted(EXAMPLES.glob("*.cpp")):
        printed = run(build / source.stem)
        expected = (EXAMPLES / "expected" / f"{source.stem}.txt").read_text()
        if printed != expected:
            sys.exit(f"{source.stem} printed\n{printed}\nexpected\n{expected}")
    if "pendulum" not in run(prefix / "bin" / "uptack", "scenes"):
        sys.exit("the installed program does not find its scenes")
