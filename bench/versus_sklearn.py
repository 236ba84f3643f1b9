#!/usr/bin/env python3
"""Time and memory of heft's naive Bayes beside pandas and scikit-learn on the same file.

    python3 bench/versus_sklearn.py HEFT [--rows N] [--runs R]

Needs numpy, pandas and scikit-learn. Three jobs, each in a process of its own:

    train     read the CSV, learn naive Bayes on the numeric and the nominal columns, save the model
    predict   load the model, read the CSV, write the class and all probabilities as CSV
    startup   train on 10 rows

CPU is user + system time of the process, the best of R runs; peak is its largest resident set. For
scikit-learn the time without importing the packages is given beside the whole.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent

COMMON = """
import json, pickle, resource, sys
import numpy as np, pandas as pd
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.preprocessing import OrdinalEncoder
def cpu():
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime + use.ru_stime
data, model, out = sys.argv[1:4]
began = cpu()
table = pd.read_csv(data)
numeric = [c for c in table.columns[:-1] if c.startswith("x")]
nominal = [c for c in table.columns[:-1] if c.startswith("n")]
"""

TRAIN = COMMON + """
encoder = OrdinalEncoder()
codes = encoder.fit_transform(table[nominal])
y = table["class"]
gaussian = GaussianNB().fit(table[numeric], y)
sizes = [len(c) for c in encoder.categories_]
categorical = CategoricalNB(min_categories=sizes).fit(codes, y)
with open(model, "wb") as file:
    pickle.dump((encoder, gaussian, categorical), file)
print(json.dumps({"work": cpu() - began}))
"""

PREDICT = COMMON + """
with open(model, "rb") as file:
    encoder, gaussian, categorical = pickle.load(file)
score = (gaussian.predict_joint_log_proba(table[numeric])
         + categorical.predict_joint_log_proba(encoder.transform(table[nominal]))
         - categorical.class_log_prior_)
score -= score.max(axis=1, keepdims=True)
proba = np.exp(score)
proba /= proba.sum(axis=1, keepdims=True)
names = gaussian.classes_
result = pd.DataFrame(proba, columns=[f"P({c})" for c in names])
result.insert(0, "predicted", names[proba.argmax(axis=1)])
result.to_csv(out, index=False)
print(json.dumps({"work": cpu() - began}))
"""


def measure(command, runs):
    """Best CPU and wall seconds, peak MiB and what the last run printed."""
    best = None
    for _ in range(runs):
        began = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
            printed = child.stdout.read()
            _, status, use = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"failed: {' '.join(map(str, command))[:200]}")
        found = {"cpu": use.ru_utime + use.ru_stime, "wall": time.monotonic() - began,
                 "peak": use.ru_maxrss / 1024}
        if printed.startswith(b"{"):
            found.update(json.loads(printed))
        best = {k: min(v, best[k]) for k, v in found.items()} if best else found
    return best


def report(job, ours, theirs):
    print(f"{job:9} heft         cpu {ours['cpu']:8.3f} s  wall {ours['wall']:8.3f} s  "
          f"peak {ours['peak']:7.0f} MiB")
    print(f"{'':9} scikit-learn cpu {theirs['cpu']:8.3f} s  wall {theirs['wall']:8.3f} s  "
          f"peak {theirs['peak']:7.0f} MiB  (without imports: cpu {theirs['work']:.3f} s)")
    print(f"{'':9} ratio        cpu {theirs['cpu'] / ours['cpu']:8.1f}    wall "
          f"{theirs['wall'] / ours['wall']:8.1f}    peak {theirs['peak'] / ours['peak']:7.1f}      "
          f"(without imports: cpu {theirs['work'] / ours['cpu']:.1f})")


def agree(ours, theirs):
    """Largest difference of the two probability files: both must have done the same work."""
    import pandas as pd
    a, b = pd.read_csv(ours), pd.read_csv(theirs)
    columns = [c for c in b.columns if c != "predicted"]
    share = (a["predicted"] == b["predicted"]).mean()
    print(f"predictions agree on {100 * share:.3f}% of the rows, probabilities differ by at most "
          f"{(a[columns] - b[columns]).abs().to_numpy().max():.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heft", help="the program")
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    heft = str(pathlib.Path(args.heft).resolve())
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        subprocess.run(["cc", "-O2", HERE / "make_table.c", "-o", at / "make", "-lm"], check=True)
        for name, rows in (("big.csv", args.rows), ("ten.csv", 10)):
            with open(at / name, "wb") as file:
                subprocess.run([at / "make", str(rows)], stdout=file, check=True)
        size = (at / "big.csv").stat().st_size / 1e6
        print(f"{args.rows} rows, 10 numeric and 10 nominal columns, {size:.0f} MB, "
              f"{os.cpu_count()} cores, best of {args.runs}")

        def python(text, data):
            return measure([sys.executable, "-c", text, at / data, at / "m.pkl", at / "theirs.csv"],
                           args.runs)

        report("train", measure([heft, "train", at / "big.csv", "-m", "nb", "-o", at / "m.heft"],
                                args.runs), python(TRAIN, "big.csv"))
        report("predict", measure([heft, "predict", at / "m.heft", at / "big.csv", "--proba", "-o",
                                   at / "ours.csv"], args.runs), python(PREDICT, "big.csv"))
        report("startup", measure([heft, "train", at / "ten.csv", "-o", at / "t.heft"],
                                  max(args.runs, 20)), python(TRAIN, "ten.csv"))
        agree(at / "ours.csv", at / "theirs.csv")  # last: it makes this process, which forks, large


if __name__ == "__main__":
    main()
