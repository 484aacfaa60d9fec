#!/usr/bin/env python3
"""Which lines of src/ and apps/ ran: coverage.py BUILD_FOLDER

Reads the counters that a build with -DUPTACK_COVERAGE=ON left behind (gcov's JSON; no package beyond gcc is needed).
Prints a line for each folder and, last, one number.  A line counts once, whichever program ran it; templates and
kernels that are compiled several times count as run if one of their copies did.
"""

import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
WANTED = ("src", "apps")


def lines_of(notes):
    """(file, line) -> ran, of one object file."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["gcov", "--json-format", "--object-directory", str(notes.parent), str(notes)], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for report in pathlib.Path(folder).glob("*.gcov.json.gz"):
            with gzip.open(report, "rt") as stream:
                document = json.load(stream)
            for file in document["files"]:
                path = pathlib.Path(document["current_working_directory"], file["file"]).resolve()
                if not path.is_relative_to(SOURCE) or path.relative_to(SOURCE).parts[0] not in WANTED:
                    continue
                name = str(path.relative_to(SOURCE))
                for line in file["lines"]:
                    key = (name, line["line_number"])
                    found[key] = found.get(key, False) or line["count"] > 0
    return found


def main():
    # Notes without counters too: what no test links has not run, and counts.
    notes = sorted(pathlib.Path(sys.argv[1]).resolve().rglob("*.gcno"))
    notes = [path for path in notes if "/tests/" not in str(path) and "/examples/" not in str(path)]
    if not notes:
        sys.exit(f"no counters in {sys.argv[1]}; build with -DUPTACK_COVERAGE=ON and run the tests")
    ran = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lines_of, notes):
            for key, hit in found.items():
                ran[key] = ran.get(key, False) or hit
    folders = collections.defaultdict(lambda: [0, 0])
    for (name, _), hit in ran.items():
        folder = folders["/".join(name.split("/")[:2])]
        folder[0] += hit
        folder[1] += 1
    for name, (hits, lines) in sorted(folders.items()):
        print(f"{name:<20} {hits:>6} of {lines:>6} lines  {100 * hits / lines:5.1f} %")
    hits = sum(ran.values())
    print(f"coverage: {100 * hits / len(ran):.1f} % of {len(ran)} lines in src/ and apps/")


if __name__ == "__main__":
    main()
