#!/usr/bin/env python3
"""Models exported as PMML give what `predict` gives: pmml.py HEFT [NAME...].

By jpmml-evaluator, where the package jpmml_evaluator and Java are installed; otherwise the files are only read as XML,
with a message.
"""
import csv
import io
import json
import pathlib
import random
import sys
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import harness  # noqa: E402
from asked_rows import data_set_models, dependent_models, models_with_rules, tables, three_way_tables  # noqa: E402
from harness import Run, heft, put, refused, require, same, test  # noqa: E402

try:
    import jpmml_evaluator
    import pandas
except ImportError:
    jpmml_evaluator = None

SPACE = "{http://www.dmg.org/PMML-4_4}"
METHODS = ("auto", "nb", "gnb", "flexnb", "enb", "dnb", "lnb", "gdnb", "mse", "sbc", "klnb", "treenb", "dfwnb", "cfwnb", "wanbia",
           "cawnb", "rnb", "cwanb", "deawnb", "tcsfsnb", "vwnb", "swnb", "tan", "aode", "waode", "hnb")


def evaluated(rows, kinds):
    """The rows as jpmml-evaluator sees them."""
    evaluator = jpmml_evaluator.make_evaluator("m.pmml", backend="jpype").verify()
    frame = pandas.DataFrame({name: pandas.Series(
        [None if row[name] == "" else float(row[name]) if kind == "numeric" else row[name] for row in rows],
        dtype=object) for name, kind in kinds})
    return evaluator.evaluateAll(frame).to_dict("records")


def compare(rows, what="", model="m.heft", near=1e-12):
    """rows: dictionaries of texts, "" for missing."""
    exported = json.loads(heft("export", model, "--to", "json").out)
    kinds = [(a["name"], "nominal" if "values" in a else "numeric") for a in exported["score"]["attributes"]]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([name for name, _ in kinds])
    writer.writerows([row[name] for name, _ in kinds] for row in rows)
    put("ask.csv", out.getvalue())
    (_, *classes), *expected = csv.reader(io.StringIO(heft("predict", model, "ask.csv", "--proba", "-q").out))
    heft("export", model, "-o", "m.pmml")
    tree = xml.etree.ElementTree.parse("m.pmml").getroot()
    same(tree.tag, SPACE + "PMML", "the root")
    same([f.get("name") for f in tree.iter(SPACE + "DataField")][:-1], [name for name, _ in kinds], "fields")
    if not jpmml_evaluator:
        return
    worst = 0
    for i, (row, (label, *proba)) in enumerate(zip(evaluated(rows, kinds), expected)):
        for name, p in zip(classes, proba):
            off = abs(float(p) - row[name])
            worst = max(worst, off)
            require(off <= near, f"{what} row {i}, {name}: {row[name]!r}, predict: {p}\n{rows[i]}")
        tie = sum(abs(float(p) - max(map(float, proba))) < 1e-9 for p in proba) > 1
        require(row["predicted"] == label or tie, f"row {i}: {row['predicted']!r}, predict: {label}")


SETS = {"credit-a.arff": "auto", "heart-c.arff": "auto", "labor.arff": "auto", "hepatitis.arff": "lnb",
        "anneal.arff": "nb", "autos.arff": "lnb", "colic.arff": "wanbia", "soybean.arff": "nb",
        "glass.arff": "cawnb", "breast-cancer.arff": "vwnb", "diabetes.arff": "auto", "iris.arff": "auto"}
MORE = {"credit-a.arff": "rnb", "heart-c.arff": "rnb", "labor.arff": "aode", "hepatitis.arff": "tan", "anneal.arff": "tan",
        "autos.arff": "tan", "colic.arff": "rnb", "soybean.arff": "rnb", "glass.arff": "tan", "breast-cancer.arff": "hnb",
        "diabetes.arff": "rnb", "iris.arff": "waode"}


@test
def data_sets():
    draw = random.Random(1)
    for name in data_set_models(SETS, MORE):
        rows = list(csv.DictReader(open("set.csv", encoding="utf-8")))
        rows = draw.sample(rows, min(100, len(rows)))
        nominal = {a["name"] for a in json.loads(heft("export", "m.heft", "--to", "json").out)["score"]["attributes"]
                   if "values" in a}
        for row in rows:
            for column in row:
                at = draw.random()
                row[column] = "" if row[column] == "?" or at < 0.04 else \
                    "a value never seen" if at < 0.07 and column in nominal else row[column]
        compare(rows, name)


@test
def every_method_and_option():
    rows = tables()
    methods = [m for m in METHODS if Run(["train", "train.csv", "-m", m, "-o", "m.heft", "-q"]).status == 0
               and Run(["export", "m.heft", "--to", "pmml"]).status == 0]
    require({"auto", "nb", "gnb", "flexnb", "lnb", "cawnb", "vwnb", "enb", "swnb"} <= set(methods), methods)
    for method in methods:
        heft("train", "train.csv", "-m", method, "-o", "m.heft", "-q")
        compare(rows, method)
    for more in (["-m", "nb", "--prior", "a=0.5,b=0.5"], ["-m", "nb", "--unseen", "zero", "--scale", "unit"],
                 ["-m", "auto", "--unseen", "zero", "--scale", "minmax", "--calibrate", "vector"],
                 ["-m", "auto", "--discretize", "frequency:4", "--scale", "unit"],
                 ["-m", "nb", "--impute", "mean", "--calibrate", "temperature", "--discretize", "width:4"],
                 ["-m", "enb", "--calibrate", "vector"], ["-m", "auto", "--impute", "mean"],
                 ["-m", "nb", "--impute", "mean", "--scale", "minmax"]):
        heft("train", "train.csv", "-o", "m.heft", "-q", *more)
        compare(rows, more)


@test
def several_sums():
    for what, rows in dependent_models():
        compare(rows, what)


@test
def trees_of_many_values():
    for classes, more in (("ab", []), ("ab", ["--unseen", "zero"]), ("abc", ["-p", "effort=lean"]),
                          ("abcd", ["-p", "order=any"])):
        rows = three_way_tables(classes)
        heft("train", "train.csv", "-o", "m.heft", "-q", *more)
        compare(rows, more)


NAMES = ['say "hi"', "it's", "<a>&amp;", "two\nlines", "]]>", "a b", "\u00e9t\u00e9 %s", "back\\slash"]


@test
def names_and_values():
    draw = random.Random(2)
    lines = []
    for i in range(80):
        c = i % 3
        lines.append([draw.choice([*NAMES[:2 + c], "NULL"]) if j % 2 else f"{draw.gauss(c, 1):.2f}"
                      for j in range(len(NAMES))] + [NAMES[c]])
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([[*NAMES, "class"], *lines])
    put("train.csv", out.getvalue())
    for method in ("nb", "auto"):
        heft("train", "train.csv", "-m", method, "-o", "m.heft", "-q")
        compare([dict(zip(NAMES, line)) for line in lines])


@test
def decisions():
    for _, rows in models_with_rules():
        compare(rows)


@test
def what_is_left_out_is_said():
    tables()
    heft("train", "train.csv", "-m", "lcwnb", "-o", "m.heft", "-q")
    refused("export", "m.heft", "-o", "m.pmml", says="lcwnb.*-m auto")
    put("odd.csv", "a,class\n" + "x\ufffe,y\nz,n\n" * 20)
    heft("train", "odd.csv", "-m", "nb", "-o", "m.heft", "-q")
    refused("export", "m.heft", "-o", "m.pmml", says="XML cannot hold")
    if not jpmml_evaluator:
        print("left out: no jpmml_evaluator at hand", flush=True)


if __name__ == "__main__":
    sys.exit(harness.main())
