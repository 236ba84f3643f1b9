#!/usr/bin/env python3
"""What Python adds: fit on a large array beside the library's own fit on a table that is read already
(what `heft train` does after parsing), and the cost of a call that predicts one row.

    HEFT_LIBRARY=build/lib/libheft.so bench/python_fit.py [ROWS [REPEATS]]

Times are CPU seconds of the process, one thread, the least of the repeats; elapsed ones are beside.
"""
import ctypes
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import numpy as np  # noqa: E402

import heft  # noqa: E402
from heft import _base, _ffi, _input  # noqa: E402

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 1000000
REPEATS = int(sys.argv[2]) if len(sys.argv) > 2 else 7
COLUMNS = 20


def least(call):
    """CPU and elapsed seconds, each the least of the repeats; what a call returns is freed after."""
    cpu, wall = [], []
    for _ in range(REPEATS):
        c, w = time.process_time(), time.perf_counter()
        kept = call()
        cpu.append(time.process_time() - c)
        wall.append(time.perf_counter() - w)
        del kept
    return min(cpu), min(wall)


def library_fit(name, X, y):
    """heft_fit on a table with cells of its own."""
    estimator = heft.BY_METHOD[name](n_jobs=1)
    target = _input.read_target(y, len(X), name, UserWarning)
    table = _ffi.Table(len(X))
    table.call(_ffi.lib.heft_table_add_matrix, ctypes.byref(_input.matrix_of(X, None)), False)
    _base.set_target(table, target, "class")
    config = estimator._config(target)
    return least(lambda: _base.fitted(_ffi.lib.heft_fit, table.handle, config))


def main():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(ROWS, COLUMNS)), rng.integers(0, 3, ROWS)
    X[:, ::2] += 0.4 * y[:, None]
    forms = {"rows first": X, "columns first": np.asfortranarray(X)}
    print(f"fit on {ROWS} x {COLUMNS} doubles, 3 classes: CPU s (elapsed s), and as a multiple of the library's")
    for name in ("nb", "gnb", "klnb", "lnb"):
        own = library_fit(name, X, y)
        line = f"{name:5}  library {own[0]:6.3f} ({own[1]:.3f})"
        for form, array in forms.items():
            found = least(lambda: heft.BY_METHOD[name](n_jobs=1).fit(array, y))
            line += f"   {form} {found[0]:6.3f} ({found[1]:.3f}) x{found[0] / own[0]:.2f}"
        print(line, flush=True)

    model = heft.NB(n_jobs=1).fit(X[:10000], y[:10000])
    row, calls = X[:1].copy(), 20000
    spent = min(timed(lambda: [model.predict_proba(row) for _ in range(calls)]) for _ in range(5))
    inner = min(timed(lambda: [direct(model, row) for _ in range(calls)]) for _ in range(5))
    print(f"predict_proba of one row: {spent / calls * 1e6:.1f} microseconds of CPU, of which "
          f"{inner / calls * 1e6:.1f} in the library and its call")


def timed(call):
    began = time.process_time()
    call()
    return time.process_time() - began


def direct(model, row, out=np.empty(3), err=_ffi.Error()):
    """The call of the library alone, everything at hand."""
    _ffi.lib.heft_predict_row(model._model.handle, row.ctypes.data, out.ctypes.data, ctypes.byref(err))


if __name__ == "__main__":
    main()
