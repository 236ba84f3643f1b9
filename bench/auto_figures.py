#!/usr/bin/env python3
"""Figures of the default method on the 36 sets of Li and Li's table 1: accuracy, log-loss and Brier
score by stratified 10-fold cross-validation; and the figures behind the advice of `heft methods`.

    bench/auto_figures.py [--heft build/cli/heft] [--data FOLDER] [--methods auto,auto:effort=full,nb]
        [--cv 10] [--seed 1] [--leave letter] [--noise 0.2] [--each]

A class with a single row has none to train on when that row is asked: the default then says
probability 0, and the row costs -log(1e-15) = 34.5. The last column counts such rows as 1e-6 (13.8).

With --noise P instead: on seven sets 70% of the rows train, P of their labels drawn anew at random,
and the others, unharmed, are asked; mean accuracy of five draws. Needs numpy and pandas.
"""
import argparse
import collections
import csv
import json
import math
import os
import random
import subprocess
import tempfile

from tables import ROOT, SETS

NOISY = ("vote", "credit-a", "segment", "kr-vs-kp", "diabetes", "vehicle", "sonar")


def rows_of(asked, name):
    """Header and rows of a set as CSV."""
    with tempfile.TemporaryDirectory() as room:
        table = os.path.join(room, "t.csv")
        subprocess.run([asked.heft, "convert", os.path.join(asked.data, name + ".arff"), "-o", table,
                        "-q"], check=True)
        with open(table, newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file))
    return lines[0], lines[1:]


def evaluate(asked, *words):
    told = subprocess.run([asked.heft, "evaluate", *words, "-m", asked.methods, "--threads", "1", "-q",
                           "--json", "-"], check=True, capture_output=True)
    return json.loads(told.stdout)["datasets"]


def tables(asked):
    names = [name for name in SETS if name not in asked.leave.split(",")]
    paths = [os.path.join(asked.data, name + ".arff") for name in names]
    found = evaluate(asked, *paths, "--cv", str(asked.cv), "--seed", str(asked.seed))
    gap = math.log(1e-6) - math.log(1e-15)
    sums = collections.defaultdict(lambda: [0.0] * 5)
    for one in found:
        _, rows = rows_of(asked, one["name"])
        single = sum(n == 1 for n in collections.Counter(row[-1] for row in rows).values())
        for m in one["methods"]:
            figures = (100 * m["accuracy"], m["log_loss"], m["brier"], m["fit_seconds"],
                       m["log_loss"] - single * gap / len(rows))
            sums[m["method"]] = [a + b / len(found) for a, b in zip(sums[m["method"]], figures)]
            if asked.each:
                print(f"{one['name']:16} {m['method']:20} {figures[0]:6.2f} {figures[1]:7.4f}")
    print(f"{len(found)} sets, {asked.cv} folds, seed {asked.seed}")
    print(f"{'':20} accuracy log-loss  Brier  fits s  log-loss, floor 1e-6 for single rows")
    for method, f in sums.items():
        print(f"{method:20} {f[0]:8.2f} {f[1]:8.4f} {f[2]:6.4f} {f[3]:7.3f}  {f[4]:.4f}")


def noise(asked):
    sums = collections.defaultdict(list)
    for name in NOISY:
        head, rows = rows_of(asked, name)
        labels = sorted({row[-1] for row in rows})
        for draw in range(5):
            rng = random.Random(draw)
            rng.shuffle(rows)
            cut = len(rows) * 7 // 10
            spoilt = [row[:-1] + [rng.choice(labels) if rng.random() < asked.noise else row[-1]]
                      for row in rows[:cut]]
            with tempfile.TemporaryDirectory() as room:
                paths = [os.path.join(room, part) for part in ("train.csv", "test.csv")]
                for path, part in zip(paths, (spoilt, rows[cut:])):
                    with open(path, "w", newline="", encoding="utf-8") as file:
                        csv.writer(file).writerows([head, *part])
                for m in evaluate(asked, paths[0], "--test", paths[1])[0]["methods"]:
                    sums[m["method"]].append((100 * m["accuracy"], m["log_loss"]))
    print(f"noise {asked.noise}: {', '.join(NOISY)}; 5 draws")
    for method, found in sums.items():
        accuracy, loss = (sum(f[k] for f in found) / len(found) for k in (0, 1))
        print(f"{method:20} {accuracy:8.2f} {loss:8.4f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heft", default=str(ROOT / "build/cli/heft"))
    parser.add_argument("--data", default=os.environ.get("HEFT_DATA", str(ROOT.parent / "shared/data")))
    parser.add_argument("--methods", default="auto,auto:effort=full")
    parser.add_argument("--cv", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--leave", default="")
    parser.add_argument("--noise", type=float)
    parser.add_argument("--each", action="store_true")
    asked = parser.parse_args()
    if asked.noise is None:
        tables(asked)
    else:
        noise(asked)


if __name__ == "__main__":
    main()
