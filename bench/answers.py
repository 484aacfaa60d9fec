"""What the benchmarks in Python ask the program, and how it answers."""

import json
import subprocess
import sys


def ask(program, *words):
    """The document that the program prints for these words; a failure ends the benchmark."""
    done = subprocess.run([program, *map(str, words), "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)
