#!/usr/bin/env python3
"""The default method and calibration from the command line: what a user gets without choosing, its
explanations and exports, and the edge cases of docs/auto.md.

    auto_cli.py HEFT [WORD...]     tests whose name holds one of the words
"""
import csv
import io
import json
import math
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

import harness
from asked_rows import three_way_tables
from harness import EXAMPLES, SANITIZED, figures, heft, put, refused, require, same
from json_scorer import probabilities

test = harness.test
EFFORTS = ("count", "lean", "full")
LOANS, IRIS = EXAMPLES / "loans.csv", EXAMPLES / "iris.csv"


def proba(model, data, *more):
    lines = list(csv.reader(io.StringIO(heft("predict", model, data, "--proba", *more).out)))
    return lines[0][1:], [[float(x) for x in line[1:]] for line in lines[1:]]


def sums_to_one(rows):
    for row in rows:
        require(abs(sum(row) - 1) < 1e-12 and all(0 <= p <= 1 for p in row), f"{row}")


def softmax(score):
    top = max(s for s in score if s is not None)
    share = [0 if s is None else math.exp(s - top) for s in score]
    return [s / sum(share) for s in share]


# ---- the time limit ----

@figures
def time_limit_is_kept():
    rng = random.Random(1)
    put("t.csv", ",".join(f"x{j}" for j in range(20)) + ",class\n" + "".join(
        ",".join(f"{x:.3f}" for x in row) + (",p\n" if row[0] * row[1] + row[2] > 0 else ",q\n")
        for row in ([rng.random() - 0.5 for _ in range(20)] for _ in range(50000))))
    began = time.monotonic()
    heft("train", "t.csv", "-p", "effort=count", "-o", "m")
    counted = time.monotonic() - began
    began = time.monotonic()
    run = heft("train", "t.csv", "--time-limit", "0.2", "-o", "m")
    took = time.monotonic() - began
    require(took < 3 * counted + 1.5, f"{took} s; the counts alone took {counted} s")
    said = re.search(r"warning: (stopped boosting after \d+ of at most \d+ rounds(?: and left out the counted evidence)?: "
                     "the time limit of 0.2 seconds); "
                     "the result depends on the speed of this machine", run.err)
    require(said, run.err)
    same(json.loads(heft("inspect", "m", "--json", "-").out)["extra"]["cut short"], said[1], "inspect")
    require(said[1] in heft("inspect", "m").out, "inspect as text")
    heft("report", "m", "-o", "m.html")
    require(said[1] in pathlib.Path("m.html").read_text(encoding="utf-8"), "report")
    sums_to_one(proba("m", "t.csv")[1])
    same(heft("train", "t.csv", "--time-limit", "1e-3", "-q", "-o", "m").err, "", "-q")


@test
def time_limits_are_checked():
    for wrong in ("0", "-1", "nan", "inf", "0x1p3", "1s", "", "1e999"):
        refused("train", LOANS, "--time-limit", wrong, "-o", "m", status=2, says="--time-limit takes a number")
    refused("train", LOANS, "-m", "nb", "--time-limit", "1", "-o", "m", status=2,
            says="method nb cannot be stopped by --time-limit")
    refused("evaluate", LOANS, "--time-limit", "1", status=2, says="unknown option")


# ---- what a user gets without choosing ----

@test
def default_is_auto():
    require(": auto, trained in" in heft("train", IRIS, "-o", "m").err, "train")
    facts = json.loads(heft("inspect", "m", "--json", "-").out)
    same((facts["method"], facts["parameters"]), ("auto", {"effort": "lean", "order": "auto"}), "method")
    told = json.loads(heft("evaluate", IRIS, "--cv", 3, "--json", "-").out)
    same([m["method"] for m in told["datasets"][0]["methods"]], ["auto", "nb"], "evaluate")
    told = json.loads(heft("evaluate", IRIS, "--cv", 3, "-p", "effort=count", "--json", "-").out)
    same(len(told["datasets"][0]["methods"]), 2, "a parameter of one of the two")


@figures
def threads_do_not_matter():
    for effort in EFFORTS:
        for threads in (1, 3):
            heft("train", LOANS, "-p", f"effort={effort}", "--threads", threads, "-o", f"m{threads}")
        same(proba("m1", LOANS), proba("m3", LOANS), effort)


# ---- explanations ----

@test
def explanations_sum_to_the_score():
    with open(LOANS, encoding="utf-8") as file:
        put("few.csv", "".join(file.readlines()[:41]))
    for effort in EFFORTS:
        for more in (("--calibrate", "vector"), ("--calibrate", "temperature"), ())[:1 if SANITIZED else 3]:
            heft("train", LOANS, "-p", f"effort={effort}", "-o", "m", *more)
            told = proba("m", "few.csv")[1]
            explained = json.loads(heft("explain", "m", "few.csv", "--json", "-").out)
            same(len(explained), 40, "rows")
            for i, row in enumerate(explained):
                for c, score in enumerate(row["score"]):
                    shared = row["prior"]["parts"][c] + sum(a["parts"][c] for a in row["attributes"])
                    apart = row["prior"]["parts"][c] + sum(a["alone"][c] for a in row["attributes"])
                    apart += sum(p["parts"][c] for p in row["attribute_pairs"] + row["attribute_triples"])
                    require(abs(shared - score) < 1e-9 and abs(apart - score) < 1e-9, f"{effort} {more}")
                for p, q in zip(softmax(row["score"]), told[i]):
                    require(abs(p - q) < 1e-9, f"{effort} {more} row {i}")


@test
def more_than_three_attributes_have_a_remainder():
    three_way_tables("abc")
    heft("train", "train.csv", "-p", "order=any", "-o", "m")
    told = proba("m", "ask.csv")[1]
    for i, row in enumerate(json.loads(heft("explain", "m", "ask.csv", "--json", "-").out)):
        for c, score in enumerate(row["score"]):
            shared = row["prior"]["parts"][c] + sum(a["parts"][c] for a in row["attributes"])
            apart = row["prior"]["parts"][c] + sum(a["alone"][c] for a in row["attributes"]) + row["remainder"]["parts"][c]
            apart += sum(p["parts"][c] for p in row["attribute_pairs"] + row["attribute_triples"])
            require(abs(shared - score) < 1e-9 and abs(apart - score) < 1e-9, f"row {i}")
        for p, q in zip(softmax(row["score"]), told[i]):
            require(abs(p - q) < 1e-9, f"row {i}")
    shown = heft("inspect", "m").out
    size = json.loads(heft("inspect", "m", "--json", "-").out)["remainder"]["weight"]
    require(size > 0 and f"evidence of four and more attributes together: {size:.4g}" in shown, shown)
    require("a third of that of its triples, and so on" in shown, shown)
    require("four and more attributes together: " in heft("explain", "m", "ask.csv", "--row", 1).out, "explain")
    lines = heft("explain", "m", "ask.csv", "--csv", "-").out.splitlines()
    require(sum(",(four and more attributes together),," in line for line in lines) == 100, lines[:20])
    page = json.loads(heft("report", "m", "ask.csv", "--json", "-").out)
    require(abs(page["remainder"] - size) < 1e-5 * size, "report")
    heft("train", "train.csv", "-p", "order=3", "-o", "m")
    told = json.loads(heft("explain", "m", "ask.csv", "--row", 1, "--json", "-").out)
    facts = json.loads(heft("inspect", "m", "--json", "-").out)
    page = json.loads(heft("report", "m", "ask.csv", "--json", "-").out)
    require(not any("remainder" in found for found in (told, facts, page)), "order=3 has no remainder")


@test
def threads_do_not_change_trees_of_any_order():
    three_way_tables("ab")
    for threads in (1, 3):
        heft("train", "train.csv", "-p", "order=any", "--threads", threads, "-o", f"m{threads}")
    same(proba("m1", "ask.csv"), proba("m3", "ask.csv"), "threads")


@test
def pairs_and_triples_are_named():
    heft("train", LOANS, "-o", "m")
    shown = heft("inspect", "m", "--top", 3).out
    require("pairs of attributes (3 of 28)" in shown and "late_payments" in shown, shown)
    facts = json.loads(heft("inspect", "m", "--json", "-").out)
    sizes = [pair["weight"] for pair in facts["attribute_pairs"]]
    require(len(sizes) == 28 and sizes == sorted(sizes, reverse=True), "by their evidence")
    require("pairs of attributes (5 of 28)" in heft("explain", "m", LOANS, "--row", 1).out, "explain")
    triples = facts["attribute_triples"]
    sizes = [triple["weight"] for triple in triples]
    require(sizes == sorted(sizes, reverse=True) and {len(set(t["attributes"])) for t in triples} == {3}, "triples")
    require(f"triples of attributes (3 of {len(triples)})" in shown and "a third of that of its triples" in shown, shown)
    require(f"triples of attributes (5 of {len(triples)})" in heft("explain", "m", LOANS, "--row", 1).out, "explain")
    page = json.loads(heft("report", "m", LOANS, "--json", "-").out)
    same([(page[k]["n"], len(page[k]["list"])) for k in ("pairs", "triples")], [(28, 10), (len(triples), min(10, len(triples)))], "report")
    require("There is no nomogram of this model" in page["nomogram"]["note"], "report")
    heft("train", LOANS, "-o", "m", "-p", "order=2")
    shown = heft("inspect", "m").out + heft("explain", "m", LOANS, "--row", 1).out
    require("triples of attributes" not in shown and "half of the evidence of its pairs." in shown, shown)
    require(json.loads(heft("inspect", "m", "--json", "-").out)["attribute_triples"] == [], "order=2")


# ---- exports ----

MAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model.c"
int main(void) {
    static char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        double numbers[64], proba[64]; int codes[64], j = 0, c;
        char *cell = line;
        line[strcspn(line, "\n")] = 0;
        for (; j < model_attributes(); j++) {
            char *end = cell + strcspn(cell, ",");
            if (*end) *end++ = 0;
            numbers[j] = *cell ? atof(cell) : NAN;
            codes[j] = model_code(j, *cell ? cell : NULL);
            cell = end;
        }
        model_predict(numbers, codes, proba);
        for (c = 0; c < model_classes(); c++) printf("%s%.17g", c ? "," : "", proba[c]);
        printf("\n");
    }
    return 0;
}
"""


def many_values(n=3000, values=150):
    rng = random.Random(3)
    lines = ["a,b,x,class"]
    for _ in range(n):
        a, b, x = rng.randrange(values), rng.randrange(values), rng.random()
        y = "pqr"[(a % 2 + (b % 3 == 0) + (x > 0.7)) % 3] if rng.random() < 0.8 else "p"
        lines.append(f"a{a},b{b},{'' if rng.random() < 0.1 else round(x, 3)},{y}")
    return "\n".join(lines) + "\n"


def exported_c(name, *more):
    heft("train", name, "-o", "m", *more)
    heft("export", "m", "--to", "c", "-o", "model.c")
    put("main.c", MAIN)
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "main.c", "-o", "score",
                    "-lm"], check=True)
    rows = pathlib.Path(name).read_text(encoding="utf-8").splitlines()[1:]
    told = subprocess.run(["./score"], input="\n".join(rows) + "\n", check=True,
                          capture_output=True, text=True).stdout
    found = [[float(x) for x in line.split(",")] for line in told.splitlines()]
    for i, (p, q) in enumerate(zip(found, proba("m", name)[1], strict=True)):
        require(max(abs(a - b) for a, b in zip(p, q)) <= 1e-12, f"{more} row {i}: {p} {q}")


@figures
def c_agrees_with_predict():
    if not shutil.which("cc"):
        print("skipped: no C compiler")
        return
    put("many.csv", many_values())
    exported_c("many.csv")
    exported_c("many.csv", "--calibrate", "vector")


@test
def json_is_enough():
    put("many.csv", many_values(600, 40))
    for name, more in (("many.csv", ()), ("many.csv", ("--calibrate", "temperature"))):
        heft("train", name, "-o", "m", *more)
        about = json.loads(heft("export", "m", "--to", "json").out)
        rows = [line.split(",") for line in pathlib.Path(name).read_text().splitlines()]
        for row, told in list(zip(rows[1:], proba("m", name)[1]))[:60]:
            for p, q in zip(probabilities(about, dict(zip(rows[0], row))), told):
                require(abs(p - q) < 1e-9, f"{more}: {p} {q}")


# ---- calibration ----

@test
def calibration_is_kept_and_shown():
    heft("train", LOANS, "-m", "nb", "-o", "plain")
    before = heft("predict", "plain", LOANS).out
    for how in ("temperature", "vector"):
        heft("train", LOANS, "-m", "nb", "--calibrate", how, "-o", "m")
        facts = json.loads(heft("inspect", "m", "--json", "-").out)
        same(facts["preparation"]["calibrate"], how, "stored")
        same(len(facts["calibration"]["scale"]), 2, "a factor for each class")
        require(f"--calibrate {how}" in heft("inspect", "m").out, "inspect")
        require((how == "temperature") <= (heft("predict", "m", LOANS).out == before), how)
        sums_to_one(proba("m", LOANS)[1])
    refused("train", LOANS, "--calibrate", "magic", status=2, says="magic.*temperature")


@test
def calibration_in_evaluate():
    losses = []
    for how in ("none", "temperature", "vector"):
        told = json.loads(heft("evaluate", LOANS, "-m", "nb,aode", "--calibrate", how, "--cv", 5,
                               "--json", "-").out)
        losses.append([m["log_loss"] for m in told["datasets"][0]["methods"]])
    require(losses[1][0] < losses[0][0] and losses[2][0] < losses[0][0], f"nb: {losses}")
    require(losses[1][1] < losses[0][1] + 0.005, f"aode: {losses}")


# ---- edge cases ----

def edge(name, content, *more):
    put(name, content)
    found = None
    for effort in EFFORTS:
        run = heft("train", name, "-p", f"effort={effort}", "-o", "m", *more)
        classes, rows = proba("m", name, *more)
        sums_to_one(rows)
        heft("explain", "m", name, "--row", 1, *more)
        heft("report", "m", name, "-o", "m.html", *more)
        found = classes, rows, run
    return found


@test
def edge_few_rows():
    _, rows, _ = edge("few.csv", "x,c,class\n1,a,p\n2,b,q\n3,a,p\n4,b,q\n5,a,p\n")
    require(rows[0][0] > 0.5 > rows[1][0], f"{rows}")
    facts = json.loads(heft("inspect", "m", "--json", "-").out)["extra"]
    same((facts["weight of learned evidence"], facts["weight of counted evidence"], facts["penalty scale"]), (0.5, 0.5, 1), "no held-out step")
    edge("two.csv", "x,class\n1,p\n2,q\n")


@test
def edge_one_class():
    classes, rows, run = edge("one.csv", "x,c,class\n" + "1,a,p\n2,b,p\n" * 6)
    same((classes, rows[0]), (["P(p)"], [1]), "its frequency")
    require("only one class" in run.err, run.err)


@test
def edge_no_attribute():
    _, rows, _ = edge("none.csv", "class\n" + "p\np\nq\n" * 10)
    require(all(abs(row[0] - 2 / 3) < 1e-12 for row in rows), f"{rows[0]}")


@test
def edge_all_missing():
    _, rows, run = edge("gaps.csv", "x,c,class\n" + ",,p\n,,q\n,,q\n" * 8)
    require(rows[0] == rows[-1] and 0.6 < rows[0][1] < 0.7, f"{rows[0]}")
    require("no values" in run.err, run.err)


@test
def edge_class_without_rows():
    _, rows, _ = edge("d.arff", "@relation r\n@attribute x numeric\n@attribute class {p,never,q}\n@data\n"
                      + "".join(f"{i % 7},{'pq'[i % 2]}\n" for i in range(40)))
    require(all(row[1] == 0 for row in rows), "probability 0")


@test
def edge_class_of_one_row():
    edge("o.csv", "x,class\n" + "".join(f"{i % 9},{'pq'[i % 2]}\n" for i in range(60)) + "50,r\n")


@test
def edge_constant_and_single():
    edge("k.arff", "@relation r\n@attribute k numeric\n@attribute s {only}\n@attribute x numeric\n"
         "@attribute class {p,q}\n@data\n"
         + "".join(f"7,only,{i % 11 + 3 * (i % 2)},{'pq'[i % 2]}\n" for i in range(60)))


@test
def edge_thousands_of_values():
    rng = random.Random(1)
    lines = "".join(f"id{i},n{rng.randrange(8000)},{'pq'[i % 2]}\n" for i in range(8000))
    put("ids.csv", "id,name,class\n" + lines)
    heft("train", "ids.csv", "-o", "m")
    require(pathlib.Path("m").stat().st_size < 5e6, "by the cells that occur")
    sums_to_one(proba("m", "ids.csv")[1])


@test
def edge_smoothing_is_its_own():
    refused("train", LOANS, "--smoothing", "m:2", says="auto.*-m nb", status=2)
    heft("train", LOANS, "-p", "effort=count", "-o", "m")
    for text in heft("methods", "auto").out, heft("inspect", "m").out:
        require("--prior smoothed" in text and "smoothing" not in text, text)
    same(json.loads(heft("inspect", "m", "--json", "-").out)["preparation"]["smoothing"], None, "smoothing")


if __name__ == "__main__":
    sys.exit(harness.main())
