#!/usr/bin/env python3
"""onnxruntime gives the probabilities of predict for exported ONNX files: onnx_scorer.py HEFT [NAME...].

Needs onnx, onnxruntime and numpy; without them nothing is tested, and a line says so. The structure of the files is
tested without these packages by onnx_file.py.
"""
import csv
import io
import json
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import harness  # noqa: E402
from asked_rows import tables, three_way_tables  # noqa: E402
from harness import Run, heft, put, refused, require, same, test  # noqa: E402

try:
    import numpy as np
    import onnx
    import onnxruntime
except ImportError as missing:
    print(f"skipped: {missing} (pip install onnx onnxruntime)")
    sys.exit(77)

MARKS = ("", "?", "NA", "NaN")


def session(path):
    """The file, checked by onnx with its shapes, opened by onnxruntime."""
    onnx.checker.check_model(path, full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def cells(run, rows):
    """A column of shape [N, 1] for each input; empty cells and other marks are missing."""
    out = {}
    for given in run.get_inputs():
        texts = ["" if row[given.name] in MARKS else row[given.name] for row in rows]
        if given.type == "tensor(string)":
            out[given.name] = np.array(texts, dtype=object).reshape(-1, 1)
        else:
            out[given.name] = np.array([float(t) if t else np.nan for t in texts]).reshape(-1, 1)
    return out


def compare(what, data, model="m.heft", limit=1e-12):
    """Rows of a CSV file get the probabilities and the classes of predict. Returns the largest difference."""
    rows = list(csv.DictReader(io.StringIO(pathlib.Path(data).read_text(encoding="utf-8"), newline="")))
    heft("export", model, "-o", "m.onnx")
    run = session("m.onnx")
    label, proba = run.run(["label", "probabilities"], cells(run, rows))
    lines = list(csv.reader(io.StringIO(heft("predict", model, data, "--format", "csv", "--proba", "-q").out)))
    expected = np.array([[float(p) for p in line[1:]] for line in lines[1:]])
    same(proba.dtype, np.dtype(float), "type of the probabilities")
    same(proba.shape, expected.shape, "shape of the probabilities")
    worst = float(np.abs(proba - expected).max())
    require(worst <= limit, f"{what}: off by {worst}")
    for name, line, p in zip(label, lines[1:], expected):
        second = np.sort(p)[-2:]
        require(name == line[0] or second[1] - second[0] < 1e-12, f"{what}: {name} against {line}")
    return worst


def methods():
    listed = heft("methods").out.splitlines()[1:]
    return [line.split()[0] for line in listed[:listed.index("")]]


@test
def every_exported_method_agrees():
    tables()
    tried = 0
    settings = [[], ["--prior", "a=0.5,b=0.5,c=0"], ["--unseen", "zero"], ["--impute", "mean"],
                ["--discretize", "none"], ["--calibrate", "vector"], ["--calibrate", "temperature", "--scale", "minmax"],
                ["--scale", "unit", "--discretize", "frequency:4"]]
    for method in methods():
        for more in settings:
            if Run(["train", "train.csv", "-o", "m.heft", "-m", method, "-q", *more]).status:
                continue
            if Run(["export", "m.heft", "--to", "json"]).status:
                refused("export", "m.heft", "--to", "onnx", says=method)
                break
            compare(f"{method} {more}", "ask.csv")
            tried += 1
    require(tried >= 60, f"only {tried} models were compared")


@test
def trees_agree():
    for classes in ("no", "abcd"):
        three_way_tables(classes)
        for more in ([], ["--unseen", "zero"], ["-p", "effort=full", "-p", "order=2"], ["--impute", "mean"],
                     ["--discretize", "frequency:6"], ["--scale", "unit"], ["--scale", "minmax", "--unseen", "zero"],
                     ["--calibrate", "vector"], ["-p", "effort=count"]):
            heft("train", "train.csv", "-o", "m.heft", "-m", "auto", "-q", *more)
            compare(f"{classes} {more}", "ask.csv")


if __name__ == "__main__":
    sys.exit(harness.main())
