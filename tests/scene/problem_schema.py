"""Do the schema of problem files and the reader agree? As schema.py, on the stored problems.

Usage: problem_schema.py SOURCE_DIR VERDICTS_PROGRAM
"""
import pathlib
import re
import subprocess
import sys

import jsonschema

import schema

KNOWABLE = {"problem.type", "problem.missing", "problem.unknown-key", "problem.unknown-word"}


def ask_reader(program, problems):
    lines = "".join(schema.json.dumps(problem) + "\n" for problem in problems)
    words = subprocess.run([program, "problem"], input=lines, capture_output=True, text=True, check=True).stdout.split()
    assert len(words) == len(problems), "the reader left problems unanswered"
    return words


def check_stored(validator, paths, program):
    faults = [f"{path.name}: refused by the schema" for path in paths if not validator.is_valid(schema.read(path))]
    words = ask_reader(program, [schema.read(path) for path in paths])
    return faults + [f"{path.name}: the reader says {word}" for path, word in zip(paths, words) if word != "ok"]


def check_mutants(validator, paths, program):
    faults, total, refused = [], 0, 0
    for path in paths:
        problem = schema.read(path)
        for key in ("contacts", "blocks"):  # the others are alike
            problem[key] = problem.get(key, [])[:1] + problem.get(key, [])[1:][-1:]
        for contact in problem["contacts"]:
            contact["points"] = contact["points"][:1]
        cases = list(schema.mutants(problem))
        for (_, where, what, mutant), word in zip(cases, ask_reader(program, [case[3] for case in cases])):
            total += 1
            refused += word != "ok"
            valid = validator.is_valid(mutant)
            if not valid and word == "ok":
                faults.append(f"{path.name} {where} {what}: refused by the schema, taken by the reader")
            elif valid and word in KNOWABLE:
                faults.append(f"{path.name} {where} {what}: taken by the schema, {word} for the reader")
    assert total > 500 and refused > total / 2, (total, refused)
    return faults, total


def check_document(source, validator, program):
    """The example in the documentation is good."""
    document = (source / "docs/problem-file.md").read_text()
    examples = [schema.json.loads(text) for text in re.findall(r"^```json\n(.*?)^```", document, flags=re.S | re.M)]
    assert examples, "docs/problem-file.md has no example"
    words = ask_reader(program, examples)
    return [f"docs/problem-file.md: an example is {word}" for example, word in zip(examples, words)
            if word != "ok" or not validator.is_valid(example)]


def main():
    source, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    description = schema.read(source / "docs/problem.schema.json")
    jsonschema.Draft202012Validator.check_schema(description)
    validator = jsonschema.Draft202012Validator(description)
    paths = sorted((source / "tests/data/problems").glob("*.json"))
    old = sorted((source / "tests/data/problems-1").glob("*.json"))
    assert len(paths) >= 15 and len(old) >= 5, "no stored problems"
    faults = check_stored(validator, paths + old, program) + check_document(source, validator, program)
    small = [path for path in paths if path.stem in ("rest", "chain", "rolling")]
    small += [path for path in old if path.stem == "chain"]
    more, total = check_mutants(validator, small, program)
    for fault in faults + more:
        print(fault)
    print(f"{total} mutants, {len(faults) + len(more)} faults")
    return 1 if faults or more else 0


if __name__ == "__main__":
    sys.exit(main())
