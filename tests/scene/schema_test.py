#!/usr/bin/env python3
"""The published JSON Schema accepts every scene and every example of the documents, and refuses faults.

usage: schema_test.py SOURCE
"""
import copy
import json
import pathlib
import re
import sys

import jsonschema

SOURCE = pathlib.Path(sys.argv[1])


def parse(text):
    """JSON with // and /* */ comments, which scene files may have; texts are left alone."""
    pattern = r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/'
    return json.loads(re.sub(pattern, lambda match: match.group(1) or " ", text, flags=re.DOTALL))


def scenes():
    for path in sorted((SOURCE / "scenes").rglob("*.json")):
        yield str(path.relative_to(SOURCE)), parse(path.read_text())
    text = (SOURCE / "docs/02-scene-format.md").read_text()
    for number, block in enumerate(re.findall(r"```json\n(.*?)```", text, flags=re.DOTALL)):
        if '"uptack"' in block:
            yield f"docs/02-scene-format.md, example {number}", parse(block)


def changed(scene, change):
    other = copy.deepcopy(scene)
    change(other)
    return other


def faults(validator):
    count = 0
    for name, scene in scenes():
        count += 1
        for error in validator.iter_errors(scene):
            yield f"{name}: {error.json_path}: {error.message[:200]}"
    if count < 10:
        yield f"only {count} scenes were found"

    good = {"uptack": 1, "bodies": [{"shape": {"box": [1, "2*a", 3]}}],
            "joints": [{"kind": "revolute", "b": "body 0", "motor": {"velocity": 1}}]}
    if not validator.is_valid(good):
        yield "a good scene is refused"
    wrong = {
        "unknown key": lambda s: s.update(bodis=[]),
        "no version": lambda s: s.pop("uptack"),
        "version 2": lambda s: s.update(uptack=2),
        "unknown key of a body": lambda s: s["bodies"][0].update(mas=1),
        "two geometries": lambda s: s["bodies"][0]["shape"].update(sphere=1),
        "no geometry": lambda s: s["bodies"][0]["shape"].pop("box"),
        "two numbers for three": lambda s: s["bodies"][0].update(position=[1, 2]),
        "true for a number": lambda s: s["bodies"][0].update(mass=True),
        "unknown kind": lambda s: s["joints"][0].update(kind="hinge"),
        "a joint without kind": lambda s: s["joints"][0].pop("kind"),
        "two ways to drive": lambda s: s["joints"][0]["motor"].update(force=1),
        "color by name": lambda s: s["bodies"][0].update(color="red"),
        "unknown coordinate": lambda s: s["joints"][0].update(axes={"w": {}}),
    }
    for name, change in wrong.items():
        if validator.is_valid(changed(good, change)):
            yield f"the schema accepts {name}"


schema = json.loads((SOURCE / "docs/scene.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
found = list(faults(jsonschema.Draft202012Validator(schema)))
print("\n".join(found) if found else "schema: ok")
sys.exit(bool(found))
