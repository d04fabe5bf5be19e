"""Relative links and pictures in the Markdown files lead to files that exist, and anchors to headings. So do the paths in
CONTRIBUTING.md and docs/architecture.md, where NAME stands for any name. Usage: links.py ROOT"""
import glob
import os
import re
import sys

import tree

LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|<img[^>]*\bsrc=\"([^\"]+)\"")


def anchors(text):
    """The anchors that headings give: lower case, punctuation dropped, spaces to hyphens."""
    headings = re.findall(r"^#+\s+(.*?)\s*$", text, flags=re.M)
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.lower())) for heading in headings}


def outside_code(text):
    text = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", "", text)


def missing_paths(root, page):
    """Paths between backticks that lead to nothing."""
    for path in re.findall(r"`((?:src|include|scene|app|experiments|tests|docs|bench|tools|view|python)/[^`\s]*)`",
                           tree.read(os.path.join(root, page))):
        if not glob.glob(os.path.join(root, re.sub("NAME|FOLDER|TARGET", "*", path).replace("{", "[").replace("}", "]"))):
            yield f"{page}: `{path}` does not exist"


def check(root):
    complaints = []
    pages = [name for name in sorted(os.listdir(root)) if name.endswith(".md")]
    pages += tree.files(root, ("docs", "scenes", "tests", "bench", "tools"), ".md")
    for page in pages:
        text = outside_code(tree.read(os.path.join(root, page)))
        for match in LINK.finditer(text):
            target = match.group(1) or match.group(2)
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            full = os.path.normpath(os.path.join(root, os.path.dirname(page), path)) if path else os.path.join(root, page)
            if not os.path.exists(full):
                complaints.append(f"{page}: {target} does not exist")
            elif anchor and full.endswith(".md") and anchor not in anchors(tree.read(full)):
                complaints.append(f"{page}: {target}: no such heading")
    for page in ("CONTRIBUTING.md", "docs/architecture.md"):
        if os.path.exists(os.path.join(root, page)):
            complaints += missing_paths(root, page)
    if "README.md" not in pages:
        complaints.append("README.md is missing")
    return complaints


if __name__ == "__main__":
    tree.judge("links", check(sys.argv[1]))
