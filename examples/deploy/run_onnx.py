#!/usr/bin/env python3
"""Score the rows of ../loans.csv in ONNX Runtime by model.onnx and compare with what heft predicted (expected.csv)."""
import csv
import pathlib

import numpy as np
import onnxruntime

with open(pathlib.Path(__file__).resolve().parents[1] / "loans.csv", newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
session = onnxruntime.InferenceSession("model.onnx")
inputs = {}
for one in session.get_inputs():
    cells = [row[one.name] for row in rows]
    if one.type != "tensor(string)":
        cells = [float(cell) if cell else np.nan for cell in cells]
    inputs[one.name] = np.array(cells, object if one.type == "tensor(string)" else float).reshape(-1, 1)
label, proba = session.run(["label", "probabilities"], inputs)
with open("expected.csv", newline="", encoding="utf-8") as file:
    expected = list(csv.DictReader(file))
difference = max(abs(p[1] - float(told["P(yes)"])) for p, told in zip(proba, expected))
same = sum(name == told["predicted"] for name, told in zip(label, expected))
print(f"ONNX: {same} of {len(label)} classes are those of heft; probabilities agree to 1e-12: {difference < 1e-12}")
