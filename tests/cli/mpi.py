#!/usr/bin/env python3
"""Several ranks as a user meets them: mpirun heft train, predict, evaluate give what one process does.

    mpi.py HEFT [NAME...]      HEFT: the program built with MPI; skipped (status 77) without mpirun

Trained on 2 to 4 ranks the counts of a model are those of one process, bit for bit; a fault on any
rank is one line and leaves nothing behind; a rank that dies takes the others with it.
"""
import json
import os
import pathlib
import re
import signal
import sys
import time

import harness
from harness import files, heft, put, require, same
from mpi_runs import PATIENCE, children, need_mpirun, ranks, refused, start, table
from tensors import tensors

test = harness.test


def inspect(path):
    return json.loads(heft("inspect", path, "--json", "-").out)


@test
def models_of_counts_are_identical():
    put("t.csv", table(4000))
    for method in ("nb", "aode", "lcwnb"):
        heft("train", "t.csv", "-m", method, "--discretize", "mdl", "--impute", "mean", "-o", "one")
        for n in (2, 3, 4):
            ranks(n, "train", "t.csv", "-m", method, "--discretize", "mdl", "--impute", "mean", "-o",
                  "many")
            same(tensors("many") == tensors("one"), True, f"{method} on {n} ranks")


@test
def the_default_leaves_the_rows_of_a_large_table_where_they_are():
    put("t.csv", table(10500))
    less = ["--drop", "colour"]  # few trees are enough without it
    heft("train", "t.csv", *less, "-o", "one")
    said = "".join(ranks(3, "train", "t.csv", *less, "-o", "many", "-v"))
    same(tensors("many") == tensors("one"), True, "auto on 3 ranks")
    exchanges = int(re.search(r"(\d+) exchanges", said)[1])
    require(exchanges > 500, f"{exchanges} exchanges are too few for trees grown together")
    heft("train", "t.csv", "-p", "effort=count", "-o", "one")
    ranks(4, "train", "t.csv", "-p", "effort=count", "-o", "many")
    same(tensors("many") == tensors("one"), True, "counted evidence on 4 ranks")


@test
def small_tables_selection_and_calibration():
    put("t.csv", table(900))
    cut = ["--discretize", "width:5", "--impute", "mean"]
    for n, args in ((2, []), (4, []), (3, ["--memory", "64M"]), (2, ["-m", "treenb", *cut]),
                    (3, ["-m", "nb", "--select", "cfs", *cut]),
                    (4, ["-m", "aode", "--calibrate", "vector", *cut]),
                    (2, ["-m", "lcwnb", "--calibrate", "temperature", *cut])):
        heft("train", "t.csv", "-o", "one", *args)
        ranks(n, "train", "t.csv", "-o", "many", *args)
        same(tensors("many") == tensors("one"), True, f"{args} on {n} ranks")


@test
def trained_like_another_and_as_a_part():
    put("t.csv", table(900))
    put("u.csv", table(500, seed=7).replace("red", "crimson"))
    for method in ("nb", "lcwnb", "auto"):
        heft("train", "t.csv", "-m", method, "--discretize", "mdl", "--impute", "mean", "-o", "base")
        heft("train", "u.csv", "--like", "base", "-o", "one")
        ranks(3, "train", "u.csv", "--like", "base", "-o", "many")
        same(tensors("many") == tensors("one"), True, f"{method} like another")
    heft("train", "t.csv", "-m", "gnb", "--part", "--impute", "mean", "-o", "one")
    ranks(2, "train", "t.csv", "-m", "gnb", "--part", "--impute", "mean", "-o", "many")
    same(tensors("many") == tensors("one"), True, "a part")
    refused(2, "train", "t.csv", "--like", "absent", "-o", "m", says="absent: ")
    refused(2, "train", "t.csv", "--like", "-", "-o", "m", says="cannot read a model from standard input")


@test
def rows_that_do_not_count_add_nothing_on_any_rank():
    lines = table(300).splitlines()
    rows = [f"{'odd' if i % 7 == 3 else 'even'},{0 if i % 7 == 3 else 1 + i % 2},{line}"
            for i, line in enumerate(lines[1:])]
    odd = [row.rsplit(",", 1)[0] + ",never" if row.startswith("odd") else row for row in rows]
    put("w.csv", "\n".join(["mark,heavy," + lines[0], *odd]) + "\n")
    args = ["--weight", "heavy", "-m", "nb", "--discretize", "width:5", "--impute", "mean"]
    heft("train", "w.csv", *args, "-o", "one")
    ranks(3, "train", "w.csv", *args, "-o", "many")
    same(tensors("many") == tensors("one"), True, "rows of weight 0")
    require("never" not in inspect("many")["classes"], "a class of rows of weight 0")
    _, err = ranks(3, "predict", "many", "w.csv", "-o", "p.csv")
    require("43 of 300 rows have a class that the model does not know" in err and "'never'" in err, err)


@test
def a_model_to_standard_output():
    put("t.csv", table(300))
    heft("train", "t.csv", "-m", "nb", "--discretize", "mdl", "-o", "one")
    job = start(2, "train", "t.csv", "-m", "nb", "--discretize", "mdl", "-o", "-")
    pathlib.Path("many").write_bytes(job.communicate(timeout=PATIENCE)[0])
    same(tensors("many") == tensors("one"), True, "a model through mpirun")


@test
def learned_weights_have_the_same_bits():
    put("t.csv", table(4000))
    for method in ("enb", "lnb", "wanbia", "cawnb", "rnb", "vwnb"):
        cut = ("--discretize", "mdl") if method == "vwnb" else ()
        heft("train", "t.csv", "-m", method, "--impute", "mean", "-o", "one", *cut)
        ranks(3, "train", "t.csv", "-m", method, "--impute", "mean", "-o", "many", *cut)
        same(tensors("many") == tensors("one"), True, method)


@test
def predictions_keep_their_order():
    put("t.csv", table(3000))
    put("new.csv", table(1501, seed=2))
    for method in ("nb", "lcwnb"):
        heft("train", "t.csv", "-m", method, "--discretize", "width:6", "--impute", "mean", "-o", "m")
        one = heft("predict", "m", "new.csv", "--proba")
        out, err = ranks(3, "predict", "m", "new.csv", "--proba")
        same(out == one.out, True, f"{method}: the same text")
        same(err, one.err, "accuracy")
        ranks(2, "predict", "m", "new.csv", "--proba", "-o", "p.csv")
        same(pathlib.Path("p.csv").read_text() == one.out, True, "the file")


@test
def evaluations_agree():
    put("t.csv", table(600))
    put("s.csv", table(301, seed=3))
    put("u.csv", table(200, seed=4))

    def figures(text):
        return [(data["name"], data["rows"], {k: v for k, v in cell.items()
                                              if "seconds" not in k and k not in ("key", "checksum")})
                for data in json.loads(text)["datasets"] for cell in data["methods"]]

    for args in (["t.csv", "s.csv", "-m", "nb,sbc,lwnb", "--cv", "3", "--repeat", "2"],
                 ["t.csv", "-m", "nb,aode,lcwnb,lwnb", "--test", "u.csv"],
                 ["t.csv", "-m", "nb,lcwnb", "--test", "u.csv", "--calibrate", "temperature"],
                 ["t.csv", "-m", "nb,aode", "--test", "u.csv", "--noise", "0,0.2"],
                 ["t.csv", "-m", "nb,sbc", "--test", "u.csv"]):
        args = ["evaluate", *args, "--discretize", "width:5", "--impute", "mean", "--json", "-"]
        same(figures(ranks(3, *args)[0]), figures(heft(*args).out), " ".join(args))


@test
def kept_results_are_used_again():
    put("t.csv", table(300))
    args = ["evaluate", "t.csv", "-m", "nb,tan", "--cv", "3", "--discretize", "mdl", "--impute", "mean",
            "--json", "r.json"]
    ranks(2, *args)
    first = pathlib.Path("r.json").read_text()
    _, err = ranks(3, *args)
    require("r.json: 2 of 2 results reused" in err, err)
    same(pathlib.Path("r.json").read_text(), first, "the file")
    require("2 of 2 results" in heft(*args).err, "one process does not know them")


@test
def parts_and_standard_input():
    whole = table(900)
    lines = whole.splitlines(keepends=True)
    put("t.csv", whole)
    cut = ["-m", "nb", "--discretize", "frequency:5"]
    heft("train", "t.csv", "-o", "one", *cut)
    for k, (lo, hi) in enumerate(((0, 300), (300, 500), (500, 901))):
        put(f"part{k}.csv", "".join(lines[lo:hi]))
    ranks(2, "train", "part0.csv", "part1.csv", "part2.csv", "-o", "many", *cut)
    same(tensors("many") == tensors("one"), True, "three parts, header in the first")
    heft("train", "part0.csv", "part1.csv", "part2.csv", "-o", "again", *cut)
    same(tensors("again") == tensors("one"), True, "the same by one process")
    ranks(3, "train", "-", "--format", "csv", "-o", "piped", *cut, stdin=whole.encode())
    same(tensors("piped") == tensors("one"), True, "standard input")


@test
def bad_parts_are_one_error():
    put("a.csv", table(50))
    put("b.csv", table(50).replace("colour", "color"))
    put("c.csv", table(50).rsplit(",", 1)[0])
    put("d.csv", table(50)[:-40])
    refused(2, "train", "a.csv", "b.csv", "-o", "m", says="'color'")
    refused(2, "train", "a.csv", "c.csv", "-o", "m", says="rank 1: c.csv:51: ")
    refused(3, "train", "a.csv", "absent.csv", "-o", "m", says="absent.csv: cannot open")
    refused(3, "train", "a.csv", "-m", "auto", "--smoothing", "m:1", "-o", "m", status=2,
            says="method auto has its own smoothing")
    put("costs.csv", "colour,2\n")
    refused(3, "train", "a.csv", "-m", "tcsfsnb", "-p", "costs=costs.csv", "-o", "m",
            says="rank 0: costs.csv: column 'width' has no cost")
    refused(2, "train", "a.csv", "-m", "nobody", "-o", "m", says="unknown method", status=2)
    refused(2, "train", "a.csv", "-m", "nb", "-o", "no/folder/m", says="no/folder/m")


@test
def a_killed_rank_ends_all():
    put("t.csv", table(3000))
    before = files()
    for victim in (0, 2):
        job = start(3, "train", "t.csv", "-m", "vwnb", "-p", "maxit=1000000", "-p", "tol=0",
                    "-p", "eta=1e-7", "--discretize", "mdl", "-o", "m.heft")
        try:
            began = time.monotonic()
            while len(children(job.pid)) < 3 and time.monotonic() - began < 60:
                time.sleep(0.05)
            time.sleep(1.5)
            pids = children(job.pid)
            require(job.poll() is None and len(pids) == 3, f"not at work: {pids}")
            os.kill(pids[victim], signal.SIGKILL)
            struck = time.monotonic()
            job.communicate(timeout=60)
            took = time.monotonic() - struck
        finally:
            if job.poll() is None:
                job.kill()
        require(job.returncode != 0, "status 0 after a rank was killed")
        require(took < 15, f"the others went on for {took:.1f} s")
        time.sleep(0.2)
        same(children(job.pid), [], "ranks left")
        same(files(), before, "files")


if __name__ == "__main__":
    need_mpirun()
    sys.exit(harness.main())
