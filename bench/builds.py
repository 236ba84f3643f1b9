#!/usr/bin/env python3
"""Do the figures depend on the compiler? Every method, four builds, the largest difference.

    bench/builds.py [DATA...]      default: the tables of examples/

Builds heft with gcc and clang at -O0 and -O3 (build-builds/*), trains every method on each table
with each, and compares the probabilities that predict --proba writes, cell by cell, with those of
gcc -O3. Prints the largest difference of each method and how many labels differ.
"""
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILDS = {"gcc-O3": ("gcc", "3"), "gcc-O0": ("gcc", "0"), "clang-O3": ("clang", "3"),
          "clang-O0": ("clang", "0")}


def build(name, compiler, level):
    folder = ROOT / "build-builds" / name
    if not (folder / "build.ninja").exists():
        subprocess.run(["meson", "setup", folder, "-Dtests=disabled", "-Ddebug=false",
                        f"-Doptimization={level}", "-Db_ndebug=true"], cwd=ROOT, check=True,
                       env={**os.environ, "CC": compiler}, stdout=subprocess.DEVNULL)
    subprocess.run(["nice", "ninja", "-C", folder, "cli/heft"], check=True, stdout=subprocess.DEVNULL)
    return folder / "cli/heft"


def probabilities(heft, method, table, folder):
    """Rows of numbers and the labels; None where the method refuses the table."""
    model, out = pathlib.Path(folder) / "m.heft", pathlib.Path(folder) / "p.csv"
    trained = subprocess.run([heft, "train", table, "-m", method, "-o", model, "-q"],
                             capture_output=True, check=False)
    if trained.returncode:
        return None
    subprocess.run([heft, "predict", model, table, "--proba", "-o", out, "-q"], check=True,
                   capture_output=True)
    with open(out, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    return [[float(x) for x in row[1:]] for row in rows], [row[0] for row in rows]


def main():
    tables = sys.argv[1:] or sorted(map(str, (ROOT / "examples").glob("*.csv")))
    programs = {name: build(name, *how) for name, how in BUILDS.items()}
    listed = subprocess.run([programs["gcc-O3"], "methods"], capture_output=True, text=True, check=True)
    methods = [line.split()[0] for line in listed.stdout.split("\n\n")[0].splitlines()[1:]]
    others = [name for name in BUILDS if name != "gcc-O3"]
    print(f"{'method':10}" + "".join(f"{name:>12}" for name in others) + f"{'labels':>8}", flush=True)
    worst, cells = dict.fromkeys(others, 0.0), 0
    folder = tempfile.mkdtemp()
    for method in methods:
        most, labels = dict.fromkeys(others, 0.0), 0
        for table in tables:
            base = probabilities(programs["gcc-O3"], method, table, folder)
            for name in others:
                found = probabilities(programs[name], method, table, folder)
                if (base is None) != (found is None):
                    sys.exit(f"{method}, {table}: {name} does not agree whether it can be learned")
                if base is None:
                    continue
                for p, q in zip(base[0], found[0]):
                    most[name] = max(most[name], *(abs(a - b) for a, b in zip(p, q)))
                    cells += len(p)
                labels += sum(a != b for a, b in zip(base[1], found[1]))
        print(f"{method:10}" + "".join(f"{most[name]:12.2g}" for name in others) + f"{labels:8}",
              flush=True)
        worst = {name: max(worst[name], most[name]) for name in others}
    shutil.rmtree(folder)
    print(f"{'largest':10}" + "".join(f"{worst[name]:12.2g}" for name in others))
    print(f"{cells} probabilities compared, {len(methods)} methods, {len(tables)} tables")


if __name__ == "__main__":
    main()
