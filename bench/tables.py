"""Tables as heft reads them, its folds, and models tested on folds: what the comparisons with other programs share."""
import json
import pathlib
import resource
import subprocess
import tempfile
from dataclasses import dataclass

import numpy as np
import pandas as pd

ROOT = pathlib.Path(__file__).resolve().parents[1]
MISSING = ["", "?", "NA", "NaN"]
SETS = """anneal anneal.ORIG audiology autos balance-scale breast-cancer breast-w colic colic.ORIG
    credit-a credit-g diabetes glass heart-c heart-h heart-statlog hepatitis hypothyroid ionosphere iris
    kr-vs-kp labor letter lymph mushroom primary-tumor segment sick sonar soybean splice vehicle vote
    vowel waveform-5000 zoo""".split()  # table 1 of Li and Li


def run(*command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout


@dataclass
class Table:
    cells: pd.DataFrame  # all columns, as text
    numeric: list        # names of the attributes
    nominal: list
    target: str
    y: np.ndarray        # codes of the classes, in heft's order
    n_class: int

    def attributes(self):
        """Numeric columns as floats and nominal ones as categories; missing cells are NaN."""
        frame = self.cells.mask(self.cells.isin(MISSING))
        return frame.astype({**dict.fromkeys(self.numeric, float), **dict.fromkeys(self.nominal, "category")})[
            self.numeric + self.nominal]


def read(heft, path):
    """The table in a file: kinds of columns and order of classes are those of a heft model."""
    with tempfile.TemporaryDirectory() as room:
        table, model = pathlib.Path(room, "table.csv"), pathlib.Path(room, "model.heft")
        run(heft, "convert", path, "-o", table, "-q")
        run(heft, "train", path, "-m", "nb", "-o", model, "-q")
        told = json.loads(run(heft, "inspect", model, "--json", "-"))
        cells = pd.read_csv(table, dtype=str, keep_default_na=False)
    kinds = {a["name"]: a["kind"] for a in told["attributes"]}
    target = next(c for c in cells.columns if c not in kinds)
    place = {name: c for c, name in enumerate(told["classes"])}
    return Table(cells, [c for c in kinds if kinds[c] == "numeric"], [c for c in kinds if kinds[c] != "numeric"],
                 target, cells[target].map(place).astype(int).to_numpy(), len(place))


def folds(y, n_fold, seed):
    """The stratified folds of `heft evaluate --cv n_fold --seed seed` (lib/eval/folds.c, lib/base/rng.c)."""
    full = 2**64 - 1

    def splitmix(x):
        while True:
            x = z = (x + 0x9e3779b97f4a7c15) & full
            z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & full
            z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & full
            yield z ^ (z >> 31)

    def rotate(x, k):
        return ((x << k) | (x >> (64 - k))) & full

    start = splitmix(next(splitmix(seed)))
    s = [next(start) for _ in range(4)]

    def below(n):
        while True:
            x = (rotate((s[1] * 5) & full, 7) * 9) & full
            t = (s[1] << 17) & full
            s[2] ^= s[0]
            s[3] ^= s[1]
            s[1] ^= s[2]
            s[0] ^= s[3]
            s[2] ^= t
            s[3] = rotate(s[3], 45)
            if x < full - full % n:
                return x % n

    order = []
    for c in np.unique(y):
        rows = list(np.flatnonzero(y == c))
        for i in range(len(rows), 1, -1):
            k = below(i)
            rows[i - 1], rows[k] = rows[k], rows[i - 1]
        order += rows
    fold = np.zeros(len(y), int)
    fold[order] = np.arange(len(y)) % n_fold
    return fold


def cpu_seconds():
    """Of this process and of those it has waited for."""
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def test_folds(make, y, n_class, fold, tested):
    """Figures of a model that is trained without, and tested on, each of the folds in `tested`: accuracy as the mean over
    the folds, log loss (floor 1e-15) and Brier score as means over the rows, CPU seconds of all fits and predictions.
    make() gives a model and the attributes as it wants them."""
    fit, predict, right, loss, brier = 0.0, 0.0, [], [], []
    for f in tested:
        train, test = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
        seen, codes = np.unique(y[train], return_inverse=True)  # XGBoost wants 0, 1, ... without a gap
        model, shown = make()
        shown, new = shown.iloc[train], shown.iloc[test]
        began = cpu_seconds()
        model.fit(shown, codes)
        fitted = cpu_seconds()
        found = model.predict_proba(new)
        fit, predict = fit + fitted - began, predict + cpu_seconds() - fitted
        proba = np.zeros((len(test), n_class))
        proba[:, seen] = found
        true = np.eye(n_class)[y[test]]
        right.append((proba.argmax(axis=1) == y[test]).mean())
        loss.extend(-np.log(np.clip((proba * true).sum(axis=1), 1e-15, 1)))
        brier.extend(((proba - true) ** 2).sum(axis=1))
    return {"accuracy": np.mean(right), "log_loss": np.mean(loss), "brier": np.mean(brier), "fit": fit, "predict": predict}


def better_equal_worse(differences):
    return f"{(differences > 0).sum()} / {(differences == 0).sum()} / {(differences < 0).sum()}"
