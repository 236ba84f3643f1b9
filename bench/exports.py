#!/usr/bin/env python3
"""Exported models of public data sets: sizes, differences from predict, time per row.

    HEFT_DATA=FOLDER bench/exports.py HEFT [METHOD or DATA...]      (auto, nb and lnb on twelve data sets unless named)

Needs gcc, onnx, onnxruntime and numpy. The rows of each data set are scored, with 5 % of the cells missing and 3 % of the
nominal ones never seen. Times are processor time: of all rows at once in onnxruntime, of one call after the other in C, and of
the whole statement in SQLite, which takes it apart first.
"""
import csv
import ctypes
import os
import pathlib
import sqlite3
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMED = sys.argv[2:]
sys.argv[1:] = sys.argv[1:2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import c_scorer  # noqa: E402
import onnx_scorer  # noqa: E402
from harness import Run, heft  # noqa: E402

CALLS = 20


def kilobytes(name):
    return f"{os.path.getsize(name) / 1024:.0f}"


def timed(function):
    began = time.process_time()
    function()
    return time.process_time() - began


def onnx_time(rows):
    run = onnx_scorer.session("m.onnx")
    cells = onnx_scorer.cells(run, rows)
    return timed(lambda: run.run(None, cells))


def c_time(library, rows, numeric):
    """Seconds for the rows, without what the calls themselves take from Python."""
    names = list(rows[0])[:-1]
    cells = [((ctypes.c_double * len(names))(*(float(row[n] or "nan") if n in numeric else 0 for n in names)),
              (ctypes.c_int * len(names))(*(0 if n in numeric else library.plain_code(j, row[n].encode() or None)
                                            for j, n in enumerate(names)))) for row in rows]

    def calls(function):
        for _ in range(CALLS):
            for numbers, codes in cells:
                function(numbers, codes, None)

    predict, other = (min(timed(lambda f=f: calls(f)) for _ in range(5)) for f in (library.plain_predict, library.plain_is_nominal))
    return max(0, predict - other) / CALLS


def sql_time(rows, numeric):
    """Seconds, or None where there is no such statement."""
    if Run(["export", "m.heft", "-o", "m.sql"]).status:
        return None
    db = sqlite3.connect(":memory:")
    names = list(rows[0])
    db.execute("CREATE TABLE data (" + ", ".join('"%s" %s' % (n.replace('"', '""'), "REAL" if n in numeric else "TEXT")
                                                 for n in names) + ")")
    db.executemany(f"INSERT INTO data VALUES ({','.join('?' * len(names))})", [[row[n] or None for n in names] for row in rows])
    statement = pathlib.Path("m.sql").read_text(encoding="utf-8")
    return timed(lambda: db.execute(statement).fetchall())


def row(name, method):
    heft("train", f"{os.environ['HEFT_DATA']}/{name}.arff", "-m", method, "-o", "m.heft", "-q")
    far = onnx_scorer.compare(name, "ask.csv", limit=1)
    with open("ask.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    numeric = {i.name for i in onnx_scorer.session("m.onnx").get_inputs() if i.type == "tensor(double)"}
    differences, libraries = [], []
    for stem, more in (("plain", []), ("small", ["--float"])):
        differences.append(c_scorer.compare(stem, "ask.csv", 1, *more))
        libraries.append(max(pathlib.Path(".").glob(f"{stem}.c*.so"), key=os.path.getmtime))
    seconds = [onnx_time(rows), c_time(ctypes.CDLL(f"./{libraries[0]}"), rows, numeric), sql_time(rows, numeric)]
    sizes = [kilobytes("m.heft"), kilobytes("m.onnx")]
    for ending in ("json", "pmml", "sql"):
        written = Run(["export", "m.heft", "-o", f"m.{ending}"]).status == 0
        sizes.append(kilobytes(f"m.{ending}") if written else "")
    return [name, method, *sizes, *map(kilobytes, libraries), *(f"{d:.0e}".replace("0e+00", "0").replace("e-0", "e-") for d in [far, *differences]),
            *("" if s is None else f"{1e6 * s / len(rows):.{0 if s * 1e6 > 10 * len(rows) else 1}f}" for s in seconds)]


def main():
    c_scorer.COMPILERS = ["gcc"]
    print("| data | method | model | onnx | json | pmml | sql | c, compiled | c --float | difference: onnx | c | c --float | "
          "onnx: µs per row | c | SQLite |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in [n for n in NAMED if n in onnx_scorer.PUBLIC] or onnx_scorer.PUBLIC:
            onnx_scorer.asked(name)
            for method in [n for n in NAMED if n not in onnx_scorer.PUBLIC] or ["auto", "nb", "lnb"]:
                print("| " + " | ".join(row(name, method)) + " |", flush=True)
        os.chdir(ROOT)


if __name__ == "__main__":
    main()
