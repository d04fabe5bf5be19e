"""tools/setup with a faked system: which packages it finds missing, whom it asks for root, what it says when it cannot.
Usage: test_setup.py ROOT"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(sys.argv.pop(1))
RUN = ("gcc libc6-dev cmake ninja-build pkg-config libjansson-dev libexpat1-dev libassimp-dev libhdf5-dev libqhull-dev libpng-dev libsuitesparse-dev "
       "libwebsockets-dev zlib1g-dev nodejs npm").split()
DOCS = "python3-sphinx python3-myst-parser furo doxygen".split()
TEST = DOCS + ("g++ libcmocka-dev libccd-dev clang clang-format python3 python3-dev python3-numpy python3-cffi python3-pytest "
               "python3-matplotlib python3-h5py python3-jsonschema chromium "
               "libopenmpi-dev openmpi-bin").split()
SANITIZE = "libclang-rt-dev lld gcovr".split()
ARM64 = ("gcc libc6-dev cmake ninja-build pkg-config libqhull-dev libsuitesparse-dev gcc-aarch64-linux-gnu "
         "libc6-dev-arm64-cross qemu-user-static").split()
WEB = "emscripten node-acorn cmake ninja-build pkg-config ca-certificates patch xz-utils nodejs npm".split()
DEV = ["librsvg2-bin"]
PEERS = ["g++", "libbullet-dev", "libode-dev", "libmujoco-dev", "libbox2d-dev", "libchipmunk-dev"]

# Answers as dpkg-query does: the packages it knows on standard output, complaints and status 1 for the others.
DPKG_QUERY = """#!/bin/bash
status=0
for package in "${@:4}"; do
    case " $HAVE " in *" $package "*) printf '%s=installed ' "$package" ;; *)
    case " $REMOVED " in *" $package "*) printf '%s=config-files ' "$package" ;; *)
        echo "dpkg-query: no packages found matching $package" >&2; status=1 ;; esac ;; esac
done
exit $status
"""
APT_GET = """#!/bin/bash
echo "apt-get $* (root: ${AS_ROOT:-no})" >>"$LOG"
[ "$1" != "$APT_FAILS" ]
"""
SUDO = """#!/bin/bash
[ "$SUDO_REFUSES" = 1 ] && exit 1
[ "$1" = -n ] && exit 0
AS_ROOT=sudo exec "$@"
"""
PKG_CONFIG = """#!/bin/bash
case " $HAVE " in *" $2 "*) exit 0 ;; esac
exit 1
"""


class Setup(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.log = os.path.join(self.folder, "log")
        self.bin = os.path.join(self.folder, "bin")
        os.mkdir(self.bin)
        for tool in ("bash", "env"):
            os.symlink(shutil.which(tool), os.path.join(self.bin, tool))
        self.debian = True

    def fake(self, name, text):
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def run_setup(self, *words, have=(), removed=(), user=0, sudo=True, **environment):
        if self.debian:
            self.fake("dpkg-query", DPKG_QUERY)
            self.fake("apt-get", APT_GET)
        self.fake("id", f"#!/bin/bash\necho {user}\n")
        if sudo:
            self.fake("sudo", SUDO)
        result = subprocess.run([os.path.join(ROOT, "tools", "setup"), *words], stdin=subprocess.DEVNULL, text=True,
                                capture_output=True, env={"PATH": self.bin, "LOG": self.log, "HAVE": " ".join(have),
                                                          "REMOVED": " ".join(removed), **environment})
        calls = []
        if os.path.exists(self.log):
            with open(self.log, encoding="utf-8") as file:
                calls = file.read().splitlines()
        return result.returncode, result.stdout + result.stderr, calls

    def test_is_silent_when_all_is_there(self):
        for word, packages in (("run", RUN), ("docs", RUN + DOCS), ("test", RUN + TEST), ("sanitize", RUN + TEST + SANITIZE), ("arm64", ARM64),
                               ("web", WEB), ("dev", RUN + TEST + SANITIZE + DEV), ("peers", RUN + PEERS), ("--peers", RUN + PEERS)):
            self.assertEqual(self.run_setup(word, have=packages), (0, "", []))
        self.assertEqual(self.run_setup(have=RUN), (0, "", []))

    def test_each_package_is_noticed_when_it_is_missing(self):
        wanted = RUN + TEST + SANITIZE + DEV
        for missing in wanted:
            if os.path.exists(self.log):
                os.remove(self.log)
            have = [package for package in wanted if package != missing]
            status, _, calls = self.run_setup("dev", have=have)
            self.assertEqual(status, 0)
            self.assertEqual(calls[1], f"apt-get install -y --no-install-recommends {missing} (root: no)")

    def test_a_node_from_elsewhere_counts_with_its_npm(self):
        self.fake("node", "#!/bin/bash\n")
        self.fake("npm", "#!/bin/bash\n")
        have = [package for package in RUN if package not in ("nodejs", "npm")]
        self.assertEqual(self.run_setup("run", have=have), (0, "", []))

    def test_root_updates_and_installs_what_is_missing(self):
        status, _, calls = self.run_setup("run", have=RUN[2:])
        self.assertEqual(status, 0)
        self.assertEqual(calls, ["apt-get update -q (root: no)",
                                 "apt-get install -y --no-install-recommends gcc libc6-dev (root: no)"])

    def test_a_removed_package_is_missing(self):
        _, _, calls = self.run_setup("run", have=RUN[1:], removed=["gcc"])
        self.assertIn("apt-get install -y --no-install-recommends gcc (root: no)", calls)

    def test_a_user_goes_through_sudo(self):
        status, _, calls = self.run_setup("run", have=RUN[1:], user=1000)
        self.assertEqual(status, 0)
        self.assertEqual(calls, ["apt-get update -q (root: sudo)",
                                 "apt-get install -y --no-install-recommends gcc (root: sudo)"])

    def test_without_root_and_sudo_it_prints_the_one_command(self):
        for options in ({"sudo": False}, {"SUDO_REFUSES": "1"}):
            status, said, calls = self.run_setup("test", have=RUN[1:] + TEST, user=1000, **options)
            self.assertEqual((status, calls), (1, []))
            self.assertIn("    apt-get update && apt-get install -y --no-install-recommends gcc\n", said)

    def test_a_failing_update_does_not_keep_it_from_installing(self):
        status, said, calls = self.run_setup("run", have=RUN[1:], APT_FAILS="update")
        self.assertEqual((status, len(calls)), (0, 2))
        self.assertIn("could not be renewed", said)

    def test_a_failing_installation_stops_with_the_command(self):
        status, said, _ = self.run_setup("run", have=RUN[1:], APT_FAILS="install")
        self.assertEqual(status, 1)
        self.assertIn("apt-get update && apt-get install -y --no-install-recommends gcc", said)

    def test_elsewhere_it_says_what_is_needed(self):
        self.debian = False
        self.fake("pkg-config", PKG_CONFIG)
        for tool in ("gcc", "cmake", "node", "npm"):
            self.fake(tool, "#!/bin/bash\n")
        libraries = ["jansson", "expat", "assimp", "hdf5", "libpng", "zlib", "libwebsockets"]
        status, said, _ = self.run_setup("run", have=libraries)
        self.assertEqual(status, 1)
        self.assertIn("not found: ninja qhull_r\n", said)
        self.fake("ninja", "#!/bin/bash\n")
        self.fake("gcc", "#!/bin/bash\nexit 1\n")  # which does not find the header
        self.assertIn("not found: amd.h\n", self.run_setup("run", have=[*libraries, "qhull_r"])[1])
        self.fake("gcc", "#!/bin/bash\n")
        self.assertEqual(self.run_setup("run", have=[*libraries, "qhull_r"]), (0, "", []))

    def test_an_unknown_word_is_an_error(self):
        status, said, calls = self.run_setup("everything")
        self.assertEqual((status, calls), (1, []))
        self.assertIn("'everything'", said)


if __name__ == "__main__":
    unittest.main()
