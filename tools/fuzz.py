#!/usr/bin/env python3
"""Runs the fuzz targets and prints what came of it: fuzz.py BUILD_FOLDER SECONDS [TARGET ...]

Each target runs for so many seconds from fuzz/corpus/TARGET (left as it is) and what earlier runs found worth keeping
(BUILD_FOLDER/corpus/TARGET, which grows).  Inputs that crash, hang, leak or break a check are left in
BUILD_FOLDER/findings; exit code 1 if there are any.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGETS = ["scene", "mesh", "problem", "recording", "words", "solvers"]
MAX_LENGTH = {"scene": 8192, "mesh": 4096, "problem": 65536, "recording": 262144, "words": 1024, "solvers": 1024}


def memory_folder():
    """Files of the targets need no disk."""
    shared = pathlib.Path("/dev/shm")
    return tempfile.mkdtemp(prefix="uptack-fuzz-", dir=shared if os.access(shared, os.W_OK) else None)


def arguments(build, target, seconds):
    grown = build / "corpus" / target
    findings = build / "findings"
    for folder in (grown, findings):
        folder.mkdir(parents=True, exist_ok=True)
    words = [build / "bin" / f"fuzz_{target}", grown, ROOT / "fuzz/corpus" / target, f"-max_total_time={seconds}",
             f"-max_len={MAX_LENGTH[target]}", "-timeout=30", "-rss_limit_mb=3000", "-malloc_limit_mb=2000",
             "-print_final_stats=1", "-verbosity=1", f"-artifact_prefix={findings}/{target}-"]
    words_file = ROOT / "fuzz" / f"{target}.dict"
    return words + ([f"-dict={words_file}"] if words_file.exists() else [])


def last(pattern, text, default="-"):
    found = re.findall(pattern, text)
    return found[-1] if found else default


def run(build, target, seconds):
    before = set((build / "findings").glob(f"{target}-*"))
    temporary = memory_folder()
    environment = dict(os.environ, TMPDIR=temporary,
                       LSAN_OPTIONS=f"suppressions={ROOT}/tests/lsan.supp:print_suppressions=0")
    log = build / f"{target}.log"
    with log.open("w") as stream:
        code = subprocess.run(arguments(build, target, seconds), env=environment, stdout=stream,
                              stderr=subprocess.STDOUT, check=False).returncode
    shutil.rmtree(temporary, ignore_errors=True)
    text = log.read_text(errors="replace")
    new = sorted(set((build / "findings").glob(f"{target}-*")) - before)
    figures = [last(pattern, text) for pattern in
               (r"number_of_executed_units: (\d+)", r"average_exec_per_sec: *(\d+)", r"cov: (\d+)")]
    print("{:<10} {:>11} {:>9} {:>9} {:>9}".format(target, *figures, len(new)), flush=True)
    for file in new:
        reason = re.search(r"(?:FINDING|ERROR): (.*)", text)
        print(f"    {file}: {reason.group(1) if reason else 'see the log'}")
    if code != 0 and not new:
        print(f"    ended with code {code}; see {log}")
    return code != 0 or bool(new)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, seconds = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2])
    chosen = sys.argv[3:] or TARGETS
    unknown = [name for name in chosen if name not in TARGETS]
    if unknown:
        sys.exit(f"unknown target {unknown[0]}; there are {', '.join(TARGETS)}")
    print(f"{'target':<10} {'executions':>11} {'per s':>9} {'coverage':>9} {'findings':>9}", flush=True)
    return int(any([run(build, target, seconds) for target in chosen]))


if __name__ == "__main__":
    sys.exit(main())
