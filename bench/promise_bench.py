"""Is the promise kept?  Every step of every scene and every problem meets its tolerance or says why not; none exceeds
its budget.

    /usr/bin/python3 bench/promise_bench.py build/bin/uptack [--duration SECONDS] [--budget-ms MS] [SCENE | FILE | FOLDER ...]

All scenes and all generated problems, unless some are named; problem files and folders of them behind the program's
name count as problems.  Each scene runs twice, on one thread: as it is, and with a time budget for each step's solve;
each problem is solved to 1e-4 and 1e-8 without a budget and to 1e-8 with it.  The errors are those of the independent
certificate.  A solve is late if it took longer than the budget and 5 % or one sweep, whichever is more; one sweep is
taken to be 20 ns a row.  On a busy machine the scheduler makes solves late: their number is printed, and the longest.
"""

import argparse
import pathlib
import sys
import tempfile

import h5py

from answers import ask

parser = argparse.ArgumentParser(description="Is the promise kept?")
parser.add_argument("uptack")
parser.add_argument("names", nargs="*")
parser.add_argument("--duration", default="0.5", help="seconds of each scene; default 0.5")
parser.add_argument("--budget-ms", type=float, default=5.0, help="for each solve; default 5")
arguments = parser.parse_intermixed_args()

BUDGET_S = 1e-3 * arguments.budget_ms
GENERATED = ["b1", "b2", "b2-friction", "b3", "wall", "shaker", "shaker-friction", "chain", "random"]


def uptack(*words):
    return ask(arguments.uptack, *words)


def is_late(seconds, rows):
    return seconds > BUDGET_S + max(0.05 * BUDGET_S, 20e-9 * rows)


# ---- scenes ----------------------------------------------------------------------------------------------------------


def run(scene, *words):
    return uptack("run", scene, "--threads", "1", "--duration", arguments.duration, *words)


def solve_times(recording):
    """Seconds and rows of each step."""
    with h5py.File(recording) as file:
        steps = file["steps"]
        return steps["solve_s"][:], steps["rows"][:]


def with_budget(scene):
    with tempfile.TemporaryDirectory() as folder:
        recording = f"{folder}/run.h5"
        report = run(scene, "--budget-ms", arguments.budget_ms, "-o", recording)
        seconds, rows = solve_times(recording)
    late = sum(is_late(took, count) for took, count in zip(seconds, rows, strict=True))
    return report, late, 1e3 * max(seconds, default=0.0)


def judge_scenes(scenes):
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


# ---- problems --------------------------------------------------------------------------------------------------------


def solve(file, tolerance, *words):
    answer = uptack("solve", file, "--solver", "auto", "--threads", "1", "--tolerance", tolerance, *words)
    claims = answer["status"] == "converged"
    if claims != answer["tolerance_met"]:
        sys.exit(f"{file} to {tolerance:g}: status {answer['status']}, but the certificate says "
                 f"{answer['relative_error']:g}")
    return answer


def judge_problems(problems):
    print(f"\n{'problem':42} {'rows':>6} {'to 1e-4':>8} {'to 1e-8':>8} {'':14} | {arguments.budget_ms:g} ms: "
          f"{'error':>8} {'took':>9}")
    missed = late = 0
    for name, file in problems:
        coarse, fine = solve(file, 1e-4), solve(file, 1e-8)
        held = solve(file, 1e-8, "--budget-ms", arguments.budget_ms)
        missed += (not coarse["tolerance_met"]) + (not fine["tolerance_met"])
        was_late = is_late(held["seconds"], held["rows"])
        late += was_late
        status = "" if fine["tolerance_met"] else fine["status"]
        print(f"{name[:42]:42} {fine['rows']:6} {coarse['relative_error']:8.1e} {fine['relative_error']:8.1e} {status:14} | "
              f"{'':6} {held['relative_error']:8.1e} {1e3 * held['seconds']:6.2f} ms{' late' if was_late else ''}", flush=True)
    print(f"{2 * len(problems)} solves; without a budget {missed} miss their tolerance and say so; with one {late} of "
          f"{len(problems)} are late")


def problem_files(path):
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.suffix in (".h5", ".hdf5", ".dat"))
    return [path]


def generated(folder):
    for problem in GENERATED:
        uptack("generate", problem, "-o", f"{folder}/{problem}.h5")
        yield problem, f"{folder}/{problem}.h5"


def main():
    paths = [pathlib.Path(name) for name in arguments.names if pathlib.Path(name).exists()]
    scenes = [name for name in arguments.names if not pathlib.Path(name).exists()]
    if not arguments.names:
        scenes = [scene["scene"] for scene in uptack("scenes")["scenes"]]
    if scenes:
        judge_scenes(scenes)
    with tempfile.TemporaryDirectory() as folder:
        problems = [] if arguments.names else list(generated(folder))
        problems += [(file.name, file) for path in paths for file in problem_files(path)]
        if problems:
            judge_problems(problems)


main()
