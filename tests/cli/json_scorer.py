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

MISSING, UNSEEN = "missing", "unseen"  # cells of nominal terms


def cell_of(term, text, unseen_zero):
    """A line for nominal terms, a number otherwise (NaN: missing)."""
    if term["kind"] == "nominal":
        if text == "":
            return int(term["fill"]) if "fill" in term else MISSING
        if text in term["values"]:
            return term["values"].index(text)
        return UNSEEN if unseen_zero else int(term["fill"]) if "fill" in term else MISSING
    x = math.nan if text == "" else float(text)
    return term["fill"] if math.isnan(x) and "fill" in term else x


def prepared(model, row):
    """The cells of a row; numbers are scaled."""
    terms, how = model["score"]["terms"], model.get("preparation", {})
    cells = [cell_of(term, row[term["name"]], how.get("unseen") == "zero") for term in terms]
    numeric = [j for j, term in enumerate(terms) if term["kind"] == "numeric"]
    if how.get("scale") == "unit":
        length = math.hypot(*(cells[j] for j in numeric if not math.isnan(cells[j])))
        for j in numeric:
            cells[j] = cells[j] / length if length else cells[j]
    for j in numeric:
        cells[j] = (cells[j] - terms[j]["shift"]) * terms[j]["factor"]
    return cells


def line_of(term, cell, lines):
    """The line of a table: the value, or the interval that the number falls in."""
    if term["kind"] == "nominal":
        return {MISSING: lines - 2, UNSEEN: lines - 1}.get(cell, cell)
    if math.isnan(cell):
        return lines - 2
    v = sum(cut < cell for cut in term["cuts"])
    first = term.get("first_interval", 0)
    return 0 if v == first else first if v == 0 else v


def tail(z):
    return 0.5 * math.erfc(z * math.sqrt(0.5))


def log_likelihood(term, cell, k):
    density = term["density"]
    if density == "table":
        return term["log_likelihood"][line_of(term, cell, len(term["log_likelihood"]))]
    if density == "none" or math.isnan(cell):
        return [0.0] * k
    if density == "normal":
        return [-math.log(sd) - math.log(2 * math.pi) / 2 - ((cell - mean) / sd) ** 2 / 2 if sd
                else 0.0 if cell == mean else math.log(1e-10) for mean, sd in zip(term["mean"], term["sd"])]
    if density == "rounded":
        q = term["precision"]
        near = round(cell / q) * q
        out = []
        for mean, sd in zip(term["mean"], term["sd"]):
            lo, hi = (near - mean - q / 2) / sd, (near - mean + q / 2) / sd
            mass = tail(lo) - tail(hi) if lo > 0 else tail(-hi) - tail(-lo)
            out.append(math.log(max(mass, 1e-75)))
        return out
    require(density == "kernel", density)
    out = []
    for width, points, mass in zip(term["width"], term["points"], term["log_mass"]):
        parts = [m - ((cell - p) / width) ** 2 / 2 for p, m in zip(points, mass)]
        top = max(parts, default=0)
        out.append(top + math.log(math.fsum(math.exp(p - top) for p in parts)) - math.log(width)
                   - math.log(2 * math.pi) / 2 if parts else None)
    known = [x for x in out if x is not None]
    return [sum(known) / len(known) if x is None else x for x in out]


def shared_sum(model, score, terms, cells):
    """The sum over the terms; or the votes of the pairs of classes."""
    k = len(model["classes"])
    likelihoods = [log_likelihood(t, c, k) for t, c in zip(terms, cells)]
    prior = [-math.inf if p is None else p for p in score["log_prior"]]
    if "pairs" in model:
        votes = [0.0] * k
        for pair in model["pairs"]:
            a, b = (model["classes"].index(c) for c in pair["classes"])
            margin = pair["prior_weight"] * (prior[a] - prior[b])
            margin += math.fsum(w * (l[a] - l[b]) for w, l in zip(pair["weights"], likelihoods))
            vote = 1 / (1 + math.exp(-margin)) if margin > -700 else 0.0
            votes[a] += vote
            votes[b] += 1 - vote
        return [math.log(v / len(model["pairs"])) if v > 0 else -math.inf for v in votes]
    out = [score["prior_weight"] * p + b for p, b in zip(prior, score.get("bias", [0] * k))]
    for term, cell, line in zip(terms, cells, likelihoods):
        for c in range(k):
            if "value_weights" in term:
                v = line_of(term, cell, len(term["log_likelihood"]))
                weight = term["value_weights"][v] if v < len(term["value_weights"]) else 1
            else:
                weight = term["weights"][c] if "weights" in term else 1
            out[c] += weight * line[c]
    return out


def goes_left(split, term, cell):
    if cell == MISSING or cell != cell:
        return split["missing"] == "left"
    if cell == UNSEEN:
        return split["unseen"] == "left"
    if "values" in split:
        return term["values"][cell] in split["values"]
    if "intervals" in split:
        return line_of(term, cell, len(term["evidence"])) in split["intervals"]
    return split["up_to"] is not None and cell <= split["up_to"]


def own_sum(score, terms, cells):
    """Evidence of terms, of pairs of attributes and of trees."""
    out = [-math.inf if s is None else s for s in score["start"]]
    lines = {}
    for term, cell in zip(terms, cells):
        n_codes = len(term["values"] if term["kind"] == "nominal" else term["cuts"] + [None])
        line = lines[term["name"]] = line_of(term, cell, n_codes + 2)
        if "evidence" not in term:
            continue
        same(len(term["evidence"]), n_codes + 2, "lines")
        z = 0.0
        if "slope" in term and not math.isnan(cell):
            z = min(4.0, max(-4.0, (cell - term["mean"]) / term["sd"]))
        for c, e in enumerate(term["evidence"][line]):
            out[c] += e + (term["slope"][c] * z if "slope" in term else 0)
    for pair in score["attribute_pairs"]:
        i, j = pair["attributes"]
        cell = pair["view_i"][lines[i]] * pair["codes"] + pair["view_j"][lines[j]]
        if "cells" in pair:
            if cell not in pair["cells"]:
                continue
            cell = pair["cells"].index(cell)
        for c, e in enumerate(pair["evidence"][cell]):
            out[c] += e
    by_name = {term["name"]: (term, cell) for term, cell in zip(terms, cells)}
    for node in score.get("trees", []):
        while isinstance(node, dict):
            node = node["left" if goes_left(node, *by_name[node["attribute"]]) else "right"]
        for c, e in enumerate(node):
            out[c] += e
    return out


def sum_of(model, score, terms, cells):
    return shared_sum(model, score, terms, cells) if "log_prior" in score else own_sum(score, terms, cells)


def log_sum(scores):
    top = max(scores)
    return top if math.isinf(top) else top + math.log(math.fsum(math.exp(s - top) for s in scores))


def combined(model, base, cells):
    """The further sums; how they are combined stands in the rules."""
    score = model["score"]
    how = next(rule for rule in score["rules"] if rule.startswith("sums: "))
    own = ("evidence", "density", "log_likelihood", "mean", "sd", "weights", "value_weights")
    sums = []
    for one in score["sums"]:
        added = {term["name"]: term for term in one["terms"]}
        terms = [{**{key: value for key, value in term.items() if key not in own}, "density": "none",
                  **added.get(term["name"], {})} for term in score["terms"]]
        sums.append(sum_of(model, one, terms, cells))
    k = range(len(base))
    if "mixing" in how:
        logs = [[math.log(share) + s - log_sum(scores) for s in scores]
                for share, scores in zip(score["mixing"], [base, *sums])]
        return [log_sum([line[c] for line in logs]) for c in k]
    if "-1e29" in how:
        sums = [line for line in sums if line[0] >= -1e29]
        return [log_sum([line[c] for line in sums]) for c in k] if sums else base
    return [base[c] + math.fsum(math.log(max(line[c], 1e-18)) for line in sums) for c in k]


def probabilities(model, row):
    cells = prepared(model, row)
    scores = sum_of(model, model["score"], model["score"]["terms"], cells)
    if "sums" in model["score"]:
        scores = combined(model, scores, cells)
    if "calibration" in model:
        scale, shift = model["calibration"]["scale"], model["calibration"]["shift"]
        if model["preparation"]["calibrate"] == "vector":
            scores = [s - log_sum(scores) for s in scores]
        scores = [a * s + b for a, s, b in zip(scale, scores, shift)]
    top = max(scores)
    parts = [math.exp(s - top) for s in scores]
    return [p / sum(parts) for p in parts]


def predicted_class(model, proba):
    """By the last of the rules."""
    classes, rule = model["classes"], model.get("decision", {"rule": "most probable"})
    if rule["rule"] == "threshold":
        chosen = classes.index(rule["class"])
        return classes[chosen if proba[chosen] >= rule["threshold"] else 1 - chosen]
    if rule["rule"] == "cost":
        expected = [sum(p * cost[c] for p, cost in zip(proba, rule["cost"])) for c in range(len(classes))]
        return classes[expected.index(min(expected))]
    return classes[proba.index(max(proba))]


def compare(what, rows, text=""):
    """Every row of ask.csv gets the probabilities of predict. Returns the exported model."""
    model = json.loads(text or heft("export", "m.heft", "--to", "json").out)
    require(len(model["score"]["rules"]) > 3, "rules")
    predicted = list(csv.reader(io.StringIO(heft("predict", "m.heft", "ask.csv", "--proba", "-q").out)))
    require(predicted[0][1:] == [f"P({c})" for c in model["classes"]], f"{predicted[0]}")
    for i, (row, line) in enumerate(zip(rows, predicted[1:])):
        own = probabilities(model, row)
        worst = max(abs(a - float(b)) for a, b in zip(own, line[1:]))
        require(worst < 1e-10, f"{what} row {i + 1}: {own} against {line}")
        label = predicted_class(model, [float(p) for p in line[1:]])
        require(label == line[0], f"{what} row {i + 1}: {label} by the rule, {line}")
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
        require(("sums" in model["score"]) == (not what.startswith("tan") and "one value" not in what), f"sums of {what}")


def splits_of(node):
    if isinstance(node, dict):
        yield node
        yield from splits_of(node["left"])
        yield from splits_of(node["right"])


@test
def trees_are_in_the_file():
    seen = set()
    for classes in ("no", "abcd"):
        rows = three_way_tables(classes)
        rules = [["--cost", "a:d=9"]]
        if classes == "no":
            rules = [["--threshold", "n=0.2"], ["--tune", "mcc"], ["--tune", "cost", "--cost", "o:n=4"]]
        for more in (*rules, [], ["--unseen", "zero"], ["-p", "effort=full", "-p", "order=2"], ["--impute", "mean"],
                     ["--discretize", "frequency:6"], ["--scale", "unit"], ["--scale", "minmax", "--unseen", "zero"],
                     ["--calibrate", "vector"], ["-p", "effort=count"]):
            heft("train", "train.csv", "-o", "m.heft", "-m", "auto", "-q", *more)
            model = compare(f"{classes} {more}", rows)
            trees = model["score"]["trees"]
            require(bool(trees) == (more != ["-p", "effort=count"]), f"{len(trees)} trees for {more}")
            for split in (s for tree in trees for s in splits_of(tree)):
                kind = next(k for k in ("up_to", "values", "intervals") if k in split)
                seen.add((kind, split[kind] is None, split["missing"], split.get("unseen")))
    for kind in (("up_to", False, "left", None), ("up_to", False, "right", None), ("up_to", True, "left", None),
                 ("values", False, "left", None), ("values", False, "right", None),
                 ("values", False, "left", "right"), ("values", False, "right", "right"),
                 ("intervals", False, "left", None), ("intervals", False, "right", None)):
        require(kind in seen, f"no split {kind} among {sorted(map(str, seen))}")


if __name__ == "__main__":
    sys.exit(harness.main())
