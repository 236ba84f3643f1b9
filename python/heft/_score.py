"""The scores of rows of numbers, in as few steps as can be."""

from __future__ import annotations

from ctypes import byref, c_double, c_void_p
from typing import Any

import numpy as np

from . import _ffi

lib = _ffi.lib


def score_row(model: _ffi.Model, X: np.ndarray) -> np.ndarray:
    """The probabilities of a single row, in as few steps as can be."""
    if X.strides[1] != 8:
        X = np.ascontiguousarray(X)
    try:
        cells: Any = byref(c_double.from_buffer(X))  # type: ignore[arg-type]  # an address at a fifth of the next line's time
    except (TypeError, ValueError, BufferError):  # read-only, or not contiguous
        cells = X.__array_interface__["data"][0]
    out, err = np.empty((1, model.n_classes)), _ffi.Error()
    status = lib.heft_predict_row(model.handle, cells, byref(c_double.from_buffer(out)), byref(err))  # type: ignore[arg-type]
    if status:
        _ffi.check(status, err)
    return out


def score_matrix(kind: int, model: _ffi.Model, X: np.ndarray, run: Any) -> np.ndarray:
    """heft_predict_scores on a float64 matrix whose columns are those of fit."""
    n_rows, n_cols = X.shape
    if n_rows == 1 and kind == _ffi.PROBABILITY and n_cols == model.n_attributes:
        return score_row(model, X)
    rows, cols = X.strides
    if (rows | cols) & 7:
        X = np.ascontiguousarray(X)
        rows, cols = X.strides
    matrix = _ffi.Matrix(n_rows=n_rows, n_cols=n_cols, cells=X.__array_interface__["data"][0],
                    row_stride=rows >> 3, col_stride=cols >> 3)
    out = np.empty((n_rows, model.n_classes))
    err, table = _ffi.Error(), c_void_p()
    said = byref(err)
    status = lib.heft_table_create(n_rows, byref(table), said)
    if not status:
        try:
            status = lib.heft_table_add_matrix(table, byref(matrix), False, said)
            if not status:
                to = byref(c_double.from_buffer(out))  # type: ignore[arg-type]
                status = lib.heft_predict_scores(model.handle, table, kind, run, to, said)
        finally:
            lib.heft_table_free(table)
    if status:
        _ffi.check(status, err)
    return out
