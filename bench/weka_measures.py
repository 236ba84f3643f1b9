#!/usr/bin/env python3
"""The figures of each class in heft evaluate --details beside those of Weka (-k), on Weka's own
folds and with Weka's naive Bayes (gnb). Needs java and a weka.jar of version 3.7 or later.

    bench/weka_measures.py --data FOLDER --weka weka.jar [--heft PROGRAM] [--write FILE] [SET...]

All but the areas must be equal to the printed decimals: three, and four of kappa. Weka's MCC is that of a
class against the rest; it is computed from heft's predictions. Weka's PRC area is interpolated, and
heft's average precision is not; ROC areas differ a little where Weka's products of probabilities
underflow to ties. --write stores Weka's figures, which tests/cli/evaluation.py compares.
"""
import argparse
import csv
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

SETS = ["breast-w", "credit-g", "diabetes", "glass", "heart-statlog", "hepatitis", "ionosphere", "iris", "labor",
        "vehicle"]


def of_weka(jar, path):
    """Kappa, and by class: TP rate, FP rate, precision, recall, F1, MCC, ROC area, PRC area."""
    said = subprocess.run(["java", "-cp", jar, "weka.classifiers.bayes.NaiveBayes", "-t", path, "-x", "10", "-s", "1",
                           "-k"], check=True, capture_output=True, text=True).stdout
    said = said[said.index("Stratified cross-validation"):]
    kappa = float(re.search(r"Kappa statistic\s+(\S+)", said).group(1))
    table = said[said.index("Detailed Accuracy By Class"):said.index("Weighted Avg.")]
    found = {}
    for line in table.splitlines():
        cells = line.split()
        if len(cells) >= 9 and re.match(r"^\s*(\d\.\d+|\?)", line):
            found[" ".join(cells[8:])] = [float(x) if x != "?" else math.nan for x in cells[:8]]
    return kappa, found


def of_heft(heft, path, folder):
    """The same from heft, and the confusion counts of each class."""
    rows = folder / "p.csv"
    said = subprocess.run([heft, "evaluate", path, "-m", "gnb", "--split", "weka", "--json", "-", "--predictions", rows],
                          check=True, capture_output=True, text=True).stdout
    cell = json.loads(said)["datasets"][0]["methods"][0]
    with open(rows, encoding="utf-8", newline="") as file:
        told = [(row["actual"], row["predicted"]) for row in csv.DictReader(file)]
    found = {}
    for c in cell["per_class"]:
        name = c["class"]
        tp = sum(a == name == p for a, p in told)
        fp = sum(a != name == p for a, p in told)
        fn = sum(p != name == a for a, p in told)
        tn = len(told) - tp - fp - fn
        base = math.sqrt(float(tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        found[name] = [c["recall"], fp / (fp + tn) if fp + tn else 0, c["precision"], c["recall"], c["f1"],
                       (tp * tn - fp * fn) / base if base else 0, c["auc"], c["average_precision"]]
    return cell["kappa"], found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--weka", default="/usr/share/java/weka.jar")
    parser.add_argument("--heft", default="build/cli/heft")
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("sets", nargs="*", default=SETS)
    args = parser.parse_args()
    names = ["TP rate", "FP rate", "precision", "recall", "F1", "MCC", "ROC area", "PRC area"]
    stored = {}
    worst = dict.fromkeys([*names, "kappa"], 0.0)
    for name in args.sets:
        path = pathlib.Path(args.data) / f"{name}.arff"
        with tempfile.TemporaryDirectory() as folder:
            (kappa, weka), (own_kappa, heft) = of_weka(args.weka, path), of_heft(args.heft, path, pathlib.Path(folder))
        worst["kappa"] = max(worst["kappa"], abs(kappa - own_kappa))
        for label, figures in weka.items():
            own = heft[label.strip("'")]
            for k, figure in enumerate(names):
                if not math.isnan(figures[k]) and own[k] is not None:
                    worst[figure] = max(worst[figure], abs(figures[k] - own[k]))
        stored[name] = {"kappa": kappa, "classes": {k: [None if math.isnan(x) else x for x in v] for k, v in weka.items()}}
        area = max(abs(v[6] - heft[k.strip("'")][6]) for k, v in weka.items() if not math.isnan(v[6]))
        print(f"{name}: kappa {kappa:.4f} and {own_kappa:.4f}, {len(weka)} classes, ROC areas differ by {area:.4f}", flush=True)
    for figure, by in worst.items():
        print(f"{figure:10} differs by at most {by:.4f}")
    if args.write:
        args.write.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    return any(by > 0.00051 for figure, by in worst.items() if "area" not in figure)


if __name__ == "__main__":
    sys.exit(main())
