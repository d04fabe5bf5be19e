"""FCLIB's files: what ashlar writes, read by h5py, is the problem and its solution as FCLIB defines them; what others write is read."""
import json
import os
import pathlib
import subprocess
import tempfile

import h5py
import numpy as np

PROGRAM = os.environ["ASHLAR_PROGRAM"]
PENDULUM = {"ashlar": 1, "world": {"method": {"name": "stewart-trinkle", "solver": "newton", "friction-law": "cone"}, "step": 0.01},
            "shapes": {"cube": {"kind": "box", "half_extents": [0.5, 0.5, 0.5]}, "floor": {"kind": "plane"}},
            "bodies": [{"type": "static", "shapes": [{"shape": "floor"}]},
                       {"name": "a", "position": [0, 0, 0.5], "velocity": [1, 0.3, 0], "shapes": [{"shape": "cube"}]},
                       {"name": "b", "position": [0, 0, 1.5], "angular_velocity": [0, 0, 3], "shapes": [{"shape": "cube"}]},
                       {"name": "c", "position": [3, 0, 2], "velocity": [0, 1, 0], "shapes": [{"shape": "cube"}]}],
            "joints": [{"kind": "ball", "body_b": "c", "point": [3, 0, 3]}, {"kind": "ball", "body_a": "a", "body_b": "c", "point": [1.5, 0, 1]}]}


def run(*arguments, status=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def matrix(group):
    """A matrix in any of FCLIB's three forms."""
    m, n, nz, most = (int(group[name][0]) for name in ("m", "n", "nz", "nzmax"))
    p, i, x = group["p"][:], group["i"][:], group["x"][:]
    assert len(x) == most and len(i) == (most if nz < 0 else nz)
    full = np.zeros((m, n))
    if nz >= 0:
        np.add.at(full, (p, i), x[:nz])
    else:
        lines = np.repeat(np.arange(len(p) - 1), np.diff(p))
        np.add.at(full, (i, lines) if nz == -1 else (lines, i), x)
    return full


def project(z, mu):
    normal, tangent = z[0], np.linalg.norm(z[1:])
    if tangent <= mu * normal:
        return z
    if mu * tangent <= -normal:
        return 0 * z
    pushed = (mu * tangent + normal) / (mu * mu + 1)
    return np.array([pushed, *(mu * pushed * z[1:] / tangent)])


def check_definition(path, told):
    """The solution obeys FCLIB's equations, and its measure is what ashlar says."""
    with h5py.File(path) as file:
        problem, vectors, solution = file["fclib_global"], file["fclib_global/vectors"], file["solution"]
        d = int(problem["spacedim"][0])
        M, H = matrix(problem["M"]), matrix(problem["H"])
        f, w, mu = (vectors[name][:] for name in ("f", "w", "mu"))
        v, u, r = (solution[name][:] for name in ("v", "u", "r"))
        G = matrix(problem["G"]) if "G" in problem else np.zeros((len(f), 0))
        b, l = (vectors["b"][:], solution["l"][:]) if G.shape[1] else (np.zeros(0), np.zeros(0))
    assert np.allclose(M, M.T) and np.all(np.linalg.eigvalsh(M) > 0)
    scale = np.abs(M @ v).max() + 1
    assert np.abs(M @ v - H @ r - G @ l - f).max() < 1e-9 * scale
    assert np.abs(H.T @ v + w - u).max() < 1e-12 * (1 + np.abs(u).max())
    free = np.linalg.solve(M, f)
    natural = 0
    for c in range(len(mu)):
        rc, uc = r[d * c:d * c + d], u[d * c:d * c + d].copy()
        uc[0] += mu[c] * np.linalg.norm(uc[1:])
        natural += np.sum((rc - project(rc - uc, mu[c])) ** 2)
    merit = np.sqrt(natural) / (1 + np.sqrt(np.linalg.norm(H.T @ free + w)))
    merit += np.linalg.norm(G.T @ v + b) / (1 + np.linalg.norm(G.T @ free + b))
    assert abs(merit - told) < 1e-12 + 1e-6 * merit, (merit, told)
    return G.shape[1]


def solve(problem, *arguments):
    return json.loads(run("solve", problem, "--solver", "newton", "--json", *arguments).stdout)


def rewrite(path, kind):
    """The same matrices as triplets or compressed rows, and without our own text."""
    with h5py.File(path, "r+") as file:
        del file["ashlar"]
        for name in set("MHG") & set(file["fclib_global"]):
            group = file["fclib_global"][name]
            full = matrix(group)
            rows, columns = np.nonzero(full)
            for part in ("p", "i", "x", "nz", "nzmax"):
                del group[part]
            group["x"], group["nzmax"] = full[rows, columns], np.array([len(rows)], "i4")
            group["nz"] = np.array([len(rows) if kind == "triplets" else -2], "i4")
            group["p"] = (rows if kind == "triplets" else np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=full.shape[0]))])).astype("i4")
            group["i"] = columns.astype("i4")


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        scene, jointed = folder / "scene.json", folder / "jointed.json"
        scene.write_text(json.dumps(PENDULUM))
        run("problem", scene, "--at", 0.05, "-o", jointed)
        rows = 0
        for name in ("stack", "heavy-on-light", "redundant", "impact", "ball-grid", "wall", "immovable-pair", jointed):
            path, other, back = folder / "p.hdf5", folder / "other.hdf5", folder / "back.json"
            ours = solve(name, "-o", path)
            assert ours["fclib"] < 1e-8
            rows += check_definition(path, ours["fclib"])
            # there and back: the same text
            run("solve", name, "--solver", "newton", "-o", folder / "solved.json")
            run("convert", path, back)
            assert back.read_text() == (folder / "solved.json").read_text()
            # as others write it: the same problem, so the same solution as far as there is one
            for kind in ("triplets", "rows"):
                other.write_bytes(path.read_bytes())
                rewrite(other, kind)
                theirs = solve(other)
                assert theirs["history"]["error"][0] < 1e-8, (name, kind)  # the solution in the file is theirs, too
                assert theirs["error"]["max"] < 1e-9 and theirs["fclib"] < 1e-8
        assert rows >= 6  # the joints
        # what the form has not is refused, with its reason; nothing is written
        for name, reason in (("rolling", "rolling"), ("giving-way", "sliding"), ("chain", "bounds")):
            done = run("solve", name, "-o", folder / "none.hdf5", status=2)
            assert reason in done.stderr and not (folder / "none.hdf5").exists(), done.stderr
        # damaged files
        run("solve", "stack", "-o", folder / "p.hdf5")

        def damage(how, reason):
            bad = folder / "bad.hdf5"
            bad.write_bytes((folder / "p.hdf5").read_bytes())
            with h5py.File(bad, "r+") as file:
                del file["ashlar"]
                how(file)
            done = run("solve", bad, status=2)
            assert reason in done.stderr, done.stderr

        def replace(name, value):
            def how(file):
                del file[name]
                file[name] = value
            return how

        damage(replace("fclib_global/spacedim", np.array([4], "i4")), "neither 2 nor 3")
        damage(replace("fclib_global/vectors/mu", np.zeros(3)), "another length")
        damage(replace("fclib_global/M/m", np.array([-5], "i4")), "make no sense")
        damage(replace("fclib_global/H/i", np.full(len(h5py.File(folder / "p.hdf5")["fclib_global/H/i"]), 100000, "i4")), "outside")
        damage(lambda file: file.move("fclib_global", "fclib_local"), "local problem")
        damage(lambda file: file["fclib_global/vectors/f"].__setitem__(0, np.nan), "not finite")
        damage(lambda file: file["fclib_global/H/x"].__setitem__(slice(None), 0.3), "rigid bodies")
        (folder / "cut.hdf5").write_bytes((folder / "p.hdf5").read_bytes()[:3000])
        run("solve", folder / "cut.hdf5", status=2)
    print("FCLIB: written, read and measured alike")


main()
