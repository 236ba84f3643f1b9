"""Columns of programs that heft does not contain: scikit-learn's CART, random forest and LIBSVM, naive Bayes with a floor
under its deviations, and Weka's locally weighted learning. All run on the same rows as heft.
"""
import csv
import io
import os
import random
import subprocess
import tempfile

import weka_proba
from cells import Absent

try:
    import numpy as np
except ImportError:
    np = None


def deal(labels, folds, repeats, seed=1):
    """Stratified folds: a list of fold numbers for each repeat."""
    dealt = []
    for repeat in range(repeats):
        rng, fold, place = random.Random(1000 * seed + repeat), [0] * len(labels), 0
        for label in sorted(set(labels)):
            rows = [i for i, other in enumerate(labels) if other == label]
            rng.shuffle(rows)
            for i in rows:
                fold[i] = place % folds
                place += 1
        dealt.append(fold)
    return dealt


def raw(bench, task):
    """Header and rows of a data set as heft reads it, text; the class is the last column."""
    rows = list(csv.reader(io.StringIO(bench.run("convert", bench.path(task.file), "-q", "--to", "csv", *task.options))))
    return rows[0], rows[1:]


def folds_file(bench, task, repeats, folds=10):
    """Path of a --folds file for a data set, and the folds."""

    def write(path):
        dealt = deal([r[-1] for r in raw(bench, task)[1]], folds, repeats)
        path.write_text("".join(",".join(map(str, line)) + "\n" for line in zip(*dealt)), encoding="ascii")

    path = bench.made(f"{task.file}.{task.name}.{folds}x{repeats}.folds", write)
    with open(path, encoding="ascii") as file:
        return path, [list(fold) for fold in zip(*(map(int, line.split(",")) for line in file))]


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def matrix(rows):
    """Attributes as numbers: numbers as they are (gaps: the mean), categories one column a value."""
    if np is None:
        raise Absent("other programs need numpy and scikit-learn")
    columns = []
    for cells in list(zip(*rows))[:-1]:
        present = [c for c in cells if c not in ("", "?")]
        if present and all(is_number(c) for c in present):
            fill = sum(map(float, present)) / len(present)
            columns.append([float(c) if c not in ("", "?") else fill for c in cells])
        else:
            columns += [[float(c == value) for c in cells] for value in sorted(set(present))]
    return np.array(columns).T, np.array([r[-1] for r in rows])


class FlooredNormals:
    """Naive Bayes with normal densities, divisor n - 1, and a deviation of 1e-5 where it is 0."""

    def __init__(self, floor=1e-5):
        self.floor = floor

    def fit(self, x, y):
        self.classes, self.parts = np.unique(y), []
        for c in self.classes:
            part = x[y == c]
            spread = part.std(0, ddof=1) if len(part) > 1 else np.zeros(x.shape[1])
            self.parts.append((np.log(len(part) / len(x)), part.mean(0), np.where(spread > 0, spread, self.floor)))
        return self

    def predict(self, x):
        score = [p - np.log(s).sum() - (((x - m) / s) ** 2).sum(1) / 2 for p, m, s in self.parts]
        return self.classes[np.argmax(score, axis=0)]


def model_of(name):
    try:
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.svm import SVC
        from sklearn.tree import DecisionTreeClassifier
    except ImportError as none:
        raise Absent(f"{name} needs numpy and scikit-learn") from none
    return {"CART": lambda: DecisionTreeClassifier(random_state=1),
            "RF": lambda: RandomForestClassifier(100, random_state=1),
            "LibSVM": lambda: SVC(kernel="linear"),
            "NB, deviation 1e-5": FlooredNormals}[name]()


def f1_of(truth, said, label):
    hit = sum(a == b == label for a, b in zip(truth, said))
    return 2 * hit / ((truth.count(label) + said.count(label)) or 1)


def measures(truth, said):
    """Micro and macro F1 of one set of predictions (lists of names)."""
    labels = sorted(set(truth) | set(said))
    return [sum(map(str.__eq__, truth, said)) / len(truth), sum(f1_of(truth, said, c) for c in labels) / len(labels)]


def cross_validated(bench, name, key, load, dealt):
    """[[micro, macro], ...] of each fold. load() gives attributes and classes; key names them."""

    def compute():
        model_of(name)
        x, y = load()
        found = []
        for fold in map(np.array, dealt):
            for k in sorted(set(fold)):
                model = model_of(name).fit(x[fold != k], y[fold != k])
                found.append(measures(list(map(str, y[fold == k])), list(map(str, model.predict(x[fold == k])))))
        return found

    return bench.cached(["rival", name, key, len(dealt)], compute)


def weka_labels(folder, path, train, test, spec):
    """What a Weka classifier trained on one ARFF file says of another."""
    done = subprocess.run(["java", "-XX:+UseSerialGC", "-Xmx1500m", "-cp", path, "LazyWeka", "labels", train, test, spec],
                          check=True, capture_output=True, text=True, cwd=folder)
    return done.stdout.splitlines()


def weka_cross_validated(bench, spec, task, dealt):
    """[[micro, macro], ...] of each fold by Weka, on an ARFF file (dense or sparse) with the class last."""

    def compute():
        labels = [r[-1] for r in raw(bench, task)[1]]
        head, body = arff_parts(bench.path(task.file))
        found = []
        with tempfile.TemporaryDirectory() as folder:
            path = weka_proba.compiled(folder)
            for fold in dealt:
                for k in sorted(set(fold)):
                    names = [os.path.join(folder, n) for n in ("train.arff", "test.arff")]
                    for name, inside in zip(names, (False, True)):
                        with open(name, "w", encoding="utf-8") as file:
                            file.writelines(head)
                            file.writelines(r for r, f in zip(body, fold) if (f == k) is inside)
                    said = weka_labels(folder, path, *names, spec)
                    found.append(measures([l for l, f in zip(labels, fold) if f == k], said))
        return found

    return bench.cached(["weka", spec, task.file, len(dealt)], compute)


def arff_parts(path):
    """Lines up to @data, and the rows."""
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    at = next(i for i, line in enumerate(lines) if line.strip().lower() == "@data")
    return lines[: at + 1], [line.rstrip("\r\n") + "\n" for line in lines[at + 1:]
                               if line.strip() and not line.startswith("%")]
