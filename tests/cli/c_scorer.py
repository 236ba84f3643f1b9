#!/usr/bin/env python3
"""Exported C with a header and the struct of a row, also in single precision: c_scorer.py HEFT [NAME...].

export_test.c compares the C files of all methods with predict, cell by cell.
"""
import csv
import ctypes
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import harness  # noqa: E402
from asked_rows import dependent_models, tables, three_way_tables  # noqa: E402
from harness import heft, put, refused, require, same, test  # noqa: E402

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-O1"]
COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]


def compiled(source, *more):
    """The library of a C file, which no compiler at hand has a warning for."""
    for compiler in reversed(COMPILERS):  # the first of the list makes the library; the others only look for faults
        end = ["-shared", "-fPIC", "-o", "./model.so", "-lm"] if compiler == COMPILERS[0] else ["-fsyntax-only"]
        done = subprocess.run([compiler, *STRICT, *more, source, *end], capture_output=True, text=True, check=False)
        require(done.returncode == 0, f"{compiler}: {done.stderr[:2000]}")
    shutil.move("model.so", name := f"./{os.path.basename(source)}{len(os.listdir('.'))}.so")
    return ctypes.CDLL(os.path.abspath(name))  # a library of this name may be loaded from another folder


def members(header):
    """Names and types of the members of the struct."""
    body = re.search(r"typedef struct \w+ \{\n(.*?)\n\}", header, re.S).group(1)
    return [re.fullmatch(r"    (double |float |const char \*)(\w+);", line).groups() for line in body.split("\n")]


def compare(name, data, limit, *more):
    """Rows through the struct get the probabilities of predict. Returns the largest difference."""
    heft("export", "m.heft", "-o", f"{name}.c", "--with-header", *more)
    header = pathlib.Path(f"{name}.h").read_text(encoding="ascii")
    real = ctypes.c_float if "--float" in more else ctypes.c_double
    fields = [(member, ctypes.c_char_p if "char" in kind else real) for kind, member in members(header)]
    row_type = type("Row", (ctypes.Structure,), {"_fields_": fields})
    predict = getattr(compiled(f"{name}.c"), f"{name}_predict_row")
    lines = list(csv.reader(io.StringIO(heft("predict", "m.heft", data, "--proba", "-q").out)))
    k = len(lines[0]) - 1
    with open(data, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    proba = (real * k)()
    worst = 0.0
    for cells, line in zip(rows, lines[1:]):
        row = row_type(*((cell.encode() or None) if kind is ctypes.c_char_p else float(cell or "nan")
                         for cell, (_, kind) in zip(cells, fields)))
        best = predict(ctypes.byref(row), proba)
        worst = max(worst, *(abs(p - float(q)) for p, q in zip(proba, line[1:])))
        ordered = sorted(map(float, line[1:]))
        require(lines[0][1:][best] == f"P({line[0]})" or ordered[-1] - ordered[-2] < 2 * limit, f"class {best}: {line}")
    require(worst <= limit, f"{name} {more}: off by {worst}")
    return worst


@test
def rows_are_structs():
    if not COMPILERS:
        print("        skipped: no C compiler")
        return
    tables()
    for method, more in (("nb", []), ("gnb", []), ("flexnb", []), ("lnb", []), ("cawnb", ["--impute", "mean"]),
                         ("nb", ["--scale", "unit"]), ("nb", ["--calibrate", "vector"]), ("auto", [])):
        heft("train", "train.csv", "-o", "m.heft", "-m", method, "-q", *more)
        compare("plain", "ask.csv", 1e-12)
        compare("small", "ask.csv", 1e-4, "--float")
    three_way_tables("abcd")
    heft("train", "train.csv", "-o", "m.heft", "-q")
    compare("plain", "ask.csv", 1e-12)
    compare("small", "ask.csv", 1e-4, "--float")
    small = pathlib.Path("small.c").read_text()
    require(len(small) < 0.85 * os.path.getsize("plain.c"), "single precision is not shorter")
    for literal in re.findall(r"[-\d.]+(?:e-?\d+)?f\b", small):
        require(len(re.sub(r"e.*|\D", "", literal).lstrip("0")) <= 9, f"{literal} has more digits than a float")
    require("double" not in pathlib.Path("small.c").read_text(encoding="ascii"), "double in single precision")
    heft("train", "train.csv", "-o", "m.heft", "-q", "-p", "order=any")
    compare("wide", "ask.csv", 1e-12)


@test
def several_sums_are_structs():
    if not COMPILERS:
        print("        skipped: no C compiler")
        return
    for what, _ in dependent_models():
        compare("plain", "ask.csv", 1e-12)
        if "unseen" in what:
            compare("small", "ask.csv", 1e-4, "--float")


@test
def members_are_names_of_c():
    names = ["int", "a b", "a_b", "größe", "2nd", "e", "NULL", "x*/", "while", 'q"', "M_PI", "linux"]
    rows = [[i % 7 + j for j in range(len(names))] + ["no", "yes"][i % 2:][:1] for i in range(40)]
    out = io.StringIO()
    csv.writer(out).writerows([[*names, "class"], *rows])
    put("all.csv", out.getvalue())
    heft("train", "all.csv", "-o", "m.heft", "-m", "nb", "-q")
    os.mkdir("sub")
    heft("export", "m.heft", "-o", "sub/9 lives.c", "--with-header")
    header = pathlib.Path("sub/9 lives.h").read_text(encoding="ascii")
    same([name for _, name in members(header)],
         ["x_int", "a_b", "a_b_2", "gr____e", "x2nd", "e", "x_NULL", "x__", "x_while", "q_", "x_M_PI", "x_linux"], "members")
    require("x9_lives_predict_row" in header and "#ifndef X9_LIVES_H" in header, header)
    if COMPILERS:
        compiled("sub/9 lives.c")
    if shutil.which("g++"):
        put("two.cpp", '#include "sub/9 lives.h"\n#include "sub/9 lives.h"\n'
                       "int main() { x9_lives_row row = {}; return x9_lives_predict_row(&row, nullptr); }\n")
        subprocess.run(["g++", "-Wall", "-Wextra", "-Werror", "-c", "two.cpp", "-o", "two.o"], check=True)


@test
def a_header_needs_a_c_file():
    put("all.csv", "x,class\n1,a\n2,b\n3,a\n")
    heft("train", "all.csv", "-o", "m.heft", "-m", "nb", "-q")
    refused("export", "m.heft", "--with-header", says="-o FILE.c")
    refused("export", "m.heft", "-o", "m.txt", "--with-header", says="-o FILE.c")
    refused("export", "m.heft", "--to", "json", "-o", "m.c", "--with-header", says="--with-header is not for format json")


if __name__ == "__main__":
    sys.exit(harness.main())
