#!/usr/bin/env python3
"""Peak memory of a solve per frictional contact, the problem itself and its reading included.

    memory_bench.py UPTACK [SPHERES]

Solves a packing with every solver in a process of its own and divides its peak resident memory, less that of a tiny
problem, by the number of contacts.  Exits with 1 when a solver needs more than 1000 bytes per contact.
"""
import json
import os
import subprocess
import sys
import tempfile


def run(arguments):
    """Output and peak resident bytes of a finished process."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(arguments, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode()
    if process.returncode != 0:
        sys.exit(f"{' '.join(arguments)} ended with {process.returncode}")
    return text, usage.ru_maxrss * 1024


def main():
    uptack = sys.argv[1]
    spheres = sys.argv[2] if len(sys.argv) > 2 else "60000"
    limit = 1000.0
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        small, large = os.path.join(folder, "small.h5"), os.path.join(folder, "large.h5")
        run([uptack, "generate", "b2-friction", "--size", "10", "-o", small])
        run([uptack, "generate", "b2-friction", "--size", spheres, "-o", large])
        for solver in ["psor", "nncg", "leap", "apgd", "spg", "jacobi"]:
            solve = ["--solver", solver, "--iterations", "5", "--json"]
            _, base = run([uptack, "solve", small] + solve)
            text, peak = run([uptack, "solve", large] + solve)
            contacts = json.loads(text)["contacts"]
            per_contact = (peak - base) / contacts
            worst = max(worst, per_contact)
            print(f"{solver:8} {contacts} contacts  {per_contact:6.0f} bytes per contact")
    print(f"memory: {'ok' if worst < limit else 'too much'}, at most {worst:.0f} of {limit:.0f} bytes per contact")
    return 0 if worst < limit else 1


sys.exit(main())
