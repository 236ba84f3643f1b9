#!/usr/bin/env python3
"""Several ranks and bad luck: parts that do not fit, files cut short or changing, disks that are full.

    mpi_faults.py HEFT [NAME...]      HEFT: the program built with MPI; skipped (status 77) without mpirun

Whatever it is and whichever rank meets it: one line from heft, every rank ends, and no file is left.
"""
import gzip
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

import harness
from harness import HEFT, files, heft, put, require, same
from mpi_runs import ENV, PATIENCE, need_mpirun, ranks, refused, start, table
from tensors import tensors

test = harness.test
CUT = ["-m", "nb", "--discretize", "width:5", "--impute", "mean"]


def zstd(data):
    done = subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True)
    return done.stdout


@test
def parts_with_other_columns():
    put("a.csv", table(60))
    put("renamed.csv", table(60).replace("shape", "form"))
    put("fewer.csv", "".join(line.split(",", 1)[1] for line in table(60).splitlines(keepends=True)))
    put("swapped.csv", table(60).replace("width,height", "height,width"))
    for name, says in (("renamed.csv", "'form'"), ("fewer.csv", "fewer.csv"),
                       ("swapped.csv", "swapped.csv")):
        for n, parts in ((2, ["a.csv", name]), (3, ["a.csv", "a.csv", name]), (2, [name, "a.csv", "a.csv"])):
            if parts[0] == name:
                says = "a.csv"
            refused(n, "train", *parts, "-o", "m", *CUT, says=says)
            harness.refused("train", *parts, "-o", "m", *CUT, says=says)
    put("a.arff", "@relation r\n@attribute x numeric\n@attribute c {p,q}\n@data\n1,p\n2,q\n")
    put("b.arff", "@relation r\n@attribute y numeric\n@attribute c {p,q}\n@data\n1,p\n2,q\n")
    refused(2, "train", "a.arff", "b.arff", "-o", "m", says="'y'")
    refused(2, "train", "a.arff", "a.csv", "-o", "m", says="a.csv")


@test
def parts_without_rows():
    whole = table(40)
    header, rows = whole.split("\n", 1)
    put("all.csv", whole)
    put("rows.csv", rows)
    put("head.csv", header + "\n")
    put("blank.csv", "\n\n")
    put("nothing.csv", "")
    put("again.csv", whole)
    heft("train", "all.csv", "-o", "one", *CUT)
    for n in (2, 4):
        for parts in (("all.csv", "head.csv"), ("head.csv", "all.csv"), ("head.csv", "rows.csv", "head.csv")):
            ranks(n, "train", *parts, "-o", "many", *CUT)
            same(tensors("many") == tensors("one"), True, "a header alone is an empty part")
    heft("train", "all.csv", "again.csv", "-o", "two", *CUT)
    ranks(2, "train", "all.csv", "again.csv", "-o", "many", *CUT)
    same(tensors("many") == tensors("two"), True, "a header in each")
    for parts, says in ((["all.csv", "nothing.csv"], "nothing.csv: the file is empty"),
                        (["nothing.csv", "all.csv"], "nothing.csv: the file is empty"),
                        (["all.csv", "blank.csv"], "blank.csv: the file has no data rows"),
                        (["head.csv"], "head.csv: the file has no data rows")):
        harness.refused("train", *parts, "-o", "m", *CUT, says=says)
        refused(3, "train", *parts, "-o", "m", *CUT, says=says)
    put("three.csv", header + "\n" + "\n".join(rows.split("\n")[:3]) + "\n")
    heft("train", "three.csv", "-m", "nb", "--part", "-o", "alone")
    ranks(4, "train", "three.csv", "-m", "nb", "--part", "-o", "many")
    same(tensors("many")["suffstats.class"], tensors("alone")["suffstats.class"], "fewer rows than ranks")


@test
def parts_cut_short():
    text = table(3000).encode()
    put("a.csv", text)
    put("cut.csv", text[:-14])
    refused(2, "train", "a.csv", "cut.csv", "-o", "m", *CUT, says="rank 1: cut.csv:3001: ")
    refused(3, "train", "cut.csv", "-o", "m", *CUT, says="cut.csv:3001: ")
    packings = [("gz", gzip.compress(text), "gzip file is truncated")]
    if shutil.which("zstd"):
        packings.append(("zst", zstd(text), "zstd file is truncated"))
    heft("train", "a.csv", "-o", "one", *CUT)
    for ending, packed, says in packings:
        put(f"whole.csv.{ending}", packed)
        put(f"cut.csv.{ending}", packed[:len(packed) * 2 // 3])
        ranks(3, "train", f"whole.csv.{ending}", "-o", "many", *CUT)
        same(tensors("many") == tensors("one"), True, ending)
        refused(2, "train", "a.csv", f"cut.csv.{ending}", "-o", "m", *CUT, says=says)
        refused(3, "train", f"cut.csv.{ending}", "-o", "m", *CUT, says=says)
        refused(2, "predict", "one", f"cut.csv.{ending}", "-o", "p.csv", says=says)
        refused(2, "evaluate", f"cut.csv.{ending}", "-m", "nb", "--json", "e.json", says=says)
    put("cut.heft", pathlib.Path("one").read_bytes()[:-100])
    refused(2, "predict", "cut.heft", "a.csv", "-o", "p.csv", says="cut.heft")


@test
def a_full_scratch_disk():
    os.mkdir("small")
    mount = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=3m none small && exec "$@"', "sh"]
    if subprocess.run([*mount, "true"], capture_output=True, check=False).returncode != 0:
        print("        (no small disk can be made here: not tried)")
        return
    lines = table(20000).splitlines(keepends=True)
    with open("t.csv", "w") as out:
        out.write(lines[0])
        for _ in range(60):
            out.writelines(lines[1:])
    before = files()
    for args in (["-m", "lnb"], []):  # rows spread out, and rows brought together
        done = subprocess.run([*mount, "mpirun", "-q", "-n", "2", HEFT, "train", "t.csv", "--memory", "32M",
                               "--scratch", "small", "-q", "-o", "m", *args], env=ENV, capture_output=True,
                              text=True, timeout=PATIENCE, check=False)
        lines = [line for line in done.stderr.splitlines() if line.startswith("heft: ")]
        require(done.returncode == 1 and len(lines) == 1 and "the scratch file in small cannot grow by" in lines[0],
                f"status {done.returncode}\n{done.stderr}")
        same(files(), before, "files")


@test
def ranks_started_unlike():
    put("t.csv", table(60))
    before = files()
    for other in (["train", "t.csv", "-m", "lnb", "-o", "m"], ["train", "t.csv", "-m", "nb", "-o", "m", "--seed", "2"],
                  ["predict", "t.csv", "t.csv"], ["--version"], ["train", "t.csv", "--no-such-option"]):
        done = subprocess.run(["mpirun", "-q", "-n", "1", HEFT, "train", "t.csv", "-m", "nb", "-o", "m", ":",
                               "-n", "2", HEFT, *other], env=ENV, capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
        lines = [line for line in done.stderr.splitlines() if line.startswith("heft: ")]
        require(done.returncode == 2 and len(lines) == 1 and "different options" in lines[0],
                f"status {done.returncode}\n{done.stderr}")
        same(files(), before, "files")


@test
def a_launcher_of_another_library():
    """Each process is a rank of its own: none may do all of the work."""
    put("t.csv", table(60))
    before = files()
    done = subprocess.run([HEFT, "train", "t.csv", "-m", "nb", "-o", "m"], env={**ENV, "MPI_LOCALNRANKS": "2"},
                          capture_output=True, text=True, timeout=PATIENCE, check=False)
    lines = [line for line in done.stderr.splitlines() if line.startswith("heft: ")]
    require(done.returncode == 2 and len(lines) == 1 and "another MPI library" in lines[0],
            f"status {done.returncode}\n{done.stderr}")
    same(files(), before, "files")


@test
def what_only_some_ranks_see():
    """Files that one machine has and the other has not, or has otherwise."""
    put("t.csv", table(400))
    heft("train", "t.csv", "-o", "one", *CUT)
    os.mkdir("there")

    def apart(*args):
        before = files()
        enter = 'cd "$0" && exec "$@"'
        job = [["-n", "1", "sh", "-c", enter, folder, HEFT, *args] for folder in (".", "there")]
        done = subprocess.run(["mpirun", "-q", *job[0], ":", *job[1]], env=ENV, capture_output=True,
                              text=True, timeout=PATIENCE, check=False)
        same(files(), before, "files")
        lines = [line for line in done.stderr.splitlines() if line.startswith("heft: ")]
        require(done.returncode == 1 and len(lines) == 1, f"status {done.returncode}\n{done.stderr}")
        return lines[0]

    require("rank 1: t.csv: cannot open" in apart("train", "t.csv", "-o", "m", *CUT), "no data")
    require("rank 1: one: " in apart("predict", "one", "t.csv", "-o", "p"), "no model")
    shutil.copy("t.csv", "there/t.csv")
    require("rank 1: one: " in apart("train", "t.csv", "--like", "one", "-o", "m"), "no model to be like")
    with open("there/t.csv", "a") as more:
        more.write("1,2,red,round,a\n")
    require("rank 0 sees" in apart("train", "t.csv", "-o", "m", *CUT), "a longer file")
    require("same rows" in apart("evaluate", "t.csv", "-m", "nb", "--json", "e.json"), "other rows")


@test
def a_file_that_changes_while_it_is_read():
    text = table(60000)
    fair = set()
    deal = random.Random(5)
    for k in range(6):
        put("t.csv", text)
        put("u.csv", text)
        before = files()
        job = start(3, "train", "t.csv", "-o", "m", *CUT)
        time.sleep(0.3 + 0.5 * deal.random())
        if k % 3 == 0:
            os.truncate("t.csv", len(text) // 2)
        elif k % 3 == 1:
            with open("t.csv", "a") as more:
                more.write(text.split("\n", 1)[1])
        else:
            os.unlink("t.csv")
            before = [name for name in before if name != "t.csv"]
        _, err = job.communicate(timeout=PATIENCE)
        lines = [line for line in err.decode().splitlines() if line.startswith("heft: ")]
        require(len(lines) == (1 if job.returncode else 4), f"status {job.returncode}\n{err.decode()}")
        if job.returncode == 0:
            rows = int(re.match(r"heft: rows +(\d+) from t.csv", lines[0])[1])
            require(rows in (60000, 30000, 29999, 120000), lines[0])
            os.unlink("m")
        fair.add(job.returncode)
        require(fair <= {0, 1}, f"status {job.returncode}")
        same(sorted(files()), sorted(before), "files")


if __name__ == "__main__":
    need_mpirun()
    sys.exit(harness.main())
