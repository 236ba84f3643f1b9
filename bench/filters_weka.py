#!/usr/bin/env python3
"""Attributes that --select cfs keeps beside those of Weka's CfsSubsetEval -L with BestFirst, after
its supervised Discretize. Needs java and Weka 3.6 (Debian's package weka).

    bench/filters_weka.py --data FOLDER [--heft PROGRAM] [--weka weka.jar] [SET...]
"""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile

SETS = """anneal anneal.ORIG audiology balance-scale breast-cancer car colic glass hepatitis
hypothyroid ionosphere iris kr-vs-kp letter mushroom nursery primary-tumor segment sonar soybean
splice vote vowel waveform-5000""".split()


def weka_columns(jar, path, folder):
    cut = os.path.join(folder, "cut.arff")
    java = ["java", "-cp", jar]
    subprocess.run([*java, "weka.filters.supervised.attribute.Discretize", "-R", "first-last", "-c",
                    "last", "-i", path, "-o", cut], check=True, capture_output=True)
    said = subprocess.run([*java, "weka.attributeSelection.CfsSubsetEval", "-L", "-s",
                           "weka.attributeSelection.BestFirst -D 1 -N 5", "-i", cut], check=True,
                          capture_output=True, text=True).stdout
    return [int(x) for x in re.search(r"Selected attributes: ([\d,]+)", said).group(1).split(",")]


def heft_columns(heft, path):
    names = []
    for text in open(path, encoding="latin-1"):
        found = re.match(r"\s*@attribute\s+('[^']*'|\"[^\"]*\"|\S+)", text, re.I)
        if found:
            names.append(found.group(1).strip("'\""))
    said = subprocess.run([heft, "convert", path, "-q", "--select", "cfs", "--discretize", "mdl",
                           "--to", "csv"], check=True, capture_output=True, text=True).stdout
    return [names.index(x) + 1 for x in next(csv.reader(said.splitlines()))[:-1]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--data", default=os.environ.get("HEFT_DATA", "../shared/data"))
    parser.add_argument("--heft", default="build/cli/heft")
    parser.add_argument("--weka", default="/usr/share/java/weka.jar")
    args = parser.parse_args()
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in args.sets:
            path = os.path.join(args.data, name + ".arff")
            weka, heft = weka_columns(args.weka, path, folder), heft_columns(args.heft, path)
            differ += weka != heft
            print(f"{name:18}{'equal ' if weka == heft else 'DIFFER'} {weka}"
                  + ("" if weka == heft else f" {heft}"), flush=True)
    sys.exit(f"{differ} differ" if differ else 0)


if __name__ == "__main__":
    main()
