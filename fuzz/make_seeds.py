#!/usr/bin/env python3
"""Makes inputs to start fuzzing from: make_seeds.py PATH_TO_UPTACK OUTPUT_FOLDER

Needs h5py.  Small scenes and those that came with the program; small problems in every format; short recordings.  HDF5
files are made twice: as Uptack writes them, whose checksums turn most changes away, and in HDF5's old layout, which has
none, so that changes reach the readers.  fuzz/README.md says how fuzz/corpus is made from them.
"""
import json
import pathlib
import random
import re
import subprocess
import sys

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Each exercises something that no other small scene does.
SMALL_SCENES = {
    "shapes": {"ground": {}, "bodies": [
        {"shape": {"capsule": {"radius": 0.1, "length": 0.4}}, "position": [0, 0, 0.3]},
        {"shape": {"cylinder": {"radius": 0.1, "length": 0.4}}, "position": [1, 0, 0.3]},
        {"shape": {"hull": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "position": [2, 0, 1]},
        {"shapes": [{"sphere": 0.1}, {"box": [0.1, 0.2, 0.3], "position": [0.2, 0, 0]}], "position": [3, 0, 1]}]},
    "field": {"bodies": [
        {"kind": "fixed", "shape": {"height_field": {"columns": 4, "rows": 5, "spacing": 0.5, "height": "0.1*sin(x)*y"}}},
        {"shape": {"sphere": 0.1}, "position": [0, 0, 0.5]}]},
    "pattern": {"parameters": {"n": {"value": 2, "min": 1, "max": 3}}, "bodies": [
        {"name": "b {i} {j}", "repeat": {"i": "n", "j": [1, 2]}, "let": {"x": "0.3*i"}, "if": "i != j",
         "shape": {"sphere": 0.1}, "position": ["x", "0.3*j", 0.2]}]},
    "joints": {"bodies": [{"name": "a", "shape": {"sphere": 0.1}}, {"name": "b", "shape": {"sphere": 0.1}, "position": [1, 0, 0]}],
               "joints": [{"kind": "revolute", "a": "a", "b": "b", "axis": [0, 1, 0], "limits": ["-90*deg", "90*deg"],
                           "motor": {"velocity": "sin(t)", "max_force": 3}},
                          {"kind": "spherical", "b": "a"}, {"kind": "distance", "a": "a", "b": "b"}],
               "forces": [{"body": "b", "force": [0, 0, "t"]}]},
    "settings": {"settings": {"step": "1/60", "solver": {"name": "psor", "options": {"omega": "1.2"}}, "tolerance": "1e-6 J",
                              "budget_ms": 5, "substeps": 2, "sleep": True}, "ground": {},
                 "bodies": [{"shape": {"box": 0.2}, "position": [0, 0, 0.09], "velocity": [1, 0, 0]}]},
}

# One word per line: solver, tolerance, step, duration, budget, and anything else.
WORDS = [
    ["psor:omega=1.2,symmetric=true", "1e-6J", "1/240", "2*pi", "2"],
    ["psor:omega=1.2:symmetric=1", "1e-4 J", "1e-3", "10", "0.5"],
    ["newton", "0", "1/60", "0", "1e3"], ["auto:account=true", "1e-4"],
    ["apgd:cone_metric=true"], ["spg:memory=5:armijo=1e-4"], ["simplex:facets=8"],
    ["clamp(sin(2*pi*t),-1,1)"], ["t<1?2^-3%x:atan2(1,x)"], ["ramp(t,0,1)+smooth(x)*min(1,2,3)"],
    ["1280x800"], ["120:problem.h5"], ["length=2*pi"],
    ['{"do":"pull","body":3,"point":[0,0,1],"target":[1,2,3]}'], ['{"do":"tolerance","value":1e-4,"unit":"J"}'],
    ['{"do":"parameters","values":{"rows":4}}'], ['{"do":"budget","ms":null}'], ['{"do":"step","count":2}'],
    ['{"do":"solver","name":"psor"}'], ['{"do":"speed","factor":0.5}'],
]


def schema_words(schema):
    """Every key and choice that scenes may have."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "properties":
                yield from value
            if key == "enum":
                yield from (str(word) for word in value)
            yield from schema_words(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from schema_words(value)


def write_dictionaries(uptack, out):
    """What libFuzzer may put into its inputs."""
    keys = sorted(set(schema_words(json.loads((ROOT / "docs/scene.schema.json").read_text()))))
    functions = ["sin(", "atan2(", "clamp(", "ramp(", "mod(", "1e308", "1e-308", "-1", "1e9", "?1:", "^", "%"]
    (out / "scene.dict").write_text("".join(f'"\\"{key}\\""\n' for key in keys)
                                    + "".join(f'"{word}"\n' for word in functions))
    words = set(functions + ["true", "=", ":", ",", "J", "x", '{\\"do\\":', '\\"values\\":', '\\"target\\":'])
    for solver in json.loads(subprocess.check_output([uptack, "solvers", "--json"], text=True))["solvers"]:
        words.update([solver["solver"]] + [option["name"] + "=" for option in solver["options"]])
    (out / "words.dict").write_text("".join(f'"{word}"\n' for word in sorted(words)) + '"\\x0a"\n')


def matrix(group, name, dense, storage):
    """A matrix in one of FCLIB's storages: rows, columns or triplets."""
    dense = np.asarray(dense, float)
    out = group.create_group(name)
    rows, columns = np.nonzero(dense)
    if storage == "columns":
        columns, rows = np.nonzero(dense.T)
    values = dense[rows, columns]
    p, i, nz = columns, rows, len(values)
    if storage == "rows":
        p, i, nz = np.searchsorted(rows, np.arange(dense.shape[0] + 1)), columns, -2
    elif storage == "columns":
        p, i, nz = np.searchsorted(columns, np.arange(dense.shape[1] + 1)), rows, -1
    for key, value in (("nzmax", [len(values)]), ("m", [dense.shape[0]]), ("n", [dense.shape[1]]), ("nz", [nz]),
                       ("p", p), ("i", i)):
        out[key] = np.asarray(value, np.int32)
    out["x"] = values


def fclib_files(folder):
    """Local with equalities, global with and without, global with rolling friction."""
    rng = np.random.default_rng(1)
    for name, storage in (("rows", "rows"), ("columns", "columns"), ("triplets", "triplets")):
        with h5py.File(folder / f"fclib_local_{name}.hdf5", "w") as file:
            group = file.create_group("fclib_local")
            group["spacedim"] = np.asarray([3], np.int32)
            root = rng.normal(size=(6, 8))
            matrix(group, "W", root @ root.T, storage)
            if storage == "rows":
                tie = rng.normal(size=(2, 8))
                matrix(group, "V", root @ tie.T, storage)
                matrix(group, "R", tie @ tie.T, storage)
                group["vectors/s"] = rng.normal(size=2)
            group["vectors/q"] = rng.normal(size=6)
            group["vectors/mu"] = [0.5, 0.1]
            group["info/title"] = np.bytes_("seed")
    for name, kind, width in (("global", "fclib_global", 3), ("rolling", "fclib_global_rolling", 5)):
        with h5py.File(folder / f"fclib_{name}.hdf5", "w") as file:
            group = file.create_group(kind)
            group["spacedim"] = np.asarray([width], np.int32)
            matrix(group, "M", np.diag([1.0, 1, 1, 0.1, 0.1, 0.1]), "triplets")
            matrix(group, "H", rng.normal(size=(6, width)), "columns")
            if name == "global":
                matrix(group, "G", rng.normal(size=(6, 1)), "columns")
                group["vectors/b"] = [0.0]
            else:
                group["vectors/mu_r"] = [0.1]
            group["vectors/f"] = rng.normal(size=6)
            group["vectors/w"] = rng.normal(size=width)
            group["vectors/mu"] = [0.5]


def text_files(folder):
    (folder / "lcp.dat").write_text("2\n0\n2\n2\n2 2\n2 1\n1 2\n-1 -1\n")
    (folder / "mlcp.dat").write_text("1\n0\n1\n2\n0 1 3\n0 1\n0\n3\n3\n3 3\n4 1 0\n1 3 1\n0 1 2\n-1 1 -2\n")


def mesh_files(folder):
    (folder / "tetrahedron.obj").write_text("# one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1e-3\nf 1 2 3\nf 1/1 2/2 4/3\n"
                                            "f -1//1 -2//2 -4//3\nf 1 2 3 4\n")
    (folder / "text.stl").write_text("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                                     "vertex 0 1 0\nendloop\nendfacet\nendsolid a\n")
    corners = np.arange(24, dtype="<f4").tobytes()
    (folder / "binary.stl").write_bytes(bytes(80) + (2).to_bytes(4, "little")
                                        + corners[:48] + bytes(2) + corners[48:] + bytes(2))


def old_layout(source, target, **storage):
    """The same content without checksums; in one piece each, unless told how to store it."""
    def copy_attributes(old, new):
        for name, value in old.attrs.items():
            new.attrs.create(name, value, dtype=old.attrs.get_id(name).dtype)

    with h5py.File(source, "r") as old, h5py.File(target, "w", libver="earliest") as new:
        copy_attributes(old, new)

        def copy(name, item):
            if isinstance(item, h5py.Group):
                made = new.require_group(name)
            else:
                made = new.create_dataset(name, data=item[()], dtype=item.dtype, **(storage if item.size > 1 else {}))
            copy_attributes(item, made)

        old.visititems(copy)


def cut(path):
    """The file, and its first third and two thirds."""
    data = path.read_bytes()
    for part in (1, 2):
        path.with_name(f"{path.name}.cut{part}").write_bytes(data[: len(data) * part // 3])


def main():
    uptack, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])

    def run(*words):
        subprocess.run([uptack, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    for target in ("scene", "mesh", "problem", "recording", "words", "solvers"):
        (out / target).mkdir(parents=True, exist_ok=True)

    write_dictionaries(uptack, out)
    for scene in sorted((ROOT / "scenes").glob("*.json")):
        (out / "scene" / scene.name).write_text(scene.read_text())
    for name, scene in SMALL_SCENES.items():
        (out / "scene" / f"small_{name}.json").write_text(json.dumps({"uptack": 1, **scene}))

    mesh_files(out / "mesh")
    problems = out / "problem"
    for name, size in (("b3", 2), ("random", 3), ("chain", 2)):
        run("generate", name, "--size", str(size), "-o", problems / f"{name}.h5")
        old_layout(problems / f"{name}.h5", problems / f"{name}_old.h5")
    old_layout(problems / "random.h5", problems / "random_chunks.h5", chunks=True, compression=4, shuffle=True,
               fletcher32=True)
    run("convert", problems / "b3.h5", problems / "b3.hdf5", "--to", "fclib")
    run("solve", problems / "chain.h5", "--solver", "newton", "--save-solution", problems / "solution.h5")
    fclib_files(problems)
    text_files(problems)
    for file in sorted(problems.glob("*.h5")):
        cut(file)

    for name in ("shapes", "joints"):
        recording = out / "recording" / f"{name}.h5"
        run("run", out / "scene" / f"small_{name}.json", "--duration", "0.02", "-o", recording)
        old_layout(recording, out / "recording" / f"{name}_old.h5")
    cut(recording)

    for k, words in enumerate(WORDS):
        (out / "words" / f"{k}").write_text("\n".join(words))

    chance = random.Random(1)
    for k in range(100):
        (out / "solvers" / f"{k}").write_bytes(bytes(chance.randrange(256) for _ in range(chance.choice((40, 120, 300, 600)))))


if __name__ == "__main__":
    main()
