"""Do the schema and the reader agree on what a scene file is?

Examples: valid ones pass both, those in invalid/ fail both, those in beyond-schema/ fail the reader alone. Then every
value of the valid examples is taken out or replaced by something else, and an unknown key is put into every object: what
the schema refuses the reader must refuse, and what the reader refuses for a reason that a schema can know, the schema
must refuse.

Usage: schema.py SOURCE_DIR VERDICTS_PROGRAM
"""
import copy
import json
import os
import pathlib
import random
import re
import subprocess
import sys

import jsonschema

# What a schema can know: keys, types, words. Ranges and references are partly beyond it.
KNOWABLE = {"scene.type", "scene.missing", "scene.unknown-key", "scene.unknown-word", "scene.unsupported"}
BEYOND = re.compile("/events/[0-9]+/(force|joint|values/.*)|/parameters/.*")  # which values can be set, or a parameter can have
ALL = "ASHLAR_ALL_TRIALS" in os.environ
REPLACEMENTS = [None, True, -1, 0.5, 3, "x", "", [], {}, [1, 2, 3], [[0, 0, 0]], {"kind": "sphere"}]


def read(path):
    """The value of a JSON file, or None where it is not JSON."""
    try:
        return json.loads(path.read_bytes())
    except ValueError:
        return None


def places(value, path=()):
    """The paths of all values inside `value`."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield path + (key,)
        yield from places(inner, path + (key,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def changeable(example, path):
    """A copy of the example in which the value at `path` may be changed; the others are shared with it."""
    scene = copy.copy(example)
    inner = scene
    for key in path:
        inner[key] = copy.copy(inner[key])
        inner = inner[key]
    return scene


def excerpt(scene, path):
    """What the schema has to look at when only `path` was changed: the changed member of its section. Nothing in the
    schema goes from one section, or one member of a list, to another; looking at all took most of the test's time."""
    if len(path) < 2 or path[0] not in scene or not isinstance(scene[path[0]], list):
        return scene
    return {"ashlar": 1, path[0]: [scene[path[0]][path[1]]]}


def mutants(example):
    """The example with one thing changed: (path, where, what was done, scene). One replacement a place, or two when all
    trials are made, is enough: every kind of place comes many times."""
    chance = random.Random(7)
    for path in [(), *places(example)]:
        name = "/" + "/".join(map(str, path))
        if isinstance(at(example, path), dict):
            scene = changeable(example, path)
            at(scene, path)["unknown_key"] = 1
            yield path, name + "/unknown_key", "added", scene
        if not path:
            continue
        for replacement in chance.sample(REPLACEMENTS, 2 if ALL else 1):
            scene = changeable(example, path[:-1])
            at(scene, path[:-1])[path[-1]] = replacement
            yield path, name, f"= {replacement!r}", scene
        if isinstance(path[-1], str):
            scene = changeable(example, path[:-1])
            del at(scene, path[:-1])[path[-1]]
            yield path, name, "deleted", scene


def ask_reader(program, scenes):
    """The reader's word to each scene."""
    lines = "".join(json.dumps(scene) + "\n" for scene in scenes)
    words = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout.split()
    assert len(words) == len(scenes), "the reader left scenes unanswered"
    return words


def check_examples(validator, source, program):
    """Faults found in the example files."""
    faults = []
    folders = [("tests/data/scenes/valid", True, True), ("scenes", True, True),
               ("tests/data/scenes/invalid", False, False), ("tests/data/scenes/beyond-schema", True, False)]
    for folder, schema_takes, reader_takes in folders:
        paths = sorted((source / folder).glob("*.json"))
        assert len(paths) >= 3, f"no examples in {folder}"
        for path in paths:
            value = read(path)
            taken = value is not None and validator.is_valid(value)
            if taken != schema_takes:
                faults.append(f"{folder}/{path.name}: the schema {'takes' if taken else 'refuses'} it")
        # Files as they are: test_scene_read.c looks at those that Python reads otherwise or not at all.
        scenes = [(path, read(path)) for path in paths if path.name not in ("duplicate-key.json", "overflow.json")]
        scenes = [(path, scene) for path, scene in scenes if scene is not None]
        for (path, _), word in zip(scenes, ask_reader(program, [scene for _, scene in scenes])):
            if (word == "ok") != reader_takes:
                faults.append(f"{folder}/{path.name}: the reader says {word}")
    return faults


def check_mutants(validator, source, program):
    """Faults found in mutants, and how many there were."""
    faults, total, refused = [], 0, 0
    for file in sorted((source / "tests/data/scenes/valid").glob("*.json")):
        cases = list(mutants(read(file)))
        words = ask_reader(program, [scene for *_, scene in cases])
        for (path, where, what, scene), word in zip(cases, words):
            total += 1
            refused += word != "ok"
            valid = validator.is_valid(excerpt(scene, path))
            if not valid and word == "ok":
                faults.append(f"{file.name} {where} {what}: refused by the schema, taken by the reader")
            elif valid and word in KNOWABLE and not BEYOND.fullmatch(where):
                faults.append(f"{file.name} {where} {what}: taken by the schema, {word} for the reader")
    assert total > 2000 and refused > total / 2, (total, refused)
    return faults, total


def check_document(source):
    """The examples in the documentation are those that the tests read and make worlds of."""
    document = (source / "docs/scene-file.md").read_text()
    names = ["documented.json", "documented-joints.json", "documented-parameters.json", "documented-strings.json"]
    examples = [(source / "tests/data/scenes/valid" / name).read_text() for name in names]
    blocks = re.findall(r"^```json\n(.*?)^```", document, flags=re.S | re.M)
    return [] if blocks == examples else ["docs/scene-file.md: its examples are not valid/documented*.json"]


def check_fields(schema, source, program):
    """Faults of the fields of methods: each is in the schema with a description and in docs/methods.md with what it takes,
    and the reader takes the schema's bounds and words and nothing beyond."""
    listing = subprocess.run([program, "fields"], capture_output=True, text=True, check=True).stdout.splitlines()
    document = (source / "docs/methods.md").read_text()
    known = schema["properties"]["world"]["properties"]["method"]["anyOf"][1]["properties"]
    faults, cases = [], []
    assert len(listing) > 50 and len(known) == len(listing) + 1, "the schema has other fields than methods have"
    for name, summary in (line.split("\t") for line in listing):
        field = known.get(name, {})
        if f"| `{name}` | {summary.replace(' | ', ', ')} |" not in document:
            faults.append(f"docs/methods.md: no row for {name}, {summary}")
        if "description" not in field:
            faults.append(f"schema: {name} has no description")
        low, high = field.get("minimum"), field.get("maximum")
        words = field["anyOf"][0]["enum"] if "anyOf" in field else None # or "$name", a parameter
        good = words or [low, high]
        bad = ["bogus", None, [1]] + ([3] if words else [str(high), low - 1e-3 - abs(low), 2 * high + 1, True])
        cases += [(name, value, True) for value in good] + [(name, value, False) for value in bad]
    words = ask_reader(program, [{"ashlar": 1, "world": {"method": {name: value}}} for name, value, _ in cases])
    validator = jsonschema.Draft202012Validator(schema)
    for (name, value, good), word in zip(cases, words):
        taken = validator.is_valid({"ashlar": 1, "world": {"method": {name: value}}})
        if taken != good or (word == "ok") != good:
            faults.append(f"{name} = {value!r}: the schema {'takes' if taken else 'refuses'} it, the reader says {word}")
    return faults


def main():
    source, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    schema = read(source / "docs/scene.schema.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    faults = check_document(source) + check_examples(validator, source, program) + check_fields(schema, source, program)
    more, total = check_mutants(validator, source, program)
    for fault in faults + more:
        print(fault)
    print(f"{total} mutants, {len(faults) + len(more)} faults")
    return 1 if faults or more else 0


if __name__ == "__main__":
    sys.exit(main())
