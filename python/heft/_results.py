"""What heft.evaluate, heft.evaluate_models and heft.compare return: a table that also has typed results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Protocol

import numpy as np


@dataclass(frozen=True)
class ClassResult:
    """The figures of one class, averaged over the repeats.

    Attributes
    ----------
    label : object
        the class
    support, predicted : float
        its test rows, and the rows predicted as it
    precision, recall, f1, auc, average_precision : float
        as in `heft evaluate --json`
    """

    label: Any
    support: float
    predicted: float
    precision: float
    recall: float
    f1: float
    auc: float
    average_precision: float


@dataclass(frozen=True)
class Result:
    """One estimator on one data set: a line of the table as a typed object.

    Attributes
    ----------
    method : str
        the name of the estimator
    dataset : str or None
        the name of the data set, for `heft.compare`
    accuracy, accuracy_sd : float
        the mean and the standard deviation over the folds
    accuracy_pooled : float
        the share of all test rows that are predicted right
    macro_f1_folds : float
        macro F1, averaged over the folds; `measures["macro_f1"]` is over all rows of a repeat
    measures : dict of str to float
        all other measures by their names in `heft evaluate --json`, without those that do not apply
    per_fold : ndarray
        the accuracy of each fold, repeat by repeat
    per_fold_macro_f1 : ndarray
        macro F1 of each fold
    per_class : list of ClassResult
    confusion : ndarray of shape (n_classes, n_classes) or None
        rows are actual classes; None with more than 100 classes
    fit_seconds, predict_seconds : float
    intervals : dict of str to tuple of float, or None
        where they are asked for, of heft's own estimators
    predictions : pandas.DataFrame, dict or None
        where they are asked for
    """

    method: str
    dataset: str | None
    accuracy: float
    accuracy_sd: float
    accuracy_pooled: float
    macro_f1_folds: float
    measures: dict[str, float]
    per_fold: np.ndarray
    per_fold_macro_f1: np.ndarray
    per_class: list[ClassResult]
    confusion: np.ndarray | None
    fit_seconds: float
    predict_seconds: float
    intervals: dict[str, tuple[float, float]] | None = None
    predictions: Any = None


class Evaluation(Protocol):
    """A pandas.DataFrame with one line for each of its ``results``, and in ``folds`` a line for each fold with the
    columns of `heft evaluate --fold-csv`; without pandas a list of dicts that has both too."""

    @property
    def results(self) -> list[Result]: ...

    @property
    def folds(self) -> Any: ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __getitem__(self, key: Any) -> Any: ...

    def __getattr__(self, name: str) -> Any: ...


class Rows(list):  # type: ignore[type-arg]
    """The lines as dicts, without pandas."""

    results: list[Result]
    folds: Any


def result_of(row: dict[str, Any], measures: list[str], labels: list[Any], figures: np.ndarray) -> Result:
    """A line as a typed result. `figures` has a line for each class."""
    fields: dict[str, Any] = {name: row.get(name) for name in Result.__dataclass_fields__}
    fields["measures"] = {name: row[name] for name in measures if name in row}
    fields["per_class"] = [ClassResult(label, *line) for label, line in zip(labels, figures.tolist())]
    return Result(**fields)


def framed(rows: list[dict[str, Any]]) -> Any:
    """A pandas.DataFrame where pandas is installed, else the rows as they are."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def fold_lines(results: list[Result], repeats: int) -> list[dict[str, Any]]:
    """A line for each fold: repeats count from 1, folds from 0."""
    lines = []
    for one in results:
        folds = len(one.per_fold) // repeats
        for k, (accuracy, f1) in enumerate(zip(one.per_fold.tolist(), one.per_fold_macro_f1.tolist())):
            lines.append({"data": one.dataset or "data", "method": one.method, "repeat": k // folds + 1, "fold": k % folds,
                          "accuracy": accuracy, "macro_f1": f1})
    return lines


def evaluation(table: Any, results: list[Result], repeats: int = 1) -> Evaluation:
    """The table, or the rows of one, with the results."""
    found: Any = framed(table) if isinstance(table, list) else table
    if isinstance(found, list):
        found = Rows(found)
    object.__setattr__(found, "results", results)  # pandas warns of an attribute that is a list
    object.__setattr__(found, "folds", framed(fold_lines(results, repeats)))
    typed: Evaluation = found
    return typed
