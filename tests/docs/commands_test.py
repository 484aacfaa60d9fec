"""Executes the documentation: commands_test.py PATH_TO_UPTACK BUILD_FOLDER

Every line of every ```sh block in README.md and docs/**/*.md is run, file by file (README.md first, then by name) and
from top to bottom, in one temporary folder per file with the folder of PATH_TO_UPTACK first on PATH.  A line must end
with exit code 0, or with the code its comment promises:

    uptack solve b3.h5 --solver psor --require   # exit 4
    uptack compare wall --seconds 5              # in tests: --seconds 0.02
    uptack view pendulum                         # Ctrl-C ends it

The second is run with the comment's value in place of its own, the third is interrupted once it has said something.
`./dev VERB` is not run again from within the tests: its verb must be one that `./dev help` lists, and what follows -R
must select tests.  (`./dev demo` is a test of its own.)

A line that ends in a backslash goes on in the next one.  A block ```json NAME.json is written to the folder as that file
before the page's commands run.  Beside the commands, links to files of the repository must
lead somewhere, and C++ that is shown must stand in an example word for word.
"""

import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
UPTACK = pathlib.Path()  # set from the arguments
BUILD = pathlib.Path()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def fenced(text, language):
    """(line number, content) of each block fenced with ```language."""
    for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, match.start()) + 2, match.group(1)


def commands(page):
    """(line number, command) of every command, in one line each."""
    for first_line, block in fenced(page.read_text(), "sh"):
        parts, start = [], first_line
        for number, line in enumerate(block.splitlines(), first_line):
            if not parts:
                start = number
            if line.endswith("\\"):
                parts.append(line[:-1])
                continue
            command, parts = "".join(parts) + line, []
            if command.strip() and not command.lstrip().startswith("#"):
                yield start, command


def write_files(page, folder):
    """The files that the page shows."""
    for match in re.finditer(r"^```json (\S+)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
        (folder / match.group(1)).write_text(match.group(2))


def shortened(command):
    """The command with the option that its comment names for tests."""
    match = re.search(r"# in tests: (\S+) (\S+)\s*$", command)
    if not match:
        return command
    option, value = match.groups()
    short, count = re.subn(rf"{option} \S+", f"{option} {value}", command[: match.start()])
    return short if count else f"{short} {option} {value}"


def is_missing_benchmark(command):
    """Builds with sanitizers have none."""
    program = command.split()[0]
    return program.endswith("_bench") and not (UPTACK.parent / program).exists()


def run(command, folder, environment):
    return subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, capture_output=True,
                          text=True, timeout=60)


def interrupt(command, folder, environment):
    """Runs it until it has printed a line, then Ctrl-C."""
    with subprocess.Popen(["bash", "-c", "exec " + command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=30)
    return subprocess.CompletedProcess(command, process.returncode, first + stdout, stderr)


def listed_tests(words):
    """What ctest would run.  From a folder of its own: in the build's it would overwrite the log of the run we are in."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "CTestTestfile.cmake").write_text(f'subdirs("{BUILD.resolve()}")\n')
        return subprocess.check_output(["ctest", "--test-dir", folder, "-N", *words], text=True)


class Documentation(unittest.TestCase):
    def test_every_command_ends_as_promised(self):
        environment = dict(os.environ, PATH=f"{UPTACK.parent}{os.pathsep}{os.environ['PATH']}")
        count = 0
        for page in PAGES:
            with tempfile.TemporaryDirectory() as folder:
                write_files(page, pathlib.Path(folder))
                for line, command in commands(page):
                    if command.lstrip().startswith("./dev") or is_missing_benchmark(command):
                        continue
                    start = interrupt if command.rstrip().endswith("# Ctrl-C ends it") else run
                    done = start(shortened(command), folder, environment)
                    promise = re.search(r"# exit (\d+)\s*$", command)
                    with self.subTest(page=page.name, line=line, command=command):
                        self.assertEqual(done.returncode, int(promise.group(1)) if promise else 0,
                                         done.stdout + done.stderr)
                    count += 1
        self.assertGreater(count, 10, "the documentation has lost its commands")

    def test_dev_knows_every_verb_that_is_shown(self):
        verbs = re.findall(r"^\./dev (\S+)", subprocess.check_output([ROOT / "dev", "help"], text=True), re.MULTILINE)
        for page in PAGES:
            for line, command in commands(page):
                words = shlex.split(command, comments=True)
                if words[0] != "./dev":
                    continue
                with self.subTest(page=page.name, line=line, command=command):
                    self.assertIn(words[1], verbs)
                    if "-R" in words:
                        self.assertNotIn("Total Tests: 0", listed_tests(words[2:]))

    def test_links_lead_somewhere(self):
        for page in [*PAGES, *sorted(ROOT.glob("src/*/README.md")), *sorted(ROOT.glob("apps/*/README.md"))]:
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
                if "://" in target:
                    continue
                with self.subTest(page=page.name, target=target):
                    self.assertTrue((page.parent / target).exists(), "no such file")

    def test_code_that_is_shown_is_an_examples_own(self):
        examples = [file.read_text() for file in (ROOT / "examples").glob("*.cpp")]
        for page in PAGES:
            for line, code in fenced(page.read_text(), "cpp"):
                with self.subTest(page=page.name, line=line):
                    self.assertTrue(any(code in example for example in examples), "differs from every file in examples/")


if __name__ == "__main__":
    UPTACK = pathlib.Path(sys.argv.pop(1)).resolve()
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
