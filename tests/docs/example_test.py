"""Runs an example and compares what it prints: example_test.py PROGRAM EXPECTED_TEXT_FILE"""

import pathlib
import subprocess
import sys

program, expected_file = sys.argv[1:]
printed = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout
expected = pathlib.Path(expected_file).read_text()
if printed != expected:
    sys.exit(f"expected:\n{expected}\nprinted:\n{printed}")
