#!/usr/bin/env python3
"""CPU seconds of the default method against rows, attributes and classes, on one thread.

    bench/auto_growth.py [--heft build/cli/heft] [--efforts count,lean,full]

The tables are generated: half of the columns are numbers, half categories. The seconds are those `heft evaluate` tells of
the fit. Needs numpy and pandas.
"""
import argparse
import json
import pathlib
import tempfile

import numpy as np
import pandas as pd

from tables import ROOT, run


def generated(n, numbers, words, classes=2, seed=1):
    """Numbers and categories of which half tell; pairs tell too; a tenth of the rows is noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({f"n{j}": rng.normal(size=n).round(4) for j in range(numbers)})
    scores = rng.gumbel(size=(n, classes)) * 0.7
    for j in range(words):
        X[f"w{j}"] = rng.integers(0, 3 + j % 6, size=n)
    for c in range(classes):
        for j in range(0, numbers, 2):
            x = X[f"n{j}"].to_numpy()
            scores[:, c] += np.sin(x * (1 + j % 3) + c) + 0.4 * x * rng.normal()
        for j in range(0, words, 2):
            scores[:, c] += rng.normal(size=9)[X[f"w{j}"].to_numpy()] * 0.6
        if numbers > 2 and words > 2:
            scores[:, c] += (X["n0"] * X["n2"] * (-1) ** c * 0.5).to_numpy()
            scores[:, c] += rng.normal(size=(9, 9))[X["w0"].to_numpy(), X["w2"].to_numpy()] * 0.6
    y = scores.argmax(axis=1)
    noise = rng.random(n) < 0.1
    y[noise] = rng.integers(0, classes, size=noise.sum())
    for j in range(words):
        X[f"w{j}"] = ("v" + X[f"w{j}"].astype(str)).astype("category")
    return X, pd.Series(y, name="class").astype(str)


def fit_seconds(heft, X, y, efforts):
    with tempfile.TemporaryDirectory() as room:
        paths = [pathlib.Path(room, part) for part in ("train.csv", "test.csv")]
        whole = X.assign(target_=y)
        whole.to_csv(paths[0], index=False)
        whole[:500].to_csv(paths[1], index=False)
        told = run(heft, "evaluate", paths[0], "--test", paths[1], "-m", ",".join(f"auto:effort={e}" for e in efforts),
                   "--threads", "1", "--json", "-", "-q")
    return [m["fit_seconds"] for m in json.loads(told)["datasets"][0]["methods"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", default=ROOT / "build/cli/heft")
    parser.add_argument("--efforts", default="count,lean,full")
    asked = parser.parse_args()
    efforts = asked.efforts.split(",")
    cases = [(n, 20, 2) for n in (1000, 4000, 16000, 64000, 256000)]
    cases += [(8000, m, 2) for m in (10, 20, 40, 80, 160)]
    cases += [(8000, 20, k) for k in (2, 4, 8, 16, 32)]
    print("| rows | attributes | classes | " + " | ".join(efforts) + " |\n|" + "---:|" * (3 + len(efforts)))
    for n, m, k in cases:
        spent = fit_seconds(asked.heft, *generated(n, m // 2, m - m // 2, k), efforts)
        print(f"| {n} | {m} | {k} | " + " | ".join(f"{s:.2f}" for s in spent) + " |", flush=True)


if __name__ == "__main__":
    main()
