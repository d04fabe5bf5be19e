"""A tiny project builds against the installed Ashlar and runs: by find_package and by pkg-config, with the shared and
with the static libraries, also after the installed tree has been moved. Usage: consumer.py PROJECT PREFIX VERSION"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile


ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}


def run(*command, env=ENVIRONMENT, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{result.stdout}\nconsumer: exit status {result.returncode}")
    return result.stdout


def expect(program, version, shared):
    """The program runs and is linked with our shared libraries or without them."""
    said = run(program)
    if said != f"ashlar {version}, time 0.25, scenes built in\n":
        sys.exit(f"{program} said: {said}")
    linked = "libashlar" in run("ldd", program)
    if linked != shared:
        sys.exit(f"{program}: linked with libashlar.so: {linked}, expected {shared}")


def expect_core(program):
    """The core runs without the libraries of scene files."""
    said, linked = run(program), run("ldd", program)
    if said != "core, time 0.25\n" or "hdf5" in linked or "ashlar-scene" in linked:
        sys.exit(f"{program} said: {said}, is linked with: {linked}")


def by_cmake(project, prefix, folder, version):
    build = os.path.join(folder, "cmake")
    run("cmake", "-S", project, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    expect(os.path.join(build, "consumer-shared"), version, True)
    expect(os.path.join(build, "consumer-static"), version, False)
    expect_core(os.path.join(build, "core"))


def flags(prefix, *options, module="ashlar"):
    found = glob.glob(os.path.join(prefix, "lib*", "**", "pkgconfig"), recursive=True)
    environment = {**ENVIRONMENT, "PKG_CONFIG_PATH": ":".join(found)}
    return run("pkg-config", *options, module, env=environment).split()


def by_pkg_config(project, prefix, folder, version):
    source, program = os.path.join(project, "consumer.c"), os.path.join(folder, "consumer")
    asked = flags(prefix, "--modversion")
    if asked != [version]:
        sys.exit(f"pkg-config says version {asked}, expected {version}")
    library = flags(prefix, "--variable=libdir")[0]
    run("cc", source, "-o", program, *flags(prefix, "--cflags", "--libs"))
    expect(program, version, True)
    core = os.path.join(folder, "core")
    run("cc", os.path.join(project, "core.c"), "-o", core, *flags(prefix, "--cflags", "--libs", module="ashlar-core"))
    expect_core(core)
    # With only the archives at hand the linker has to take them.
    for shared in glob.glob(os.path.join(library, "*.so*")):
        os.remove(shared)
    run("cc", source, "-o", program, *flags(prefix, "--static", "--cflags", "--libs"))
    expect(program, version, False)


def main(project, prefix, version):
    with tempfile.TemporaryDirectory() as folder:
        moved = os.path.join(folder, "moved")
        shutil.copytree(prefix, moved, symlinks=True)
        by_cmake(project, moved, folder, version)
        by_pkg_config(project, moved, folder, version)
    print("consumer: built and ran six ways")


if __name__ == "__main__":
    main(*sys.argv[1:4])
