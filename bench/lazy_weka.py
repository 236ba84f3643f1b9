#!/usr/bin/env python3
"""Class probabilities of heft beside those of Weka 3.6 on the same folds.

    bench/lazy_weka.py [--heft build/cli/heft] [--data FOLDER] [--sets iris,vote] [--folds 0,7]

Needs a JDK and Weka (Debian and Ubuntu: packages weka and default-jdk-headless). Weka prepares the
data set and deals the folds (seed 1); both programs then train on the same rows.
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
JAR = os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar")
TAN = ("weka.classifiers.bayes.BayesNet -D -Q weka.classifiers.bayes.net.search.local.TAN -- "
       "-S BAYES -E weka.classifiers.bayes.net.estimate.SimpleEstimator -- -A 0.5")
PAIRS = {  # name: (heft's method, its parameters, Weka's classifier)
    "nb": ("nb", [], "weka.classifiers.bayes.NaiveBayes"),
    "aode": ("aode", [], "weka.classifiers.bayes.AODE"),
    "waode": ("waode", [], "weka.classifiers.bayes.WAODE"),
    "hnb": ("hnb", [], "weka.classifiers.bayes.HNB"),
    "tan": ("tan", [], TAN),
    "lwl": ("lwnb", ["kernel=weka"],
            "weka.classifiers.lazy.LWL -U 0 -K 50 -W weka.classifiers.bayes.NaiveBayes"),
}
SETS = ("anneal,anneal.ORIG,audiology,autos,balance-scale,breast-cancer,breast-w,colic,colic.ORIG,"
        "credit-a,credit-g,diabetes,glass,heart-c,heart-h,heart-statlog,hepatitis,hypothyroid,ionosphere,"
        "iris,kr-vs-kp,labor,letter,lymph,mushroom,primary-tumor,segment,sick,sonar,soybean,splice,"
        "vehicle,vote,vowel,waveform-5000,zoo")
DROP = {"colic.ORIG": "Hospital Number", "splice": "Instance_name", "zoo": "animal"}


def compiled(folder):
    subprocess.run(["javac", "-cp", JAR, "-d", folder, os.path.join(HERE, "LazyWeka.java")], check=True)
    return folder + os.pathsep + JAR


def ours(heft, folder, method, params):
    model, out = os.path.join(folder, "model.heft"), os.path.join(folder, "out.csv")
    settings = [word for p in params for word in ("-p", p)]
    for command in ([heft, "train", os.path.join(folder, "train.arff"), "-o", model, "-m", method,
                     "--target", TARGET, *settings],
                    [heft, "predict", model, os.path.join(folder, "test.arff"), "-o", out, "--proba"]):
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode:
            raise SystemExit(done.stderr)
    with open(out, encoding="utf-8", newline="") as file:
        return [[float(x) for x in row[1:]] for row in list(csv.reader(file))[1:]]


def theirs(folder, name):
    with open(os.path.join(folder, name + ".txt"), encoding="utf-8") as file:
        return [[float(x) for x in line.split()] for line in file]


def target_of(path):
    """Name of the last attribute of an ARFF file as Weka writes it."""
    with open(path, encoding="utf-8", errors="replace") as file:
        last = [line for line in file if line.lower().startswith("@attribute")][-1]
    rest = last.split(None, 1)[1].strip()
    return rest[1:].split("'")[0] if rest[0] == "'" else rest.split()[0].split("{")[0]


def main():
    global TARGET
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    root = os.path.dirname(HERE)
    parser.add_argument("--heft", default=os.path.join(root, "build", "cli", "heft"))
    parser.add_argument("--data", default=os.environ.get("HEFT_DATA",
                                                         os.path.join(root, "..", "shared", "data")))
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--folds", default="0")
    parser.add_argument("--methods", default=",".join(PAIRS))
    args = parser.parse_args()
    names = args.methods.split(",")
    worst = dict.fromkeys(names, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        path = compiled(folder)
        print(f"{'data':15} fold " + " ".join(f"{name:>9}" for name in names))
        for data in args.sets.split(","):
            for fold in args.folds.split(","):
                subprocess.run(["java", "-cp", path, "LazyWeka", "proba",
                                os.path.join(args.data, data + ".arff"), DROP.get(data, ""), "1", fold,
                                folder, *(f"{n}={PAIRS[n][2]}" for n in names)],
                               check=True, stderr=subprocess.DEVNULL)
                TARGET = target_of(os.path.join(folder, "train.arff"))
                cells = []
                for name in names:
                    method, params, _ = PAIRS[name]
                    a, b = ours(args.heft, folder, method, params), theirs(folder, name)
                    assert len(a) == len(b)
                    apart = max(abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q))
                    worst[name] = max(worst[name], apart)
                    cells.append(f"{apart:9.1e}")
                print(f"{data:15} {fold:>4} " + " ".join(cells), flush=True)
    print(f"{'largest':15}      " + " ".join(f"{worst[n]:9.1e}" for n in names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
