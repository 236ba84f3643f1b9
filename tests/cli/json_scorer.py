#!/usr/bin/env python3
"""Scores rows from exported JSON alone, by the rules that stand in the file: json_scorer.py HEFT [NAME...].

Every method that exports JSON, with missing and unseen values, point masses and classes of prior 0, gives the
probabilities of `predict`.
"""
import csv
import io
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import harness  # noqa: E402
from asked_rows import dependent_models, tables, three_way_tables  # noqa: E402
from harness import Run, heft, method_names, require, same, test  # noqa: E402

LARGEST = sys.float_info.max


def tail(z):
    return 0.5 * math.erfc(z * math.sqrt(0.5))


def divided(a, b):
    return a / b if b else math.nan if a == 0 or a != a else math.copysign(math.inf, a)


def exponential(a):
    return math.exp(a) if a < 709 else math.inf


def logarithm(a):
    return math.log(a) if a > 0 else math.nan if a != 0 else -math.inf


# Operators on elements. None is a missing number, and so is NaN, which Python compares in the same way.
ELEMENTS = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": divided,
    "min": lambda a, b: a if a < b else b, "max": lambda a, b: a if a > b else b, "abs": abs, "exp": exponential,
    "log": logarithm, "square": lambda a: min(abs(a), 1e140) ** 2 if a == a else 1e280,
    "round": lambda a: float(round(a)) if math.isfinite(a) else a, "tail": lambda a: tail(a),
    "if_less": lambda a, b, c, d: c if a < b else d, "if_equal": lambda a, b, c, d: c if a == b else d,
    "if_missing": lambda a, b, c: b if a != a else c,
}


def number(x):
    return math.nan if x is None else x


def log_sum(scores):
    top = max(scores)
    return top if math.isinf(top) else top + math.log(math.fsum(math.exp(s - top) for s in scores))


def cell_code(attribute, text):
    if text == "":
        return attribute["missing"]
    return attribute["values"].index(text) if text in attribute["values"] else attribute["unseen"]


def scaled(x, shift, factor):
    y = (x - shift) * factor
    if math.isinf(y) or (y != y and x == x):
        y = max(-LARGEST, min(LARGEST, (x / 2 - shift / 2) * factor * 2))
    return y


def unit(column):
    length = math.hypot(*(x for x in column if x == x))
    return [x / length if length else x for x in column]


def interval(x, cuts):
    return len(cuts) + 1 if x != x else sum(cut is None or cut < x for cut in cuts)


def cell_of(cell, maps, codes):
    at = maps[cell["maps"][0]][codes[cell["from"][0]]] * cell["times"] + maps[cell["maps"][1]][codes[cell["from"][1]]]
    if "keys" not in cell:
        return at
    return cell["keys"].index(at) if at in cell["keys"] else len(cell["keys"])


def leaf_of(splits, n, codes):
    at = first = 0
    while n > 1:
        row, left, *where = splits[first]
        code = codes[row]
        if code in where[0] if isinstance(where[0], list) else code < where[0] or code in where[1:]:
            n, first = left, first + 1
        else:
            at, n, first = at + left, n - left, first + left
    return at


def leaves(node, codes):
    first, out = 0, []
    for n in node["leaves"]:
        out.append(leaf_of(node["splits"][first:first + n - 1], n, codes))
        first += n - 1
    return out


def kernel(rule, x):
    if not rule["points"]:
        return 0.0
    if x != x:
        return x
    parts = [m - min(abs(x - p) / rule["width"], 1e140) ** 2 / 2 for p, m in zip(rule["points"], rule["log_mass"])]
    return log_sum(parts) - math.log(rule["width"]) - math.log(2 * math.pi) / 2


def decision(node, x):
    if node["rule"] == "threshold":
        return node["class"] if x[node["class"]] >= node["threshold"] else 1 - node["class"]
    return x.index(max(x) if node["rule"] == "largest" else min(x))


def result(score, node, known, row):
    """The matrix of a node, as a list of rows, from those that it reads."""
    op, (rows, columns) = node["op"], node["size"]
    ins = [known[k] for k in node.get("in", [])]
    column = [line[0] for line in ins[0]] if ins else []
    names = [score["attributes"][j] for j in node.get("attributes", [])]
    if op in ELEMENTS:
        return [[ELEMENTS[op](*(m[i if len(m) > 1 else 0][c if len(m[0]) > 1 else 0] for m in ins))
                 for c in range(columns)] for i in range(rows)]
    if op == "numbers":
        cells = [math.nan if row[a["name"]] == "" else float(row[a["name"]]) for a in names]
        return [[number(fill) if x != x else x] for x, fill in zip(cells, node.get("fill", [None] * rows))]
    if op == "codes":
        return [[cell_code(a, row[a["name"]])] for a in names]
    if op in ("constant", "gather"):
        flat = [number(x) for x in node["numbers"]] if op == "constant" else [column[k] for k in node["rows"]]
        return [flat[i * columns:(i + 1) * columns] for i in range(rows)]
    if op == "unit":
        return [[x] for x in unit(column)]
    if op == "scale":
        return [[scaled(*line)] for line in zip(column, node["shift"], node["factor"])]
    if op == "cut":
        return [[interval(column[k], cuts)] for k, cuts in zip(node["from"], node["cuts"])]
    if op == "cell":
        return [[cell_of(cell, node["maps"], column)] for cell in node["cells"]]
    if op == "leaf":
        return [[at] for at in leaves(node, column)]
    if op == "lookup":
        return [table[column[k] * columns:(column[k] + 1) * columns] for k, table in zip(node["from"], node["tables"])]
    if op == "kernel":
        return [[kernel(node["kernels"][i * columns + c], column[i]) for c in range(columns)] for i in range(rows)]
    if op == "join":
        return [line for matrix in ins for line in matrix]
    if op == "pick":
        return [ins[0][k] for k in node["rows"]]
    if op == "columns":
        return [[0.0 if c is None else line[c] for c in node["columns"]] for line in ins[0]]
    if op == "turn":
        return [list(line) for line in zip(*ins[0])]
    if op == "sum":
        start = node.get("start", [0.0] * columns)
        return [[s + math.fsum(line[c] for line in ins[0]) for c, s in enumerate(start)]]
    if op == "log_sum":
        return [[log_sum([line[c] for line in ins[0]]) for c in range(columns)]]
    if op == "softmax":
        top = max(ins[0][0])
        parts = [math.exp(s - top) for s in ins[0][0]]
        return [[p / sum(parts) for p in parts]]
    require(op == "decide", op)
    return [[decision(node, ins[0][0])]]


def scored(model, row):
    """The matrices of all nodes for a row, a dictionary of texts."""
    known = []
    for node in model["score"]["nodes"]:
        known.append(result(model["score"], node, known, row))
        same([len(known[-1]), len(known[-1][0])], node["size"], node["op"])
    return known


def probabilities(model, row):
    return scored(model, row)[model["score"]["probabilities"]][0]


def compare(what, rows, text=""):
    """Every row of ask.csv gets the probabilities of predict. Returns the exported model."""
    model = json.loads(text or heft("export", "m.heft", "--to", "json").out)
    score = model["score"]
    told = {rule.split(":")[0] for rule in score["rules"]}
    require({node["op"] for node in score["nodes"]} <= told, f"operators without a rule: {told}")
    predicted = list(csv.reader(io.StringIO(heft("predict", "m.heft", "ask.csv", "--proba", "-q").out)))
    require(predicted[0][1:] == [f"P({c})" for c in model["classes"]], f"{predicted[0]}")
    for i, (row, line) in enumerate(zip(rows, predicted[1:])):
        known = scored(model, row)
        own = known[score["probabilities"]][0]
        worst = max(abs(a - float(b)) for a, b in zip(own, line[1:]))
        require(worst < 1e-10, f"{what} row {i + 1}: {own} against {line}")
        label = model["classes"][known[score["decision"]][0][0]]
        require(label == line[0], f"{what} row {i + 1}: {label} by the rule, {line}")
        if "evidence" in score:
            same(len(known[score["evidence"]]), len(score["terms"]), "terms")
    return model


@test
def json_is_all_that_scoring_takes():
    rows = tables()
    methods = method_names()
    tried = 0
    settings = [[], ["--prior", "a=0.5,b=0.5,c=0"], ["--unseen", "zero"], ["--impute", "mean"], ["--discretize", "none"],
                ["-p", "link=2"], ["--calibrate", "vector"], ["--cost", "a:b=3,b:c=0.2,c:a=7"]]
    for method in methods:
        for more in settings:
            if Run(["train", "train.csv", "-o", "m.heft", "-m", method, "-q", *more]).status:
                continue
            exported = Run(["export", "m.heft", "--to", "json"])
            if exported.status:
                continue
            compare(f"{method} {more}", rows, exported.out)
            tried += 1
    require(tried >= 60, f"only {tried} models were compared")


@test
def several_sums_are_in_the_file():
    for what, rows in dependent_models():
        model = compare(what, rows)
        sums = sum("start" in node for node in model["score"]["nodes"])
        require((sums > 1) == (not what.startswith("tan") and "one value" not in what), f"{sums} sums of {what}")


@test
def evidence_adds_up_to_the_score():
    rows = tables()
    for method in ("nb", "cfwnb", "auto"):
        heft("train", "train.csv", "-o", "m.heft", "-m", method, "-q")
        model = compare(method, rows)
        score = model["score"]
        begin = next(node for node in score["nodes"] if node["op"] == "sum" and "start" in node)["start"]
        same({name for term in score["terms"] if term != "trees" for name in term} <= {a["name"] for a in score["attributes"]},
             True, "names of terms")
        for row in rows[:20]:
            known = scored(model, row)
            total = [s + math.fsum(line[c] for line in known[score["evidence"]]) for c, s in enumerate(begin)]
            parts = [math.exp(s - max(total)) for s in total]
            for p, q in zip(known[score["probabilities"]][0], parts):
                require(abs(p - q / sum(parts)) < 1e-10, f"{method}: {p} {q}")


@test
def trees_are_in_the_file():
    seen = set()
    for classes in ("no", "abcd"):
        rows = three_way_tables(classes)
        rules = [["--cost", "a:d=9"]]
        if classes == "no":
            rules = [["--threshold", "n=0.2"], ["--tune", "mcc"], ["--tune", "cost", "--cost", "o:n=4"]]
        for more in (*rules, [], ["--unseen", "zero"], ["-p", "effort=full", "-p", "order=2"], ["-p", "order=any"], ["--impute", "mean"],
                     ["--discretize", "frequency:6"], ["--scale", "unit"], ["--scale", "minmax", "--unseen", "zero"],
                     ["--calibrate", "vector"], ["-p", "effort=count"]):
            heft("train", "train.csv", "-o", "m.heft", "-m", "auto", "-q", *more)
            model = compare(f"{classes} {more}", rows)
            trees = [node for node in model["score"]["nodes"] if node["op"] == "leaf"]
            require(bool(trees) == (more != ["-p", "effort=count"]), f"{len(trees)} trees for {more}")
            for split in (s for node in trees for s in node["splits"]):
                seen.add("list" if isinstance(split[2], list) else "missing goes left" if len(split) > 3 else "below")
    same(seen, {"list", "missing goes left", "below"}, "kinds of splits")


if __name__ == "__main__":
    sys.exit(harness.main())
