#!/usr/bin/env python3
"""explain --csv, predict --reasons, and the files that explain and predict need: reasons.py HEFT [NAME...]"""
import csv
import io
import json
import math
import os
import sys

from harness import EXAMPLES, SMALL, Run, figures, heft, main, model, predictions, put, refused, require, same, test

LOANS, IRIS = EXAMPLES / "loans.csv", EXAMPLES / "iris.csv"
ODD = 'a,b', 'say "x"', 'two\nlines', 'p x q', ' edge '
NAMES = [f"{odd} of" for odd in ODD[:4]]


def table(text):
    return list(csv.reader(io.StringIO(text)))


def softmax(scores):
    most = max(scores)
    e = [math.exp(s - most) for s in scores]
    return [x / sum(e) for x in e]


def scores_of(lines, n_classes):
    """Sums of the terms of explain --csv, by row."""
    sums = {}
    for line in lines[1:]:
        row = sums.setdefault(int(line[0]), [0.0] * n_classes)
        for c, score in enumerate(line[3:]):
            row[c] += float(score)
    return sums


def reason_texts(row):
    """What predict --reasons should say, from the JSON of explain."""
    attributes = sorted(row["attributes"], key=lambda a: -abs(a["log_odds"]))
    for a in attributes:
        value = a["value"]
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        yield f"{a['name']}={'?' if value is None else value}", a["log_odds"]


def require_reasons(model_name, data, *rule):
    """The reasons of every row are explain's figures, in the order of their size."""
    explained = json.loads(heft("explain", model_name, data, "--json", "-").out)
    n = len(explained[0]["attributes"])
    head, *rows = predictions(model_name, data, "-q", "--reasons", n + 1, *rule)
    same(head, ["predicted", *(f"reason_{k + 1}" for k in range(n + 1))], "header")
    same(len(rows), len(explained), "rows")
    for row, told in zip(rows, explained):
        same(row[0], told["predicted"], "predicted")
        same(row[-1], "", "there are no more attributes")
        for cell, (name, odds) in zip(row[1:], reason_texts(told)):
            require(cell.startswith(name + " ") and cell[len(name) + 1] in "+-", f"{cell!r}: not {name!r}")
            require(abs(float(cell[len(name) + 1:]) - odds) < 0.00501, f"{cell!r}: {odds}")


# ---- explain --csv ----

@test
def terms_add_up_to_the_score():
    """Whatever the method and the calibration: the softmax of the sums is the probability."""
    with open(LOANS, encoding="utf-8") as file:
        put("few.csv", "".join(file.readlines()[:31]))
    asked = [("nb",), ("gnb",), ("cawnb",), ("tan",), ("lwnb",), ("auto",), ("auto", "--calibrate", "vector"),
             ("nb", "--calibrate", "vector"), ("nb", "--calibrate", "temperature"), ("nb", "--threshold", "no=0.2")]
    for data, few, n_classes in ((LOANS, "few.csv", 2), (IRIS, IRIS, 3)):
        for method, *more in asked:
            if "--threshold" in more and n_classes == 3:
                continue
            heft("train", data, "-q", "-m", method, *more, "-o", "m")
            names, *rows = predictions("m", few, "-q", "--proba")
            lines = table(heft("explain", "m", few, "--csv", "-").out)
            same(lines[0], ["row", "term", "value", *(f"score({name[2:-1]})" for name in names[1:])], "header")
            terms = [line[1] for line in lines[1:] if line[0] == "1"]
            same([line[1] for line in lines[1:]], terms * len(rows), f"{method}: every row has the same terms")
            for i, sums in scores_of(lines, n_classes).items():
                for p, q in zip(softmax(sums), rows[i - 1][1:]):
                    require(abs(p - float(q)) < 1e-9, f"{method} {more} row {i}: {p} is not {q}")


@test
def terms_are_in_the_order_of_the_table():
    heft("train", LOANS, "-q", "-o", "m")
    with open(LOANS, encoding="utf-8") as file:
        given = list(csv.reader(file))
    told = json.loads(heft("explain", "m", LOANS, "--row", 1, "--json", "-").out)
    lines = [line for line in table(heft("explain", "m", LOANS, "--csv", "-").out)[1:] if line[0] == "1"]
    joint = told["attribute_pairs"] + told["attribute_triples"]
    same([line[1] for line in lines],
         ["(prior)", *given[0][:-1], *(" x ".join(term["attributes"]) for term in joint)], "terms")
    parts = [told["prior"], *({"parts": a["alone"]} for a in told["attributes"]), *joint]
    for line, part in zip(lines, parts):
        same([float(x) for x in line[3:]], part["parts"], line[1])
    cells = dict(zip(given[0], given[1]))
    same(cells["age"], "", "the first age is missing")
    for line in lines:
        names = line[1].split(" x ")
        values = [cells[name] or "?" for name in names] if len(names) > 1 else [cells.get(line[1], "")]
        same(line[2], ", ".join(values), line[1])
    only = heft("explain", "m", LOANS, "--row", 7, "--csv", "-").out
    same(table(only)[1:], [line for line in table(heft("explain", "m", LOANS, "--csv", "-").out) if line[0] == "7"], "--row")
    same(heft("explain", "m", LOANS, "--row", 7, "--csv", "t.csv").out, "", "no text beside the file")
    same(open("t.csv", encoding="utf-8").read(), only, "file")


@test
def a_score_of_log_zero_is_written():
    """A class that is declared and has no rows."""
    put("zero.arff", "@relation z\n@attribute a {p,q}\n@attribute kind {x,y,z}\n@data\n" + "p,x\n" * 5 + "q,y\n" * 5)
    heft("train", "zero.arff", "-q", "-m", "nb", "--prior", "frequency", "-o", "m")
    lines = table(heft("explain", "m", "zero.arff", "--row", 1, "--csv", "-").out)
    same(lines[0], ["row", "term", "value", "score(x)", "score(y)", "score(z)"], "header")
    same(lines[1][5], "-inf", "the prior of the class without rows")


@test
def names_and_values_are_quoted():
    """Commas, quotes, line ends and ' x ' in names and values."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([*NAMES, "kind, of"])
    for i in range(40):
        writer.writerow([ODD[(i + k) % 5 if k % 2 else i % 3] for k in range(4)] + [('y"es', "n,o")[i % 3 == 0]])
    put("odd.csv", out.getvalue())
    for method in ("nb", "auto"):
        heft("train", "odd.csv", "-q", "-m", method, "-o", "m")
        lines = table(heft("explain", "m", "odd.csv", "--csv", "-").out)
        same(sorted(lines[0][3:]), ["score(n,o)", 'score(y"es)'], "classes")
        require(all(len(line) == 5 for line in lines), "five cells each")
        same([line[1] for line in lines[1:6]], ["(prior)", *NAMES[:3], f'"{NAMES[3]}"'], "a name with ' x ' is no pair")
        same(lines[2][2], "a,b", "value")
        given = table(put_back("odd.csv"))[1:]
        head, *rows = predictions("m", "odd.csv", "-q", "--reasons", 4)
        same(head, ["predicted", "reason_1", "reason_2", "reason_3", "reason_4"], "header")
        for row, cells in zip(rows, given):
            said = {cell.rsplit(" ", 1)[0] for cell in row[1:]}
            same(said, {f"{name}={value.strip()}" for name, value in zip(NAMES, cells)}, "attributes with their values")


def put_back(name):
    with open(name, encoding="utf-8", newline="") as file:
        return file.read()


@figures
def many_rows_are_read_in_blocks():
    """Numbers of rows go on, and neither threads nor blocks nor a limit on memory change a byte."""
    with open(LOANS, encoding="utf-8") as file:
        head, *lines = file.readlines()
    put("big.csv", head + "".join(lines) * 300)
    require(os.path.getsize("big.csv") > 8 << 20, "several blocks")
    heft("train", LOANS, "-q", "-m", "nb", "-o", "m")
    for command in (["explain", "m", "big.csv", "--csv", "o.csv"], ["predict", "m", "big.csv", "--reasons", 2, "-o", "o.csv"]):
        texts = set()
        for more in (["--threads", 1], ["--threads", 3], ["--memory", "64M"]):
            heft(*command, "-q", *more)
            texts.add(put_back("o.csv"))
        same(len(texts), 1, f"{command[0]}: one text")
    with open("big.csv", "rb") as file:
        lines = heft("explain", "m", "-", "--format", "csv", "--csv", "-", stdin=file.read()).out.splitlines()[1:]
    same(len(lines), 180000 * 9, "lines")
    same([line.split(",", 1)[0] for line in lines[::9]], [str(i + 1) for i in range(180000)], "row")
    same([line.split(",", 1)[1] for line in lines[-600 * 9:]], [line.split(",", 1)[1] for line in lines[:600 * 9]],
         "the same rows again")


# ---- predict --reasons ----

@test
def reasons_are_the_figures_of_explain():
    for data in (LOANS, IRIS):
        for method in ("nb", "auto", "tan"):
            heft("train", data, "-q", "-m", method, "-o", "m")
            require_reasons("m", data)
    heft("train", LOANS, "-q", "--calibrate", "vector", "-o", "m")
    require_reasons("m", LOANS)


@test
def reasons_speak_for_the_class_that_a_rule_chose():
    """With a threshold the predicted class may be the less probable one."""
    heft("train", LOANS, "-q", "-m", "nb", "--threshold", "no=0.1", "-o", "m")
    require_reasons("m", LOANS)
    with_rule = predictions("m", LOANS, "-q", "--reasons", 1)
    usual = predictions("m", LOANS, "-q", "--reasons", 1, "--threshold", "no=0.5")
    turned = 0
    for a, b in zip(with_rule[1:], usual[1:]):
        if a[0] != b[0]:
            turned += 1
            flipped = {"+": "-", "-": "+"}
            at = a[1].rindex(" ") + 1
            same(a[1][:at] + flipped[a[1][at]] + a[1][at + 1:], b[1], "the other class, the other sign")
    require(turned > 20, f"{turned} rows")


@test
def reasons_come_last():
    put("small.csv", SMALL)
    model()
    head, *rows = predictions("m.heft", "small.csv", "-q", "--reasons", 2, "--proba", "--actual", "--keep", "size")
    same(head, ["size", "actual", "predicted", "P(apple)", "P(grape)", "reason_1", "reason_2"], "columns")
    plain = predictions("m.heft", "small.csv", "-q", "--proba", "--actual", "--keep", "size")
    same([row[:5] for row in rows], plain[1:], "what stands before them")
    put("new.csv", "size,colour\n,purple\n")
    said = predictions("m.heft", "new.csv", "-q", "--reasons", 2)[1][1:]
    same({cell.split(" ")[0] for cell in said}, {"size=?", "colour=purple"}, "missing, and never seen")


@test
def what_cannot_be_explained_is_refused():
    model()
    heft("train", "small.csv", "-q", "-m", "aode", "-o", "a.heft")
    says = "method aode is not a sum over attributes.*use another method"
    refused("predict", "a.heft", "small.csv", "--reasons", 2, says=says)
    refused("predict", "a.heft", "small.csv", "--reasons", 2, "-o", "o.csv", says=says)
    refused("explain", "a.heft", "small.csv", "--csv", "-", says=says)
    for n in ("0", "-1", "x", "1.5", ""):
        refused("predict", "m.heft", "small.csv", "--reasons", n, status=2, says="--reasons takes a whole number .1 or more.")
    refused("predict", "m.heft", "small.csv", "--reasons", 1001, says="--reasons: 1001 is more than 1000")
    refused("explain", "m.heft", "small.csv", "--csv", "t.csv", "--json", "-", status=2, says="--csv cannot be combined with --json")
    refused("explain", "m.heft", "small.csv", "--csv", "t.csv", "--top", 3, status=2, says="--csv cannot be combined with --top")
    refused("explain", "m.heft", "small.csv", "--csv", "t.csv", "--row", 21, says="there is no row 21 .the file has 20 rows.")
    refused("explain", "m.heft", "small.csv", "--csv", "small.csv", status=2, says="would be overwritten")


@test
def the_file_that_is_missing_is_named():
    model()
    for command in ("explain", "predict"):
        refused(command, "absent", status=2, says=f"{command} needs DATA, .*absent is taken for MODEL.: heft {command} MODEL DATA")
        refused(command, "m.heft", status=2, says="needs DATA, the file with the rows .m.heft is taken for MODEL")
        refused(command, "small.csv", status=2, says="needs MODEL, the file that train wrote .small.csv is not a model")
        same(Run([command, "absent", "small.csv"]).err, "heft: error: absent: cannot open: No such file or directory\n", command)


if __name__ == "__main__":
    sys.exit(main())
