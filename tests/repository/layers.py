"""A folder of src/ includes its own files and those of folders before it in DESIGN's list, and no file includes itself
through others. Usage: layers.py ROOT"""
import os
import re
import sys

import tree

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)
# These public headers declare what the scene layer defines.
SCENE_HEADERS = ("include/ashlar/scene.h", "include/ashlar/ashlar.h")


def layer(path):
    """The place of a file in the list; public headers are below all, but for the scene's."""
    parts = path.split(os.sep)
    if parts[0] == "src":
        return tree.LAYERS.index(parts[1]) if parts[1] in tree.LAYERS else None
    return tree.LAYERS.index("scene") if path in SCENE_HEADERS else -1


def resolve(root, path, bracket, name):
    """The file that an include names: beside the includer (not for angle brackets), below src/ or below include/."""
    beside = [os.path.dirname(path)] if bracket == '"' else []
    for base in (*beside, "src", "include", "cli", "bench", "tests", ""):
        candidate = os.path.normpath(os.path.join(base, name))
        if os.path.isfile(os.path.join(root, candidate)):
            return candidate
    return None


def includes(root, path, complaints):
    found = []
    for bracket, name in INCLUDE.findall(tree.read(os.path.join(root, path))):
        target = resolve(root, path, bracket, name)
        if target:
            found.append(target)
        elif bracket == '"':
            complaints.append(f'{path}: includes "{name}", which is not in the repository')
    return found


def cycle(graph):
    """A list of files that include each other in a ring, or nothing."""
    done = set()
    for start in graph:
        trail, stack = [], [(start, iter(graph[start]))]
        while stack:
            node, rest = stack[-1]
            if node not in trail:
                trail.append(node)
            following = next((target for target in rest if target not in done), None)
            if following is None:
                done.add(node)
                stack.pop()
                trail.remove(node)
            elif following in trail:
                return trail[trail.index(following):] + [following]
            else:
                stack.append((following, iter(graph.get(following, []))))
    return []


def check(root):
    complaints, graph = [], {}
    for path in tree.files(root, ("include", "src"), (".c", ".h")):
        own = layer(path)
        if own is None:
            complaints.append(f"{path}: its folder is not in the list of layers")
            continue
        graph[path] = includes(root, path, complaints)
        for target in graph[path]:
            if not target.startswith(("src" + os.sep, "include" + os.sep)):
                complaints.append(f"{path}: includes {target}, which is outside the library")
            elif path.startswith("include") and target.startswith("src"):
                complaints.append(f"{path}: a public header includes the internal {target}")
            elif path.startswith("src") and (layer(target) is None or layer(target) > own):
                complaints.append(f"{path}: includes {target}, a layer above its own")
    ring = cycle(graph)
    if ring:
        complaints.append("files include each other in a ring: " + " -> ".join(ring))
    if not graph:
        complaints.append(f"{root}: no sources found")
    return complaints


if __name__ == "__main__":
    tree.judge("layers", check(sys.argv[1]))
