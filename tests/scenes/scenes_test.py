"""Runs one scene of scenes/ to its end with the default solver: scenes_test.py PATH_TO_UPTACK SCENE.json RECORDING.h5

Every step must be finite and meet the scene's tolerance by the certificate; energy must not grow where nothing puts any
in (no motor, no moving body, no belt, no applied force).  What may miss is listed here, with the reason.  The recording
stays for the tests of the pages.
"""

import json
import pathlib
import subprocess
import sys

# Scenes in which a small share of the steps may end above the tolerance: the run's summary says where.
MAY_MISS = {
    "bowl_feeder": 0.05,  # a part wedged by its neighbours: with exact friction every solver stops near 1.7e-3
    "conveyor": 0.001,  # two steps of a drum rolling on the side belt end at 1.8e-4 instead of 1e-4
    "house_of_cards": 0.01,  # asks for 1e-6 with exact friction; single steps end slightly above it
}

DRIVEN = ("motor", "motion", "surface_velocity", "forces", "velocity", "springs")

uptack, scene, recording = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
recording.parent.mkdir(parents=True, exist_ok=True)
recording.with_name(recording.name + ".part").unlink(missing_ok=True)  # of a test that was cut off
done = subprocess.run([uptack, "run", str(scene), "-o", str(recording), "--json"], capture_output=True, text=True, timeout=1500)
if done.returncode != 0:
    sys.exit(f"exit {done.returncode}: {done.stderr}")
report = json.loads(done.stdout)
faults = []
steps, missed = report["steps"], report["steps_over_tolerance"]
if missed > MAY_MISS.get(scene.stem, 0.0) * steps:
    faults.append(f"{missed} of {steps} steps miss the tolerance; worst {report['worst']}")
text = scene.read_text()
start, end = report["first_step_energy_J"], report["energy_J"]
scale = max(abs(start), abs(end), abs(report["kinetic_J"]), abs(report["potential_J"]))
if not any(f'"{word}"' in text for word in DRIVEN) and end > start + 0.02 * scale:
    faults.append(f"energy grew from {start} J to {end} J")
print(json.dumps(report)[:2000])
if faults:
    sys.exit("\n".join(faults))
