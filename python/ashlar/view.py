"""The browser viewer from Python: the program `ashlar view`, in a window of the browser or within a notebook."""
import json
import os
import shutil
import subprocess
import tempfile
import weakref


def program():
    """The program `ashlar`: $ASHLAR, beside the package's build, beside the installed package, or on the path."""
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.environ.get("ASHLAR"), os.path.join(here, "..", "..", "ashlar"), os.path.join(here, "bin", "ashlar")]
    parts = here.split(os.sep)
    places += [os.path.join(os.sep.join(parts[:n]), "bin", "ashlar") for n in range(len(parts), 0, -1)]
    for place in places:
        if place and os.path.isfile(place) and os.access(place, os.X_OK):
            return place
    found = shutil.which("ashlar")
    if not found:
        raise FileNotFoundError("the program ashlar is not found: put it on the path, or its name into $ASHLAR")
    return found


def end(process, folder):
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    process.stdout.close()
    folder.cleanup()


class View:
    """A viewer that runs. `address` is the page; the viewer ends with close(), with the object, or with Python."""

    def __init__(self, arguments, folder, height):
        self.height = height
        self._process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        self.close = weakref.finalize(self, end, self._process, folder)
        self.address = ""
        printed = ""
        for line in self._process.stdout:
            printed += line
            if line.startswith("}"):
                break
        if not printed:
            self.close()
            raise RuntimeError(f"the viewer did not start: {' '.join(arguments)}")
        self.address = json.loads(printed)["address"]

    def __repr__(self):
        return f"<View at {self.address}>"

    def _repr_html_(self):
        return f'<iframe src="{self.address}" width="100%" height="{self.height}" style="border:0"></iframe>'


def in_notebook():
    """Whether a notebook would show the view itself."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"


def view(scene, *, method=None, paused=False, browser=None, height=600) -> View:
    """Shows a scene, a recording or the directory of a run in the browser, or in the cell of a notebook.

    browser: whether a window is opened; left out, unless this is a notebook."""
    from .scene import Run, Scene
    folder = tempfile.TemporaryDirectory(prefix="ashlar-")
    if isinstance(scene, Run) and scene.out is not None:
        place = os.fspath(scene.out)
    elif isinstance(scene, (Run, Scene)):
        scene = scene.scene if isinstance(scene, Run) else scene
        place = os.path.join(folder.name, "scene.json")
        with open(place, "w", encoding="utf-8") as file:
            file.write(scene.json())
    else:
        place = os.fspath(scene)
    arguments = [program(), "view", place, "--json"]
    arguments += ["--method", str(getattr(method, "name", method))] if method is not None else []
    arguments += ["--paused"] if paused else []
    if browser is False or (browser is None and in_notebook()):
        arguments.append("--no-open")
    return View(arguments, folder, height)


