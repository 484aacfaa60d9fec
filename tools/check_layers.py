#!/usr/bin/env python3
"""Data goes one way: a station includes only the borders upstream of it.

STATIONS: the folder under src/, the border headers it may include, and the other stations whose insides it may use.
A border header may include only border headers listed before it in BORDERS.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

BORDERS = ["math", "input_error", "output_file", "utf8", "law", "problem", "friction_pyramid", "error_metric", "solution", "certificate", "solver", "solvers", "missing_energy",
           "problem_file", "generators", "islands", "expression", "model", "state", "contact", "collision", "stepping", "integrator",
           "assembly", "simulation", "scene", "recording", "report"]
STATIONS = {
    "math": ({"math"}, set()),
    "linalg": (set(), set()),
    "laws": ({"math", "law"}, set()),
    "problem": ({"math", "law", "problem", "friction_pyramid", "error_metric", "islands"}, {"linalg"}),
    "certificate": ({"math", "law", "problem", "error_metric", "certificate"}, {"linalg"}),
    "solvers": ({"math", "input_error", "law", "problem", "friction_pyramid", "error_metric", "solution", "solver", "solvers",
                 "missing_energy", "islands"}, {"linalg"}),
    "output": ({"input_error", "output_file"}, set()),
    "hdf5": ({"input_error", "output_file"}, set()),
    "files": ({"math", "input_error", "utf8", "law", "problem", "solution", "problem_file"}, {"hdf5"}),
    "generators": ({"math", "input_error", "law", "problem", "generators"}, set()),
    "model": ({"math", "input_error", "problem", "expression", "model"}, set()),
    "collision": ({"math", "model", "state", "contact", "collision"}, {"linalg"}),
    "integrator": ({"math", "problem", "expression", "model", "state", "stepping", "integrator"}, {"linalg"}),
    "assembly": ({"math", "law", "problem", "solution", "expression", "model", "state", "contact", "stepping", "assembly"}, {"linalg"}),
    "simulation": ({"math", "input_error", "law", "problem", "error_metric", "solution", "certificate", "solver", "solvers", "islands",
                    "model", "state", "contact", "collision", "stepping", "integrator", "assembly", "simulation"}, set()),
    "scene": ({"math", "input_error", "expression", "model", "stepping", "simulation", "scene", "solver", "solvers", "error_metric"}, set()),
    "recording": ({"math", "input_error", "output_file", "solver", "error_metric", "model", "state", "contact", "assembly", "simulation", "scene", "recording"}, {"hdf5"}),
    "report": ({"math", "input_error", "solver", "model", "state", "assembly", "simulation", "scene", "recording", "report"}, set()),
}


def includes(path):
    return re.findall(r'#include\s+"([^"]+)"', path.read_text())


def faults():
    for header in sorted((ROOT / "include/uptack").glob("*.h")):
        if header.stem not in BORDERS:
            yield f"{header}: not listed in BORDERS"
            continue
        allowed = {f"uptack/{name}.h" for name in BORDERS[: BORDERS.index(header.stem)]}
        for name in includes(header):
            if name not in allowed:
                yield f"{header}: includes {name}, which is downstream"
    for folder in sorted((ROOT / "src").iterdir()):
        if folder.name not in STATIONS:
            yield f"{folder}: not listed in STATIONS"
            continue
        borders, stations = STATIONS[folder.name]
        for source in sorted(folder.rglob("*.[hc]*")):
            for name in includes(source):
                room = name.split("/")[0]
                if room == "uptack":
                    if pathlib.Path(name).stem not in borders:
                        yield f"{source}: station {folder.name} may not see {name}"
                elif room in STATIONS and room not in stations | {folder.name}:
                    yield f"{source}: station {folder.name} may not use the insides of {room}"
                elif ".." in name:
                    yield f"{source}: {name} climbs out of the station"


found = list(faults())
print("\n".join(found) if found else "layers: ok")
sys.exit(bool(found))
