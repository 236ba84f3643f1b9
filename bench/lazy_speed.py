#!/usr/bin/env python3
"""CPU time of the lazy and one-dependence methods beside Weka and scikit-learn, one thread each.

    bench/lazy_speed.py [--build build] [--data FOLDER] [--rounds 3]

letter, 18,000 training rows and 2,000 queries (fold 0 of Weka's ten, seed 1), and all ten folds for AODE.
The programs take turns in every round, and each figure is the best of the rounds. Needs a JDK, Weka
(Debian and Ubuntu: weka, default-jdk-headless), numpy and scikit-learn.
"""
import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
JAR = os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar")
LWL = "lwl=weka.classifiers.lazy.LWL -U 0 -K 50 -W weka.classifiers.bayes.NaiveBayes"
AODE = "*aode=weka.classifiers.bayes.AODE"
KNN = """
import os, re, sys, time
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np
from sklearn.neighbors import KNeighborsClassifier
def read(path, codes, grow):
    rows, body = [], False
    for line in open(path):
        if body and line.strip():
            cells = re.findall(r"'(?:[^'\\\\]|\\\\.)*'|[^,]+", line.strip())
            for key in enumerate(cells):
                if grow: codes.setdefault(key, len(codes))
            rows.append([codes.get(key, -1) for key in enumerate(cells)])
        body = body or line.lower().startswith("@data")
    return np.array(rows)
codes = {}
train, test = read(sys.argv[1], codes, True), read(sys.argv[2], codes, False)
best = 1e9
for kind in (np.float64, np.int32):
    model = KNeighborsClassifier(50, algorithm="brute", metric="hamming", n_jobs=1)
    model.fit(train[:, :-1].astype(kind), train[:, -1])
    queries = test[:, :-1].astype(kind)
    for _ in range(2):
        begun = time.process_time()
        model.predict(queries)
        best = min(best, time.process_time() - begun)
print(best)
"""


def output(*command, env=None):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env=env).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--data", default=os.environ.get("HEFT_DATA",
                                                         os.path.join(ROOT, "..", "shared", "data")))
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    letter = os.path.join(args.data, "letter.arff")
    library = os.path.join(args.build, "lib")
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["javac", "-cp", JAR, "-d", folder, os.path.join(HERE, "LazyWeka.java")], check=True)
        program = os.path.join(folder, "lazy_cpu")
        cc = ["cc", "-O2", "-I" + os.path.join(ROOT, "include"), "-I" + os.path.join(args.build, "include"),
              os.path.join(HERE, "lazy_cpu.c")]
        subprocess.run([*cc, "-L" + library, "-lheft", "-Wl,-rpath," + os.path.abspath(library), "-o", program], check=True)
        subprocess.run([*cc, "-DAVX2_ALONE", "-I" + os.path.join(ROOT, "lib"), os.path.join(library, "libheft.a"),
                        "-lm", "-ljansson", "-lz", "-lzstd", "-lpthread", "-o", program + "_avx2"], check=True)
        weka = ["java", "-XX:+UseSerialGC", "-cp", folder + os.pathsep + JAR, "LazyWeka"]
        output(*weka, "folds", letter, folder)
        pairs = [os.path.join(folder, f"{kind}{k}.arff") for k in range(10) for kind in ("train", "test")]

        def note(name, seconds):
            best[name] = min(best.get(name, 1e9), seconds)

        for _ in range(args.rounds):
            for method in ("lcwnb:kappa=5", "lwnb", "iclnb"):
                note(method, float(output(program, "fold", "5", method, *pairs[:2]).split()[1]) / 2000)
            note("  with AVX2 alone", float(output(program + "_avx2", "fold", "5", "lcwnb:kappa=5", *pairs[:2]).split()[1]) / 2000)
            note("scikit-learn kNN", float(output(sys.executable, "-c", KNN, *pairs[:2])) / 2000)
            for line in output(*weka, "time", letter, "2", LWL).splitlines():
                note("Weka LWL", float(line.split()[2]) / 2000)
            for method in ("aode", "waode", "hnb", "tan"):
                fit, ask, _ = output(program, "fold", "5", method, *pairs).split()
                note(method, float(fit) + float(ask))
            for line in output(*weka, "time", letter, "6", AODE).splitlines():
                note("Weka AODE", float(line.split()[1]) + float(line.split()[2]))
        print("letter, 18,000 rows, CPU a query")
        for name in ("lcwnb:kappa=5", "  with AVX2 alone", "lwnb", "iclnb", "scikit-learn kNN", "Weka LWL"):
            print(f"  {name:18} {1e6 * best[name]:8.1f} us  {best[name] / best['lcwnb:kappa=5']:6.1f} x lcwnb")
        print("letter, ten folds, training and testing, CPU")
        for name in ("aode", "waode", "hnb", "tan", "Weka AODE"):
            print(f"  {name:18} {1e3 * best[name]:8.1f} ms  {best[name] / best['aode']:6.1f} x aode")
        heft = os.path.join(args.build, "cli", "heft")
        model = os.path.join(folder, "letter.heft")
        output(heft, "train", pairs[0], "-m", "lcwnb", "-o", model)
        print(f"lcwnb model file: {os.path.getsize(model)} bytes, "
              f"{os.path.getsize(model) / (18000 * 16):.3f} a cell")
        print("lcwnb, queries a second by rows and attributes (10 values, 8 classes)")
        print(output(program, "grid", "lcwnb"), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
