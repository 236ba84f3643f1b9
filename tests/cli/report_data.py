#!/usr/bin/env python3
"""The data of a report page: `heft report --json` gives the figures of predict, evaluate and inspect.

    report_data.py HEFT [NAME...]
"""
import csv
import json
import math
import pathlib
import random
import sys

from harness import EXAMPLES, heft, main, put, refused, require, same, test

LOANS, IRIS = EXAMPLES / "loans.csv", EXAMPLES / "iris.csv"


def data_of(*args):
    text = heft("report", *args, "--json", "-").out
    require(not set(text) & set("<>&") and all(c >= " " for c in text[:-1]), "the text cannot stand in a script")
    return json.loads(text)


def rows_of(text):
    return list(csv.DictReader(text.splitlines()))


def near(found, expected, what, slack=1e-5):
    require(abs(found - expected) <= slack * max(1, abs(expected)), f"{what}: {found}, expected {expected}")


@test
def figures_are_those_of_evaluate():
    for table, method in ((LOANS, "auto"), (IRIS, "nb"), (LOANS, "lcwnb")):
        heft("train", table, "-m", method, "-o", "m.heft")
        page = data_of("m.heft", table)
        cell = json.loads(heft("evaluate", "m.heft", "--test", table, "--json", "-").out)["datasets"][0]["methods"][0]
        told = {m["name"]: m["value"] for m in page["measures"]}
        for name in ("accuracy", "kappa", "log_loss", "brier", "auc", "macro_f1", "average_precision"):
            near(told[name], cell[name], f"{method}: {name}")
        same(page["confusion"]["cells"], cell["confusion"], "confusion")
        for mine, other in zip(page["per_class"], cell["per_class"]):
            near(mine["recall"], other["recall"], "recall of a class")
        same(page["source"]["kind"], "training", "source")
        require("training rows" in page["headline"]["warning"], page["headline"])


@test
def curves_are_those_of_predict():
    heft("train", LOANS, "-m", "nb", "-o", "m.heft")
    page = data_of("m.heft", LOANS)
    one = page["model"]["classes"][page["model"]["one"]]
    q = [float(r[f"P({one})"]) for r in rows_of(heft("predict", "m.heft", LOANS, "--proba").out)]
    actual = [r["repaid"] == one for r in rows_of(LOANS.read_text(encoding="utf-8"))]
    curve, = page["curves"]
    require(all(a > b for a, b in zip(curve["at"], curve["at"][1:])), "the thresholds fall")
    for at, tp, fp in list(zip(curve["at"], curve["tp"], curve["fp"]))[::7] + [(curve["at"][-1], curve["tp"][-1], curve["fp"][-1])]:
        same((tp, fp), (sum(y and p >= at for p, y in zip(q, actual)), sum(not y and p >= at for p, y in zip(q, actual))), f"at {at}")
    same((curve["tp"][-1], curve["fp"][-1]), (curve["positives"], curve["negatives"]), "the last point has all rows")
    same(sum(b["rows"] for b in page["reliability"]["bins"]), len(q), "rows of the reliability diagram")
    near(sum(b["rows"] * b["predicted"] for b in page["reliability"]["bins"]), sum(q), "predicted")
    near(sum(b["rows"] * b["observed"] for b in page["reliability"]["bins"]), sum(actual), "observed")


@test
def thinned_curves_keep_both_ends():
    random.seed(5)
    rows = [(x, "yes" if random.random() < 0.01 * (1 + x) else "no") for x in (random.random() for _ in range(5000))]
    put("rare.csv", "x,class\n" + "".join(f"{x},{y}\n" for x, y in rows))
    heft("train", "rare.csv", "-m", "nb", "-o", "m.heft")
    curve, = data_of("m.heft", "rare.csv")["curves"]
    require(50 < len(curve["at"]) <= 420, len(curve["at"]))
    require(curve["tp"][0] + curve["fp"][0] <= 5, "the first point has the most probable rows")
    same(curve["tp"][-1] + curve["fp"][-1], 5000, "rows")
    steps = [b - a for a, b in zip(curve["tp"], curve["tp"][1:])]
    require(max(steps) <= 3, f"{max(steps)} of {curve['positives']} rows of the rare class in one step")


@test
def falls_add_up():
    for method in ("auto", "lnb", "lcwnb"):
        heft("train", LOANS, "-m", method, "-o", "m.heft")
        page = data_of("m.heft", LOANS)
        seen = page["wrong"]["list"]
        require(len(seen) > 2 and all(row["fall"] for row in seen), method)
        for row in seen:
            fall = row["fall"]
            near(fall["start"] + sum(s["odds"] for s in fall["steps"]) + fall["rest"], fall["total"], "sum", 1e-4)
            if method != "lcwnb":
                near(1 / (1 + math.exp(-fall["total"])), fall["p"], f"{method}: probability of the sum", 1e-4)
        require(all(r["actual"] != r["predicted"] for r in page["wrong"]["list"]), "wrong rows")


@test
def rows_are_those_of_the_table():
    heft("train", LOANS, "-m", "auto", "-o", "m.heft")
    page = data_of("m.heft", LOANS)
    lines = rows_of(LOANS.read_text(encoding="utf-8"))
    same(page["rows"]["n"], len(lines), "rows")
    for row in page["rows"]["list"]:
        line = lines[row["row"] - 1]
        same(page["data"]["classes"][row["actual"]], line["repaid"], "actual")
        for attribute, cell in zip(page["attributes"], row["cells"]):
            text = line[attribute["name"]]
            if cell is None:
                require(text in ("", "?", "NA"), text)
            elif attribute["kind"] == "number":
                same(cell, float(text), attribute["name"])
            else:
                same(attribute["values"][cell], text, attribute["name"])


@test
def rows_are_listed_once():
    """The errors shown are added to the sample of the rows only if they are not in it."""
    head, *lines = LOANS.read_text(encoding="utf-8").splitlines()
    heft("train", LOANS, "-m", "nb", "-o", "m.heft")
    for times in (1, 2, 3, 4, 6, 9):
        pathlib.Path("many.csv").write_text("\n".join([head, *(lines * times)]) + "\n", encoding="utf-8")
        listed = [row["row"] for row in data_of("m.heft", "many.csv")["rows"]["list"]]
        same(len(listed), len(set(listed)), f"{times} x {len(lines)} rows: different rows of {len(listed)}")


@test
def sentences_are_true():
    """The odds of a row change with the value as the sentence says."""
    heft("train", LOANS, "-m", "nb", "-o", "m.heft")
    page = data_of("m.heft", LOANS)
    same(len(page["sentences"]), 3, "sentences")
    lines = rows_of(LOANS.read_text(encoding="utf-8"))
    for sentence in page["sentences"]:
        _, name, _, value, _, class_name, times, _, _, other, _ = sentence["parts"]
        same("".join(sentence["parts"]), sentence["text"], "text")
        rows = [{**lines[0], name: value}, {**lines[0], name: other}]
        put("two.csv", ",".join(rows[0]) + "\n" + "".join(",".join(r.values()) + "\n" for r in rows))
        p = [float(r[f"P({class_name})"]) for r in rows_of(heft("predict", "m.heft", "two.csv", "--proba").out)]
        ratio = p[0] / (1 - p[0]) / (p[1] / (1 - p[1]))
        told = float(times.split(" times")[0].split()[-1].replace(",", ""))
        require(ratio > 1000 if "more than" in times else abs(ratio - told) < 0.06 * told, f"{sentence['text']} ({ratio})")


@test
def importance_and_shapes():
    heft("train", LOANS, "-m", "auto", "-o", "m.heft")
    page = data_of("m.heft", LOANS)
    same((page["importance"]["by"], page["importance"]["errors"]), ("loss", True), "importance")
    order = [page["attributes"][j] for j in page["order"]]
    key = [(a["importance"] <= a["error"], -a["importance"]) for a in order]
    same(key, sorted(key), "order: what may be noise comes last")
    told = {a["name"]: a for a in json.loads(heft("inspect", "m.heft", "--json", "-").out)["attributes"]}
    for a in order:
        for value, name, factor in ((a["importance"], "importance", 1), (a["error"], "importance_error", 2), (a["evidence"], "weight", 1)):
            require(abs(value - factor * told[a["name"]][name]) <= 1e-5 * abs(value), f"{name} of {a}")
    for shape in page["shapes"]["list"]:
        attribute = page["attributes"][shape["attribute"]]
        same(len(shape["series"][0]), len(shape["at"]), attribute["name"])
        same(len(shape["error"]), len(shape["at"]), attribute["name"])
        require(all(0 <= e < 20 for e in shape["error"]) and any(e > 0 for e in shape["error"]), "errors of its evidence")
        if attribute["kind"] == "number" and shape["discrete"]:
            cells = {float(r[attribute["name"]]) for r in rows_of(LOANS.read_text(encoding="utf-8")) if r[attribute["name"]]}
            require(set(shape["at"]) <= cells, "values that exist")
        if shape["rows"]:
            require(sum(shape["rows"]) <= page["shapes"]["sampled"], "rows")
    require(any(a.get("decimals") == 0 for a in page["attributes"]), "whole numbers are known as such")


@test
def classes_that_the_model_does_not_know():
    lines = IRIS.read_text(encoding="utf-8").splitlines()
    put("two.csv", "\n".join(line for line in lines if "virginica" not in line) + "\n")
    heft("train", "two.csv", "-m", "nb", "-o", "m.heft")
    page = data_of("m.heft", IRIS)
    same((page["data"]["classes"], page["data"]["unknown_rows"]), (["setosa", "versicolor", "virginica"], 50), "classes")
    same(page["headline"]["warning"], "50 rows of a class that the model does not know ('virginica') are counted as wrong.", "warning")
    require(page["wrong"]["n"] >= 50 and all(row["fall"] for row in page["wrong"]["list"]), "wrong rows")


@test
def a_page_without_data():
    heft("train", IRIS, "-m", "auto", "-o", "m.heft")
    page = data_of("m.heft")
    same((page["data"], page["source"], page["confusion"], page["curves"], page["wrong"]["list"]), (None, None, None, [], []), "nothing")
    require("cannot be said without data" in page["headline"]["note"], page["headline"])
    require(page["whatif"] and page["shapes"]["list"] and page["sentences"], "what the model knows")


@test
def a_file_and_no_page():
    heft("train", IRIS, "-m", "nb", "-o", "m.heft")
    heft("report", "m.heft", IRIS, "--json", "d.json")
    require(not list(pathlib.Path().glob("*.html")), "no page was asked for")
    heft("report", "m.heft", IRIS, "--json", "e.json", "-o", "p.html")
    require("<!DOCTYPE html>" in open("p.html", encoding="utf-8").read(), "the page")
    same(open("d.json", encoding="utf-8").read(), open("e.json", encoding="utf-8").read(), "the same bytes")
    refused("report", "m.heft", "--cv", "3", "--json", "-", status=2, says="--cv needs DATA")


# ---- cross-validation with the settings of the model ----

def cross_validated(table, *options, folds=5):
    """The confusion matrix on the page of a model, and that of evaluate with the same options."""
    heft("train", table, "-o", "m.heft", *options)
    page = data_of("m.heft", table, "--cv", folds)
    same(page["source"]["kind"], "folds", "source")
    cell = json.loads(heft("evaluate", table, "--cv", folds, "--json", "-", *options).out)["datasets"][0]["methods"][0]
    return page["confusion"]["cells"], cell["confusion"]


@test
def cross_validation_keeps_the_positive_class():
    """A model of one class against the rest is cross-validated as one."""
    for method in ("nb", "auto"):
        mine, other = cross_validated(IRIS, "-m", method, "--positive", "versicolor")
        same(mine, other, f"{method}: confusion")
        same(sum(map(sum, mine)), 150, "rows")


@test
def cross_validation_selects_in_each_fold():
    """Attributes are selected anew among all columns of the table, not among those that the model kept."""
    random.seed(2)
    rows = [[random.choice("ab") for _ in range(30)] + [random.choice("yn")] for _ in range(60)]
    put("noise.csv", ",".join(f"x{j}" for j in range(30)) + ",class\n" + "".join(",".join(r) + "\n" for r in rows))
    mine, other = cross_validated("noise.csv", "-m", "nb", "--select", "gain-ratio:3")
    same(mine, other, "confusion")


@test
def cross_validation_of_a_model_like_another():
    """A model trained like one that selected attributes has only these columns; so have its folds."""
    lines = LOANS.read_text(encoding="utf-8").splitlines()
    put("first.csv", "\n".join(lines[: len(lines) // 2]) + "\n")
    heft("train", "first.csv", "-m", "nb", "--select", "gain-ratio:2", "-o", "first.heft")
    heft("train", LOANS, "--like", "first.heft", "-o", "m.heft")
    page = data_of("m.heft", LOANS, "--cv", 5)
    names = [a["name"] for a in page["attributes"]]
    same(len(names), 2, "attributes")
    kept = [[*names, "repaid"]] + [[r[n] for n in names] + [r["repaid"]] for r in rows_of(LOANS.read_text(encoding="utf-8"))]
    put("kept.csv", "\n".join(map(",".join, kept)) + "\n")
    heft("train", "kept.csv", "-m", "nb", "-o", "kept.heft")
    same(page["confusion"]["cells"], data_of("kept.heft", "kept.csv", "--cv", 5)["confusion"]["cells"], "confusion")


@test
def cross_validation_chooses_alternatives_in_each_fold():
    """The choice of the model has seen the rows of all folds."""
    random.seed(8)
    rows = [[random.choice("abc") for _ in range(6)] + [random.choice("yn")] for _ in range(50)]
    put("noise.csv", "a,b,c,d,e,f,class\n" + "".join(",".join(r) + "\n" for r in rows))
    mine, other = cross_validated("noise.csv", "-m", "lcwnb", "-p", "kappa=1|3|10|40")
    same(mine, other, "confusion")


if __name__ == "__main__":
    sys.exit(main())
