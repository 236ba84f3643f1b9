#!/usr/bin/env python3
"""heft evaluate: its measures, the predictions they come from, other ways to split, saved models.

    measures.py HEFT [NAME...]      as harness.py says
"""
import csv
import json
import os
import pathlib

import harness
from harness import EXAMPLES, files, heft, put, refused, require, same, test

try:
    import numpy as np
    from sklearn import metrics
except ImportError:
    metrics = None

IRIS, WINE, LOANS, BREAST = (EXAMPLES / f"{name}.csv" for name in ("iris", "wine", "loans", "breast_cancer"))
PUBLIC = os.environ.get("HEFT_DATA")
WEKA = json.loads((pathlib.Path(__file__).parent / "weka_figures.json").read_text(encoding="utf-8"))


def load(name="r.json"):
    return json.loads(pathlib.Path(name).read_text(encoding="utf-8"))


def table(name):
    with open(name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cells(result):
    for data in result["datasets"]:
        for cell in data["methods"]:
            yield data, cell


def near(found, expected, what, tolerance=1e-12):
    require(abs(found - expected) <= tolerance, f"{what}: {found!r}, expected {expected!r}")


def imbalanced(name="fraud.csv", rows=900):
    """One row in sixty is a fraud, and nothing tells which."""
    put(name, "a,b,fraud\n" + "".join(f"{i * 7 % 13},{i * 5 % 11},{'yes' if i % 60 == 7 else 'no'}\n" for i in range(rows)))


# ---- against others ------------------------------------------------------------------------------

def check_cell(data, cell, rows):
    """Every measure of a cell with one repeat, from its predictions."""
    names = data["class_names"]
    place = {c: k for k, c in enumerate(names)}
    y, g = (np.array([place[row[what]] for row in rows]) for what in ("actual", "predicted"))
    P = np.array([[float(row[f"P({c})"]) for c in names] for row in rows])
    present = [c for c in range(len(names)) if (y == c).any()]
    what = f"{data['name']}, {cell['method']}"
    areas = [metrics.roc_auc_score(y == c, P[:, c]) for c in present]
    precisions = [metrics.average_precision_score(y == c, P[:, c]) for c in present]
    top, best = P.max(axis=1), P.argmax(axis=1)
    bins = np.minimum((top * 10).astype(int), 9)
    truth = np.eye(len(names))[y]
    for name, expected in (
            ("accuracy_pooled", metrics.accuracy_score(y, g)),
            ("balanced_accuracy", metrics.recall_score(y, g, labels=present, average="macro")),
            ("kappa", metrics.cohen_kappa_score(y, g)), ("mcc", metrics.matthews_corrcoef(y, g)),
            ("micro_f1", metrics.f1_score(y, g, average="micro")), ("macro_f1", metrics.f1_score(y, g, average="macro")),
            ("weighted_f1", metrics.f1_score(y, g, average="weighted")),
            ("log_loss", -np.log(np.clip(P[np.arange(len(y)), y], 1e-15, 1)).mean()),
            ("brier", ((P - truth) ** 2).sum(axis=1).mean()), ("baseline", np.bincount(y).max() / len(y)),
            ("auc", areas[1] if len(names) == 2 else np.mean(areas)),  # as scikit-learn: of the second of two classes
            ("average_precision", precisions[1] if len(names) == 2 else np.mean(precisions)),
            ("macro_average_precision", np.mean(precisions)),
            ("calibration_error", sum(abs((best == y)[bins == k].sum() - top[bins == k].sum()) for k in range(10)) / len(y))):
        near(cell[name], expected, f"{what}: {name}")
    same(metrics.confusion_matrix(y, g, labels=range(len(names))).tolist(), cell["confusion"], f"{what}: confusion")
    report = metrics.classification_report(y, g, labels=range(len(names)), target_names=names, output_dict=True,
                                           zero_division=0)
    for k, one in enumerate(cell["per_class"]):
        same((one["class"], one["support"], one["predicted"]), (names[k], (y == k).sum(), (g == k).sum()), what)
        for mine, theirs in (("precision", "precision"), ("recall", "recall"), ("f1", "f1-score")):
            near(one[mine], report[names[k]][theirs], f"{what}: {mine} of {names[k]}")
        if k in present:
            near(one["auc"], areas[present.index(k)], f"{what}: AUC of {names[k]}")
            near(one["average_precision"], precisions[present.index(k)], f"{what}: average precision of {names[k]}")
        else:
            same((one["auc"], one["average_precision"]), (None, 0), f"{what}: {names[k]} does not occur")


@test
def measures_are_those_of_scikit_learn():
    """Twenty data sets: the public ones where they are at hand, else parts of the examples."""
    if not metrics:
        print("        (scikit-learn is not at hand; measures_test.c has stored figures)")
        return
    sets = [IRIS, WINE, LOANS, BREAST]
    if PUBLIC:
        sets += [pathlib.Path(PUBLIC) / f"{name}.arff" for name in (
            "anneal", "autos", "balance-scale", "breast-cancer", "colic", "credit-g", "diabetes", "glass", "heart-c",
            "hepatitis", "ionosphere", "labor", "lymph", "primary-tumor", "sonar", "soybean")]
    else:
        for path in tuple(sets):
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
            for k in range(2, 6):
                put(f"{path.stem}{k}.csv", lines[0] + "".join(lines[k::k]))
                sets.append(f"{path.stem}{k}.csv")
    heft("evaluate", *sets, "-m", "nb,lnb", "--cv", "5", "--json", "r.json", "--predictions", "p.csv")
    rows = {}
    for row in table("p.csv"):
        rows.setdefault((row["data"], row["method"]), []).append(row)
    same(len(rows), 40, "cells")
    for data, cell in cells(load()):
        check_cell(data, cell, rows[data["name"], cell["method"]])


@test
def figures_are_those_of_weka():
    """Weka's naive Bayes on Weka's folds: rates and kappa to the printed decimals, ROC areas nearly."""
    if not PUBLIC:
        print("        (the public data sets are not at hand)")
        return
    paths = [pathlib.Path(PUBLIC) / f"{name}.arff" for name in WEKA]
    heft("evaluate", *paths, "-m", "gnb", "--split", "weka", "--json", "r.json")
    for data, cell in cells(load()):
        weka = WEKA[data["name"]]
        near(cell["kappa"], weka["kappa"], f"{data['name']}: kappa", 0.00005001)
        by = {one["class"]: one for one in cell["per_class"]}
        for name, (tp_rate, _, precision, recall, f1, _, area, _) in weka["classes"].items():
            for mine, theirs in (("recall", tp_rate), ("recall", recall), ("precision", precision), ("f1", f1)):
                if theirs is not None:
                    near(by[name][mine], theirs, f"{data['name']}, {name}: {mine}", 0.0005001)
            if area is not None:
                near(by[name]["auc"], area, f"{data['name']}, {name}: ROC area", 0.003)


# ---- what is written -----------------------------------------------------------------------------

def macro_f1(rows):
    """The mean over the classes that occur as actual or predicted class."""
    pairs = [(r["actual"], r["predicted"]) for r in rows]
    present = {c for pair in pairs for c in pair}
    return sum(2 * pairs.count((c, c)) / (sum(a == c for a, _ in pairs) + sum(p == c for _, p in pairs)) for c in present) / len(present)


@test
def predictions_are_those_that_were_measured():
    heft("evaluate", IRIS, LOANS, "-m", "nb,lcwnb:kappa=3", "--cv", "4", "--repeat", "2", "--json", "r.json",
         "--predictions", "p.csv", "--curves", "c.csv")
    rows = table("p.csv")
    same(list(rows[0]), ["data", "method", "repeat", "fold", "row", "actual", "predicted", "P(setosa)", "P(versicolor)",
                         "P(virginica)", "P(no)", "P(yes)"], "columns: the classes of all data sets")
    same(len(rows), 2 * 2 * (150 + 600), "each row once per repeat and method")
    actual = [line.split(",")[-1] for line in IRIS.read_text(encoding="utf-8").split("\n")[1:151]]
    for row in rows:
        if row["data"] == "iris":
            same((row["P(no)"], row["actual"]), ("", actual[int(row["row"]) - 1]), str(row))
    for data, cell in cells(load()):
        own = [r for r in rows if (r["data"], r["method"]) == (data["name"], cell["method"])]
        right = sum(r["actual"] == r["predicted"] for r in own)
        near(right / len(own), cell["accuracy_pooled"], "pooled accuracy")
        names = data["class_names"]
        matrix = [[sum((r["actual"], r["predicted"]) == (a, p) for r in own) for p in names] for a in names]
        same(matrix, cell["confusion"], "confusion")
        for k in range(8):
            fold = [r for r in own if (r["repeat"], r["fold"]) == (str(1 + k // 4), str(k % 4))]
            near(cell["per_fold_macro_f1"][k], macro_f1(fold), "macro F1 of a fold")
        near(cell["macro_f1_folds"], sum(cell["per_fold_macro_f1"]) / 8, "macro F1 over the folds")
        fold = [r for r in own if (r["repeat"], r["fold"]) == ("2", "1")]
        near(sum(r["actual"] == r["predicted"] for r in fold) / len(fold), cell["per_fold"][5], "a fold")
    heft("evaluate", IRIS, LOANS, "-m", "nb,lcwnb:kappa=3", "--cv", "4", "--repeat", "2", "--json", "r.json",
         "--predictions", "again.csv")  # cells of r.json are computed again
    same(open("again.csv", "rb").read(), open("p.csv", "rb").read(), "the same again")
    check_curves(rows)
    out = heft("evaluate", IRIS, "-m", "nb", "--predictions", "-").out
    require(out.startswith("data,method,repeat") and out.count("\n") == 151, out[:200])


def check_curves(rows):
    """Counts at every distinct probability, the highest first."""
    curves = {}
    for row in table("c.csv"):
        curves.setdefault((row["data"], row["method"], row["class"]), []).append(row)
    same(len(curves), 2 * 3 + 2 * 2, "a curve for each class")
    for (data, method, label), points in curves.items():
        own = [(float(r[f"P({label})"]), r["actual"] == label) for r in rows if (r["data"], r["method"]) == (data, method)]
        same([float(p["threshold"]) for p in points], sorted({p for p, _ in own}, reverse=True), "thresholds")
        for point in points[:: max(1, len(points) // 7)] + points[-1:]:
            at = float(point["threshold"])
            counts = [sum((p >= at) == said and (hit == said) == true for p, hit in own)
                      for said, true in ((True, True), (True, False), (False, True), (False, False))]
            same([int(point[k]) for k in ("tp", "fp", "tn", "fn")], counts, f"{data}, {label} at {at}")


@test
def intervals_hold_the_measures_and_are_resumed():
    args = ["evaluate", IRIS, "-m", "nb", "--repeat", "2", "--intervals", "--json", "r.json"]
    run = heft(*args, "--threads", "1")
    require("95% from" in run.out, run.out)
    first = load()["datasets"][0]["methods"][0]
    for name, (low, high) in first["intervals"].items():
        require(low <= first[name] <= high and (low < high or name == "baseline"), f"{name}: {low} to {high}, {first[name]}")
    same(len(first["intervals"]), 14, "accuracy and every measure but the cost")
    require("1 of 1 result reused" in heft(*args).err, "reused")
    same(load()["datasets"][0]["methods"][0], first, "read back to the last digit")
    heft(*args, "--fresh", "--threads", "2")
    same(load()["datasets"][0]["methods"][0]["intervals"], first["intervals"], "threads")
    same(heft(*args[:-3], "--json", "r.json").err, "", "without intervals it is another result")
    require("intervals" not in load()["datasets"][0]["methods"][0], "not asked for")


@test
def a_class_that_is_never_found_is_told():
    imbalanced()
    run = heft("evaluate", "fraud.csv", IRIS, "-m", "nb,gnb", "--json", "r.json", "--markdown", "t.md", "--latex", "t.tex")
    line = next(line for line in run.out.splitlines() if line.startswith("fraud "))
    require(line.count("!") == 2, run.out)
    require("!" not in next(line for line in run.out.splitlines() if line.startswith("iris ")), run.out)
    require("! no row of a class is predicted right: fraud, nb: class yes (15 rows); fraud, gnb: class yes (15 rows)\n"
            in run.out, run.out)
    for word in ("--threshold, --cost or --tune", "--details"):  # the order of docs/howto/imbalance.md
        require(word in run.out and "--class-weight" not in run.out, f"{word}: {run.out}")
        require(word in run.err, f"the warning before: {run.err}")
    for name in ("t.md", "t.tex"):
        text = open(name, encoding="utf-8").read()
        require(text.count(" !") >= 2 and "class yes (15 rows)" in text, text)
        require("threshold" not in text and "details" not in text, f"documents have no advice: {text}")
    same(load()["datasets"][0]["methods"][0]["balanced_accuracy"], 0.5, "balanced accuracy")
    require("!" not in heft("evaluate", IRIS, "-m", "nb").out, "nothing to tell")


@test
def the_baseline_is_shown_and_results_below_it_are_told():
    run = heft("evaluate", LOANS, "-m", "nb,lnb", "--json", "r.json", "--csv", "r.csv")
    line = next(line for line in run.out.splitlines() if line.startswith("loans "))
    same(line.split()[-1], "67.83", "the last column")
    require("\nbaseline: always the most frequent class, yes\n" in run.out and "Not above" not in run.out, run.out)
    near(load()["datasets"][0]["methods"][0]["baseline"], 407 / 600, "JSON")
    near(float(table("r.csv")[0]["baseline"]), 407 / 600, "CSV")
    same(load()["datasets"][0]["positive"], "yes", "the positive class")
    imbalanced()
    run = heft("evaluate", "fraud.csv", "-m", "gnb", "--json", "r.json")
    (_, cell), = cells(load())
    yes = next(one for one in cell["per_class"] if one["class"] == "yes")
    lines = [line.split() for line in run.out.splitlines() if line.startswith("fraud")]
    same([line[-2] for line in lines[:3]], [f"{100 * yes[k]:.2f}" for k in ("recall", "precision", "average_precision")],
         "the rare class comes first")
    same((lines[2][1:5], lines[2][-1]), (["average", "precision", "of", "yes"], "1.67"), "and what guessing gives")
    require(f"Not above the baseline: fraud, gnb ({100 * cell['accuracy_pooled']:.2f} against 98.33)" in run.out, run.out)
    for option in ((), ("--details",)):
        require("\nbaseline " in heft("evaluate", LOANS, "-m", "nb", *option).out, "among the measures")


@test
def the_positive_class_has_auc_and_average_precision():
    heft("evaluate", LOANS, "-m", "nb", "--json", "r.json")
    heft("evaluate", LOANS, "-m", "nb", "--positive", "no", "--json", "n.json")
    (_, second), = cells(load())
    (named, positive), = cells(load("n.json"))
    same((named["class_names"], named["positive"]), (["rest", "no"], "no"), "the class that is named")
    for cell, k in ((second, 1), (positive, 1)):
        for name in ("auc", "average_precision"):
            near(cell[name], cell["per_class"][k][name], name)
        near(cell["macro_average_precision"], sum(c["average_precision"] for c in cell["per_class"]) / 2, "mean")
    require(abs(second["average_precision"] - positive["average_precision"]) > 0.05, "they differ")
    require("average precision (no)" in heft("evaluate", LOANS, "-m", "nb", "--positive", "no").out, "told")


@test
def a_best_method_is_tested():
    run = heft("evaluate", LOANS, "-m", "nb,lnb,gnb", "--report", "r.html")
    said = "No significant difference from the best was found (corrected resampled paired t-test, least p = "
    require(said in run.out, run.out)
    require(said in open("r.html", encoding="utf-8").read(), "on the page too")
    run = heft("evaluate", LOANS, IRIS, WINE, "-m", "nb,lnb", "--json", "r.json", "--report", "r.html")
    p = load()["summary"]["tests"]["friedman"]["p"]
    said = f"No significant difference between the methods was found (Friedman's test, p = {p:.3g})"
    require(p > 0.05 and said in run.out, run.out)
    require(said in open("r.html", encoding="utf-8").read(), "on the page too")
    put("xor.csv", "a,b,y\n" + "".join(f"{i % 2},{i // 2 % 2},{'pq'[(i % 2) ^ (i // 2 % 2)]}\n" for i in range(200)))
    run = heft("evaluate", "xor.csv", "-m", "nb,tan", "--nominal", "a,b")
    require("The best is significantly better than 1 of 1 other (" in run.out, run.out)


@test
def ranks_by_every_measure():
    """The means and mean ranks of "measures" are those of the cells, computed here again; ties share a rank."""
    heft("evaluate", LOANS, IRIS, WINE, "-m", "nb,gnb,lnb", "--cv", 3, "--json", "r.json")
    result = load()
    same((result["format"], result["version"], result["page"]), ("heft page", 1, "comparison"), "format")
    same((result["title"], result["how"]), ("3 methods on 3 data sets", ["3-fold cross-validation, 1 repeat, seed 1."]), "words")
    names = [m["name"] for m in result["measures"]]
    require(names[0] == "accuracy" and {"log_loss", "auc", "brier"} <= set(names) and "baseline" not in names, names)
    for measure in result["measures"]:
        sign = 1 if measure["higher_is_better"] else -1
        ranks = {"nb": [], "gnb": [], "lnb": []}
        values = {"nb": [], "gnb": [], "lnb": []}
        for data in result["datasets"]:
            found = {m["method"]: m[measure["name"]] for m in data["methods"]}
            for method, x in found.items():
                values[method].append(x)
                ranks[method].append(1 + sum(sign * (y - x) > 1e-9 for y in found.values())
                                     + (sum(abs(y - x) <= 1e-9 for y in found.values()) - 1) / 2)
        for method in ranks:
            near(measure["mean"][method], sum(values[method]) / 3, f"{measure['name']}: mean of {method}")
            near(measure["mean_rank"][method], sum(ranks[method]) / 3, f"{measure['name']}: rank of {method}")
        same(measure["datasets"], 3, "data sets")
        near(sign * measure["mean"][measure["leads"]], max(sign * x for x in measure["mean"].values()), "the best")
        near(measure["critical_difference"], 2.343700586378412 * (2 / 3) ** 0.5, "critical difference")  # q(3) sqrt(3 4 / (6 3))
        require(measure["text"][0].startswith(measure["leads"] + " is the best of 3 methods by " + measure["title"]), measure["text"])
    same(result["measures"][0]["friedman_p"], result["summary"]["tests"]["friedman"]["p"], "Friedman's p")
    same(result["measures"][0]["mean_rank"], result["summary"]["mean_rank"], "mean ranks")
    heft("evaluate", IRIS, "-m", "nb", "--cv", 3, "--json", "one.json")
    one = load("one.json")["measures"][0]
    same((one["critical_difference"], one["friedman_p"], one["figures"][1]), (None, None, "accuracy"), "one method")


# ---- ways to split -------------------------------------------------------------------------------

@test
def holdout_and_leave_one_out():
    heft("evaluate", IRIS, "-m", "nb,gnb", "--holdout", "0.3", "--repeat", "3", "--json", "r.json", "--predictions", "p.csv")
    result = load()
    same((result["split"], result["holdout"], result["folds"], result["repeats"]), ("holdout", 0.3, 1, 3), "what was done")
    rows = [row for row in table("p.csv") if row["method"] == "nb"]
    same(len(rows), 3 * 45, "test rows")
    splits = [frozenset(row["row"] for row in rows if row["repeat"] == str(k)) for k in (1, 2, 3)]
    same([len(s) for s in splits], [45] * 3, "rows of a split")
    require(len(set(splits)) == 3, "the splits differ")
    same([c["support"] for c in result["datasets"][0]["methods"][0]["per_class"]], [15, 15, 15], "in proportion")
    heft("evaluate", IRIS, WINE, "-m", "nb", "--cv", "loo", "--json", "r.json", "--predictions", "p.csv")
    result = load()
    same([len(c["per_fold"]) for _, c in cells(result)], [150, 178], "a fold for every row")
    same(result["split"], "leave-one-out", "split")
    require("2 of 2" in heft("evaluate", IRIS, WINE, "-m", "nb", "--cv", "loo", "--json", "r.json").err, "resumed")
    for row in table("p.csv"):
        same(int(row["fold"]) + 1, int(row["row"]), "row by row")


@test
def bad_splits_and_files_are_refused():
    for share in ("0", "1", "1.5", "-0.1", "half", ""):
        refused("evaluate", IRIS, "--holdout", share, status=2, says="between 0 and 1")
    refused("evaluate", IRIS, "--holdout", "0.001", says="leaves no row to test")
    refused("evaluate", IRIS, "--holdout", "0.3", "--cv", "5", status=2, says="--holdout cannot be combined")
    refused("evaluate", IRIS, "--cv", "loo", "--repeat", "2", status=2, says="--cv loo cannot be combined with --repeat")
    refused("evaluate", IRIS, "--cv", "loo", "--split", "weka", status=2, says="--split")
    for folds in ("1", "0", "-3", "ten", "5x"):
        refused("evaluate", IRIS, "--cv", folds, status=2, says="--cv takes a whole number")
    for option in ("--predictions", "--curves", "--csv", "--report", "--markdown", "--latex"):
        refused("evaluate", "absent.csv", option, "no/such/file", says="no/such")  # before the data are read
    refused("evaluate", IRIS, "--predictions", IRIS, status=2, says="would be overwritten")
    refused("evaluate", IRIS, "--predictions", "x", "--curves", "x", status=2, says="two outputs")
    refused("evaluate", IRIS, "--predictions", "-", "--json", "-", status=2, says="only one of")
    refused("evaluate", IRIS, "--predictions", "p.csv", "--noise", "0,0.1", status=2, says="--noise")
    same(files(), [], "nothing is left")


# ---- saved models --------------------------------------------------------------------------------

@test
def saved_models_are_measured_and_compared():
    heft("train", LOANS, "-m", "nb", "-o", "a.heft", "-q")
    heft("train", LOANS, "-m", "tan", "-o", "b.model", "-q")
    run = heft("evaluate", "a.heft", "b.model", "--test", LOANS, "--json", "r.json", "--predictions", "p.csv")
    require("Saved models on 600 test rows" in run.out, run.out)
    require(max(map(len, run.out.splitlines())) <= 100, "fits a screen")
    result = load()
    (data, a), (_, b) = cells(result)
    same((data["name"], data["rows"], a["method"], b["method"]), ("loans", 600, "a.heft", "b.model"), "names")
    told = heft("predict", "b.model", LOANS, "--proba").out.splitlines()[1:]
    rows = table("p.csv")
    same([f"{r['predicted']},{r['P(no)']},{r['P(yes)']}" for r in rows[600:]], told, "the predictions of heft predict")
    hits = [[r["actual"] == r["predicted"] for r in rows[k:k + 600]] for k in (0, 600)]
    tests = result["summary"]["tests"]["same_rows"][0]
    same((tests["mcnemar"]["only_first"], tests["mcnemar"]["only_other"]),
         (sum(x and not y for x, y in zip(*hits)), sum(y and not x for x, y in zip(*hits))), "McNemar's counts")
    for name in ("log_loss", "auc"):
        near(tests[name]["difference"], b[name] - a[name], name)
        require(tests[name]["low"] < tests[name]["difference"] < tests[name]["high"], str(tests))
        d, title = tests[name], {"log_loss": "log loss (lower is better)", "auc": "AUC"}[name]
        line = next(line for line in run.out.splitlines() if line.startswith(title))
        same(line[len(title):].split(), [*(f"{x:.4f}" for x in (a[name], b[name], d["difference"], d["low"])), "to",
                                         f"{d['high']:.4f}", "<" if d["p"] < 1e-4 else f"{d['p']:.4f}"][:7], title)
    one = heft("evaluate", "a.heft", "--test", LOANS).out
    require("average precision" in one and "actual \\ predicted" in one, one)
    same(heft("evaluate", "a.heft", "b.model", "--test", LOANS).out, run.out, "the same again")
    os.mkdir("c")
    os.rename("b.model", "c/a.heft")
    same([c["method"] for _, c in cells(json.loads(heft("evaluate", "a.heft", "c/a.heft", "--test", LOANS, "--json", "-").out))],
         ["a.heft", "c/a.heft"], "the same name in two folders")


@test
def rows_of_unknown_classes_are_wrong():
    lines = IRIS.read_text(encoding="utf-8").splitlines(keepends=True)
    put("train.csv", "".join(lines[:101]))
    heft("train", "train.csv", "-m", "nb", "-o", "m.heft", "-q")
    run = heft("evaluate", "m.heft", "--test", IRIS, "--json", "r.json")
    require("50 of 150 rows have a class that the model does not know" in run.err, run.err)
    cell = load()["datasets"][0]["methods"][0]
    same([c["class"] for c in cell["per_class"]], ["setosa", "versicolor", "virginica"], "classes")
    same((cell["per_class"][2]["support"], cell["per_class"][2]["recall"]), (50, 0), "all wrong")
    require("class virginica (50 rows)" in run.out, run.out)


@test
def models_that_do_not_fit_are_refused():
    heft("train", IRIS, "-m", "nb", "-o", "iris.heft", "-q")
    heft("train", LOANS, "-m", "nb", "-o", "loans.heft", "-q")
    heft("train", WINE, "-m", "nb", "-o", "wine.heft", "-q")
    lines = IRIS.read_text(encoding="utf-8").splitlines(keepends=True)
    put("two.csv", "".join(lines[:101]))
    put("bare.csv", "".join(",".join(line.split(",")[:-1]) + "\n" for line in lines))
    heft("train", "two.csv", "-m", "nb", "-o", "two.heft", "-q")
    refused("evaluate", "iris.heft", "two.heft", "--test", IRIS, says="do not have the same classes")
    refused("evaluate", "iris.heft", "iris.heft", "--test", IRIS, says="listed twice")
    refused("evaluate", "iris.heft", "--test", "bare.csv", says="no class column")
    refused("evaluate", "iris.heft", status=2, says="--test")
    refused("evaluate", "iris.heft", IRIS, "--test", IRIS, status=2, says="cannot be mixed")
    refused("evaluate", "iris.heft", "--test", IRIS, "-m", "nb", status=2, says="leave out the options for training")
    refused("evaluate", "iris.heft", "--test", "absent.csv", says="absent.csv")
    refused("evaluate", "absent.heft", "--test", IRIS, says="absent.heft")
    put("renamed.csv", lines[0].replace(lines[0].strip().split(",")[-1], "kind") + "".join(lines[1:]))
    heft("train", "renamed.csv", "-m", "nb", "-o", "renamed.heft", "-q")
    refused("evaluate", "iris.heft", "renamed.heft", "--test", IRIS)


if __name__ == "__main__":
    raise SystemExit(harness.main())
