#!/usr/bin/env python3
"""What rnb costs: time and memory on letter (20,000 rows, 16 attributes, 26 classes), and time
against rows, attributes and classes on made-up tables.

    bench/rnb_time.py [--heft PROGRAM] [--data FOLDER] [--method rnb]

Times are CPU seconds of one thread. On the made-up tables 40 iterations are run, whatever the
tolerance says, and what reading, counting and scoring take is subtracted: the same command with
max-iter=0. Straight lines show as a last column that does not grow.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile


def run(command):
    """CPU seconds and peak megabytes of one run."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def train(args, data, out, *params):
    command = [args.heft, "train", data, "-m", args.method, "-o", out, "-q", "--threads", "1"]
    for p in params:
        command += ["-p", p]
    return run(command)


def facts(args, model):
    text = subprocess.run([args.heft, "inspect", model, "--json", "-"], check=True,
                          capture_output=True).stdout
    return json.loads(text)["training"]


def make(path, rows, attributes, classes):
    """Nominal columns of 12 values, each telling a little of the class; no two rows alike."""
    rng = random.Random(rows * 1000003 + attributes * 1009 + classes)
    with open(path, "w") as f:
        f.write(",".join(f"x{j}" for j in range(attributes)) + ",class\n")
        for _ in range(rows):
            c = rng.randrange(classes)
            cells = [f"v{(c + rng.randrange(4)) % 12 if rng.random() < 0.3 else rng.randrange(12)}"
                     for _ in range(attributes)]
            f.write(",".join(cells) + f",c{c}\n")


def letter(args, folder):
    data = os.path.join(args.data, "letter.arff")
    if not os.path.exists(data):
        print(f"letter.arff is not in {args.data}: skipped")
        return
    model = os.path.join(folder, "letter.heft")
    for params in (["max-iter=0"], ["max-iter=100"], []):
        seconds, megabytes = train(args, data, model, *params)
        t = facts(args, model)
        how = " ".join(params) or "to convergence"
        print(f"letter {how:15} {seconds:7.2f} s {megabytes:5.0f} MB"
              f"  {t['iterations']} iterations, {t['evaluations']} evaluations,"
              f" objective {t['objective_initial']:.2f} to {t['objective_final']:.2f}", flush=True)


def line(args, folder, rows, attributes, classes):
    data, model = os.path.join(folder, "t.csv"), os.path.join(folder, "t.heft")
    make(data, rows, attributes, classes)
    without, _ = train(args, data, model, "max-iter=0")
    full, peak = train(args, data, model, "max-iter=40", "tol=0")
    t = facts(args, model)
    work = rows * attributes * classes * t["evaluations"]
    print(f"{rows:8} {attributes:10} {classes:8} {t['evaluations']:12} {full - without:9.3f}"
          f" {peak:8.0f} {1e9 * (full - without) / work:12.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--heft", default="build/cli/heft")
    parser.add_argument("--data", default=os.environ.get("HEFT_DATA", "../shared/data"))
    parser.add_argument("--method", default="rnb")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        letter(args, folder)
        print("    rows attributes  classes  evaluations   seconds  peak MB  ns a row, attribute,"
              " class")
        for rows in (12500, 25000, 50000, 100000):
            line(args, folder, rows, 16, 5)
        for attributes in (8, 16, 32, 64):
            line(args, folder, 25000, attributes, 5)
        for classes in (5, 10, 20, 40):
            line(args, folder, 12500, 16, classes)


if __name__ == "__main__":
    main()
