#!/usr/bin/env python3
"""heft's default beside CatBoost and LightGBM on tables with a nominal column of many values.

    bench/many_values.py [--heft build/cli/heft]

Five numbers, a nominal column whose values have normal effects on the log-odds (standard deviation: see the output), and
one of a quarter as many values without any effect. Three quarters of the rows train. Peers have their defaults, CatBoost
300 trees, all one thread; one that is not installed is left out. The output is Markdown: accuracy / log loss.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CASES = [  # rows, values, standard deviation of their effects, power of Zipf's law for their frequency
    (20000, 1000, 0, 0), (20000, 1000, 0.5, 0), (20000, 1000, 1.5, 0), (40000, 4000, 1, 0), (40000, 4000, 1, 1),
    (40000, 100, 0.5, 0), (40000, 100, 0.5, 1), (3000, 100, 1, 0.5), (3000, 400, 1, 0.5)]


def table(n, values, size, power, rng):
    x = rng.normal(size=(n, 5))
    share = 1 / np.arange(1, values + 1) ** power
    u = rng.choice(values, n, p=share / share.sum())
    w = rng.integers(0, values // 4, n)
    effect = size * rng.normal(size=values)
    score = x[:, 0] + np.where(x[:, 1] > 0, x[:, 2], -x[:, 2]) + 0.5 * x[:, 3] ** 2 - 0.5 + effect[u]
    y = rng.random(n) < 1 / (1 + np.exp(-score))
    data = pd.DataFrame(x.round(4), columns=list("abcde"))
    return data.assign(u=[f"u{k}" for k in u], w=[f"w{k}" for k in w], y=np.where(y, "yes", "no"))


def heft(train, test, program):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("train.csv", "test.csv", "model.heft")]
        train.to_csv(paths[0], index=False)
        test.to_csv(paths[1], index=False)
        subprocess.run([program, "train", paths[0], "-o", paths[2], "--threads", "1", "--quiet"], check=True)
        subprocess.run([program, "predict", paths[2], paths[1], "--proba", "-o", os.path.join(folder, "p.csv")],
                       check=True, stderr=subprocess.DEVNULL)
        return pd.read_csv(os.path.join(folder, "p.csv"))["P(yes)"].to_numpy()


def catboost(train, test, _):
    from catboost import CatBoostClassifier  # pylint: disable=import-outside-toplevel
    model = CatBoostClassifier(iterations=300, verbose=0, thread_count=1, cat_features=["u", "w"],
                               allow_writing_files=False)
    model.fit(train.drop(columns="y"), train.y == "yes")
    return model.predict_proba(test.drop(columns="y"))[:, 1]


def lightgbm(train, test, _):
    from lightgbm import LGBMClassifier  # pylint: disable=import-outside-toplevel
    both = pd.concat([train, test])
    X = both.drop(columns="y").assign(u=both.u.astype("category"), w=both.w.astype("category"))
    model = LGBMClassifier(n_jobs=1, verbose=-1).fit(X[:len(train)], train.y == "yes")
    return model.predict_proba(X[len(train):])[:, 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--heft", default=os.path.join(ROOT, "build", "cli", "heft"))
    args = parser.parse_args()
    programs = [heft, catboost, lightgbm]
    for peer in programs[1:]:
        try:
            __import__(peer.__name__)
        except ImportError:
            print(f"{peer.__name__} is not installed and is left out", file=sys.stderr)
            programs.remove(peer)
    print("| rows | values | effects | Zipf |", " | ".join(p.__name__ for p in programs), "|")
    print("|" + "---:|" * (4 + len(programs)))
    rng = np.random.default_rng(3)
    for case in CASES:
        data = table(*case, rng)
        held = np.arange(len(data)) % 4 == 0
        truth = (data.y[held] == "yes").to_numpy()
        cells = []
        for program in programs:
            p = program(data[~held], data[held], args.heft)
            loss = -np.log(np.where(truth, p, 1 - p)).mean()
            cells.append(f"{100 * ((p > 0.5) == truth).mean():.2f} / {loss:.4f}")
        print("|", " | ".join(map(str, case)), "|", " | ".join(cells), "|", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
