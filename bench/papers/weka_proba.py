"""Class probabilities of heft beside those of Weka 3.6 on the same folds.

Weka prepares the data set and deals the folds (seed 1); both programs then train on the same rows. Needs a JDK and Weka
(Debian and Ubuntu: packages weka and default-jdk-headless).
"""
import csv
import os
import subprocess
import tempfile

from cells import ROOT, Absent
from sheets import markdown, printed

JAR = os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar")
TAN = ("weka.classifiers.bayes.BayesNet -D -Q weka.classifiers.bayes.net.search.local.TAN -- "
       "-S BAYES -E weka.classifiers.bayes.net.estimate.SimpleEstimator -- -A 0.5")
PAIRS = {  # name: (heft's method, its parameters, Weka's classifier)
    "nb": ("nb", [], "weka.classifiers.bayes.NaiveBayes"),
    "aode": ("aode", ["constant=keep"], "weka.classifiers.bayes.AODE"),
    "waode": ("waode", ["constant=keep"], "weka.classifiers.bayes.WAODE"),
    "hnb": ("hnb", ["constant=keep"], "weka.classifiers.bayes.HNB"),
    "tan": ("tan", ["constant=keep"], TAN),
    "lwl": ("lwnb", ["kernel=weka", "constant=keep"],
            "weka.classifiers.lazy.LWL -U 0 -K 50 -W weka.classifiers.bayes.NaiveBayes"),
}
# A value for every row: the paper leaves them out.
DROP = {"colic.ORIG": "Hospital Number", "splice": "Instance_name", "zoo": "animal"}
FOLDS = ("0", "7")


def compiled(folder):
    """The class path of bench/LazyWeka.java, compiled into folder."""
    if not os.path.exists(JAR):
        raise Absent(f"Weka is not at {JAR} (package weka, or WEKA_JAR)")
    try:
        subprocess.run(["javac", "-cp", JAR, "-d", folder, str(ROOT / "bench" / "LazyWeka.java")], check=True)
    except FileNotFoundError as none:
        raise Absent("javac is not there (package default-jdk-headless)") from none
    return folder + os.pathsep + JAR


def ours(bench, folder, method, params, target):
    model, out = os.path.join(folder, "model.heft"), os.path.join(folder, "out.csv")
    settings = [word for p in params for word in ("-p", p)]
    bench.run("train", os.path.join(folder, "train.arff"), "-q", "-o", model, "-m", method, "--target", target, *settings)
    bench.run("predict", model, os.path.join(folder, "test.arff"), "-q", "-o", out, "--proba")
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


def apart(bench, path, data, fold):
    """{method: largest difference of a probability} on one fold of one data set."""

    def compute():
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["java", "-XX:+UseSerialGC", "-cp", path, "LazyWeka", "proba", str(bench.path(data + ".arff")),
                            DROP.get(data, ""), "1", fold, folder, *(f"{n}={PAIRS[n][2]}" for n in PAIRS)],
                           check=True, stderr=subprocess.DEVNULL)
            target = target_of(os.path.join(folder, "train.arff"))
            worst = {}
            for name, (method, params, _) in PAIRS.items():
                a, b = ours(bench, folder, method, params, target), theirs(folder, name)
                assert len(a) == len(b)
                worst[name] = max(abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q))
            return worst

    return bench.cached(["weka_proba", data, fold], compute)


def main(bench):
    names = ["glass", "iris", "zoo"] if bench.quick else list(printed("002-table1"))
    with tempfile.TemporaryDirectory() as folder:
        path = compiled(folder)
        rows = [(data, fold, apart(bench, path, data, fold)) for data in names for fold in FOLDS]
    print("## Largest difference of a class probability\n")
    lines = [[data, fold, *(f"{found[n]:.1e}" for n in PAIRS)] for data, fold, found in rows]
    lines.append(["largest", "", *(f"{max(f[n] for _, _, f in rows):.1e}" for n in PAIRS)])
    markdown(["data", "fold", *PAIRS], lines if not bench.brief else lines[-1:])
