"""Every program in Python that the documents show runs as it is shown."""
import os
import re
import subprocess
import sys

import pytest

DOCS = os.path.join(os.environ["ASHLAR_SOURCE"], "docs")
PAGES = ("mechanisms.md", "python.md")


def programs():
    for page in PAGES:
        with open(os.path.join(DOCS, page), encoding="utf-8") as file:
            for number, program in enumerate(re.findall(r"^```python\n(.*?)^```", file.read(), re.S | re.M)):
                yield pytest.param(program, id=f"{page}-{number}")


@pytest.mark.parametrize("program", programs())
def test_it_runs(program, tmp_path):
    if "import ashlar" not in program:
        pytest.skip("not by Ashlar")
    made = subprocess.run([sys.executable, "-W", "error::DeprecationWarning", "-c", program], cwd=tmp_path, capture_output=True,
                          text=True)
    assert made.returncode == 0, made.stderr


def test_there_are_programs():
    assert len(list(programs())) >= 3
