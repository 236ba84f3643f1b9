#!/usr/bin/env python3
"""Exported models of public data sets: sizes, differences from predict, time per row.

    HEFT_DATA=FOLDER bench/exports.py HEFT [METHOD...]      (auto, nb and lnb unless named)

Needs gcc, onnx, onnxruntime and numpy. The rows of each data set are scored, with 5 % of the cells missing and 3 % of the
nominal ones never seen.
"""
import csv
import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
METHODS = sys.argv[2:] or ["auto", "nb", "lnb"]
sys.argv[1:] = sys.argv[1:2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import c_scorer  # noqa: E402
import onnx_scorer  # noqa: E402
from harness import heft  # noqa: E402


def kilobytes(name):
    return f"{os.path.getsize(name) / 1024:.0f}"


def row(name, method):
    heft("train", f"{os.environ['HEFT_DATA']}/{name}.arff", "-m", method, "-o", "m.heft", "-q")
    far = onnx_scorer.compare(name, "ask.csv", limit=1)
    with open("ask.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    run = onnx_scorer.session("m.onnx")
    cells = onnx_scorer.cells(run, rows)
    began = time.process_time()
    run.run(None, cells)
    seconds = time.process_time() - began
    plain = c_scorer.compare("plain", "ask.csv", 1)
    single = c_scorer.compare("small", "ask.csv", 1, "--float")
    sizes = [kilobytes(max(pathlib.Path(".").glob(f"{stem}.c*.so"), key=os.path.getmtime)) for stem in ("plain", "small")]
    heft("export", "m.heft", "-o", "m.json")
    return [name, method, kilobytes("m.heft"), kilobytes("m.onnx"), kilobytes("m.json"), *sizes, f"{far:.0e}", f"{plain:.0e}",
            f"{single:.0e}", f"{1e6 * seconds / len(rows):.0f}"]


def main():
    c_scorer.COMPILERS = ["gcc"]
    print("| data | method | model, KB | onnx | json | c, compiled | --float | onnx: difference | c | --float | onnx: us a row |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in onnx_scorer.PUBLIC:
            onnx_scorer.asked(name)
            for method in METHODS:
                print("| " + " | ".join(row(name, method)) + " |", flush=True)
        os.chdir(ROOT)


if __name__ == "__main__":
    main()
