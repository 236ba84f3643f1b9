"""Running heft, and what it says of a model."""
import json
import pathlib
import subprocess

import numpy as np

import tables

PROGRAM = "heft"


class Failed(Exception):
    pass


def run(*args):
    done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"heft {' '.join(map(str, args))}: {done.stderr.strip()}")
    return done.stdout


def read_probabilities(text):
    import csv
    import io
    lines = list(csv.reader(io.StringIO(text)))
    return ([r[0] for r in lines[1:]], np.array([[float(x) for x in r[1:]] for r in lines[1:]]))


def fit(folder, train, method, options=(), ask=None, drop=()):
    """Trains and predicts: (inspection, predicted labels, probabilities of the rows asked about)."""
    folder = pathlib.Path(folder)
    path = train if isinstance(train, (str, pathlib.Path)) else folder / "train.arff"
    extra = list(options)
    if isinstance(train, tables.Table):
        tables.write_arff(train, path)
        if train.weight is not None:
            extra += ["--weight", "row_weight"]
    if drop:
        extra += ["--drop", ",".join(drop)]
    model = folder / "model.heft"
    run("train", path, "-m", method, "-o", model, "-q", *extra)
    seen = json.loads(run("inspect", model, "--json", "-"))
    labels = proba = None
    if ask is not None:
        if isinstance(ask, tables.Table):
            tables.write_csv(ask, folder / "ask.csv")
            ask = folder / "ask.csv"
        labels, proba = read_probabilities(run("predict", model, ask, "--proba", "-q"))
    return seen, labels, proba
