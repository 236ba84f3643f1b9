"""Cross-validation by the library: the folds, figures and tests of `heft evaluate`."""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import warnings
from ctypes import byref, c_void_p
from dataclasses import replace
from typing import Any, Callable, Iterable, Mapping, Sequence

import numpy as np

from . import _ffi, _input, ranks
from ._base import (DataConversionWarning, HeftClassifier, load, number_of, run, seed_of, set_target, target_name,
                    threads_of, whole_of)
from ._foreign import Data, Folds, Predictions
from ._results import Evaluation, Result, evaluation, framed, result_of

_INFOS = [_ffi.lib.heft_measure_at(k).contents for k in range(_ffi.lib.heft_measure_count())]
MEASURES = [_ffi.text(info.name) for info in _INFOS]
OPTIONAL = {_ffi.text(info.name) for info in _INFOS if info.optional}  # left out where they do not apply


ACCURACIES = ("accuracy", "accuracy_sd", "accuracy_pooled", "macro_f1_folds")
FIGURES = [field[0] for field in _ffi.ClassFigures._fields_]


def table_of(X: Any, y: Any, sample_weight: Any = None, categorical_features: Any = None,
             ) -> tuple[_ffi.Table, _input.Target, np.ndarray | None]:
    """A table, its classes and its weights."""
    frame = _input.read(X, "heft.evaluate", True)
    target = _input.read_target(y, frame.n_rows, "heft.evaluate", DataConversionWarning, True)
    weights = _input.read_weights(sample_weight, frame.n_rows)
    _input.categorical(frame, categorical_features)
    table = frame.table()
    set_target(table, target, target_name(frame, y))
    if weights is not None:
        table.call(_ffi.lib.heft_table_set_weights, _input.address(weights))
    return table, target, weights


def handles(things: Sequence[_ffi.Table | _ffi.Model]) -> Any:
    """An array of pointers for the library."""
    return (c_void_p * len(things))(*[thing.handle for thing in things])


class Results:
    """A heft_results; freed with the object."""

    def __init__(self, labels: list[np.ndarray], plan: _ffi.Plan, call: Callable[[Any, Any], int]) -> None:
        """`call` evaluates: it is given where the results and an error go."""
        err, out = _ffi.Error(), c_void_p()
        self.handle, self.n_data, self.labels = None, len(labels), labels
        try:
            status, messages = run(plan.runtime, lambda: call(byref(out), byref(err)))
        except BaseException:
            _ffi.lib.heft_results_free(out)
            raise
        _ffi.check(status, err)
        self.handle = out.value
        for text in messages:
            warnings.warn(text, UserWarning, stacklevel=4)

    @classmethod
    def of_methods(cls, tables: list[_ffi.Table], labels: list[np.ndarray], names: list[str],
                   plan: _ffi.Plan) -> Results:
        """Methods that are trained and tested on parts of each table; by several ranks together, where
        there are some."""
        plan.runtime.comm = ranks.current()
        data, said = handles(tables), _ffi.strings(names)
        return cls(labels, plan, lambda out, err: _ffi.lib.heft_evaluate(
            data, said, len(tables), byref(plan), out, err))

    @classmethod
    def of_models(cls, models: list[_ffi.Model], tests: list[_ffi.Table], labels: dict[str, Any],
                  plan: _ffi.Plan) -> Results:
        """Fitted models on test rows. `labels` has those of all classes by their texts."""
        given, data = handles(models), handles(tests)
        said = _ffi.strings([str(k) for k in range(len(models))])
        found = cls([np.empty(0)], plan, lambda out, err: _ffi.lib.heft_evaluate_models(
            given, data, said, len(tests), b"data", byref(plan), out, err))
        cell = _ffi.lib.heft_results_cell(found.handle, 0, 0, 0).contents
        found.labels = [np.array([labels[_ffi.text(word)] for word in cell.classes[: cell.n_classes]])]
        return found

    def __del__(self) -> None:
        if self.handle:
            _ffi.lib.heft_results_free(self.handle)

    def rows(self) -> tuple[list[dict[str, Any]], list[Result]]:
        """A line for each data set and method, and the same as typed results."""
        found, typed = [], []
        for d in range(self.n_data):
            for m in range(_ffi.lib.heft_results_methods(self.handle)):
                cell = _ffi.lib.heft_results_cell(self.handle, 0, d, m).contents
                if cell.failure:
                    raise ValueError(f"{_ffi.text(cell.dataset)}, {_ffi.text(cell.method)}: "
                                     f"{_ffi.sentence(cell.failure)}")
                row: dict[str, Any] = {"dataset": _ffi.text(cell.dataset), "method": _ffi.text(cell.method)}
                row.update((name, getattr(cell, name)) for name in ACCURACIES)
                row.update(zip(MEASURES, cell.measures[: len(MEASURES)]))
                row.update((name, getattr(cell, name)) for name in ("fit_seconds", "predict_seconds"))
                row["per_fold"] = np.array(cell.per_fold[: cell.n_folds])
                row["per_fold_macro_f1"] = (np.full(cell.n_folds, np.nan) if cell.imported
                                            else np.array(cell.per_fold_macro_f1[: cell.n_folds]))
                figures = np.array([[getattr(cell.per_class[c], name) for name in FIGURES]
                                    for c in range(0 if cell.imported else cell.n_classes)]).reshape(-1, len(FIGURES))
                n, labels = cell.n_classes, self.labels[d].tolist()
                row["per_class"] = by_class(labels, figures)
                row["confusion"] = np.array(cell.confusion[: n * n]).reshape(n, n) if cell.confusion else None
                if cell.intervals:
                    pairs = np.array(cell.intervals[: 2 * len(MEASURES) + 2]).reshape(-1, 2)
                    drawn = ["accuracy", *MEASURES]
                    row["intervals"] = {name: tuple(pair) for name, pair in zip(drawn, pairs.tolist())}
                kept = self.predictions(cell, d, m)
                if kept is not None:
                    row["predictions"] = kept
                found.append(told(row))
                typed.append(result_of(found[-1], MEASURES, labels, figures))
        return found, typed

    def predictions(self, cell: _ffi.Cell, d: int, m: int) -> Any:
        """What was predicted for each test row, where it was kept."""
        n = _ffi.lib.heft_results_predicted(self.handle, 0, d, m, None)
        if n == 0:
            return None
        whole = {name: np.empty(n, dtype=np.uintp) for name in ("repeat", "fold", "row")}
        codes = {name: np.empty(n, dtype=np.int32) for name in ("actual", "predicted")}
        proba = np.empty((n, cell.n_classes))
        to = _ffi.Predicted(**{k: v.ctypes.data for k, v in {**whole, **codes, "proba": proba}.items()})
        _ffi.lib.heft_results_predicted(self.handle, 0, d, m, byref(to))
        return kept_predictions({**whole, **codes}, proba, self.labels[d])

    def folds(self) -> Folds:
        """Which rows were tested in which fold, where predictions were kept."""
        n = _ffi.lib.heft_results_predicted(self.handle, 0, 0, 0, None)
        found = {name: np.empty(n, dtype=np.uintp) for name in Folds._fields}
        to = _ffi.Predicted(**{name: array.ctypes.data for name, array in found.items()})
        _ffi.lib.heft_results_predicted(self.handle, 0, 0, 0, byref(to))
        return Folds(**{name: array.astype(np.int64) for name, array in found.items()})

    def summary(self) -> dict[str, Any]:
        err, out = _ffi.Error(), c_void_p()
        _ffi.check(_ffi.lib.heft_results_text(self.handle, b"json", byref(out), byref(err)), err)
        try:
            summary: dict[str, Any] = json.loads(ctypes.string_at(out.value or 0)).get("summary", {})
            return summary
        finally:
            _ffi.lib.heft_text_free(out)


def told(row: dict[str, Any]) -> dict[str, Any]:
    """Without the measures that do not apply."""
    return {name: value for name, value in row.items() if name not in OPTIONAL or not np.isnan(value)}


def by_class(labels: list[Any], figures: np.ndarray) -> Any:
    """A table with a line for each class."""
    return framed([{"class": label, **dict(zip(FIGURES, line))} for label, line in zip(labels, figures.tolist())])


def kept_predictions(arrays: dict[str, np.ndarray], proba: np.ndarray, labels: np.ndarray) -> Any:
    """A line for each test row, by its numbers and codes of classes."""
    found: dict[str, Any] = {name: arrays[name].astype(np.int64) for name in ("repeat", "fold", "row")}
    found.update((name, labels[arrays[name]]) for name in ("actual", "predicted"))
    try:
        import pandas
    except ImportError:
        return {**found, "proba": proba}
    for c, label in enumerate(labels.tolist()):
        found[f"P({label})"] = proba[:, c]
    return pandas.DataFrame(found)


def plan_of(config: _ffi.Config, methods: Iterable[str], cv: int | str | None, repeats: int, split: str,
            protocol: str, holdout: float | None = None, **fields: bool) -> _ffi.Plan:
    """What is evaluated, and how; without ``cv`` and ``holdout`` the library's number of folds."""
    if isinstance(cv, str) and cv != "loo":
        raise ValueError(f"cv={cv!r}: give a number of folds, or 'loo'")
    folds = 0 if cv is None or isinstance(cv, str) else whole_of("cv", cv, 2)
    repeats = whole_of("repeats", repeats, 1)
    if holdout is not None and not 0 < number_of("holdout", holdout) < 1:
        raise ValueError(f"holdout={holdout}: the share of test rows must be between 0 and 1")
    if cv == "loo" and (repeats > 1 or holdout is not None):
        raise ValueError("cv='loo' leaves out every row once: it takes no repeats and no holdout")
    if cv is not None and holdout is not None:
        raise ValueError(f"cv={cv} and holdout={holdout}: give one of them, folds or a share of test rows")
    for name, word in (("split", split), ("protocol", protocol)):
        if not isinstance(word, str):
            raise TypeError(f"{name}: {word!r} is not a text")
    return _ffi.Plan(config, methods=_ffi.strings(methods, end=True), folds=folds, repeats=repeats,
                     leave_one_out=cv == "loo", holdout=0.0 if holdout is None else float(holdout),
                     split=_ffi.raw(split), protocol=_ffi.raw(protocol), **fields)


def named_estimators(estimators: Any) -> list[tuple[str, Any]]:
    """Names and estimators: of a mapping, of pairs, of a list, or of one alone. An estimator of heft is named
    as it is written, another one by its class, with a number where the name is taken."""
    single = isinstance(estimators, (str, type)) or hasattr(estimators, "fit")
    if isinstance(estimators, Mapping):
        given: list[Any] = list(estimators.items())
    else:
        given = [estimators] if single else list(estimators)
    if not given:
        raise ValueError("heft.evaluate: no estimators (give the name of a method such as 'nb', or an estimator)")
    out: list[tuple[str, Any]] = []
    for one in given:
        named = isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str)
        name, one = one if named else ("", one)
        if isinstance(one, type):
            raise TypeError(f"{one.__name__} is a class, not an estimator (call it: {one.__name__}())")
        if not named:
            name = one if isinstance(one, str) else repr(one) if isinstance(one, HeftClassifier) else type(one).__name__
            taken = {known for known, _ in out}
            if not isinstance(one, (str, HeftClassifier)) and name in taken:
                name = next(more for k in itertools.count(2) if (more := f"{name} {k}") not in taken)
        if not isinstance(one, str) and not (hasattr(one, "fit") and hasattr(one, "predict")):
            raise TypeError(f"{name!r}: give the name of a method, or an estimator with fit and predict, not {type(one).__name__}")
        out.append((name, one))
    return out


def evaluate(
    estimators: Any, X: Any, y: Any, *, cv: int | str | None = None, repeats: int = 1, split: str = "heft",
    protocol: str = "honest", holdout: float | None = None, intervals: bool = False,
    predictions: bool = False, sample_weight: Any = None, categorical_features: Any = None,
    random_state: Any = None, n_jobs: int | None = None,
) -> Evaluation:
    """Cross-validate estimators on the same folds: one row each, with all measures of `heft evaluate`, the
    figures of each class (``per_class``), the confusion matrix (``confusion``) and times.

    ``estimators`` are estimators of heft, methods by name ("nb", "lcwnb:kappa=5") and estimators of
    scikit-learn or like them, such as pipelines, which get rows of X as it is, and ``sample_weight`` where it is
    given: one, a list, or with names of your own a dict or a list of (name, estimator). An estimator
    without ``predict_proba`` has NaN for measures of probabilities.

    ``cv`` is the number of folds (None: 10), or "loo" for leave-one-out. ``holdout`` tests on this share of
    the rows instead. With ``intervals``, a row has a dict of bootstrap confidence intervals of the
    measures (95%), which are of heft's estimators only. With ``predictions``, it has the repeat, fold, row
    (from 0), actual and predicted class and probabilities of every test row.

    Returns a pandas DataFrame, or a list of dicts without pandas. Its ``results`` are the same as a list of
    typed :class:`heft.Result`.
    """
    table, target, weights = table_of(X, y, sample_weight, categorical_features)
    runtime = _ffi.Runtime(threads=threads_of(n_jobs), seed=seed_of(random_state))
    given = named_estimators(estimators)

    def by_library(config: _ffi.Config, methods: list[str], keep: bool) -> Results:
        plan = plan_of(config, methods, cv, repeats, split, protocol, holdout, intervals=intervals, keep_predictions=keep)
        return Results.of_methods([table], [target.classes], ["data"], plan)

    rows: list[dict[str, Any]] = []
    results: list[Result] = []
    data: Data | None = None
    for kind, group in itertools.groupby(given, lambda pair: kind_of(pair[1])):
        for together in [list(group)] if kind is str else [[pair] for pair in group]:
            if kind is object:
                if data is None:
                    data = Data(X, target, weights, by_library(_ffi.Config(runtime), ["nb"], True).folds())
                found, typed = foreign(together[0], data, predictions)
            else:
                config = _ffi.Config(runtime) if kind is str else together[0][1]._config(None, runtime)
                methods = [one if kind is str else one._method for _, one in together]
                found, typed = by_library(config, methods, predictions).rows()
            for row, result, (name, _) in zip(found, typed, together):
                row["method"] = name
                row.pop("dataset", None)
                rows.append(row)
                results.append(replace(result, method=name, dataset=None))
    return evaluation(rows, results, repeats)


def kind_of(estimator: Any) -> type:
    """Who evaluates it: the library, with others (str) or alone, or this package (object)."""
    return str if isinstance(estimator, str) else HeftClassifier if isinstance(estimator, HeftClassifier) else object


def foreign(named: tuple[str, Any], data: Data, keep: bool) -> tuple[list[dict[str, Any]], list[Result]]:
    """The line of an estimator that is not heft's."""
    made, labels = Predictions(named[1], named[0], data), data.target.classes
    row = made.row(MEASURES)
    figures = row.pop("figures")
    row["per_class"] = by_class(labels.tolist(), figures)
    if keep:
        codes = {"actual": made.actual, "predicted": made.predicted}
        row["predictions"] = kept_predictions({**data.folds._asdict(), **codes}, made.proba, labels)
    return [told(row)], [result_of(told(row), MEASURES, labels.tolist(), figures)]


def evaluate_models(models: Any, X: Any, y: Any, *, intervals: bool = False, predictions: bool = False,
                    n_jobs: int | None = None) -> Evaluation:
    """Test fitted models on rows that they were not trained on: one row each, with all measures of
    `heft evaluate MODEL --test`, in the columns of :func:`heft.evaluate`.

    Parameters
    ----------
    models : fitted estimator or path of a model file, or a list of them
        All with the same classes.
    X, y : array-like
        The test rows and their labels. A label that the models do not know counts as predicted wrong.
    intervals, predictions, n_jobs
        As in :func:`heft.evaluate`.

    Returns
    -------
    pandas.DataFrame, or a list of dicts without pandas

    Examples
    --------
    >>> import heft
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> found = heft.evaluate_models(heft.NB().fit(X, y), [[1.2, 3], [4.1, 6]], ["short", "long"])
    >>> float(found["accuracy"][0])
    1.0
    """
    single = isinstance(models, (str, os.PathLike, HeftClassifier))
    given = [models] if single else list(models)
    if not given:
        raise ValueError("evaluate_models: no models")
    fitted = [model if isinstance(model, HeftClassifier) else load(model) for model in given]
    inner = [model._fitted() for model in fitted]
    tests = []
    for estimator, model in zip(fitted, inner):
        table, n_rows = estimator._table(X)
        target = _input.read_target(y, n_rows, "heft.evaluate_models", DataConversionWarning)
        set_target(table, target, model.target())
        tests.append(table)
    config = _ffi.Config(_ffi.Runtime(threads=threads_of(n_jobs)))
    plan = _ffi.Plan(config, intervals=intervals, keep_predictions=predictions)
    known = {_input.value_text(label): label for label in [*target.classes.tolist(), *fitted[0].classes_.tolist()]}
    rows, typed = Results.of_models(inner, tests, known, plan).rows()
    for row, model in zip(rows, given):
        row["method"] = repr(model) if isinstance(model, HeftClassifier) else os.fspath(model)
        row.pop("dataset")
    return evaluation(rows, [replace(one, method=row["method"], dataset=None) for one, row in zip(typed, rows)])


def compare(
    methods: Iterable[str], datasets: Mapping[str, tuple[Any, Any]], *, cv: int | str | None = None,
    repeats: int = 1, split: str = "heft", protocol: str = "honest", random_state: Any = None,
    n_jobs: int | None = None, imports: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
) -> tuple[Evaluation, dict[str, Any]]:
    """Methods by data sets: the figures of each pair, and the summary of `heft evaluate --json`: mean
    accuracies, mean ranks and significance tests.

    ``datasets`` maps a name to (X, y). ``imports`` are CSV files with accuracies of other programs on the same
    folds, in the columns data, method, repeat, fold and accuracy (`heft evaluate --import`). Returns (DataFrame or
    list of dicts, summary).
    """
    if not datasets:
        raise ValueError("compare: no data sets")
    config = _ffi.Config(_ffi.Runtime(threads=threads_of(n_jobs), seed=seed_of(random_state)))
    tables, targets, _ = zip(*[table_of(X, y) for X, y in datasets.values()])
    plan = plan_of(config, [methods] if isinstance(methods, str) else methods, cv, repeats, split, protocol)
    files = [imports] if isinstance(imports, (str, os.PathLike)) else imports
    plan.imports = _ffi.strings([os.fspath(path) for path in files], end=True)
    results = Results.of_methods(list(tables), [target.classes for target in targets], list(datasets), plan)
    return evaluation(*results.rows(), repeats), results.summary()
