"""Estimators of scikit-learn, or that behave like them, on the folds of heft.evaluate."""

from __future__ import annotations

import copy
import itertools
import time
from ctypes import byref
from typing import Any, Iterator, NamedTuple

import numpy as np

from . import _ffi, _input

#: Measures of the predicted classes alone. An estimator without predict_proba has no others.
OF_LABELS = {"baseline", "micro_f1", "macro_f1", "weighted_f1", "balanced_accuracy", "kappa", "mcc"}
MOST_CONFUSED = 100  # classes of a confusion matrix that is kept


class Folds(NamedTuple):
    """The test rows of every fold, as the library dealt them: repeat after repeat."""

    repeat: np.ndarray
    fold: np.ndarray
    row: np.ndarray

    def tests(self) -> Iterator[tuple[int, int, np.ndarray]]:
        """Repeat, fold, and where its rows are in `row`."""
        for r, f in itertools.product(range(int(self.repeat.max()) + 1), range(int(self.fold.max()) + 1)):
            yield r, f, np.flatnonzero((self.repeat == r) & (self.fold == f))


class Data(NamedTuple):
    X: Any
    target: _input.Target
    weights: np.ndarray | None
    folds: Folds


def some_rows(X: Any, which: np.ndarray) -> Any:
    """Rows of X, which stays what it is."""
    if hasattr(X, "iloc"):
        return X.iloc[which]
    if _input.is_sparse(X):
        return X.tocsr()[which]
    if hasattr(X, "take") and hasattr(X, "__arrow_c_stream__"):  # pyarrow
        return X.take(which)
    return X[which] if hasattr(X, "__arrow_c_stream__") else np.asarray(X)[which]


def fresh(estimator: Any) -> Any:
    """An unfitted copy."""
    try:
        from sklearn.base import clone
    except ImportError:
        return copy.deepcopy(estimator)
    return clone(estimator)


def aligned(estimator: Any, proba: Any, target: _input.Target) -> np.ndarray:
    """Probabilities in the order of the classes of all rows; 0 for a class that the training rows lack."""
    place = {label: c for c, label in enumerate(target.classes.tolist())}
    given = np.asarray(proba, dtype=np.float64)
    out = np.zeros((len(given), len(place)))
    for k, label in enumerate(np.asarray(estimator.classes_).tolist()):
        out[:, place[label]] = given[:, k]
    return np.clip(out, 0, 1)


def coded(labels: Any, target: _input.Target) -> np.ndarray:
    place = {label: c for c, label in enumerate(target.classes.tolist())}
    return np.array([place[label] for label in np.asarray(labels).ravel().tolist()], dtype=np.int32)


class Predictions:
    """What an estimator predicts for all test rows, and how long that takes."""

    def __init__(self, estimator: Any, name: str, data: Data) -> None:
        n = len(data.folds.row)
        self.name, self.data = name, data
        self.proba = np.zeros((n, len(data.target.classes)))
        self.actual, self.predicted = data.target.codes[data.folds.row], np.zeros(n, dtype=np.int32)
        self.has_proba = True
        self.fit_seconds = self.predict_seconds = 0.0
        self.per_fold: list[float] = []
        for repeat, fold, at in data.folds.tests():
            try:
                self._fold(fresh(estimator), at)
            except Exception as error:
                raise ValueError(f"{name}, fold {fold + 1} of repeat {repeat + 1}: {error}") from error

    def _fold(self, estimator: Any, at: np.ndarray) -> None:
        data, test = self.data, self.data.folds.row[at]
        train = np.setdiff1d(np.arange(len(data.target.codes)), test)
        labels = data.target.classes[data.target.codes[train]]
        extra = {}
        if data.weights is not None:
            train, labels = (part[data.weights[train] > 0] for part in (train, labels))
            extra["sample_weight"] = data.weights[train]
        began = time.perf_counter()
        estimator.fit(some_rows(data.X, train), labels, **extra)
        self.fit_seconds += time.perf_counter() - began
        began, rows = time.perf_counter(), some_rows(data.X, test)
        self.predicted[at] = coded(estimator.predict(rows), data.target)
        self.has_proba = hasattr(estimator, "predict_proba")
        if self.has_proba:
            self.proba[at] = aligned(estimator, estimator.predict_proba(rows), data.target)
        else:
            self.proba[at, self.predicted[at]] = 1
        self.predict_seconds += time.perf_counter() - began
        self.per_fold.append(float(np.mean(self.predicted[at] == self.actual[at])))

    def measured(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The measures of some test rows, and the figures of each class."""
        k = len(self.data.target.classes)
        actual, predicted, proba = (np.ascontiguousarray(x[at]) for x in (self.actual, self.predicted, self.proba))
        made = _ffi.Predicted(actual=actual.ctypes.data, predicted=predicted.ctypes.data, proba=proba.ctypes.data)
        measures, err = np.empty(_ffi.lib.heft_measure_count()), _ffi.Error()
        figures = np.empty((k, len(_ffi.ClassFigures._fields_)))
        status = _ffi.lib.heft_measure_predictions(byref(made), len(actual), k, measures.ctypes.data,
                                                   figures.ctypes.data, byref(err))
        _ffi.check(status, err)
        return measures, figures

    def row(self, names: list[str]) -> dict[str, Any]:
        """The figures, in the words of heft.evaluate."""
        repeats = int(self.data.folds.repeat.max()) + 1
        found = [self.measured(self.data.folds.repeat == r) for r in range(repeats)]
        f1 = [self.measured(at)[0][names.index("macro_f1")] for _, _, at in self.data.folds.tests()]
        measures = dict(zip(names, np.mean([m for m, _ in found], axis=0).tolist()))
        if not self.has_proba:
            measures = {name: x if name in OF_LABELS else float("nan") for name, x in measures.items()}
        row = {"method": self.name, "accuracy": float(np.mean(self.per_fold)),
               "accuracy_sd": float(np.std(self.per_fold, ddof=1)) if len(self.per_fold) > 1 else 0.0,
               "accuracy_pooled": float(np.mean(self.actual == self.predicted)),
               "macro_f1_folds": float(np.mean(f1)), **measures,
               "fit_seconds": self.fit_seconds, "predict_seconds": self.predict_seconds,
               "per_fold": np.array(self.per_fold), "per_fold_macro_f1": np.array(f1)}
        k = len(self.data.target.classes)
        row["figures"] = np.mean([f for _, f in found], axis=0)
        row["confusion"] = None
        if k <= MOST_CONFUSED:
            row["confusion"] = np.bincount(self.actual * k + self.predicted, minlength=k * k).reshape(k, k)
        return row
