#!/usr/bin/env python3
"""The protocol of Wang, Ren and Bai, regularized naive Bayes, Table 3: naive Bayes, WANBIA, CAWNB
and RNB on its data sets, 10 folds, discretised on all rows before the split (whole) or on the
training rows alone (honest).

    bench/paper001.py --data FOLDER [--heft PROGRAM] [--repeat R] [--seed S] [--gradient G]
    bench/paper001.py --data FOLDER --letter

Prints the average of each setting over 32 sets, and with --sets a line a data set. letter, which
takes as long as all others together, is left out of the averages.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

SETS = """anneal audiology balance-scale breast-cancer breast-w colic credit-a credit-g diabetes
glass heart-c heart-h heart-statlog hepatitis hypothyroid ionosphere iris kr-vs-kp labor lymph
mushroom primary-tumor segment sick sonar soybean splice vehicle vote vowel waveform-5000
zoo""".split()
DROP = {"splice": "Instance_name", "zoo": "animal"}  # a name for every row: the paper deletes them
METHODS = ["nb", "wanbia", "cawnb", "rnb"]
PREPARE = ["--impute", "mean", "--smoothing", "paper", "--prior", "smoothed"]


def accuracy(args, name, cuts, protocol, extra=()):
    """Percent right of each method on one data set."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [args.heft, "evaluate", os.path.join(args.data, name + ".arff"), "-q",
                   "-m", ",".join(METHODS), "-p", "gradient=" + args.gradient, *extra,
                   "--discretize", cuts, *PREPARE, "--protocol", protocol,
                   "--repeat", str(args.repeat), "--seed", str(args.seed), "--json", out.name]
        if name in DROP:
            command += ["--drop", DROP[name]]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        methods = json.load(open(out.name))["datasets"][0]["methods"]
        return [100 * m["accuracy"] for m in methods]


def show(label, figures):
    print(f"{label:24}" + "".join(f"{x:9.2f}" for x in figures), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", default=os.environ.get("HEFT_DATA", "../shared/data"))
    parser.add_argument("--heft", default="build/cli/heft")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gradient", choices=["true", "printed"], default="printed")
    parser.add_argument("--sets", action="store_true", help="show every data set")
    parser.add_argument("--letter", action="store_true", help="letter alone, both gradients")
    args = parser.parse_args()
    if not os.path.exists(os.path.join(args.data, "anneal.arff")):
        sys.exit(f"{args.data} has no anneal.arff (name the folder of the data sets with --data)")

    print(f"{'':24}" + "".join(f"{m:>9}" for m in METHODS))
    if args.letter:
        for args.gradient, cap in (("true", 100), ("printed", 1000)):
            figures = accuracy(args, "letter", "mdl", "whole", ("-p", f"max-iter={cap}"))
            show(f"letter {args.gradient}", figures)
        return
    for protocol in ("whole", "honest"):
        for cuts in ("mdl", "mdl:0.6"):
            rows = []
            for name in SETS:
                rows.append(accuracy(args, name, cuts, protocol))
                if args.sets:
                    show("  " + name, rows[-1])
            show(f"{protocol} {cuts}", [sum(column) / len(rows) for column in zip(*rows)])


if __name__ == "__main__":
    main()
