#!/usr/bin/env python3
"""CPU time of lnb beside scikit-learn's LogisticRegression and LIBLINEAR on the same problem.

    python3 bench/lnb_versus.py LIBHEFT.so [--rows N] [--attributes M] [--runs R]

Needs numpy, scikit-learn and LIBLINEAR's library (Debian: liblinear4, which liblinear-tools
brings). The table is made up: nominal attributes of 2 to 8 values, correlated in fours, two classes
of equal size. lnb weights the log ratios of naive Bayes by conditional likelihood; with equal
classes the prior says nothing, and but for the bound at 0 this is logistic regression without
intercept and penalty on those ratios. The other two are given the ratios ready-made.

    heft           heft_fit: counting, tables, log ratios and the weights
    scikit-learn   LogisticRegression(lbfgs).fit alone, at the loosest tolerance that gets there
    LIBLINEAR      train() with -s 0 -e 0.01 alone, on rows in memory

CPU is user + system time on one thread; the three take turns, and the best of R turns counts. The
losses must agree to 1e-6.
"""
import argparse
import ctypes
import os
import sys
import time
import warnings

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

SAME = 1e-6


def make_table(n, m):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], [n // 2, n - n // 2])
    rng.shuffle(y)
    shared = rng.random((n, (m + 3) // 4))
    codes, sizes = [], rng.integers(2, 9, m)
    for j, size in enumerate(sizes):
        p = rng.dirichlet(np.full(size, 2.0), 2)
        p = 0.75 * p.mean(0) + 0.25 * p
        u = np.where(rng.random(n) < 0.5, shared[:, j // 4], rng.random(n))
        column = np.empty(n, np.int32)
        for c in (0, 1):
            ends = np.cumsum(p[c])
            column[y == c] = np.minimum(np.searchsorted(ends, u[y == c], side="right"), size - 1)
        codes.append(column)
    return y.astype(np.int32), codes, sizes


def log_ratios(y, codes, sizes):
    ratios = np.empty((len(y), len(codes)))
    for j, (column, size) in enumerate(zip(codes, sizes)):
        first, second = (np.bincount(column[y == c], minlength=size) + 1.0 for c in (0, 1))
        ratios[:, j] = (np.log(first / first.sum()) - np.log(second / second.sum()))[column]
    return ratios


class Heft:
    """The library through the structs of the Python package."""

    def __init__(self, path):
        os.environ["HEFT_LIBRARY"] = path
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
        from heft import _base, _ffi, _input

        self.base, self.ffi, self.input = _base, _ffi, _input

    def table(self, y, codes, sizes):
        table, texts = self.ffi.Table(len(y)), [f"v{k}" for k in range(8)]
        for j, column in enumerate(codes):
            self.input.add_column(table, f"x{j}", self.input.Codes(column, texts[:sizes[j]]))
        self.base.set_target(table, self.input.Target(np.arange(2), y, texts[:2]), "class")
        return table

    def fit(self, table):
        model = ctypes.c_void_p()
        config = self.ffi.Config(self.ffi.Runtime(threads=1), method=b"lnb")
        began = time.process_time()
        table.call(self.ffi.lib.heft_fit, ctypes.byref(config), ctypes.byref(model))
        cpu = time.process_time() - began
        found = self.ffi.Model(model.value)
        return cpu, np.array([found.weight(j) for j in range(found.n_attributes)])


def sklearn_fit(ratios, sign, tol):
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=tol, max_iter=10000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        began = time.process_time()
        model.fit(ratios, sign)
    return time.process_time() - began, model.coef_[0]


class Problem(ctypes.Structure):
    _fields_ = [("n_rows", ctypes.c_int), ("n_columns", ctypes.c_int), ("y", ctypes.c_void_p),
                ("x", ctypes.c_void_p), ("bias", ctypes.c_double)]


class Parameter(ctypes.Structure):
    _fields_ = [("solver", ctypes.c_int), ("eps", ctypes.c_double), ("C", ctypes.c_double),
                ("n_weights", ctypes.c_int), ("zeros", ctypes.c_void_p * 10)]


class Liblinear:
    """train() of the library itself, as the program calls it with -s 0 -e 0.01."""

    def __init__(self, path, ratios, sign):
        self.lib = ctypes.CDLL(path)
        self.lib.train.restype = ctypes.c_void_p
        self.lib.get_decfun_coef.restype = ctypes.c_double
        self.silent = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda text: None)
        self.lib.set_print_string_function(self.silent)
        n, self.m = ratios.shape
        node = np.dtype([("index", "i4"), ("value", "f8")], align=True)
        self.cells = np.zeros((n, self.m + 1), node)
        self.cells["index"] = np.append(np.arange(1, self.m + 1), -1)
        self.cells["value"][:, :-1] = ratios
        self.rows = self.cells.ctypes.data + np.arange(n) * self.cells.strides[0]
        self.y = sign.astype(float)
        self.problem = Problem(n, self.m, self.y.ctypes.data, self.rows.ctypes.data, -1)

    def fit(self):
        ask = Parameter(solver=0, eps=0.01, C=1000)
        began = time.process_time()
        model = ctypes.c_void_p(self.lib.train(ctypes.byref(self.problem), ctypes.byref(ask)))
        cpu = time.process_time() - began
        labels = (ctypes.c_int * 2)()
        self.lib.get_labels(model, labels)
        weights = np.array([self.lib.get_decfun_coef(model, j + 1, 0) for j in range(self.m)])
        self.lib.free_and_destroy_model(ctypes.byref(model))
        return cpu, weights if labels[0] == 1 else -weights


def main():
    ask = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ask.add_argument("library")
    ask.add_argument("--rows", type=int, default=200000)
    ask.add_argument("--attributes", type=int, default=32)
    ask.add_argument("--runs", type=int, default=5)
    ask.add_argument("--liblinear", default="liblinear.so.4", help="its shared library")
    given = ask.parse_args()

    y, codes, sizes = make_table(given.rows, given.attributes)
    ratios, sign = log_ratios(y, codes, sizes), np.where(y == 0, 1, -1)

    def loss(weights):
        return np.logaddexp(0, -sign * (ratios @ weights)).sum()

    heft, rival = Heft(given.library), Liblinear(given.liblinear, ratios, sign)
    table = heft.table(y, codes, sizes)
    target = loss(heft.fit(table)[1])
    for tol in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8):
        if loss(sklearn_fit(ratios, sign, tol)[1]) <= target * (1 + SAME):
            break
    programs = {
        "heft lnb": lambda: heft.fit(table),
        f"scikit-learn, tol={tol:g}": lambda: sklearn_fit(ratios, sign, tol),
        "LIBLINEAR -s 0": rival.fit,
    }
    turns = [[fit() for fit in programs.values()] for _ in range(given.runs)]
    results = [(name, min(turn[k][0] for turn in turns), turns[0][k][1])
               for k, name in enumerate(programs)]

    print(f"{given.rows} rows, {given.attributes} nominal attributes")
    print(f"{'':24}{'CPU s':>10}{'times heft':>12}{'loss':>18}{'smallest weight':>17}")
    for name, cpu, weights in results:
        print(f"{name:24}{cpu:10.3f}{cpu / results[0][1]:12.1f}{loss(weights):18.6f}"
              f"{weights.min():17.4f}")
    best = min(loss(weights) for _, _, weights in results)
    if any(loss(weights) > best * (1 + SAME) for _, _, weights in results):
        sys.exit("the losses differ by more than 1e-6")


if __name__ == "__main__":
    main()
