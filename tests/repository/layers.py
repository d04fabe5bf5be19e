"""A folder includes its own files and those of folders before it in tree.LAYERS, the program knows of the core no more than
public headers and its tools, no file includes itself through others, and rooms of a layer stand in an order, too. Usage: layers.py ROOT"""
import os
import re
import sys

import tree

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)
# These public headers declare what the scene layer defines.
SCENE_HEADERS = ("include/ashlar/scene.h", "include/ashlar/ashlar.h")

# Layers of several rooms, each of which includes its own files, those beside all rooms and those of rooms before it.
ROOMS = {
    "src/solve": "linear sweeps direct lemke newton structured impact soft wide".split(),
    "src/step": "integrate joints schemes".split(),
}

# Of the core's internal headers the program includes these only: tools that know nothing of worlds, and, until there is a
# debug interface for it, the world.
TOOLS = ("src/base/", "src/math/", "src/world/world.h", "src/model/method_fields.h")


def layer(path):
    """The index of a file's folder in the list; public headers are below all, except the scene's."""
    for index, folder in enumerate(tree.LAYERS):
        if path.startswith(folder + os.sep):
            return index
    if path.startswith("include" + os.sep):
        return tree.LAYERS.index("scene/description") if path in SCENE_HEADERS else -1
    return None


def room(path):
    """The layer of a file that lies in a room of it, and the index of this room; a layer's own files, which rooms share and which
    join them, have none."""
    for folder, rooms in ROOMS.items():
        for index, name in enumerate(rooms):
            if path.startswith(os.path.join(folder, name) + os.sep):
                return folder, index
    return None


def resolve(root, path, bracket, name):
    """The file that an include names: beside the includer (not for angle brackets), below src/, below include/ or from the root."""
    beside = [os.path.dirname(path)] if bracket == '"' else []
    for base in (*beside, "src", "include", "", "bench", "tests"):
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
    for path in tree.files(root, ("include", *tree.LIBRARIES, "app"), (".c", ".h")):
        own = layer(path)
        if own is None:
            complaints.append(f"{path}: its folder is not in the list of layers")
            continue
        if path.startswith(tuple(folder + os.sep for folder in ROOMS)) and path.count(os.sep) > 2 and room(path) is None:
            complaints.append(f"{path}: its folder is not in the list of rooms")
        graph[path] = includes(root, path, complaints)
        for target in graph[path]:
            below = layer(target)
            if path.startswith("include") and not target.startswith("include"):
                complaints.append(f"{path}: a public header includes the internal {target}")
            elif below is None:
                complaints.append(f"{path}: includes {target}, which is outside the libraries")
            elif below > own and not path.startswith("include"):
                complaints.append(f"{path}: includes {target}, a layer above its own")
            elif room(path) and room(target) and room(path)[0] == room(target)[0] and room(target) > room(path):
                complaints.append(f"{path}: includes {target}, a room after its own")
            elif path.startswith("app") and target.startswith("src") and not target.startswith(TOOLS):
                complaints.append(f"{path}: includes {target}, which programs do not see")
    ring = cycle(graph)
    if ring:
        complaints.append("files include each other in a ring: " + " -> ".join(ring))
    if not graph:
        complaints.append(f"{root}: no sources found")
    return complaints


if __name__ == "__main__":
    tree.judge("layers", check(sys.argv[1]))
