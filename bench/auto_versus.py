#!/usr/bin/env python3
"""The default method beside scikit-learn's RandomForestClassifier(100) and XGBoost (100 rounds, hist):
CPU seconds of the fit, accuracy and log-loss on held-out rows, all on one thread and in one run; then
CPU seconds of the default against rows, attributes and classes.

    bench/auto_versus.py [--heft build/cli/heft] [--data FOLDER] [--repeats 3] [--growth]
        [--sets waveform-5000,letter,magic04,generated]

heft's seconds are those `heft evaluate --threads 1` tells of the fit, processor time of its thread; the
others' are processor time around fit().

Needs numpy, pandas and scikit-learn; XGBoost is left out where it is not installed. FOLDER holds
waveform-5000.arff, letter.arff and magic04.csv; the generated table (200,000 rows, 10 numbers and 10
categories) needs none. Categories go to the others as one indicator a value.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedShuffleSplit

ROOT = pathlib.Path(__file__).resolve().parents[1]

try:
    from xgboost import XGBClassifier
except ImportError:
    XGBClassifier = None

FILES = {"waveform-5000": "waveform-5000.arff", "letter": "letter.arff", "magic04": "magic04.csv"}
EFFORTS = ("count", "lean", "full")


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


def read(name, folder, program):
    if name == "generated":
        return generated(200000, 10, 10)
    path = pathlib.Path(folder) / FILES[name]
    with tempfile.TemporaryDirectory() as room:
        table = os.path.join(room, "table.csv")
        subprocess.run([program, "convert", str(path), "-o", table, "-q"], check=True)
        frame = pd.read_csv(table)
    y = frame.pop(frame.columns[-1]).astype(str)
    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column]):
            frame[column] = frame[column].astype("category")
    return frame, y


def heft_figures(program, X, y, rows, asked):
    """{label: (CPU seconds of the fit, accuracy, log-loss)} of the three efforts."""
    with tempfile.TemporaryDirectory() as room:
        names = [os.path.join(room, name) for name in ("train.csv", "test.csv")]
        for name, part in zip(names, (rows, asked)):
            X.iloc[part].assign(target_=y.iloc[part]).to_csv(name, index=False)
        methods = ",".join(f"auto:effort={effort}" for effort in EFFORTS)
        words = X.columns[X.dtypes == "category"]
        nominal = ["--nominal", ",".join(words)] if len(words) else []
        told = subprocess.run([program, "evaluate", names[0], "--test", names[1], "-m", methods,
                               "--threads", "1", "--json", "-", "-q", *nominal],
                              check=True, capture_output=True)
    cells = json.loads(told.stdout)["datasets"][0]["methods"]
    return {f"auto {effort}": (m["fit_seconds"], m["accuracy"], m["log_loss"])
            for effort, m in zip(EFFORTS, cells)}


def others():
    yield "forest", RandomForestClassifier(100, n_jobs=1, random_state=1)
    if XGBClassifier:
        yield "xgboost", XGBClassifier(n_estimators=100, tree_method="hist", n_jobs=1)


def one(model, X, y, rows, asked):
    began = time.process_time()
    model.fit(X.iloc[rows], y[rows])
    cpu = time.process_time() - began
    proba = model.predict_proba(X.iloc[asked])
    labels = np.asarray(model.classes_)
    right = (labels[proba.argmax(axis=1)] == y[asked]).mean()
    proba = np.clip(proba.astype(float), 1e-15, 1)
    return cpu, right, log_loss(y[asked], proba / proba.sum(axis=1, keepdims=True), labels=labels)


def compare(program, name, X, y, repeats):
    plain = pd.get_dummies(X, dtype=float)
    codes = pd.factorize(y, sort=True)[0]
    splits = StratifiedShuffleSplit(repeats, test_size=0.2, random_state=1)
    found = {}
    for rows, asked in splits.split(plain, y):
        figures = heft_figures(program, X, y, rows, asked)
        figures.update((label, one(model, plain, codes, rows, asked)) for label, model in others())
        for label, three in figures.items():
            found.setdefault(label, []).append(three)
    print(f"\n{name}: {len(y)} rows, {X.shape[1]} attributes, {y.nunique()} classes; fit on 80%")
    print(f"{'':12} {'CPU s':>8} {'of forest':>9} {'accuracy':>8} {'log-loss':>8}")
    forest = np.mean([f[0] for f in found["forest"]])
    for label, figures in found.items():
        cpu, right, loss = np.mean(figures, axis=0)
        print(f"{label:12} {cpu:8.3f} {cpu / forest:9.3f} {100 * right:8.2f} {loss:8.4f}", flush=True)


def grow(program):
    cases = [("rows", n, 20, 2) for n in (1000, 4000, 16000, 64000, 256000)]
    cases += [("attributes", 8000, m, 2) for m in (10, 20, 40, 80, 160)]
    cases += [("classes", 8000, 20, k) for k in (2, 4, 8, 16, 32)]
    print("\nCPU seconds of the fit (half numbers, half categories)")
    print(f"{'':10} {'rows':>8} {'attrs':>6} {'classes':>7} " + " ".join(f"{e:>8}" for e in EFFORTS))
    for what, n, m, k in cases:
        X, y = generated(n, m // 2, m - m // 2, k)
        few = np.arange(min(n, 500))
        found = heft_figures(program, X, y, np.arange(n), few)
        print(f"{what:10} {n:8} {m:6} {k:7} " + " ".join(f"{f[0]:8.3f}" for f in found.values()),
              flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heft", default=str(ROOT / "build/cli/heft"))
    parser.add_argument("--data", default=os.environ.get("HEFT_DATA", str(ROOT.parent / "shared/data")))
    parser.add_argument("--sets", default="waveform-5000,letter,magic04,generated")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--growth", action="store_true")
    asked = parser.parse_args()
    if not XGBClassifier:
        print("xgboost is not installed and is left out")
    for name in asked.sets.split(",") if asked.sets else []:
        X, y = read(name, asked.data, asked.heft)
        compare(asked.heft, name, X, y, 1 if name == "generated" else asked.repeats)
    if asked.growth:
        grow(asked.heft)


if __name__ == "__main__":
    main()
