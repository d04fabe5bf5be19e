"""Every program in Python that the documents show runs as it is shown, and prints what stands in the block below it."""
import glob
import os
import re
import subprocess
import sys

import pytest

DOCS = os.path.join(os.environ["ASHLAR_SOURCE"], "docs")
PROGRAM = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", re.S | re.M)


# A file that a page shows has its name in code at the end of the line before it, with a colon.
FILE = re.compile(r"`([\w.-]+\.\w+)`[^`]*:\s*\n\n```\w+\n(.*?)^```", re.S | re.M)


def programs():
    """Those that use the package: others show other engines."""
    for page in sorted(glob.glob(os.path.join(DOCS, "**", "*.md"), recursive=True)):
        with open(page, encoding="utf-8") as file:
            text = file.read()
            for number, (program, output) in enumerate(PROGRAM.findall(text)):
                if "import ashlar" in program:
                    yield pytest.param(program, output, FILE.findall(text), id=f"{os.path.relpath(page, DOCS)}-{number}")


@pytest.mark.parametrize("program, output, files", programs())
def test_it_runs(program, output, files, tmp_path):
    for name, content in files:
        (tmp_path / name).write_text(content)
    made = subprocess.run([sys.executable, "-W", "error::DeprecationWarning", "-c", program], cwd=tmp_path, capture_output=True,
                          text=True)
    assert made.returncode == 0, made.stderr
    if output:
        assert made.stdout == output


def test_there_are_programs():
    found = [program.id for program in programs()]
    for page in ("python", "mechanisms", "tutorial/python", "from/mujoco", "from/pybullet", "from/box2d", "from/chrono"):
        assert any(name.startswith(page + ".md") for name in found), page
