"""What is the last step's solution worth?  Piles with friction to 1e-4, inside a running simulation and from zero.

    /usr/bin/python3 bench/warm_bench.py build/bin/uptack [--seconds SECONDS]

Each scene runs on one thread until it has settled.  Of its last quarter: the median time of a step's solve, and the share
of the steps that met the tolerance by their certificate.  The problem of one of these steps is then solved from zero by
the same solver to the same tolerance, for at most --seconds (10), and so is the generated problem of that kind, which has
convex friction.
"""

import argparse
import pathlib
import statistics
import tempfile

import h5py

from answers import ask

parser = argparse.ArgumentParser(description="What is the last step's solution worth?")
parser.add_argument("uptack")
parser.add_argument("--seconds", type=float, default=10.0, help="for a solve from zero; default 10")
arguments = parser.parse_args()

HERE = pathlib.Path(__file__).parent
TOLERANCE = 1e-4
CASES = [
    ("pile of 1000 spheres", "pile.json", [], 210, "b2-friction"),
    ("pile of 2028 spheres", "pile.json", ["columns=13", "layers=12"], 210, "shaker-friction"),
    ("wall of 750 bricks", "standing_wall.json", [], 105, "wall"),
]


def uptack(*words):
    return ask(arguments.uptack, *words)


def steps_of(recording):
    with h5py.File(recording) as file:
        steps = file["steps"]
        return steps["solve_s"][:], steps["relative_error"][:]


def from_zero(problem):
    answer = uptack("solve", problem, "--tolerance", TOLERANCE, "--threads", 1, "--budget-ms", 1e3 * arguments.seconds)
    return answer["seconds"], "" if answer["tolerance_met"] else f" ({answer['relative_error']:.0e})"


def judge(folder, title, scene, parameters, step, generated):
    recording, problem, other = (f"{folder}/{name}.h5" for name in ("run", "step", "generated"))
    words = [word for parameter in parameters for word in ("--set", parameter)]
    report = uptack("run", HERE / scene, *words, "--threads", 1, "-o", recording, "--dump-step", f"{step}:{problem}")
    seconds, errors = steps_of(recording)
    last = len(seconds) // 4
    warm = statistics.median(seconds[-last:])
    met = sum(error <= TOLERANCE for error in errors[-last:]) / last
    uptack("generate", generated, "-o", other)
    cold, note = from_zero(problem)
    convex, _ = from_zero(other)
    print(f"{title:22} {report['contacts']:6} {1e3 * warm:8.2f} {100 * met:4.0f} % {1e3 * cold:8.0f}{note:8} {cold / warm:6.0f} "
          f"  {generated:16} {1e3 * convex:6.0f} {convex / warm:6.0f}", flush=True)


def main():
    print(f"to {TOLERANCE:g}, one thread; ms of a step's solve in the last quarter of the run, then from zero")
    print(f"{'scene':22} {'points':>6} {'warm':>8} {'met':>6} {'from 0':>8} {'error':7} {'ratio':>6}   "
          f"{'generated':16} {'from 0':>6} {'ratio':>6}")
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            judge(folder, *case)


main()
