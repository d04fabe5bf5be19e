"""ashlar bench: what it prints and that its hashes do not depend on threads. Times are never judged."""
import os
import unittest

from program import ProgramTest


# What takes many seconds even where programs are fast has its turn in the release build.
long = unittest.skipIf("ASHLAR_SLOW_BUILD" in os.environ, "a slow build")


class Bench(ProgramTest):
    @long
    def test_hashes_are_the_same_for_any_threads(self):
        document = self.json("bench", "springs", "--elements", "20", "--json")
        self.assertEqual({"processor", "cores", "compiler", "version"}, set(document["machine"]))
        hashes = {}
        for row in document["springs"]:
            self.assertGreater(row["ns per element and step"], 0)
            hashes.setdefault((row["scene"], row["integrator"]), {})[row["threads"]] = row["hash"]
        self.assertEqual(len(hashes), 10)
        for key, by_threads in hashes.items():
            self.assertEqual(by_threads[1], by_threads[2], key)

    def test_recording_does_not_change_the_result(self):
        document = self.json("bench", "recording", "--elements", "1000", "--json")
        self.assertEqual(set(document), {"machine", "recording"})
        self.assertEqual(document["recording"][0]["bodies"], 999)

    def test_broad_phases_find_the_same_pairs(self):
        rows = self.json("bench", "broad", "--elements", "1000", "--json")["broad"]
        for world in ("gas", "pile"):
            found = {row["broad phase"]: row["hash"] for row in rows if row["world"] == world}
            self.assertLessEqual({"tree", "all-pairs", "sweep-1", "sweep-3"}, set(found))
            self.assertEqual(found["all-pairs"], found["sweep-1"], world)
            self.assertEqual(found["all-pairs"], found["sweep-3"], world)
            trees = {row["hash"] for row in rows if row["world"] == world and "tree" in row["broad phase"]}
            self.assertEqual(len(trees), 1, world)

    @long
    def test_boxes_at_rest_keep_their_contacts(self):
        rows = {row["boxes"]: row for row in self.json("bench", "detect", "--json")["detect"]}
        self.assertEqual(set(rows), {"still", "trembling", "moving"})
        for name, row in rows.items():
            self.assertEqual(row["points"], 4 * row["pairs"], name)
            self.assertEqual(row["computed"] > 0.99 * row["pairs"], name == "moving")
        self.assertEqual((rows["still"]["computed"], rows["trembling"]["computed"]), (0, 0))

    @long
    def test_sweeps_solve_the_same_problem(self):
        rows = self.json("bench", "sweeps", "--json")["sweeps"]
        for contacts in (1600, 19600):
            off = {row["solver"]: row["residual, m/s"] for row in rows if row["contacts"] == contacts}
            self.assertLessEqual({"pgs", "pgs, by rows"}, set(off))
            for solver, residual in off.items():  # without any impulse it is 9.81/60 m/s
                self.assertLess(residual, 0.12, solver)

    def test_every_solver_on_every_small_problem(self):
        rows = self.json("bench", "solvers", "--elements", "30", "--json")["solvers"]
        names = {row["problem"] for row in rows}
        self.assertLessEqual({"rest", "impact", "chain", "mass-ratio", "immovable-pair"}, names)
        self.assertNotIn("stack", names)
        self.assertEqual(len(rows), 16 * len(names))
        self.assertEqual(len({row["solver"] for row in rows}), 16)
        for row in rows:
            self.assertLessEqual(row["blocks"], 30)
            self.assertIsNotNone(row["error (m/s)"], row)
            if row["solver"] == "newton":
                self.assertEqual(row["reached"], "yes", row["problem"])
                self.assertIn("converged", row["flags"], row["problem"])
                self.assertLess(row["error (m/s)"], 1e-8, row["problem"])

    @long
    def test_steps_of_engineering_converge(self):
        rows = self.json("bench", "engineering", "--elements", "30", "--json")["engineering"]
        self.assertEqual([row["scene"] for row in rows], ["30 dominoes, 1.7 s"])
        for row in rows:
            self.assertEqual((row["steps"], row["not converged"]), (170, 0))
            self.assertLessEqual(row["error (m/s)"], 1e-10)

    def test_joints_agree_with_cholmod(self):
        rows = self.json("bench", "joints", "--elements", "31", "--json")["joints"]
        self.assertEqual([row["bodies"] for row in rows], 5 * [31])
        self.assertEqual({row["graph"] for row in rows}, {"tree", "chain", "star", "ladder", "grid"})
        for row in rows:
            self.assertGreater(row["factor"], 0)
            if "difference" in row:  # where CHOLMOD was found
                self.assertLess(row["difference"], 1e-9, row)

    @long
    def test_piles_stand_and_sleep(self):
        for row in self.json("bench", "realtime", "--elements", "1000", "--quick", "--json")["realtime"]:
            self.assertLess(row["drift (mm)"], 5, row["boxes"])
            self.assertLess(row["sinks (mm)"], 1, row["boxes"])
            self.assertEqual(row["sleepers"], row["count"])

    def test_figures_fall_by_two_methods(self):
        rows = self.json("bench", "figures", "--elements", "4", "--json")["figures"]
        self.assertEqual([row["scene"] for row in rows], ["cow-pile", "cow-pile", "letters", "letters"])
        self.assertTrue(all(row["bodies"] >= 5 for row in rows))

    def test_batches_stand_beside_mujoco(self):
        rows = self.json("bench", "batch", "--quick", "--elements", "1", "--json")["batch"]
        for scene in ("pendulum", "walker"):
            ours, theirs = (row for row in rows if row["scene"] == scene)
            self.assertEqual((ours["engine"], theirs["engine"]), ("Ashlar realtime", "MuJoCo"))
            self.assertGreater(ours["processor us a step"], 0)
            if theirs["note"] != "not installed":  # three steps of 5 ms from one state
                self.assertEqual(theirs["note"], "")
                self.assertAlmostEqual(ours["height m"], theirs["height m"], delta=0.01)

    def test_queries_find_the_same_on_any_threads(self):
        rows = self.json("bench", "query", "--elements", "50", "--json")["query"]
        batches = [row["hash"] for row in rows if row["query"] == "rays in a batch"]
        self.assertEqual(len(batches), 2)
        self.assertEqual(batches[0], batches[1])
        self.assertTrue(any("time of impact" in row["query"] for row in rows))

    def test_other_engines_stand_beside_ours(self):
        result = self.ashlar("bench", "--peers", "--quick", "--scenes", "bounce,stack-20")
        lines = result.stdout.splitlines()
        self.assertIn("bounce: Ashlar realtime", result.stderr)
        self.assertEqual([line.split(":")[0] for line in lines if line.startswith("## ")],
                         ["## Summary", "## bounce", "## stack-20"])
        summary = next(i for i, line in enumerate(lines) if line.startswith("| scene |"))
        self.assertEqual([line.split("|")[1].strip() for line in lines[summary + 2:summary + 4]], ["bounce", "stack-20"])
        heads = [i for i, line in enumerate(lines) if line.startswith("| engine |")]
        for head in heads:  # every engine has a row, with figures or with a word
            end = next((i for i in range(head, len(lines)) if not lines[i].startswith("|")), len(lines))
            names = [line.split("|")[1].strip() for line in lines[head + 2:end]]
            self.assertEqual(set(names), {"Ashlar", "MuJoCo", "ODE", "Bullet", "Box2D", "Chipmunk"})
            for line in lines[head:end]:
                self.assertEqual(line.count("|"), lines[head].count("|"), line)

    def test_all_engines_are_measured_alike(self):
        document = self.json("bench", "--peers", "--quick", "--scenes", "pendulum-bob,tumbling-box", "--json")
        self.assertEqual(set(document), {"machine", "peers"})
        for row in document["peers"]:
            if row["mean (ms)"] is None:
                self.assertNotEqual(row["note"], "", row)
                continue
            self.assertGreaterEqual(row["worst (ms)"], row["mean (ms)"], row)
            self.assertIsNotNone(row["energy (J)"], row)
            self.assertEqual(row["scene"] == "pendulum-bob", row["joint error (m)"] is not None, row)
            if row["settings"] == "engineering":
                self.assertLess(row["off after 1 s (m)"], 0.05, row)  # h is 0.1 s
        self.assertEqual([row["threads"] for row in document["peers"] if row["settings"] == "realtime"], [1, 2, 1, 2])

    def test_unknown_scenes_of_peers(self):
        result = self.ashlar("bench", "--peers", "--scenes", "bounce,box-stak", status=2)
        self.assertIn('did you mean "box-stack"', result.stderr)

    @long
    def test_markdown_tables(self):
        lines = self.ashlar("bench", "solvers", "--elements", "5").stdout.splitlines()
        head = next(i for i, line in enumerate(lines) if line.startswith("| problem |"))
        columns = lines[head].count("|")
        self.assertGreater(len(lines), head + 4)
        for line in lines[head:]:
            self.assertEqual(line.count("|"), columns, line)

    def test_unknown_names(self):
        result = self.ashlar("bench", "spings", status=2)
        self.assertIn('did you mean "springs"', result.stderr)


if __name__ == "__main__":
    unittest.main()
