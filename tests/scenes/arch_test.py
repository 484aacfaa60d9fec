"""The stone arch stands above its critical friction and falls below: arch_test.py PATH_TO_UPTACK SCENE.json

Limit analysis of 17 voussoirs, thickness / radius = 0.2: the critical coefficient is 0.3086 (docs/10-physics.md).
"""

import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy


def largest_move(mu):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "arch.h5"
        subprocess.run([sys.argv[1], "run", sys.argv[2], "--set", f"mu={mu}", "-o", str(path)], check=True,
                       capture_output=True, timeout=300)
        with h5py.File(path) as recording:
            position = recording["frames/position"][:]
    return float(numpy.abs(position[-1] - position[0]).max())


above, below = largest_move(0.312), largest_move(0.305)
print(f"mu 0.312 moves {above:.2e} m, mu 0.305 moves {below:.2e} m")
if above > 1e-4 or below < 0.05:
    sys.exit("the arch must stand at 0.312 and fall at 0.305")
