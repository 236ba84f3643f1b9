#!/usr/bin/env python3
"""Several ranks as a user meets them: mpirun heft train, predict, evaluate give what one process does.

    mpi.py HEFT [NAME...]      HEFT: the program built with MPI; skipped (status 77) without mpirun

Trained on 2 to 4 ranks the counts of a model are those of one process, bit for bit; a fault on any
rank is one line and leaves nothing behind; a rank that dies takes the others with it.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import run_cli
from run_cli import HEFT, Wrong, files, heft, put, require, same
from tensors import tensors

run_cli.TESTS.clear()
test = run_cli.test
PATIENCE = 120
ENV = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "ASAN_OPTIONS": "detect_leaks=0"}  # an MPI library leaks by itself
TEMPORARY = "/tmp" if len(os.environ.get("TMPDIR", "/tmp")) > 60 else os.environ.get("TMPDIR", "/tmp")
ENV["TMPDIR"] = TEMPORARY  # sockets live there: their names must be short


def start(ranks, *args, stdin=None):
    return subprocess.Popen(["mpirun", "-q", "-n", str(ranks), HEFT, *map(str, args)], env=ENV,
                            stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ranks(n, *args, stdin=None, status=0):
    job = start(n, *args, stdin=stdin)
    out, err = (text.decode("utf-8", "replace") for text in job.communicate(stdin, PATIENCE))
    require(job.returncode == status,
            f"{n} ranks: heft {' '.join(map(str, args))}: status {job.returncode}\n{out}\n{err}")
    return out, err


def refused(n, *args, says, status=1):
    """One line from heft, nothing written, on whichever rank it happened."""
    before = files()
    out, err = ranks(n, *args, status=status)
    lines = [line for line in err.splitlines() if line.startswith("heft: ")]
    require(len(lines) == 1 and lines[0].startswith("heft: error: ") and says in lines[0],
            f"expected one line with {says!r}\n{err}")
    same(out, "", "standard output")
    same(files(), before, "files")


def table(rows, seed=1, header=True, first=0):
    """Numbers of many and of few values, words, missing cells, three classes."""
    deal = random.Random(seed)
    lines = ["width,height,colour,shape,kind"] if header else []
    for i in range(rows):
        c = deal.choice("aaabbc")
        width = f"{deal.gauss(ord(c) % 5, 1):.6f}" if deal.random() > 0.02 else ""
        colour = deal.choice(["red", "green", "blue"] + ["grey, light"] * (c == "b"))
        shape = deal.choice(["round", "long"]) if i + first > rows // 2 else "round"
        lines.append(f'{width},{deal.randrange(9) + (c == "a")},"{colour}",{shape},{c}')
    return "\n".join(lines) + "\n"


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
                                              if "seconds" not in k and k != "key"})
                for data in json.loads(text)["datasets"] for cell in data["methods"]]

    for args in (["t.csv", "s.csv", "-m", "nb,sbc,lwnb", "--cv", "3", "--repeat", "2"],
                 ["t.csv", "-m", "nb,aode,lcwnb,lwnb", "--test", "u.csv"],
                 ["t.csv", "-m", "nb,sbc", "--test", "u.csv"]):
        args = ["evaluate", *args, "--discretize", "width:5", "--impute", "mean", "--json", "-"]
        same(figures(ranks(3, *args)[0]), figures(heft(*args).out), " ".join(args))


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
    refused(2, "train", "a.csv", "-m", "sbc", "-o", "m", says="needs all rows in one place")
    refused(2, "train", "a.csv", "-m", "nobody", "-o", "m", says="unknown method", status=2)
    refused(2, "train", "a.csv", "-m", "nb", "-o", "no/folder/m", says="no/folder/m")
    refused(2, "train", "a.csv", "-o", "m", says="method auto needs all rows")


def children(pid):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) == pid and os.readlink(entry / "exe") == HEFT:
                found.append(int(entry.name))
        except (OSError, IndexError):
            continue
    return sorted(found)


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
    if not HEFT or not shutil.which("mpirun"):
        print("skipped: there is no mpirun")
        sys.exit(77)
    probe = subprocess.run(["mpirun", "-q", "-n", "2", HEFT, "--version"], env=ENV, timeout=PATIENCE,
                           capture_output=True, check=False)
    if probe.returncode != 0:
        print("skipped: mpirun does not start ranks here:", probe.stderr.decode()[:300])
        sys.exit(77)
    sys.exit(run_cli.main())
