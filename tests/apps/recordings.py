"""A small scene, and what a recording of it holds bit by bit."""

import h5py

WALL_CLOCK = {"collision_s", "assembly_s", "solve_s", "total_s"}

# Boxes that fall on each other and a pendulum: contacts, a joint, a few hundred rows.
SCENE = """{
    "uptack": 1, "title": "Boxes and a pendulum",
    "parameters": {"count": 4},
    "settings": {"step": "1/240", "duration": 0.5, "frame": "1/60"},
    "ground": true,
    "bodies": [
        {"name": "box", "repeat": {"i": "count"}, "shape": {"box": [0.2, 0.2, 0.1]},
         "position": ["0.03*i", 0, "0.06 + 0.11*i"]},
        {"name": "rod", "shape": {"box": [0.05, 0.05, 1]}, "position": [2, 0, 2], "angular_velocity": [0, 1, 0]}
    ],
    "joints": [{"name": "hinge", "kind": "revolute", "b": "rod", "position": [2, 0, 2.5], "axis": [0, 1, 0]}]
}"""


def committed(file):
    records = file["committed"][()]
    names = ("sequence", "frames", "contacts", "steps", "strings", "string_bytes", "checkpoint", "finished")
    return dict(zip(names, records[records[:, 0].argmax()]))


def contents(path):
    """Every dataset that a run determines: no wall clock, and no checkpoint numbers, which follow the clock."""
    with h5py.File(path, "r") as file:
        found = {}

        def take(name, item):
            if isinstance(item, h5py.Dataset) and not name.startswith("checkpoint") and name != "committed" \
                    and name.split("/")[-1] not in WALL_CLOCK:
                found[name] = item[()].tobytes()

        file.visititems(take)
        numbers = committed(file)
        slot = file["checkpoint/a" if numbers["checkpoint"] % 2 == 1 else "checkpoint/b"]
        header = slot["header"][0]
        found["checkpoint scalars"] = slot["scalars"][0].tobytes()
        for name in ("body", "joint_angle"):
            found["checkpoint " + name] = slot[name][()].tobytes() if name in slot else b""
        for name in ("block_key", "block_rows", "block_impulse"):
            found["checkpoint " + name] = slot[name][: header[2]].tobytes()
        found["checkpoint counts"] = header[1:8].tobytes()
        return found
