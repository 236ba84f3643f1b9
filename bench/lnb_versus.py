#!/usr/bin/env python3
"""CPU time of lnb beside scikit-learn's LogisticRegression and LIBLINEAR on the same problem.

    python3 bench/lnb_versus.py LIBHEFT.so [--rows N] [--attributes M] [--runs R]

Needs numpy, scikit-learn and LIBLINEAR (Debian: liblinear-tools). The table is made up: nominal
attributes of 2 to 8 values, correlated in fours, two classes of equal size. lnb weights the log
ratios of naive Bayes by conditional likelihood; with equal classes the prior says nothing, and
where no weight ends at 0 this is logistic regression without intercept and penalty on those
ratios. The other two are given the ratios ready-made.

    heft           heft_fit: counting, tables, log ratios and the weights
    scikit-learn   LogisticRegression(lbfgs).fit alone, at the loosest tolerance that gets there
    LIBLINEAR      train -s 0 -e 0.01 less a run of it that stops at once: reading is left out

CPU is user + system time on one thread, the best of R runs. The losses must agree to 1e-6.
"""
import argparse
import ctypes
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
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


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 512)]


class Config(ctypes.Structure):
    _fields_ = [("method", ctypes.c_char_p), ("params", ctypes.c_void_p)] + [
        (name, ctypes.c_char_p)
        for name in ("discretize", "impute", "scale", "smoothing", "prior", "select", "unseen")
    ] + [("threads", ctypes.c_int), ("seed", ctypes.c_uint64), ("talk", ctypes.c_void_p)]


class Heft:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.err = Error()

    def call(self, name, *args):
        if getattr(self.lib, name)(*args, ctypes.byref(self.err)) != 0:
            sys.exit(f"{name}: {self.err.text.decode()}")

    def table(self, y, codes, sizes):
        table = ctypes.c_void_p()
        texts = (ctypes.c_char_p * 8)(*[f"v{k}".encode() for k in range(8)])
        self.call("heft_table_create", ctypes.c_size_t(len(y)), ctypes.byref(table))
        for j, column in enumerate(codes):
            self.call("heft_table_add_codes", table, f"x{j}".encode(), column.ctypes.data_as(
                ctypes.c_void_p), ctypes.c_size_t(1), texts, ctypes.c_size_t(int(sizes[j])))
        self.call("heft_table_set_target", table, b"class", y.ctypes.data_as(ctypes.c_void_p),
                  texts, ctypes.c_size_t(2))
        return table

    def fit(self, table):
        model, text = ctypes.c_void_p(), ctypes.c_char_p()
        config = Config(method=b"lnb", threads=1)
        began = time.process_time()
        self.call("heft_fit", table, ctypes.byref(config), ctypes.byref(model))
        cpu = time.process_time() - began
        self.call("heft_model_inspect", model, b"json", ctypes.c_size_t(0), ctypes.byref(text))
        found = json.loads(text.value)
        self.lib.heft_model_free(model)
        return cpu, np.array([a["weight"] for a in found["attributes"]])


def sklearn_fit(ratios, sign, tol):
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=tol, max_iter=10000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        began = time.process_time()
        model.fit(ratios, sign)
    return time.process_time() - began, model.coef_[0]


def children():
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


def liblinear_run(program, data, model, epsilon):
    began = children()
    subprocess.run([program, "-q", "-s", "0", "-c", "1000", "-e", epsilon, data, model], check=True)
    return children() - began


def liblinear_fit(program, ratios, sign, runs):
    with tempfile.TemporaryDirectory() as folder:
        data, model = (str(pathlib.Path(folder) / name) for name in ("data", "model"))
        with open(data, "w", encoding="ascii") as out:
            for label, row in zip(sign, ratios):
                out.write(f"{label} " + " ".join(f"{j + 1}:{v:.17g}" for j, v in enumerate(row)))
                out.write("\n")
        reading = min(liblinear_run(program, data, model, "1e9") for _ in range(runs))
        whole = min(liblinear_run(program, data, model, "0.01") for _ in range(runs))
        lines = pathlib.Path(model).read_text(encoding="ascii").split("\n")
    weights = np.array([float(v) for v in lines[6:6 + ratios.shape[1]]])
    return whole - reading, weights if lines[2].split()[1] == "1" else -weights


def main():
    ask = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ask.add_argument("library")
    ask.add_argument("--rows", type=int, default=200000)
    ask.add_argument("--attributes", type=int, default=32)
    ask.add_argument("--runs", type=int, default=5)
    given = ask.parse_args()

    y, codes, sizes = make_table(given.rows, given.attributes)
    ratios, sign = log_ratios(y, codes, sizes), np.where(y == 0, 1, -1)

    def loss(weights):
        return np.logaddexp(0, -sign * (ratios @ weights)).sum()

    heft = Heft(given.library)
    table = heft.table(y, codes, sizes)
    tried = [heft.fit(table) for _ in range(given.runs)]
    results = [("heft lnb", min(cpu for cpu, _ in tried), tried[0][1])]
    target = loss(tried[0][1])
    for tol in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8):
        tried = [sklearn_fit(ratios, sign, tol) for _ in range(given.runs)]
        if loss(tried[0][1]) <= target * (1 + SAME):
            results.append((f"scikit-learn, tol={tol:g}", min(cpu for cpu, _ in tried), tried[0][1]))
            break
    program = shutil.which("liblinear-train") or shutil.which("train")
    if program:
        results.append(("LIBLINEAR -s 0", *liblinear_fit(program, ratios, sign, given.runs)))
    else:
        print("LIBLINEAR is not installed: left out", file=sys.stderr)

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
