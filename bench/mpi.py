#!/usr/bin/env python3
"""Several ranks against one process: the same models, the bytes exchanged, the time.

    bench/mpi.py HEFT check DATA.arff...            models and predictions on 1 to 4 ranks
    bench/mpi.py HEFT large TABLE.csv QUERIES.csv   the same on a large table (bench/make_table.c)
    bench/mpi.py HEFT cost TABLE.csv                bytes and seconds by number of ranks
    bench/mpi.py HEFT default TABLE.csv             the default method: CPU time, memory and bytes of a rank

HEFT is the program built with -Dmpi=enabled; mpirun must be at hand. Compared are all tensors of the
model files but the seconds, the text of `predict --proba`, and the final objectives. The bytes are
those the communicator of rank 0 counts (heft -v). The table is put in the page cache first.
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "cli"))
from mpi_runs import ENV  # noqa: E402
from tensors import tensors  # noqa: E402

HEFT = str(pathlib.Path(sys.argv[1]).resolve())
METHODS = ["nb", "aode", "lcwnb", "enb", "dnb", "lnb", "gdnb", "mse", "wanbia", "cawnb", "rnb", "vwnb",
           "swnb", "klnb", "tan", "hnb", "lwnb"]


def heft(ranks, *args):
    """What is said, and the seconds it took."""
    start = [] if ranks == 1 else ["mpirun", "-q", "-n", str(ranks)]
    began = time.monotonic()
    done = subprocess.run([*start, HEFT, *map(str, args)], env=ENV, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{ranks} ranks: {' '.join(map(str, args))}\n{done.stderr}")
    return done.stdout + done.stderr, time.monotonic() - began


def training(path):
    return json.loads(heft(1, "inspect", path, "--json", "-")[0])["training"]


def compare(data, method, queries, options, counts=(2, 3, 4)):
    heft(1, "train", data, "-m", method, "-o", "one", *options)
    heft(1, "predict", "one", queries, "--proba", "-o", "one.csv")
    line = []
    for n in counts:
        heft(n, "train", data, "-m", method, "-o", "many", *options)
        heft(n, "predict", "many", queries, "--proba", "-o", "many.csv")
        same = tensors("one") == tensors("many")
        text = pathlib.Path("one.csv").read_text() == pathlib.Path("many.csv").read_text()
        a, b = (training(name).get("objective_final") or 0 for name in ("one", "many"))
        far = abs(a - b) / abs(a) if a else 0
        classes = [row.split(",")[0] for row in pathlib.Path("one.csv").read_text().splitlines()]
        others = [row.split(",")[0] for row in pathlib.Path("many.csv").read_text().splitlines()]
        unlike = sum(x != y for x, y in zip(classes, others))
        line.append(f"{n}: {'same bits' if same else 'model to rounding'}, "
                    f"{'same text' if text else f'{unlike} classes unlike'}"
                    + (f", objective {far:.0e}" if a else ""))
    print(f"{pathlib.Path(data).stem:10} {method:7} " + "; ".join(line), flush=True)


def check(files):
    for method in METHODS:
        for data in files:
            compare(data, method, data, [])


def large(table, queries):
    cut = ["--discretize", "width:10", "--impute", "mean"]
    for method in ("nb", "aode", "lcwnb", "lnb", "wanbia", "cawnb", "rnb"):
        compare(table, method, queries, cut)


def cost(table):
    cut = ["--discretize", "width:10", "--impute", "mean", "-v", "--threads", "1"]
    heft(1, "train", table, "-m", "nb", "-o", "m", *cut)
    print(f"{'method':7} ranks  seconds  exchanges      bytes  evaluations  bytes an evaluation")
    for method in ("nb", "aode", "lnb", "rnb"):
        for n in (1, 2, 3, 4):
            said, took = heft(n, "train", table, "-m", method, "-o", "m", *cut)
            found = re.search(r"(\d+) exchanges, (\d+) bytes sent", said)
            calls, given = map(int, found.groups()) if found else (0, 0)
            passes = training("m").get("evaluations") or 0
            each = f"{given / passes:.0f}" if passes else "-"
            print(f"{method:7} {n:5} {took:8.2f} {calls:10} {given:10} {passes:12} {each:>20}",
                  flush=True)


def default(table):
    """One process by what the system says of it, ranks by what rank 0 says of itself."""
    print("ranks  seconds  CPU s besides exchanges  peak MB  exchanges      bytes sent  model")
    for n in (1, 2, 4):
        said, took = heft(n, "train", table, "-o", f"m{n}", "-v", "--threads", "1")
        used = resource.getrusage(resource.RUSAGE_CHILDREN)  # of the first run alone
        found = re.search(r"(\d+) exchanges, (\d+) bytes sent; ([\d.]+) s of CPU time besides, "
                          r"at most (\d+) MB", said)
        calls, given, seconds, peak = found.groups() if found else (
            0, 0, f"{used.ru_utime + used.ru_stime:.2f}", used.ru_maxrss // 1024)
        same = "same bits" if tensors("m1") == tensors(f"m{n}") else "DIFFERS"
        print(f"{n:5} {took:8.1f} {seconds:>24} {peak:>8} {calls:>10} {given:>15}  {same}", flush=True)


def main():
    files = [str(pathlib.Path(name).resolve()) for name in sys.argv[3:]]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        {"check": lambda: check(files), "large": lambda: large(*files),
         "cost": lambda: cost(*files), "default": lambda: default(*files)}[sys.argv[2]]()


if __name__ == "__main__":
    main()
