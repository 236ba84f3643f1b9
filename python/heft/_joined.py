"""Rows to fit, alone or as one of several ranks that each have a part of them.

The parts of a table need not look alike: a part may lack classes, values of a column, or all rows.
Here the ranks agree on the classes, on the kind of each column and on the order of its values, so
that the model has the same bytes as that of one process with all the rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _base, _input, ranks


class Part(NamedTuple):
    """What the other ranks must know of a rank's rows."""

    names: list[str] | None
    values: list[list[str] | None]  # of each column that is nominal here
    blank: list[bool]  # no row has a value in the column
    numeric: set[int]  # columns of numbers, nominal or not
    labels: np.ndarray
    weighted: bool | None  # a weight above 0; None: no weights are given


def read(estimator: Any, X: Any, y: Any,
         sample_weight: Any) -> tuple[_input.Frame, _input.Target, np.ndarray | None]:
    """The columns, the classes and the weights; the same classes, kinds and values on all ranks."""
    if ranks.current() is None:
        return rows_of(estimator, X, y, sample_weight)[:3]
    kept: list[Any] = []

    def own() -> Part:
        frame, target, weights, numeric = rows_of(estimator, X, y, sample_weight, part=True)
        kept.extend((frame, target, weights))
        return part_of(frame, target, weights, numeric)

    parts = ranks.gathered(own)
    frame, target, weights = kept
    check(parts, type(estimator).__name__)
    if frame.sparse is None:
        join_columns(frame, parts)
    labels = _input.joined_labels([part.labels for part in parts if len(part.labels)])
    return frame, _input.with_classes(target, labels), weights


def rows_of(estimator: Any, X: Any, y: Any, sample_weight: Any,
            part: bool = False) -> tuple[_input.Frame, _input.Target, np.ndarray | None, set[int]]:
    """What X, y and the weights are here, and which columns of X are numbers, although
    categorical_features may have made some of them nominal."""
    name = type(estimator).__name__
    frame = _input.read(X, name, estimator._sparse, part)
    target = _input.read_target(y, frame.n_rows, name, _base.DataConversionWarning, not part)
    weights = _input.read_weights(sample_weight, frame.n_rows, part)
    numeric = numbers_of(frame) if part else set()
    _input.categorical(frame, estimator.categorical_features)
    return frame, target, weights, numeric


def numbers_of(frame: _input.Frame) -> set[int]:
    if frame.columns is None:
        return set(range(frame.n_cols))
    return {j for j, column in enumerate(frame.columns) if not isinstance(column, _input.Codes)}


def part_of(frame: _input.Frame, target: _input.Target, weights: np.ndarray | None, numeric: set[int]) -> Part:
    values: list[list[str] | None] = [None] * frame.n_cols
    blank = [frame.n_rows == 0] * frame.n_cols
    if frame.columns is not None:
        for j, column in enumerate(frame.columns):
            if isinstance(column, _input.Codes):
                values[j], blank[j] = column.values, bool((column.codes < 0).all())
            else:
                blank[j] = bool(np.isnan(column).all())
    elif frame.matrix is not None and frame.n_rows:
        blank = [bool(np.isnan(x)) and bool(np.isnan(frame.matrix[:, j]).all())
                 for j, x in enumerate(frame.matrix[0])]
    weighted = None if weights is None else bool(weights.any())
    return Part(frame.shown(), values, blank, numeric, target.classes, weighted)


def check(parts: list[Part], owner: str) -> None:
    """ValueError, on all ranks, where the parts are not parts of one table."""
    first = parts[0]
    for part in parts[1:]:
        if part.names != first.names or len(part.values) != len(first.values):
            raise ValueError("The parts of X do not have the same columns")
        if (part.weighted is None) != (first.weighted is None):
            raise ValueError("Some parts have sample weights, and others have none")
    if not any(len(part.labels) for part in parts):
        raise ValueError(f"Found array with 0 sample(s) (shape=(0, {len(first.values)})) while a minimum of 1 "
                         f"is required by {owner}.")
    if first.weighted is not None and not any(part.weighted for part in parts):
        raise ValueError("Sample weights must contain at least one non-zero number.")


def join_columns(frame: _input.Frame, parts: list[Part]) -> None:
    """Nominal on one rank is nominal on all, with the same values in the same order."""
    for j in range(frame.n_cols):
        lists = [part.values[j] for part in parts]
        if all(values is None for values in lists):
            continue
        told = [values for part, values in zip(parts, lists) if not part.blank[j] or values]
        if any(values is None for values in told):
            raise ValueError(f"column '{frame.column_name(j)}' has numbers in some parts of X and text in others "
                             "(make it one kind)")
        known = [values for values in told if values is not None]
        if not known:
            set_values(frame, j, [])
        elif all(values == known[0] for values in known):
            set_values(frame, j, known[0])
        else:
            distinct = {value for values in known for value in values}
            numeric = any(j in part.numeric for part in parts if not part.blank[j])
            set_values(frame, j, sorted(distinct, key=float) if numeric else sorted(distinct))
    _input.settle(frame)


def set_values(frame: _input.Frame, j: int, values: list[str]) -> None:
    """Column j with these values."""
    column = frame.split()[j]
    if not isinstance(column, _input.Codes):
        coded = np.full(frame.n_rows, -1, dtype=np.int32)
    else:
        place = {value: k for k, value in enumerate(values)}
        codes = np.array([*(place.get(value, -1) for value in column.values), -1], dtype=np.int32)
        coded = codes[column.codes]
    frame.split()[j] = _input.Codes(coded, values)
