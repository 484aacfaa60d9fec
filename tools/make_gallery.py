#!/usr/bin/python3
"""Makes docs/gallery.md and its pictures: make_gallery.py PATH_TO_UPTACK RECORDINGS [SCENE ...]

RECORDINGS is the folder in which the tests of the scenes leave their runs (build/scene_runs); a scene without a recording
there is run.  Needs Chromium for the pictures.  With names, only their pictures are made again; the page always lists all.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs/images/gallery"

# When a scene is at its best [s], and what is shown; others are pictured at 40 % of their time.
MOMENT = {"arch": 1, "bottles": 6, "bowl_feeder": 3, "chain": 0.8, "column_collapse": 0.45, "pendulum": 0.25, "cascade": 2.2, "conveyor": 4, "cradle": 0.25, "crane": 3, "dominoes": 2.2,
          "double_pendulum": 1, "drum": 2, "gripper": 1.2, "shaker": 1.8, "silo": 1.5, "squeezer": 0.02, "table": 1,
          "tracked_vehicle": 3, "wall": 0.9}
EXTRA = {"tracked_vehicle": ["--draw", "none", "--follow", "chassis"], "column_collapse": ["--draw", "none", "--colour", "speed"],
         "chain": ["--draw", "joints"]}

PAGE = """# Gallery

Every scene of [scenes](../scenes), as `uptack report` draws it. `uptack run NAME -o NAME.h5` and `uptack report NAME.h5`
make the moving picture, `uptack view NAME` runs it live. Each is run to its end by a test, its page opened and looked
into by another. Made by `tools/make_gallery.py`.

"""


def record(uptack, recordings, scene):
    """The scene's recording, made now if it is not there."""
    recording = recordings / f"{scene.stem}.h5"
    if not recording.exists():
        recordings.mkdir(parents=True, exist_ok=True)
        subprocess.run([uptack, "run", scene, "-o", recording], check=True, stdout=subprocess.DEVNULL)
    return recording


def picture(uptack, recording, name, duration):
    moment = MOMENT.get(name, 0.4 * duration)
    subprocess.run([uptack, "report", recording, "--png", PICTURES / f"{name}.png", "--show", "scene", "--size", "560x350",
                    "--theme", "light", "--at", str(moment), *EXTRA.get(name, ["--draw", "none"])], check=True, stdout=subprocess.DEVNULL)


def main():
    uptack, recordings, chosen = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    PICTURES.mkdir(parents=True, exist_ok=True)
    scenes = json.loads(subprocess.check_output([uptack, "scenes", "--json"]))["scenes"]
    cells = []
    for entry in scenes:
        name = entry["scene"]
        scene = json.loads(subprocess.check_output([uptack, "info", name, "--json"]))
        if not chosen or name in chosen:
            print(name, flush=True)
            picture(uptack, record(uptack, recordings, ROOT / "scenes" / f"{name}.json"), name, scene["duration_s"])
        cells.append(f"![{entry['title']}](images/gallery/{name}.png)<br>**{entry['title']}** (`{name}`)<br>{scene['description']}")
    rows = [cells[i : i + 2] + [""] * (2 - len(cells[i : i + 2])) for i in range(0, len(cells), 2)]
    table = "| | |\n|---|---|\n" + "".join(f"| {left} | {right} |\n" for left, right in rows)
    (ROOT / "docs/gallery.md").write_text(PAGE + table)


main()
