"""Cross-validation by the library: the folds, figures and tests of `heft evaluate`."""

from __future__ import annotations

import ctypes
import json
from ctypes import byref, c_void_p
from typing import Any, Iterable, Mapping

import numpy as np

from . import _ffi, _input
from ._base import DataConversionWarning, HeftClassifier, run, seed_of, set_target, target_name, threads_of

MEASURES = [_ffi.text(_ffi.lib.heft_measure_at(k).contents.name) for k in range(_ffi.lib.heft_measure_count())]


def table_of(X: Any, y: Any, sample_weight: Any = None, categorical_features: Any = None) -> _ffi.Table:
    frame = _input.read(X, "heft.evaluate", True)
    target = _input.read_target(y, frame.n_rows, "heft.evaluate", DataConversionWarning)
    weights = _input.read_weights(sample_weight, frame.n_rows)
    _input.categorical(frame, categorical_features)
    table = frame.table()
    set_target(table, target, target_name(frame, y))
    if weights is not None:
        table.call(_ffi.lib.heft_table_set_weights, _input.address(weights))
    return table


class Results:
    """A heft_results; freed with the object."""

    def __init__(self, tables: list[_ffi.Table], names: list[str], plan: _ffi.Plan) -> None:
        handles = (c_void_p * len(tables))(*[t.handle for t in tables])
        labels = _ffi.strings(names)
        err, out = _ffi.Error(), c_void_p()
        self.handle, self.n_data = None, len(tables)
        status, _ = run(plan.runtime, lambda: _ffi.lib.heft_evaluate(
            handles, labels, len(tables), byref(plan), byref(out), byref(err)))
        _ffi.check(status, err)
        self.handle = out.value

    def __del__(self) -> None:
        if self.handle:
            _ffi.lib.heft_results_free(self.handle)

    def rows(self) -> list[dict[str, Any]]:
        found = []
        for d in range(self.n_data):
            for m in range(_ffi.lib.heft_results_methods(self.handle)):
                cell = _ffi.lib.heft_results_cell(self.handle, 0, d, m).contents
                if cell.failure:
                    raise ValueError(f"{_ffi.text(cell.dataset)}, {_ffi.text(cell.method)}: "
                                     f"{_ffi.sentence(cell.failure)}")
                row: dict[str, Any] = {"dataset": _ffi.text(cell.dataset), "method": _ffi.text(cell.method)}
                row.update((name, getattr(cell, name)) for name in ("accuracy", "accuracy_sd", "accuracy_pooled"))
                row.update(zip(MEASURES, cell.measures[: len(MEASURES)]))
                row.update((name, getattr(cell, name)) for name in ("fit_seconds", "predict_seconds"))
                row["per_fold"] = np.array(cell.per_fold[: cell.n_folds])
                found.append(row)
        return found

    def summary(self) -> dict[str, Any]:
        err, out = _ffi.Error(), c_void_p()
        _ffi.check(_ffi.lib.heft_results_text(self.handle, b"json", byref(out), byref(err)), err)
        try:
            summary: dict[str, Any] = json.loads(ctypes.string_at(out.value or 0)).get("summary", {})
            return summary
        finally:
            _ffi.lib.heft_text_free(out)


def plan_of(config: _ffi.Config, methods: Iterable[str], cv: int, repeats: int, split: str,
            protocol: str) -> _ffi.Plan:
    if cv < 2 or repeats < 1:
        raise ValueError(f"cv={cv}, repeats={repeats}: at least 2 folds and 1 repeat are needed")
    return _ffi.Plan(config, methods=_ffi.strings(methods, end=True), folds=cv, repeats=repeats,
                     split=_ffi.raw(split), protocol=_ffi.raw(protocol))


def framed(rows: list[dict[str, Any]]) -> Any:
    """A pandas DataFrame where pandas is installed, else the rows as they are."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def as_list(methods: Any) -> list[Any]:
    return [methods] if isinstance(methods, (str, HeftClassifier)) else list(methods)


def evaluate(
    estimators: Any, X: Any, y: Any, *, cv: int = 10, repeats: int = 1, split: str = "heft",
    protocol: str = "honest", sample_weight: Any = None, categorical_features: Any = None,
    random_state: Any = None, n_jobs: int | None = None,
) -> Any:
    """Cross-validate estimators of heft, or methods by name ("nb", "lcwnb:kappa=5"), on the same
    folds: one row each, with accuracy, F1, log loss, Brier score, AUC and times.

    Returns a pandas DataFrame, or a list of dicts without pandas.
    """
    table = table_of(X, y, sample_weight, categorical_features)
    runtime = _ffi.Runtime(threads=threads_of(n_jobs), seed=seed_of(random_state))
    rows: list[dict[str, Any]] = []
    for given in as_list(estimators):
        config = _ffi.Config(runtime) if isinstance(given, str) else given._config(None, runtime)
        method = given if isinstance(given, str) else given._method
        results = Results([table], ["data"], plan_of(config, [method], cv, repeats, split, protocol))
        row = results.rows()[0]
        row["method"] = given if isinstance(given, str) else repr(given)
        row.pop("dataset")
        rows.append(row)
    return framed(rows)


def compare(
    methods: Iterable[str], datasets: Mapping[str, tuple[Any, Any]], *, cv: int = 10,
    repeats: int = 1, split: str = "heft", protocol: str = "honest", random_state: Any = None,
    n_jobs: int | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Methods by data sets: the figures of each pair, and the summary of `heft evaluate --json`: mean
    accuracies, mean ranks and significance tests.

    ``datasets`` maps a name to (X, y). Returns (DataFrame or list of dicts, summary).
    """
    if not datasets:
        raise ValueError("compare: no data sets")
    config = _ffi.Config(_ffi.Runtime(threads=threads_of(n_jobs), seed=seed_of(random_state)))
    tables = [table_of(X, y) for X, y in datasets.values()]
    plan = plan_of(config, as_list(methods), cv, repeats, split, protocol)
    results = Results(tables, list(datasets), plan)
    return framed(results.rows()), results.summary()
