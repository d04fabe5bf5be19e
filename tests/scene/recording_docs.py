"""Runs the Python example of docs/recording.md on a recording."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

program, document = sys.argv[1:]
with open(document, encoding="utf-8") as text:
    blocks = re.findall(r"```python\n(.*?)```", text.read(), re.S)
assert blocks, "the document has no Python example"
folder = tempfile.mkdtemp(prefix="ashlar-docs-")
try:
    os.chdir(folder)
    subprocess.run([program, "out", "100", "2"], stdout=subprocess.DEVNULL, check=True)
    for block in blocks:
        values = {}
        exec(block, values)  # pylint: disable=exec-used
        assert values["samples"] == 101
        assert values["position"].shape == (101, 2, 3)
        assert values["height"][0] == 10 and values["unit"] == "m"
        assert values["scene"]["ashlar"] == 1
finally:
    shutil.rmtree(folder)
