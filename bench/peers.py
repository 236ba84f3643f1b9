#!/usr/bin/env python3
"""heft beside scikit-learn and XGBoost on the same folds: accuracy, log loss and CPU time.

    bench/peers.py [FILE...] [--heft build/cli/heft] [--cv 10] [--seed 1] [--json FILE] [--each]

FILE is a table with its class in the last column, or in one named "class" (CSV or ARFF). Without a FILE the script
takes the 36 data sets of `bench/tables.py` from $HEFT_DATA. All programs run with their defaults on
one thread and get the same stratified folds and the same kinds of columns. The peers get nominal columns as one
indicator per value, missing cells included, and numeric columns with the median in missing cells and an indicator
(XGBoost: the missing cells as they are; CategoricalNB: numbers in ten bins, categories as codes). This preparation is
learned in each fold and its time counts.

Accuracy is the mean over all folds. Log loss is the mean over all rows; a probability below 1e-15 counts as
1e-15. CPU seconds are those of all fits. --json keeps the results, and a later run with the same FILE computes only what
is missing. --each prints the results of each data set too. Needs numpy, pandas, scipy, scikit-learn and xgboost.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

# pylint: disable=wrong-import-position
import numpy as np
import pandas as pd
from scipy.stats import wilcoxon
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler
from xgboost import XGBClassifier

from tables import ROOT, SETS, better_equal_worse, read, run, test_folds

OWN = {"heft auto": "auto", "heft auto, effort=count": "auto:effort=count", "heft nb": "nb"}


def successor(x):
    """CategoricalNB takes codes from 0; a value that was not seen in training is -1 before."""
    return x + 1


def peers(numeric, nominal, sizes):
    """Name and pipeline of each peer."""
    words = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    filled = make_column_transformer(
        (SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True), numeric), (words, nominal))
    as_is = make_column_transformer(("passthrough", numeric), (words, nominal))
    bins = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True),
                         KBinsDiscretizer(10, encode="ordinal", strategy="quantile"))
    codes = make_column_transformer(
        (bins, numeric), (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), nominal))
    yield "scikit-learn CategoricalNB", make_pipeline(
        codes, FunctionTransformer(successor), CategoricalNB(min_categories=[11] * len(numeric) + sizes))
    yield "scikit-learn LogisticRegression", make_pipeline(filled, StandardScaler(), LogisticRegression(max_iter=1000))
    yield "scikit-learn RandomForestClassifier", make_pipeline(filled, RandomForestClassifier(n_jobs=1, random_state=1))
    yield "XGBoost XGBClassifier", make_pipeline(as_is, XGBClassifier(n_jobs=1))


def measure(asked, path, known):
    """Adds to known = {name: (accuracy, log loss, CPU seconds)} what is missing, and yields after each."""
    with tempfile.TemporaryDirectory() as room:
        folder = pathlib.Path(room)
        table = read(asked.heft, path)
        frame = table.attributes()
        frame[table.nominal] = frame[table.nominal].astype(object).fillna("(missing)")
        folds = np.zeros(len(frame), int)
        split = StratifiedKFold(asked.cv, shuffle=True, random_state=asked.seed)
        for fold, (_, test) in enumerate(split.split(frame, table.y)):
            folds[test] = fold
        (folder / "folds").write_text("".join(f"{f}\n" for f in folds), encoding="ascii")
        if not all(name in known for name in OWN):
            told = run(asked.heft, "evaluate", path, "-m", ",".join(OWN.values()), "--folds", folder / "folds",
                       "--threads", "1", "--json", "-", "-q")
            known.update((name, (m["accuracy"], m["log_loss"], m["fit_seconds"]))
                         for name, m in zip(OWN, json.loads(told)["datasets"][0]["methods"]))
    for name, pipeline in peers(table.numeric, table.nominal, [frame[c].nunique() + 1 for c in table.nominal]):
        if name not in known:
            found = test_folds(lambda model=pipeline: (model, frame), table.y, table.n_class, folds, range(asked.cv))
            known[name] = float(found["accuracy"]), float(found["log_loss"]), found["fit"]
            yield


def show(results, each):
    names = [*OWN, *(name for name, _ in peers([], [], []))]
    figures = np.array([[results[d][m] for m in names] for d in results])
    accuracy, loss = figures[:, :, 0].round(6), figures[:, :, 1].round(6)
    ranks = [pd.DataFrame(t).rank(axis=1).mean() for t in (-accuracy, loss)]
    print(f"\n| {len(results)} data sets | accuracy | mean rank | log loss | mean rank | CPU s |")
    print("|---|---:|---:|---:|---:|---:|")
    for j, name in enumerate(names):
        print(f"| {name} | {100 * accuracy[:, j].mean():.2f} | {ranks[0][j]:.2f} | {loss[:, j].mean():.3f} "
              f"| {ranks[1][j]:.2f} | {figures[:, j, 2].sum():.1f} |")
    print(f"\n| {names[0]} beside | accuracy: better / equal / worse | Wilcoxon p | log loss: better / equal / worse | Wilcoxon p |")
    print("|---|---:|---:|---:|---:|")
    for j, name in enumerate(names[1:], 1):
        record = [f"{better_equal_worse(d)} | {wilcoxon(d).pvalue:.2g}"
                  for d in (accuracy[:, 0] - accuracy[:, j], loss[:, j] - loss[:, 0])]
        print(f"| {name} | {record[0]} | {record[1]} |")
    if each:
        print("\n| accuracy / log loss | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
        for name in sorted(results):
            print(f"| {name} | " + " | ".join(f"{100 * a:.2f} / {l:.3f}" for a, l, _ in map(results[name].get, names)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--heft", default=ROOT / "build/cli/heft")
    parser.add_argument("--cv", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--each", action="store_true")
    asked = parser.parse_args()
    warnings.filterwarnings("ignore")  # classes of fewer rows than folds; columns without a value
    if not asked.files:
        if "HEFT_DATA" not in os.environ:
            sys.exit("peers.py: name data files, or set HEFT_DATA to the folder of the public data sets")
        asked.files = [os.path.join(os.environ["HEFT_DATA"], name + ".arff") for name in SETS]
    results = json.loads(asked.json.read_text()) if asked.json and asked.json.exists() else {}
    for path in sorted(asked.files, key=os.path.getsize):
        name = pathlib.Path(path).stem
        for _ in measure(asked, path, results.setdefault(name, {})):
            if asked.json:
                asked.json.write_text(json.dumps(results, indent=1))
        print(name, flush=True)
    show(results, asked.each)


if __name__ == "__main__":
    main()
