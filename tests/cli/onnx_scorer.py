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
from asked_rows import dependent_models, models_with_rules, tables, three_way_tables  # noqa: E402
from harness import Run, heft, method_names, put, refused, require, same, test  # noqa: E402

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


def compare(what, data, model="m.heft", limit=1e-12, outputs=("label", "probabilities")):
    """Rows of a CSV file get the probabilities and the classes of predict. Returns the largest difference."""
    rows = list(csv.DictReader(io.StringIO(pathlib.Path(data).read_text(encoding="utf-8"), newline="")))
    heft("export", model, "-o", "m.onnx")
    run = session("m.onnx")
    label, proba = run.run(list(outputs), cells(run, rows))
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


@test
def every_exported_method_agrees():
    tables()
    tried = 0
    settings = [[], ["--prior", "a=0.5,b=0.5,c=0"], ["--unseen", "zero"], ["--impute", "mean"],
                ["--discretize", "none"], ["--calibrate", "vector"], ["--calibrate", "temperature", "--scale", "minmax"],
                ["--scale", "unit", "--discretize", "frequency:4"]]
    for method in method_names():
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
def several_sums_agree():
    for what, _ in dependent_models():
        compare(what, "ask.csv")


@test
def trees_agree():
    for classes in ("no", "abcd"):
        three_way_tables(classes)
        for more in ([], ["--unseen", "zero"], ["-p", "effort=full", "-p", "order=2"], ["-p", "order=any"], ["--impute", "mean"],
                     ["--discretize", "frequency:6"], ["--scale", "unit"], ["--scale", "minmax", "--unseen", "zero"],
                     ["--calibrate", "vector"], ["-p", "effort=count"]):
            heft("train", "train.csv", "-o", "m.heft", "-m", "auto", "-q", *more)
            compare(f"{classes} {more}", "ask.csv")


@test
def names_are_kept_whatever_they_are():
    names = ['x"y', "two  words", "größe", "label", "probabilities", "heft_1", "heft__2", "a/b:0", "Label", "'", "x,y", "_"]
    values = ['"', "", "q'q", "ünï", "a b", "1"]
    classes = ['say "no"', "ja ✓", "'"]
    rng = random.Random(3)
    for name, n in (("train.csv", 200), ("ask.csv", 50)):
        out = io.StringIO()
        write = csv.writer(out)
        write.writerow([*names, "class"])
        for i in range(n):
            c = rng.randrange(3)
            row = [rng.gauss(c, 1) if j % 2 else values[rng.randrange(6) if rng.random() < 0.5 else c + 1]
                   for j in range(len(names))]
            if name == "ask.csv" and rng.random() < 0.3:
                row[0], row[1] = "never seen", ""
            write.writerow([*row, classes[c]])
        put(name, out.getvalue())
    for method in ("nb", "auto"):
        heft("train", "train.csv", "-o", "m.heft", "-m", method, "-q")
        heft("export", "m.heft", "--to", "onnx", "-o", "named")
        run = session("named")
        same([i.name for i in run.get_inputs()], names, "inputs")
        same([o.name for o in run.get_outputs()], ["label_", "probabilities_"], "outputs")
        compare(method, "ask.csv", outputs=["label_", "probabilities_"])


@test
def decision_rules_agree():
    for what, _ in models_with_rules(("auto", "nb")):
        compare(what, "ask.csv")


@test
def large_models_agree():
    rng = random.Random(7)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    wide = [["x%d" % j for j in range(500)] + ["class"]]
    wide += [[f"{rng.gauss(j % 2 * (i % 2), 1):.3f}" if j % 3 else rng.choice("abc") for j in range(500)] + ["no", "yes"][i % 2:][:1]
             for i in range(150)]
    deep = [["p", "q", "r", "class"]]
    deep += [[f"{rng.gauss(i % 26, 2):.2f}", letters[(i + rng.randrange(3)) % 26], rng.randrange(5), letters[i % 26]]
             for i in range(1500)]
    for rows in (wide, deep):
        with open("all.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
        with open("ask.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([rows[0], *([("" if rng.random() < 0.05 else c) for c in r[:-1]] + r[-1:]
                                                   for r in rows[1:80])])
        for method in ("auto", "nb", "gnb", "lnb"):
            heft("train", "all.csv", "-o", "m.heft", "-m", method, "-q")
            compare(method, "ask.csv")


@test
def sparse_rows_agree():
    rng = random.Random(2)
    lines = [f"{i % 3} " + " ".join(f"{j}:{rng.randrange(1, 5)}" for j in range(1, 40) if rng.random() < 0.2 + 0.1 * (j % 3 == i % 3))
             for i in range(200)]
    put("train.libsvm", "\n".join(lines) + "\n")
    heft("convert", "train.libsvm", "-o", "ask.csv", "-q")
    for more in (["-m", "nb"], ["-m", "nb", "--discretize", "presence"], ["-m", "nb", "--discretize", "frequency:3"],
                 ["-m", "swnb"], ["-m", "nb", "--scale", "unit"], ["-m", "auto"]):
        heft("train", "train.libsvm", "-o", "m.heft", "-q", *more)
        compare(f"{more}", "ask.csv")


@test
def a_model_without_evidence_gives_its_prior():
    put("train.csv", "x,class\n1,a\n1,b\n1,a\n")
    heft("train", "train.csv", "-o", "m.heft", "-m", "nb", "-q")
    compare("prior", "train.csv")


@test
def evidence_of_sparse_rows_and_of_none():
    """Sparse rows are told from the start of the score too; a model without a term has its start alone."""
    lines = [f"{k % 2} {1 + k % 3}:{k % 4 + 1} {5 + k % 2}:1" for k in range(40)]
    put("sparse.libsvm", "\n".join(lines) + "\n")
    put("prior.csv", "x,class\n" + "1,a\n1,b\n1,a\n" * 3)
    for data, more in (("sparse.libsvm", ["-m", "nb"]), ("sparse.libsvm", ["-m", "gnb"]), ("prior.csv", ["-m", "nb"]),
                       ("prior.csv", ["-m", "gnb"]), ("prior.csv", ["-m", "auto"])):
        heft("train", data, "-o", "m.heft", "-q", *more)
        heft("convert", data, "-o", "ask.csv", "-q")
        heft("export", "m.heft", "-o", "m.onnx", "--evidence")
        run = session("m.onnx")
        _, proba, evidence = run.run(None, cells(run, list(csv.DictReader(open("ask.csv", newline="")))))
        terms = json.loads(run.get_modelmeta().custom_metadata_map["evidence"])
        same(evidence.shape, (len(proba), len(terms), 2), f"{data} {more}: evidence")
        score = np.exp(evidence.sum(axis=1))
        worst = np.abs(score / score.sum(axis=1, keepdims=True) - proba).max()
        require(worst < 1e-12, f"{data} {more}: off by {worst}")
        if data == "sparse.libsvm":
            told = json.loads(heft("explain", "m.heft", "ask.csv", "--row", "3", "--json", "-").out)
            require(np.abs(evidence[2][0] - told["prior"]["parts"]).max() < 1e-12, f"{more}: the start {evidence[2][0]}")


@test
def evidence_adds_up_to_the_score():
    three_way_tables("abcd")
    rows = list(csv.DictReader(open("ask.csv", newline="")))
    for more in (["-m", "auto"], ["-m", "auto", "-p", "order=any"], ["-m", "nb"], ["-m", "cawnb", "--calibrate", "none"], ["-m", "auto", "-p", "effort=count"]):
        heft("train", "train.csv", "-o", "m.heft", "-q", *more)
        heft("export", "m.heft", "-o", "m.onnx", "--evidence")
        run = session("m.onnx")
        _, proba, evidence = run.run(None, cells(run, rows))
        terms = json.loads(run.get_modelmeta().custom_metadata_map["evidence"])
        same(evidence.shape, (len(rows), len(terms), 4), "evidence")
        same(terms[0], "start", "first term")
        score = evidence.sum(axis=1)
        score = np.exp(score - score.max(axis=1, keepdims=True))
        worst = np.abs(score / score.sum(axis=1, keepdims=True) - proba).max()
        require(worst < 1e-12, f"{more}: off by {worst}")
        if more == ["-m", "nb"]:  # the terms are those of explain
            told = json.loads(heft("explain", "m.heft", "ask.csv", "--row", "3", "--json", "-").out)
            parts = [told["prior"]["parts"], *(a["parts"] for a in told["attributes"])]
            names = ["start", *([a["name"]] for a in told["attributes"])]
            lines = np.array([evidence[2][terms.index(name)] for name in names])
            require(np.abs(lines - parts).max() < 1e-12, f"{lines} against {parts}")
    heft("train", "train.csv", "-o", "m.heft", "-m", "lnb", "-q")
    refused("export", "m.heft", "-o", "v.onnx", "--evidence", says="vote of class pairs")


PUBLIC = ("anneal", "autos", "breast-cancer", "colic", "credit-g", "glass", "heart-c", "iris", "lymph", "soybean", "vote",
          "zoo")


def asked(name):
    """ask.csv: the rows of a public data set, 5 % of the cells missing, 3 % of the nominal ones never seen."""
    data = f"{os.environ['HEFT_DATA']}/{name}.arff"
    heft("convert", data, "-o", "all.csv", "-q")
    heft("train", data, "-m", "nb", "-o", "m.heft", "-q")
    attributes = json.loads(heft("export", "m.heft", "--to", "json").out)["score"]["attributes"]
    rng = random.Random(1)
    with open("all.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    for row in rows[1:]:
        for j, attribute in enumerate(attributes):
            luck = rng.random()
            if luck < 0.05 or row[j] == "?":
                row[j] = ""
            elif luck < 0.08 and "values" in attribute:
                row[j] = "never seen"
    with open("ask.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return data


@test
def public_data_sets_agree():
    if not os.environ.get("HEFT_DATA"):
        print("        skipped: HEFT_DATA is not set")
        return
    worst = 0.0
    for name in PUBLIC:
        data = asked(name)
        for method in ("auto", "nb", "gnb", "flexnb", "lnb", "cawnb", "rnb", "tan", "aode", "waode", "hnb"):
            heft("train", data, "-m", method, "-o", "m.heft", "-q")
            worst = max(worst, compare(f"{name} {method}", "ask.csv"))
    print(f"        largest difference: {worst:.1e}")


if __name__ == "__main__":
    sys.exit(harness.main())
