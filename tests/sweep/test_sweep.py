"""ashlar sweep as a user runs it: the table for any number of processes and ranks, restarts, what is killed, what is wrong.
h5py reads what HDF5 holds."""
import csv
import json
import os
import signal
import subprocess
import time
import unittest

import h5py

from program import PROGRAM, ProgramTest, environment

# Open MPI leaves memory behind when it ends, which sanitizers would report as ours.
MPIRUN = None if os.environ.get("ASHLAR_SLOW_BUILD") else os.environ.get("ASHLAR_MPIRUN")

# A ball rolls down a slope and meets a wall of bricks; the time that a case takes grows with n.
SCENE = """{"ashlar": 1, "name": "slide",
 "parameters": {"mu": 0.3, "mass": {"value": 1, "low": 0.1}, "n": 1, "shape": {"value": "box", "choices": ["box", "ball"]}},
 "world": {"step": 0.01, "time": "0.3 * $n"},
 "materials": {"m": {"friction": "$mu", "density": 1000}},
 "shapes": {"box": {"kind": "box", "half_extents": [0.1, 0.1, 0.1]}, "ball": {"kind": "sphere", "radius": 0.1}},
 "bodies": [{"name": "floor", "type": "static", "shapes": [{"shape": {"kind": "plane"}, "material": "m"}]},
   {"name": "block", "position": [0, 0, 0.1], "velocity": [3, 0, 0], "mass": "$mass", "inertia": [0.01, 0.01, 0.01],
    "shapes": [{"shape": "$shape", "material": "m"}]}],
 "outputs": [{"name": "x", "body": "block", "quantity": "position", "component": "x"},
   {"name": "speed", "body": "block", "quantity": "velocity", "component": "norm"}],
 "checks": [{"name": "it stays low", "output": "x", "expected": 0, "tolerance": 10}]}"""


def children(process):
    """The processes that this one has started."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            if int(fields[1]) == process:
                found.append(int(entry))
        except (OSError, ValueError, IndexError):
            pass
    return found


def ranks_in(folder):
    """The ranks other than 0 of jobs that work in this folder: mpirun started them, and they lead sessions of their own."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                ranked = b"OMPI_COMM_WORLD_RANK" in file.read()
            if ranked and os.getsid(int(entry)) == int(entry) and os.path.samefile(f"/proc/{entry}/cwd", folder):
                found.append(int(entry))
        except (OSError, ValueError):
            pass
    return found


class Sweep(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("slide.json", SCENE)

    def table(self, folder):
        with open(self.path(f"{folder}/table.csv"), newline="") as file:
            return list(csv.DictReader(file))

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def start(self, *arguments):
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder.name, env=environment(), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.poll() is None and process.kill(), process.wait(), process.stderr.close()))
        return process

    def wait_for_results(self, folder, size, process):
        """Until the journal has grown to that size."""
        for _ in range(3000):
            try:
                if os.path.getsize(self.path(f"{folder}/journal")) >= size:
                    return
            except OSError:
                pass
            self.assertIsNone(process.poll(), "it ended before it could be killed")
            time.sleep(0.005)
        self.fail("no results come")

    def test_a_grid(self):
        text = self.ashlar("sweep", "slide.json", "--vary", "mu=0.1:0.5:5", "--vary", "method=realtime,engineering",
                           "--out", "grid", "--worst", "x").stdout
        self.assertIn("10 of 10 cases done", text)
        rows = self.table("grid")
        self.assertEqual([row["case"] for row in rows], [str(i) for i in range(10)])
        for row in rows:
            self.assertEqual(row["state"], "done")
            # Sliding: v = v0 - mu g t; the error of one step at most.
            speed = max(3 - 9.81 * float(row["mu"]) * 0.3, 0)
            self.assertAlmostEqual(float(row["speed [m/s]"]), speed, delta=9.81 * float(row["mu"]) * 0.011)
        self.assertEqual({row["method"] for row in rows}, {"realtime", "engineering"})
        with h5py.File(self.path("grid/table.h5")) as file:
            self.assertEqual(list(file["parameters/mu"][:]), [float(row["mu"]) for row in rows])
            self.assertEqual([word.decode() for word in file["parameters/method"][:]], [row["method"] for row in rows])
            self.assertEqual(list(file["outputs/x"][:]), [float(row["x [m]"]) for row in rows])
            self.assertEqual(file["outputs/x max"].attrs["unit"], b"m")
            self.assertEqual([word.decode() for word in file["run/hash"][:]], [row["hash"] for row in rows])
        summary = json.loads(self.bytes("grid/summary.json"))
        worst = max(rows, key=lambda row: float(row["x [m]"]))
        self.assertEqual(summary["worst"]["case"], int(worst["case"]))
        self.assertEqual(summary["worst"]["settings"], {"mu": worst["mu"], "method": worst["method"]})
        with h5py.File(self.path("grid/worst/recording.h5")) as file:
            self.assertEqual(file["outputs/x"][-1], float(worst["x [m]"]))
        # A run by itself has the same final state.
        alone = self.json("run", "slide.json", "--set", f"mu={rows[6]['mu']}", "--method", rows[6]["method"])
        self.assertEqual(alone["hash"], rows[6]["hash"])
        page = self.bytes("grid/sweep.html").decode()
        for word in ("<svg", "over mu", "over method", "Worst: case"):
            self.assertIn(word, page)
        values = [float(row["x [m]"]) for row in rows]
        self.assertAlmostEqual(summary["measured"]["x"]["mean"], sum(values) / 10, places=14)
        self.assertEqual(summary["measured"]["x"]["greatest"], max(values))

    def test_the_same_table_for_any_number_of_processes(self):
        arguments = ["sweep", "slide.json", "--random", "mass=normal(1,0.1)", "--random", "mu=uniform(0.1,0.6)", "--random",
                     "shape=choice(box,ball)", "--runs", "24", "--seed", "5"]
        self.ashlar(*arguments, "--out", "one", "--jobs", "1")
        self.ashlar(*arguments, "--out", "three", "--jobs", "3")
        names = ["three"]
        if MPIRUN:
            for ranks in ("1", "2", "4"):
                result = subprocess.run([MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", ranks, PROGRAM, *arguments, "--out",
                                         f"ranks{ranks}"], cwd=self.folder.name, capture_output=True, text=True,
                                        stdin=subprocess.DEVNULL, timeout=120)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                self.assertIn("24 of 24 cases done", result.stdout)
                names.append(f"ranks{ranks}")
        for name in names:
            for file in ("table.csv", "table.h5", "sweep.html", "summary.json"):
                self.assertEqual(self.bytes(f"one/{file}"), self.bytes(f"{name}/{file}"), f"{name}/{file}")
        shapes = [row["shape"] for row in self.table("one")]
        self.assertEqual(shapes.count("box"), 12)  # each slice of a Latin hypercube has one

    def test_what_was_interrupted_goes_on(self):
        arguments = ["sweep", "slide.json", "--vary", "mu=0.1:0.5:12", "--set", "n=400", "--jobs", "2", "--out"]
        self.ashlar(*arguments, "whole")
        process = self.start(*arguments, "cut")
        self.wait_for_results("cut", 1500, process)
        process.kill()
        process.wait()
        before = os.path.getsize(self.path("cut/journal"))
        self.assertFalse(os.path.exists(self.path("cut/table.csv")))
        with open(self.path("cut/journal"), "ab") as file:
            file.write(b"half a record")
        self.ashlar(*arguments, "cut")
        self.assertEqual(self.bytes("cut/table.csv"), self.bytes("whole/table.csv"))
        self.assertEqual(os.path.getsize(self.path("cut/journal")), os.path.getsize(self.path("whole/journal")))
        # Once more: nothing is run, the files are the same.
        began = os.path.getmtime(self.path("cut/journal"))
        self.ashlar(*arguments, "cut")
        self.assertEqual(os.path.getmtime(self.path("cut/journal")), began)
        self.assertIn("is of another sweep", self.refused("sweep", "slide.json", "--vary", "mu=0.1:0.5:12", "--out", "cut"))

    def test_a_killed_worker_loses_its_case_only(self):
        arguments = ["sweep", "slide.json", "--vary", "mu=0.1:0.5:8", "--set", "n=400", "--jobs", "2", "--out", "killed"]
        process = self.start(*arguments)
        self.wait_for_results("killed", 600, process)
        os.kill(children(process.pid)[0], signal.SIGKILL)
        told = process.stderr.read()
        self.assertEqual(process.wait(), 3, told)
        self.assertIn("1 case was lost", told)
        rows = self.table("killed")
        self.assertEqual(sorted(row["state"] for row in rows), ["done"] * 7 + ["open"])
        self.ashlar(*arguments)
        self.assertEqual({row["state"] for row in self.table("killed")}, {"done"})

    def start_ranks(self, *arguments):
        process = subprocess.Popen([MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", "3", PROGRAM, *arguments], cwd=self.folder.name,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.poll() is None and process.kill(), process.wait(), process.stderr.close()))
        return process

    def wait_until_gone(self, processes):
        for _ in range(2000):
            if not any(os.path.exists(f"/proc/{process}") for process in processes):
                return
            time.sleep(0.01)
        self.fail("processes are left")

    @unittest.skipUnless(MPIRUN, "there is no MPI")
    def test_a_killed_rank_loses_its_case_only(self):
        arguments = ["sweep", "slide.json", "--vary", "mu=0.1:0.5:12", "--set", "n=400", "--out", "ranks"]
        process = self.start_ranks(*arguments)
        self.wait_for_results("ranks", 600, process)
        others = ranks_in(self.folder.name)
        self.assertEqual(len(others), 2)
        os.kill(others[0], signal.SIGKILL)
        told = process.stderr.read()
        states = [row["state"] for row in self.table("ranks")]
        lost = states.count("open")
        self.assertLessEqual(lost, 1, states)
        self.assertEqual(states.count("done"), 12 - lost)
        self.assertEqual(process.wait(), 3 if lost else 0, told)
        self.assertEqual("1 case was lost" in told, lost == 1, told)
        self.wait_until_gone(others)

    @unittest.skipUnless(MPIRUN, "there is no MPI")
    def test_what_was_done_is_kept_when_rank_0_is_killed(self):
        arguments = ["sweep", "slide.json", "--vary", "mu=0.1:0.5:12", "--set", "n=400", "--out", "ranks"]
        process = self.start_ranks(*arguments)
        self.wait_for_results("ranks", 1200, process)
        others = ranks_in(self.folder.name)
        os.kill(max(children(process.pid)), signal.SIGKILL)
        self.assertNotEqual(process.wait(), 0)
        self.wait_until_gone(others)
        kept = self.bytes("ranks/journal")
        again = self.start_ranks(*arguments)
        told = again.stderr.read()
        self.assertEqual(again.wait(), 0, told)
        self.assertEqual(self.bytes("ranks/journal")[:len(kept) // 2], kept[:len(kept) // 2])
        self.ashlar("sweep", "slide.json", "--vary", "mu=0.1:0.5:12", "--set", "n=400", "--out", "alone")
        self.assertEqual(self.bytes("ranks/table.csv"), self.bytes("alone/table.csv"))

    def test_cases_that_cannot_be_run(self):
        self.write("cases.csv", "mass,mu\n1,0.2\n0.01,0.2\n2,0.4\n")
        text = self.ashlar("sweep", "slide.json", "--cases", "cases.csv", "--out", "some").stdout
        self.assertIn("2 of 3 cases done, 1 refused", text)
        rows = self.table("some")
        self.assertEqual([row["state"] for row in rows], ["done", "refused", "done"])
        self.assertIn("mass cannot be 0.01", rows[1]["message"])
        self.assertEqual(rows[1]["x [m]"], "nan")

    def test_what_is_wrong_is_said_at_once(self):
        for arguments, message in (
                (["slide.json", "--out", "x"], "nothing differs"),
                (["slide.json", "--vary", "mu=1,2"], "--out DIR is missing"),
                (["slide.json", "--vary", "nu=1,2", "--out", "x"], 'nothing called "nu"'),
                (["slide.json", "--vary", "method=fast,slow", "--out", "x"], "fast"),
                (["slide.json", "--random", "mu=normal(0,1)", "--out", "x"], "--runs N"),
                (["slide.json", "--random", "mu=gauss(0,1)", "--runs", "3", "--out", "x"], "normal(MEAN,DEVIATION)"),
                (["slide.json", "--vary", "mu=1,2", "--runs", "3", "--out", "x"], "--runs is for --random"),
                (["slide.json", "--vary", "mu=1,2", "--worst", "hight", "--out", "x"], "nothing of that name is measured"),
                (["none.json", "--vary", "mu=1,2", "--out", "x"], "none.json"),
                (["slide.json", "--cases", "none.csv", "--out", "x"], "none.csv"),
        ):
            self.assertIn(message, self.refused("sweep", *arguments))
            self.assertFalse(os.path.exists(self.path("x")), arguments)

    def test_one_sweep_at_a_time_in_a_directory(self):
        arguments = ["sweep", "slide.json", "--vary", "mu=0.1:0.5:8", "--set", "n=400", "--jobs", "1", "--out", "shared"]
        process = self.start(*arguments)
        self.wait_for_results("shared", 300, process)
        self.assertIn("another sweep works there", self.refused(*arguments))
        process.send_signal(signal.SIGINT)
        told = process.stderr.read()
        self.assertEqual(process.wait(), 130, told)
        self.assertIn("the same command continues", told)


if __name__ == "__main__":
    unittest.main()
