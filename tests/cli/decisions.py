#!/usr/bin/env python3
"""Decisions and predictions in full: costs, thresholds, tuning, class weights, kept columns; and bad input.

    decisions.py HEFT [NAME...]      as harness.py says
"""
import csv
import ctypes
import gzip
import io
import json
import os
import pathlib
import random
import subprocess

import harness
from harness import SMALL, heft, predictions, put, refused, require, same, test

CLASSES = ["fraud", 'ok, "so":']


def rare(name="rare.csv", n=600):
    """Few rows of the first class."""
    rng = random.Random(5)
    out = io.StringIO()
    write = csv.writer(out)
    write.writerow(["id", "amount", "country", "class"])
    for i in range(n):
        fraud = rng.random() < 0.1
        write.writerow([f"{i:04}", f"{rng.gauss(2 * fraud, 1):.3f}", rng.choice("abc" + "c" * 4 * fraud),
                        CLASSES[not fraud]])
    return put(name, out.getvalue())


def proba(model, data, *more):
    """Predicted class and probabilities of each row."""
    table = predictions(model, data, "--proba", "-q", *more)
    same(table[0], ["predicted", *(f"P({c})" for c in CLASSES)], "header")
    return [row[0] for row in table[1:]], [[float(p) for p in row[1:]] for row in table[1:]]


def by_threshold(rows, t):
    return [CLASSES[0] if p[0] >= t else CLASSES[1] for p in rows]


@test
def every_command_follows_the_rule_of_the_model():
    data = rare()
    heft("train", data, "--drop", "id", "-m", "nb", "-o", "plain.heft", "-q")
    _, rows = proba("plain.heft", data)
    for k, more in enumerate((["--threshold", "fraud=0.07"], ["--tune", "mcc"],
                              ["--tune", "cost", "--cost", 'fraud:"ok, ""so"":"=9'],
                              ["--cost", 'fraud:"ok, ""so"":"=9'])):
        heft("train", data, "--drop", "id", "-m", "nb", "-o", "m.heft", "-q", *more)
        rule = json.loads(heft("inspect", "m.heft", "--json", "-").out)["decision"]
        labels, same_rows = proba("m.heft", data)
        same(same_rows, rows, "probabilities")
        at = rule.get("threshold", 0.1)  # 9 p >= 1 - p
        same(labels, by_threshold(rows, at), f"labels {more}")
        require(labels != by_threshold(rows, 0.5), "the rule decides nothing")
        text = heft("inspect", "m.heft").out
        require(("least expected cost" if k == 3 else f"predicts 'fraud' from a probability of") in text, text)
        i = next(i for i, p in enumerate(rows) if at <= p[0] < 0.5)
        told = json.loads(heft("explain", "m.heft", data, "--row", str(i + 1), "--json", "-").out)
        same(told["predicted"], "fraud", "explain")
        heft("export", "m.heft", "--to", "c", "-o", "m.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", f"m{k}.so", "m.c", "-lm"], check=True)
        scorer = ctypes.CDLL(str(pathlib.Path(f"m{k}.so").resolve()))
        with open(data, newline="", encoding="utf-8") as file:
            for row, label in zip(csv.DictReader(file), labels):
                code = scorer.model_code(1, row["country"].encode())
                numbers, codes = (ctypes.c_double * 2)(float(row["amount"]), 0), (ctypes.c_int * 2)(0, code)
                same(CLASSES[scorer.model_predict(numbers, codes, None)], label, "C")
        page = json.loads(heft("report", "m.heft", data, "--json", "-", "-q").out)
        same(page["model"]["decision"]["kind"], "cost" if k == 3 else "threshold", "report")
        require(any(fact["name"] == "decision" for fact in page["details"]), "report")
    _, again = proba("m.heft", data, "--threshold", "fraud=0.9")
    same(again, rows, "probabilities")
    same(proba("m.heft", data, "--threshold", "fraud=0.9")[0], by_threshold(rows, 0.9), "overridden")


@test
def evaluate_weighs_the_classes_of_every_fold():
    """Balanced classes find more of the rare one, and every rule is accepted."""
    data = rare()
    found = {}
    for name, more in (("plain", []), ("low", ["--threshold", "fraud=0.05"]), ("cost", ["--cost", 'fraud:"ok, ""so"":"=30']),
                       ("tuned", ["--tune", "balanced-accuracy"]), ("weights", ["--class-weight", "balanced"])):
        heft("evaluate", data, "--drop", "id", "-m", "nb", "--cv", "5", "--json", f"{name}.json", "-q", *more)
        cell = json.loads(pathlib.Path(f"{name}.json").read_text())["datasets"][0]["methods"][0]
        found[name] = cell["confusion"][0][0]
    require(found["weights"] > found["plain"], f"{found}")


@test
def models_of_parts_keep_their_rule():
    rare("a.csv", 300)
    rare("b.csv", 400)
    rule = ["--threshold", "fraud=0.2", "--class-weight", "fraud=2"]
    heft("train", "a.csv", "--drop", "id", "-m", "nb", "-o", "a.heft", "-q", *rule)
    heft("train", "b.csv", "--drop", "id", "--like", "a.heft", "-o", "b.heft", "-q")
    heft("train", "b.csv", "--drop", "id", "-m", "nb", "-o", "c.heft", "-q", *rule[2:])
    heft("train", "b.csv", "--drop", "id", "-m", "nb", "-o", "d.heft", "-q", "--class-weight", "balanced")
    heft("merge", "a.heft", "b.heft", "-o", "m.heft", "-q")
    same(json.loads(heft("inspect", "m.heft", "--json", "-").out)["decision"],
         {"rule": "threshold", "class": "fraud", "threshold": 0.2}, "merged rule")
    refused("merge", "a.heft", "c.heft", "-o", "n.heft", says="decide by different rules")
    refused("merge", "d.heft", "d.heft", "-o", "n.heft", says="--class-weight balanced")
    heft("merge", "c.heft", "c.heft", "-o", "n.heft", "-q", "--cost", 'fraud:"ok, ""so"":"=5')
    same(json.loads(heft("inspect", "n.heft", "--json", "-").out)["decision"]["rule"], "cost", "new rule")


@test
def kept_columns_are_as_in_the_file():
    heft("train", rare(), "--drop", "id", "-m", "nb", "-o", "m.heft", "-q")
    put("k.csv", ' id ; amount;country;note;class\r\n 007 ; 1.50 ;a;"x;, ""y""";fraud\r\n'
                 '8;NA;?;"two\nlines";strange\r\n"";1e2;b;;\r\n')
    table = list(csv.reader(io.StringIO(heft("predict", "m.heft", "k.csv", "--keep", "all", "--actual", "-q").out)))
    same([row[:6] for row in table],
         [["id", "amount", "country", "note", "class", "actual"], ["007", "1.50", "a", 'x;, "y"', "fraud", "fraud"],
          ["8", "NA", "?", "two\nlines", "strange", "strange"], ["", "1e2", "b", "", "", ""]], "kept")
    same(table[0][6:], ["predicted"], "header")
    plain = predictions("m.heft", "k.csv", "--proba", "-q")
    same([row[1:] for row in predictions("m.heft", "k.csv", "--proba", "-q", "--keep", "note")], plain, "the rest")
    same([row[:2] for row in predictions("m.heft", "k.csv", "-q", "--keep", "country,1")][1], ["007", "a"], "order")
    put("k.csv.gz", gzip.compress(pathlib.Path("k.csv").read_bytes()))
    for source, stdin in (("k.csv.gz", b""), ("-", pathlib.Path("k.csv").read_bytes())):
        same(predictions("m.heft", source, "--format", "csv", "-q", "--keep", "all", "--actual", stdin=stdin), table,
             source)
    put("k.arff", "@relation r\n@attribute 'the id' string\n@attribute amount numeric\n@attribute country {a,b,c}\n@data\n"
                  "'it''s' , 1.50, a\nx,?,'b'\n".replace("''", "\\'"))
    same([row[:2] for row in predictions("m.heft", "k.arff", "-q", "--keep", "the id,amount")],
         [["the id", "amount"], ["it's", "1.50"], ["x", "?"]], "ARFF")


@test
def actual_classes_are_those_of_the_model():
    heft("train", rare(), "--drop", "id", "-m", "nb", "-o", "m.heft", "-q", "--positive", "fraud")
    pairs = {tuple(row[:1]) for row in predictions("m.heft", "rare.csv", "-q", "--actual")[1:]}
    same(pairs, {("fraud",), ("rest",)}, "actual")
    heft("train", rare(), "--drop", "id", "-m", "nb", "-o", "m.heft", "-q", "--positive", "fraud", "--tune", "f1")
    rule = json.loads(heft("inspect", "m.heft", "--json", "-").out)
    same((rule["decision"]["class"], rule["positive"]), ("fraud", "fraud"), "positive class")


@test
def bad_rules_are_refused():
    data = rare()
    put("three.csv", "x,class\n" + "".join(f"{i},{'abc'[i % 3]}\n" for i in range(30)))
    put("wide.csv", "x,fraud,other\nfraud,0,1\nother,1,0\n")
    put("tall.csv", "x,fraud\nfraud,0\nok,1\n")
    for more, status, says in (
            (["--threshold", "fraud=1.5"], 2, "'fraud=1.5' is not CLASS=P"),
            (["--threshold", "fraud"], 2, "'fraud' is not CLASS=P"),
            (["--threshold", "frod=0.5"], 1, "there is no class 'frod' .the classes are 'fraud'"),
            (["--cost", "fraud:frod=2"], 1, "there is no class 'frod'"),
            (["--cost", "fraud:fraud=-2"], 2, "does not end in a cost"),
            (["--cost", "fraud"], 2, "neither TRUE:PREDICTED=COST nor"),
            (["--cost", "none.csv"], 1, "none.csv: cannot open"),
            (["--cost", "wide.csv"], 1, "wide.csv: there is no class 'other'"),
            (["--cost", "tall.csv"], 1, "tall.csv:3: the matrix has 1 column of costs, and more rows"),
            (["--tune", "cost"], 2, "--tune cost needs the costs"),
            (["--tune", "accuracy"], 2, "--tune takes balanced-accuracy"),
            (["--tune", "f1", "--threshold", "fraud=0.1"], 2, "cannot be combined"),
            (["--cost", "fraud:fraud=1", "--threshold", "fraud=0.1"], 2, "cannot be combined"),
            (["--class-weight", "fraud=x"], 2, "is not balanced or CLASS=W"),
            (["--class-weight", "frod=2"], 1, "there is no class 'frod'"),
            (["--class-weight", "balanced", "-m", "lwnb"], 2, "cannot use weights of rows")):
        refused("train", data, "-o", "x.heft", "-q", *more, status=status, says=says)
    refused("train", "three.csv", "-o", "x.heft", "--threshold", "a=0.5", says="needs two classes, and there are 3")
    refused("train", "three.csv", "-o", "x.heft", "--tune", "f1", says="two classes, and there are 3")
    heft("train", data, "--drop", "id", "-m", "nb", "-o", "m.heft", "-q")
    refused("predict", "m.heft", data, "--threshold", "frod=0.5", says="there is no class 'frod'")
    refused("predict", "m.heft", data, "--threshold", "fraud=2", status=2, says="is not CLASS=P")
    refused("predict", "m.heft", data, "--keep", "idd", says="--keep: there is no column 'idd' .did you mean 'id'")
    put("bare.csv", "amount,country\n1,a\n")
    refused("predict", "m.heft", "bare.csv", "--actual", says="--actual: there is no class column 'class'")
    put("cost.csv", 'x,fraud,"ok, ""so"":"\nfraud,0,5\n"ok, ""so"":",1,0\n')
    refused("predict", "m.heft", data, "--cost", "cost.csv", "-o", "cost.csv", status=2, says="would be overwritten")
    put("s.svm", "1 1:2\n2 2:1\n1 1:1\n2 2:3\n")
    heft("train", "s.svm", "-m", "nb", "-o", "s.heft", "-q")
    refused("predict", "s.heft", "s.svm", "--keep", "1", says="--keep does not work with sparse rows")


@test
def saved_models_take_another_rule_or_refuse():
    put("small.csv", SMALL)
    heft("train", "small.csv", "-m", "nb", "-o", "m.heft")
    before = json.loads(heft("evaluate", "m.heft", "--test", "small.csv", "--json", "-").out)["datasets"][0]["methods"][0]
    after = json.loads(heft("evaluate", "m.heft", "--test", "small.csv", "--json", "-", "--threshold", "grape=0").out)
    after = after["datasets"][0]["methods"][0]
    require(after["per_class"][1]["predicted"] == 20 and before["per_class"][1]["predicted"] < 20, f"{before}, {after}")
    for option in (["--tune", "f1"], ["--class-weight", "balanced"], ["--prior", "uniform"], ["--calibrate", "temperature"]):
        refused("evaluate", "m.heft", "--test", "small.csv", *option, status=2, says="evaluated as they are")
    refused("evaluate", "m.heft", "--test", "small.csv", "--cost", "grape:nix=5", says="no class 'nix'")
    refused("predict", "m.heft", "small.csv", "--positive", "grape", says="trained without it")


@test
def the_rule_is_told():
    put("small.csv", SMALL)
    heft("train", "small.csv", "-m", "nb", "-o", "m.heft", "--threshold", "apple=0.9")
    require("predicts 'apple' from a probability of 0.9 on" in heft("explain", "m.heft", "small.csv").out, "explain")
    run = heft("evaluate", "small.csv", "-m", "nb", "--cv", "2", "--cost", "apple:grape=5", "-q")
    require("--cost apple:grape=5" in run.out, run.out)
    same(json.loads(heft("evaluate", "small.csv", "-m", "nb", "--cv", "2", "--tune", "mcc", "--json", "-").out)["rule"],
         "--tune mcc", "rule")
    refused("train", "small.csv", "-m", "nb", "-o", "x.heft", "--cost", "apple:grape=0,grape:apple=0",
            says="every cost is 0")


@test
def data_files_of_one_name_are_told_apart():
    for folder in "a", "b":
        os.mkdir(folder)
        put(f"{folder}/d.csv", SMALL)
    heft("evaluate", "a/d.csv", "b/d.csv", "-m", "nb", "--cv", "2", "-q", "--predictions", "p.csv")
    same({line.split(",")[0] for line in open("p.csv").read().splitlines()[1:]}, {"a/d.csv", "b/d.csv"}, "names")


if __name__ == "__main__":
    raise SystemExit(harness.main())
