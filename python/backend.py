"""Builds the package's wheel for pip (PEP 517): CMake makes the package, this puts it into a zip file. It needs nothing that
has to be fetched: cffi is taken from this Python, or from the one that pip's own environment stands on."""
import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import tomllib
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def own_environment():
    """Without what pip sets to hide this machine's packages from builds."""
    return {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


def python_with_cffi():
    """A Python that can read the headers, or None."""
    for program in (sys.executable, getattr(sys, "_base_executable", None), "/usr/bin/python3"):
        if program and subprocess.run([program, "-c", "import cffi"], capture_output=True,
                                      env=own_environment()).returncode == 0:
            return program
    return None


def get_requires_for_build_wheel(config_settings=None):
    """What pip has to fetch first."""
    return [] if python_with_cffi() else ["cffi"]


def make_package(folder):
    """Builds build/python/ashlar in a folder and returns its path."""
    program = python_with_cffi()
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DASHLAR_TESTS=OFF", "-DASHLAR_PEERS=OFF",
                    f"-DASHLAR_PYTHON={program}"], check=True, env=own_environment())
    subprocess.run(["cmake", "--build", folder, "--target", "ashlar-python-files", "--parallel"], check=True,
                   env=own_environment())
    return os.path.join(folder, "python", "ashlar")


def metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}"]
    return "\n".join(lines + [f"Requires-Dist: {name}" for name in project["dependencies"]]) + "\n"


def tag():
    machine = os.uname().machine
    return f"cp311-abi3-linux_{machine}"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        project = tomllib.load(file)["project"]
    name, info = f"{project['name']}-{project['version']}", f"{project['name']}-{project['version']}.dist-info"
    wheel = f"{name}-{tag()}.whl"
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w",
                                                                  zipfile.ZIP_DEFLATED) as archive:
        package = make_package(os.environ.get("ASHLAR_BUILD", folder))
        contents = {f"{info}/METADATA": metadata(project).encode(),
                    f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: ashlar\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode()}
        for file_name in sorted(os.listdir(package)):
            if not file_name.startswith("__pycache__"):
                with open(os.path.join(package, file_name), "rb") as file:
                    contents[f"ashlar/{file_name}"] = file.read()
        record = ""
        for path, data in contents.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\n"
            archive.writestr(path, data)
        archive.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return wheel
