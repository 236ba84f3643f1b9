#!/usr/bin/env python3
"""swnb on sparse data: cost against the number of attributes and of rows, and against scikit-learn.

    python3 bench/sparse_versus.py HEFT [--quick]

Makes documents of 100 terms each in 10 topics (term frequencies follow Zipf's law, a tenth of the words of
a topic are its own), writes them as LIBSVM, and measures CPU time (user + system) and peak resident
memory of whole processes, heft with one thread. Needs numpy, scipy and scikit-learn for the comparison.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

TOPICS = 10


def documents(n, d, terms, seed):
    """Rows of (topic, sorted distinct term numbers, counts)."""
    rng = np.random.default_rng(seed)
    shared = 1 / np.arange(1, d + 1) ** 0.9
    shared = np.cumsum(shared / shared.sum())
    own = np.random.default_rng(7).permutation(d)[: TOPICS * max(d // 200, 20)].reshape(TOPICS, -1)
    for _ in range(n):
        y = int(rng.integers(TOPICS))
        mine = rng.random(terms) < 0.1
        words = np.searchsorted(shared, rng.random(terms))
        words[mine] = own[y][rng.integers(own.shape[1], size=int(mine.sum()))]
        index, count = np.unique(np.minimum(words, d - 1), return_counts=True)
        yield y, index + 1, count


def write(path, n, d, terms, seed):
    with open(path, "w") as out:
        for k, (y, index, count) in enumerate(documents(n, d, terms, seed)):
            if k == 0 and index[-1] != d:  # the last column must exist
                index, count = np.append(index, d), np.append(count, 1)
            out.write(f"{y} " + " ".join(f"{i}:{c}" for i, c in zip(index, count)) + "\n")


def run(command):
    """CPU seconds, peak MiB, standard output."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        _, status, use = os.wait4(child.pid, 0)
        out.seek(0)
        text = out.read().decode()
    if status:
        sys.exit(f"{' '.join(map(str, command))}: {text}")
    return use.ru_utime + use.ru_stime, use.ru_maxrss / 1024, text


SKLEARN = """
import resource, sys
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import normalize
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.svm import LinearSVC
def cpu():
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime + use.ru_stime
began = cpu()
x, y = load_svmlight_file(sys.argv[1], n_features=int(sys.argv[3]))
q, z = load_svmlight_file(sys.argv[2], n_features=int(sys.argv[3]))
x, q = normalize(x), normalize(q)
read = cpu() - began
for model in (MultinomialNB(), ComplementNB(), LinearSVC()):
    began = cpu()
    model.fit(x, y)
    fit = cpu() - began
    print(f"  {type(model).__name__:14s} fit {fit:6.2f} s (+ reading both files {read:.2f} s)   "
          f"accuracy {model.score(q, z):.4f}")
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heft")
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes")
    args = parser.parse_args()
    heft = str(pathlib.Path(args.heft).resolve())
    part = 10 if args.quick else 1
    with tempfile.TemporaryDirectory() as tmp:
        train, test, model = (os.path.join(tmp, f) for f in ("train.svm", "test.svm", "m.heft"))

        def cost(n, d):
            write(train, n, d, 100, 1)
            fit, peak, _ = run([heft, "train", train, "-m", "swnb", "--scale", "unit", "-o", model,
                                "--threads", "1"])
            ask, _, _ = run([heft, "predict", model, train, "-o", os.path.join(tmp, "p.csv"),
                             "--threads", "1"])
            print(f"  {n:7d} rows {d:8d} attributes   train {fit:6.2f} s  {peak:6.0f} MiB   "
                  f"predict {ask:6.2f} s", flush=True)

        print("cost against the number of attributes (20,000 rows of 100 terms, reading included)")
        for d in (1000, 10_000, 100_000, 1_000_000):
            cost(20_000 // part, d)
        print("cost against the number of rows (100,000 attributes)")
        for n in (5000, 10_000, 20_000, 40_000):
            cost(n // part, 100_000)

        n, d = 20_000 // part, 100_000
        write(train, n, d, 100, 1)
        write(test, n // 4, d, 100, 2)
        print(f"beside scikit-learn: {n} rows, {d} attributes, {TOPICS} classes, rows of unit length")
        for method in ("swnb", "nb", "klnb"):
            fit, peak, _ = run([heft, "train", train, "-m", method, "--scale", "unit", "-o", model,
                                "--threads", "1"])
            ask, _, said = run([heft, "predict", model, test, "-o", os.path.join(tmp, "p.csv"),
                                "--threads", "1"])
            accuracy = said.split("accuracy ")[1].split(":")[0]
            print(f"  heft {method:9s} train {fit:6.2f} s with reading, {peak:.0f} MiB; predict {ask:.2f} s"
                  f"   accuracy {accuracy}", flush=True)
        cpu, peak, text = run([sys.executable, "-c", SKLEARN, train, test, str(d)])
        print(text, end="")
        print(f"  scikit-learn's process in all {cpu:.2f} s, {peak:.0f} MiB")


if __name__ == "__main__":
    main()
