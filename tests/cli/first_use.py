#!/usr/bin/env python3
"""What a new user meets: classes the model does not know, one class against the rest, files of
pandas, and files that must not be lost.

    first_use.py HEFT [NAME...]      as harness.py says
"""
import json
import os
import pathlib

import harness
from harness import EXAMPLES, Run, heft, put, refused, require, same, test

IRIS = EXAMPLES / "iris.csv"
ROWS = IRIS.read_text(encoding="utf-8")


def warnings(run):
    return [line for line in run.err.splitlines() if line.startswith("heft: warning: ")]


# ---- classes that the model does not know --------------------------------------------------------

def two_classes():
    put("two.csv", "".join(line for line in ROWS.splitlines(True) if "virginica" not in line))
    heft("train", "two.csv", "-m", "nb", "-o", "two.heft")


@test
def rows_of_unknown_classes_are_wrong():
    two_classes()
    put("all.csv", ROWS)
    run = heft("predict", "two.heft", "all.csv", "-o", "out.csv")
    require("accuracy 0.6667: 100 of 150 rows right" in run.err, run.err)
    said, = warnings(run)
    require("all.csv: 50 of 150 rows" in said and "'virginica'" in said, said)
    run = heft("evaluate", "two.csv", "--test", "all.csv", "-m", "nb", "--json", "r.json")
    said, = warnings(run)
    require("50 of 150 rows" in said and "'virginica'" in said, said)
    cell = json.loads(pathlib.Path("r.json").read_text(encoding="utf-8"))["datasets"][0]["methods"][0]
    same(cell["accuracy"], 100 / 150, "evaluate --test")
    heft("report", "two.heft", "all.csv", "-o", "page.html")
    page = pathlib.Path("page.html").read_text(encoding="utf-8")
    require("<td>0.6667</td>" in page and "50, counted as wrong" in page, "the page")
    require("virginica" in page, "the class is named")


@test
def rows_without_a_class_are_not_counted():
    two_classes()
    put("some.csv", ROWS.replace(",virginica", ",?"))
    run = heft("predict", "two.heft", "some.csv", "-o", "out.csv")
    require("accuracy 1.0000: 100 of 100 rows right" in run.err, run.err)
    same(warnings(run), [], "no warning")


@test
def no_label_is_known():
    two_classes()
    put("other.csv", ROWS.replace(",setosa", ",a").replace(",versicolor", ",b").replace(",virginica", ",c"))
    run = heft("predict", "two.heft", "other.csv", "-o", "out.csv")
    require("accuracy 0.0000: 0 of 150 rows right" in run.err, run.err)
    said, = warnings(run)
    require("knows none of the classes" in said and "'a', 'b', 'c'" in said and "'setosa'" in said, said)


@test
def many_unknown_classes_are_cut_short():
    two_classes()
    lines = ROWS.splitlines()
    put("ids.csv", "\n".join([lines[0]] + [f"{line.rsplit(',', 1)[0]},id{i}" for i, line in
                                           enumerate(lines[1:])]) + "\n")
    said, = warnings(heft("predict", "two.heft", "ids.csv", "-o", "out.csv"))
    require("and 145 more" in said and len(said) < 400, said)
    heft("report", "two.heft", "ids.csv", "-o", "page.html")


# ---- one class against the rest ------------------------------------------------------------------

@test
def positive_class_is_stored():
    put("all.csv", ROWS)
    heft("train", "all.csv", "--positive", "virginica", "-m", "nb", "-o", "p.heft")
    require("--positive virginica" in heft("inspect", "p.heft").out, "inspect")
    shown = json.loads(heft("inspect", "p.heft", "--json", "-").out)
    same((shown["positive"], shown["classes"]), ("virginica", ["rest", "virginica"]), "inspect --json")
    asked = heft("predict", "p.heft", "all.csv", "--positive", "virginica", "-o", "a.csv").err
    plain = heft("predict", "p.heft", "all.csv", "-o", "b.csv").err
    require("of 150 rows right" in plain, plain)
    same(plain, asked, "with and without --positive")
    heft("convert", "all.csv", "--positive", "virginica", "-o", "binary.csv")
    same(heft("predict", "p.heft", "binary.csv", "-o", "c.csv").err, plain, "a file of the two classes")
    same(open("a.csv", encoding="utf-8").read(), open("c.csv", encoding="utf-8").read(), "predictions")
    heft("report", "p.heft", "all.csv", "-o", "page.html")
    require("150 of 150" in open("page.html", encoding="utf-8").read(), "the page")
    row = json.loads(heft("explain", "p.heft", "all.csv", "--row", "1", "--json", "-").out)
    same(row["actual"], "rest", "explain")


@test
def positive_class_is_kept_by_like_and_merge():
    put("all.csv", ROWS)
    lines = ROWS.splitlines(True)
    put("one.csv", lines[0] + "".join(lines[1::2]))
    put("two.csv", lines[0] + "".join(lines[2::2]))
    heft("train", "one.csv", "--positive", "virginica", "-m", "nb", "-o", "one.heft")
    heft("train", "two.csv", "--like", "one.heft", "-o", "two.heft")
    heft("merge", "one.heft", "two.heft", "-o", "both.heft")
    heft("train", "all.csv", "--positive", "virginica", "-m", "nb", "-o", "all.heft")
    same(heft("predict", "both.heft", "all.csv", "--proba").raw, heft("predict", "all.heft", "all.csv", "--proba").raw,
         "the parts and the whole")
    require("--positive virginica" in heft("inspect", "both.heft").out, "inspect")
    heft("train", "two.csv", "--positive", "setosa", "-m", "nb", "-o", "three.heft")
    refused("merge", "one.heft", "three.heft", "-o", "x.heft", says="--positive differ")
    refused("train", "two.csv", "--like", "one.heft", "--positive", "setosa", "-o", "x.heft", says="has virginica")


if __name__ == "__main__":
    raise SystemExit(harness.main())
