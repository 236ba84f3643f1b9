#!/usr/bin/env python3
"""heft's default beside naive Bayes where there are few rows: accuracy and log loss after training on 60 rows.

    bench/small_tables.py FOLDER [--rows 60] [--draws 10] [--methods auto,nb] [--tables NAME,...] [--heft build/cli/heft]
        [--each]

FOLDER has the 36 tables of `bench/tables.py`. Each draw takes that many rows of a table at random to train on; of the other
rows up to 2,000 are the test rows. Test rows of a class that no training row has are left out: no method can know it.
Every method sees the same draws, on one thread. Log loss has a floor of 1e-15. A table with fewer rows than 60 and 40 for
the test gives three fifths of its rows. A draw of one class alone is drawn again. The output is Markdown: means over the draws of each table with --each, and over
the tables.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from tables import ROOT, SETS, better_equal_worse, read

MOST_TESTED = 2000


def draw(table, n, seed, room):
    """A training and a test file."""
    random = np.random.default_rng(seed)
    order = random.permutation(len(table.y))
    n = n if len(order) >= n + 40 else len(order) * 3 // 5
    while len(set(table.y[order[:n]])) < 2:
        order = random.permutation(len(table.y))
    train, test = order[:n], order[n:n + MOST_TESTED]
    test = test[np.isin(table.y[test], table.y[train])]
    paths = [room / "train.csv", room / "test.csv"]
    for rows, path in zip((train, test), paths):
        table.cells.iloc[rows].to_csv(path, index=False)
    return paths


def figures(heft, method, paths):
    command = [heft, "evaluate", paths[0], "--test", paths[1], "-m", method, "--threads", "1", "--json", "-", "-q"]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"small_tables.py: {method}: {done.stderr}")
    found = json.loads(done.stdout)["datasets"][0]["methods"][0]
    return found["accuracy"], found["log_loss"], found["fit_seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--methods", default="auto,nb")
    parser.add_argument("--tables", help="only these")
    parser.add_argument("--heft", default=ROOT / "build/cli/heft")
    parser.add_argument("--each", action="store_true", help="a line for each table")
    asked = parser.parse_args()
    methods = asked.methods.split(",")
    names = asked.tables.split(",") if asked.tables else SETS
    results = np.zeros((len(names), len(methods), 3))
    with tempfile.TemporaryDirectory() as room:
        for t, name in enumerate(names):
            table = read(asked.heft, asked.folder / f"{name}.arff")
            for seed in range(asked.draws):
                paths = draw(table, asked.rows, seed, pathlib.Path(room))
                for m, method in enumerate(methods):
                    results[t, m] += np.array(figures(asked.heft, method, paths)) / asked.draws
            print(name, *(f"{a:.4f} {l:.4f}" for a, l, _ in results[t]), file=sys.stderr, flush=True)
    print(f"\n| {asked.rows} rows, {asked.draws} draws | " + " | ".join(methods) + " |\n|---|" + "---:|" * len(methods))
    if asked.each:
        for name, found in zip(names, results):
            print(f"| {name} | " + " | ".join(f"{100 * a:.2f} / {l:.4f}" for a, l, _ in found) + " |")
    print("| mean accuracy | " + " | ".join(f"{100 * a:.2f}" for a in results[:, :, 0].mean(0)) + " |")
    print("| mean log loss | " + " | ".join(f"{l:.4f}" for l in results[:, :, 1].mean(0)) + " |")
    print("| CPU seconds of a fit | " + " | ".join(f"{s:.3f}" for s in results[:, :, 2].mean(0)) + " |")
    for m, method in enumerate(methods[1:], 1):
        print(f"\n{methods[0]} against {method}, tables better-equal-worse: accuracy "
              f"{better_equal_worse(results[:, 0, 0] - results[:, m, 0])}, log loss "
              f"{better_equal_worse(results[:, m, 1] - results[:, 0, 1])}")


if __name__ == "__main__":
    main()
