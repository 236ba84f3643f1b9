#!/usr/bin/env python3
"""Time and memory of reading and training from a Parquet file, beside the same table as CSV, and pandas with scikit-learn.

    python3 bench/parquet.py HEFT LIBRARY [--rows N] [--runs R] [--codec snappy]

HEFT is the program and LIBRARY libheft.so of the same build. Needs pyarrow, pandas and scikit-learn. The table of
bench/make_table.c is written by pyarrow with its defaults. Jobs run in turn, each in a process of its own; CPU is
user + system time, the best of R runs, peak the largest resident set. "read" is heft_read alone.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

from versus_sklearn import TRAIN, measure

HERE = pathlib.Path(__file__).resolve().parent

READ = """
import ctypes, json, resource, sys
def cpu():
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime + use.ru_stime
lib, table, began = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p(), cpu()
if lib.heft_read(sys.argv[2].encode(), None, ctypes.byref(table), None) != 0:
    sys.exit(1)
print(json.dumps({"work": cpu() - began}))
"""

WRITE = """
import sys, pyarrow.csv, pyarrow.parquet
pyarrow.parquet.write_table(pyarrow.csv.read_csv(sys.argv[1]), sys.argv[2], compression=sys.argv[3])
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heft", help="the program")
    parser.add_argument("library", help="libheft.so")
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--codec", default="snappy")
    args = parser.parse_args()
    heft, library = (str(pathlib.Path(p).resolve()) for p in (args.heft, args.library))
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        subprocess.run(["cc", "-O2", HERE / "make_table.c", "-o", at / "make", "-lm"], check=True)
        with open(at / "t.csv", "wb") as file:
            subprocess.run([at / "make", str(args.rows)], stdout=file, check=True)
        subprocess.run([sys.executable, "-c", WRITE, at / "t.csv", at / "t.parquet", args.codec], check=True)
        for name in ("t.csv", "t.parquet"):
            print(f"{name:10} {(at / name).stat().st_size / 1e6:.1f} MB")
        model = at / "m.heft"
        jobs = {"read": {k: [sys.executable, "-c", READ, library, at / f"t.{k}"] for k in ("csv", "parquet")},
                "train nb": {k: [heft, "train", at / f"t.{k}", "-m", "nb", "-o", model, "-q"] for k in ("csv", "parquet")}}
        jobs["train nb"]["pandas.read_parquet, scikit-learn"] = [
            sys.executable, "-c", TRAIN.replace("pd.read_csv", "pd.read_parquet"), at / "t.parquet", at / "m", at / "o"]
        for job, ways in jobs.items():
            best = {}
            for _ in range(args.runs):
                for name, command in ways.items():
                    found = measure(command, 1)
                    best[name] = {k: min(v, best.get(name, found)[k]) for k, v in found.items()}
            cpu = {name: found["work"] if job == "read" else found["cpu"] for name, found in best.items()}
            for name, found in best.items():
                print(f"{job:9} {name:34} cpu {cpu[name]:7.3f} s  {cpu[name] / cpu['parquet']:5.1f} times   "
                      f"peak {found['peak']:6.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
