"""Is the promise kept?  Every step of every scene meets its tolerance or says why not; no step exceeds its budget.

    /usr/bin/python3 bench/promise_bench.py build/bin/uptack [--duration SECONDS] [--budget-ms MS] [SCENE ...]

Each scene runs twice, on one thread: as it is, and with a time budget for each step's solve.  The errors are those of
the independent certificate.  A step is late if its solve took longer than the budget and 5 % or one sweep, whichever is
more; one sweep is taken to be 20 ns a row.  On a busy machine the scheduler makes steps late: their number is printed,
and the longest.
"""

import argparse
import json
import subprocess
import sys
import tempfile

import h5py

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("uptack")
parser.add_argument("scenes", nargs="*")
parser.add_argument("--duration", default="0.5", help="seconds of each scene; default 0.5")
parser.add_argument("--budget-ms", type=float, default=5.0, help="for each step's solve; default 5")
arguments = parser.parse_intermixed_args()


def run(scene, *words):
    command = [arguments.uptack, "run", scene, "--threads", "1", "--duration", arguments.duration, "--json", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{scene}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def solve_times(recording):
    """Seconds and rows of each step."""
    with h5py.File(recording) as file:
        steps = file["steps"]
        return steps["solve_s"][:], steps["rows"][:]


def with_budget(scene):
    with tempfile.TemporaryDirectory() as folder:
        recording = f"{folder}/run.h5"
        report = run(scene, "--budget-ms", str(arguments.budget_ms), "-o", recording)
        seconds, rows = solve_times(recording)
    budget = 1e-3 * arguments.budget_ms
    allowed = [budget + max(0.05 * budget, 20e-9 * count) for count in rows]
    late = sum(took > limit for took, limit in zip(seconds, allowed, strict=True))
    return report, late, 1e3 * max(seconds, default=0.0)


def main():
    scenes = arguments.scenes
    if not scenes:
        listed = subprocess.check_output([arguments.uptack, "scenes", "--json"], text=True)
        scenes = [scene["scene"] for scene in json.loads(listed)["scenes"]]
    print(f"{'scene':18} {'steps':>6} {'missed':>6} {'worst':>8} | {arguments.budget_ms:g} ms: "
          f"{'missed':>6} {'worst':>8} {'late':>5} {'longest':>9}")
    total = {"steps": 0, "missed": 0, "late": 0}
    for scene in scenes:
        free = run(scene)
        held, late, longest_ms = with_budget(scene)
        total["steps"] += free["steps"]
        total["missed"] += free["steps_over_tolerance"]
        total["late"] += late
        print(f"{scene:18} {free['steps']:6} {free['steps_over_tolerance']:6} {free['worst']['relative_error']:8.1e} | "
              f"{'':6} {held['steps_over_tolerance']:6} {held['worst']['relative_error']:8.1e} {late:5} "
              f"{longest_ms:6.2f} ms", flush=True)
    print(f"{total['steps']} steps; without a budget {total['missed']} miss their tolerance and are said to; "
          f"with one {total['late']} are late")


main()
