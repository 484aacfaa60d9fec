"""A large scene gives the same bits on one and on two threads: threads_test.py PATH_TO_UPTACK SCENE.json"""

import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy

FIELDS = ["frames/position", "frames/orientation", "frames/velocity", "contacts/force", "steps/energy_error_J",
          "steps/iterations"]


def run(folder, threads):
    path = pathlib.Path(folder) / f"threads{threads}.h5"
    subprocess.run([sys.argv[1], "run", sys.argv[2], "--duration", "0.1", "--threads", str(threads), "-o", str(path)],
                   check=True, capture_output=True, timeout=300)
    with h5py.File(path) as recording:
        return {field: recording[field][:] for field in FIELDS}


with tempfile.TemporaryDirectory() as folder:
    one, two = run(folder, 1), run(folder, 2)
differ = [field for field in FIELDS if not numpy.array_equal(one[field], two[field])]
if differ:
    sys.exit(f"one and two threads differ in {', '.join(differ)}")
print(f"{one['frames/position'].shape[1]} bodies, {len(one['contacts/force'])} contact forces: the same bits")
