#!/usr/bin/env python3
"""Large in one way: files larger than the memory they may take, many columns, many classes.

    large.py HEFT [NAME...]        as harness.py says

Resident memory is the peak the system reports for the process; it is not looked at under a
sanitizer, which needs memory of its own.
"""
import gzip
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import time

import harness
from harness import HEFT, SANITIZED, heft, put, refused, require, same, test

LIMIT = "32M"
LIMIT_KB = 32 * 1024


def table(name, megabytes):
    """A CSV file of numbers, categories and three classes: a block of rows, over and over."""
    rng = random.Random(7)
    lines = []
    while sum(map(len, lines[:1])) * len(lines) < 1 << 20:
        c = rng.randrange(3)
        numbers = [f"{rng.gauss(c * (j % 2), 1 + j):.3f}" for j in range(8)]
        values = [f"v{rng.randrange(3 + c * (j % 3) + j)}" for j in range(6)]
        lines.append(",".join(numbers + values + [f"class_{c}"]) + "\n")
    block = "".join(lines)
    head = ",".join([f"x{j}" for j in range(8)] + [f"n{j}" for j in range(6)] + ["class"]) + "\n"
    with open(name, "w") as out:
        out.write(head)
        for _ in range(megabytes):
            out.write(block)
    return name


def sparse_table(name, rows, columns=3000):
    rng = random.Random(11)
    lines = []
    for i in range(2000):
        c = i % 2
        filled = sorted({rng.randrange(1, columns) for _ in range(30)} | {7 + c})
        lines.append(f"{c} " + " ".join(f"{j}:{rng.randrange(1, 9)}" for j in filled) + "\n")
    with open(name, "w") as out:
        for _ in range(rows // 2000):
            out.writelines(lines)
    return name


def high_water(pid):
    """Peak resident kilobytes of a process so far, once it is heft."""
    try:
        if os.readlink(f"/proc/{pid}/exe") != HEFT:
            return 0
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(found[0]) if found else 0


def run(*args, stdin=None, limits=None):
    """Status, standard error and peak resident kilobytes of a run."""
    peak = 0
    with open("stderr.txt", "wb") as err:
        process = subprocess.Popen([HEFT, *args], stdin=stdin, stdout=subprocess.DEVNULL,
                                   stderr=err, preexec_fn=limits)
        # ru_maxrss would count what this script had when it forked
        while process.poll() is None:
            peak = max(peak, high_water(process.pid))
            time.sleep(0.02)
    text = pathlib.Path("stderr.txt").read_text()
    os.unlink("stderr.txt")
    return process.returncode, text, peak


def limited(*args, stdin=None):
    status, err, peak = run(*args, stdin=stdin)
    require(status == 0, f"heft {' '.join(args)}: {err}")
    require(SANITIZED or peak <= LIMIT_KB, f"heft {' '.join(args)}: {peak} KB of {LIMIT_KB}")


def content(model):
    """A model's file without the time it took."""
    data = pathlib.Path(model).read_bytes()
    length = int.from_bytes(data[:8], "little")
    head = json.loads(data[8:8 + length])
    meta = head.pop("__metadata__")
    meta.pop("checksum")
    training = json.loads(meta.pop("training"))
    training.pop("seconds")
    tensors = {}
    for name, tensor in head.items():
        lo, hi = tensor["data_offsets"]
        tensors[name] = data[8 + length + lo:8 + length + hi]
    tensors.pop("training.seconds")
    return meta, training, tensors


def same_model(data, *options):
    limited("train", data, *options, "--memory", LIMIT, "-o", "limited.heft")
    heft("train", data, *options, "-o", "plain.heft")
    require(content("limited.heft") == content("plain.heft"),
            f"{' '.join(options)}: another model under --memory")


@test
def a_file_three_times_the_limit_trains_within_it():
    table("big.csv", 100)
    require(os.path.getsize("big.csv") > 3 * LIMIT_KB * 1024, "too small")
    same_model("big.csv", "-m", "nb")


@test
def every_way_of_learning_gives_the_same_model():
    """Methods that iterate, sort, copy or prepare; cells of more than the limit leaves plain."""
    table("some.csv", 12)
    for options in (["-m", "rnb", "-p", "max-iter=15"], ["-m", "lnb"], ["-m", "klnb"], ["-m", "auto", "-p", "effort=count"],
                    ["-m", "nb", "--discretize", "mdl"],
                    ["-m", "nb", "--discretize", "frequency:7", "--impute", "mean"]):
        same_model("some.csv", *options)


@test
def the_default_too():
    """It reads some 200 columns side by side, and their sums are larger than the table."""
    table("some.csv", 2)
    same_model("some.csv", "-m", "auto")


@test
def sparse_rows_too():
    sparse_table("s.libsvm", 60000)
    for options in (["-m", "swnb"], ["-m", "nb", "--discretize", "mdl", "--impute", "mean"],
                    ["-m", "klnb", "--discretize", "width:4", "--scale", "unit"]):
        same_model("s.libsvm", *options)
    heft("train", "s.libsvm", "-m", "swnb", "-o", "m.heft")
    limited("predict", "m.heft", "s.libsvm", "-o", "p.csv", "--memory", LIMIT)
    limited("evaluate", "s.libsvm", "-m", "swnb", "--cv", "2", "--memory", LIMIT)


@test
def many_sparse_columns_stay_out_of_the_scratch_file():
    """Sums by column and class are written all over: in the file every write costs a page."""
    sparse_table("s.libsvm", 30000, columns=20000)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_stime
    limited("train", "s.libsvm", "-m", "swnb", "--memory", LIMIT, "-o", "m.heft")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_stime - spent
    require(SANITIZED or spent < 40, f"{spent:.1f} s of system time")


@test
def predict_and_convert_take_the_same_memory_whatever_the_file():
    table("small.csv", 2)
    table("big.csv", 40)
    heft("train", "small.csv", "-m", "nb", "-o", "m.heft")
    peaks = []
    for name in ("small.csv", "big.csv"):
        status, err, peak = run("predict", "m.heft", name, "-o", "p.csv", "--threads", "2",
                                "--memory", LIMIT)
        same(status, 0, err)
        peaks.append(peak)
    require(SANITIZED or peaks[1] <= LIMIT_KB, f"predict: {peaks} KB")
    limited("convert", "big.csv", "-o", "c.arff", "--memory", LIMIT)
    heft("convert", "big.csv", "-o", "d.arff")
    same(pathlib.Path("c.arff").read_bytes() == pathlib.Path("d.arff").read_bytes(), True, "arff")


@test
def a_pipe_is_not_kept_for_predict_and_goes_to_scratch_for_convert():
    table("big.csv", 36)
    heft("train", "big.csv", "-m", "nb", "-o", "m.heft")
    heft("predict", "m.heft", "big.csv", "-o", "p.csv")
    with subprocess.Popen(["cat", "big.csv"], stdout=subprocess.PIPE) as cat:
        limited("predict", "m.heft", "-", "--format", "csv", "-o", "q.csv", "--memory", LIMIT,
                stdin=cat.stdout)
    same(pathlib.Path("q.csv").read_bytes() == pathlib.Path("p.csv").read_bytes(), True, "csv")
    heft("convert", "big.csv", "-o", "c.arff")
    with subprocess.Popen(["cat", "big.csv"], stdout=subprocess.PIPE) as cat:
        limited("convert", "-", "--format", "csv", "-o", "d.arff", "--memory", LIMIT,
                stdin=cat.stdout)
    # the relation has the name of the file
    same(pathlib.Path("d.arff").read_bytes().split(b"\n", 1)[1] ==
         pathlib.Path("c.arff").read_bytes().split(b"\n", 1)[1], True, "arff")


@test
def bad_limits_and_folders_are_refused():
    put("small.csv", harness.SMALL)
    for word in ("much", "12X", "-5M", "0", "", "1.5G", "99999999999T", "31M", "5MB"):
        refused("train", "small.csv", "--memory", word, status=2, says="--memory takes .*32M or more")
    refused("train", "small.csv", "--memory", "64M", "--scratch", "nowhere",
            says="cannot create a scratch file in nowhere: .*--scratch")
    refused("predict", "small.csv", "small.csv", "--memory", "1", status=2, says="32M or more")
    if os.geteuid() != 0:
        os.mkdir("locked", 0o500)
        refused("train", "small.csv", "--memory", "64M", "--scratch", "locked", says="Permission")
    heft("train", "small.csv", "--memory", "32M", "-o", "m.heft")
    heft("train", "small.csv", "--memory", "33554432", "-o", "m.heft")
    heft("evaluate", "small.csv", "--memory", "1g", "--scratch", ".", "--cv", "2")


@test
def a_full_scratch_disk_is_an_error_not_a_signal():
    table("some.csv", 16)

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (6 << 20, 6 << 20))

    before = harness.files()
    status, err, _ = run("train", "some.csv", "--memory", LIMIT, "--scratch", ".", "-o", "m.heft",
                         limits=small_files)
    same(status, 1, "status")
    require("heft: error: the scratch file in . cannot grow by" in err and "free some space" in err, err)
    same(len(err.splitlines()), 1, "lines")
    same(harness.files(), before, "files")


@test
def a_truncated_packed_file_is_refused_in_the_middle():
    table("some.csv", 8)
    heft("train", "some.csv", "-m", "nb", "-o", "m.heft")
    packed = gzip.compress(pathlib.Path("some.csv").read_bytes(), 1)
    put("cut.csv.gz", packed[:len(packed) * 2 // 3])
    refused("train", "cut.csv.gz", "--memory", LIMIT, "-o", "n.heft", says="gzip file is truncated")
    refused("predict", "m.heft", "cut.csv.gz", "-o", "p.csv", says="gzip file is truncated")
    refused("convert", "cut.csv.gz", "-o", "c.arff", says="gzip file is truncated")


@test
def a_kill_leaves_nothing_behind():
    table("some.csv", 20)
    heft("train", "some.csv", "-m", "nb", "-o", "m.heft")
    os.mkdir("scratch")
    for args in (["train", "some.csv", "-m", "rnb", "-o", "n.heft"],
                 ["predict", "m.heft", "some.csv", "--proba", "-o", "p.csv"],
                 ["convert", "some.csv", "-o", "c.csv"]):
        before = harness.files()
        heft(*args)
        size = os.path.getsize(args[-1])
        os.unlink(args[-1])
        for wait in (0.05, 0.4):
            with subprocess.Popen([HEFT, *args, "--memory", LIMIT, "--scratch", "scratch"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                time.sleep(wait)
                process.send_signal(signal.SIGKILL)
                process.wait()
            if os.path.exists(args[-1]):  # it was faster: the file is complete
                same(os.path.getsize(args[-1]), size, " ".join(args))
                os.unlink(args[-1])
            same(harness.files(), before, " ".join(args))


# ---- growth ----

def grown(name, rows, columns, classes, every=5, spread=0.7):
    """A CSV file in which every `every`-th column, a number or a category, depends on the class."""
    rng = random.Random(7)
    centre = [[spread * rng.gauss(0, 1) for _ in range(columns)] for _ in range(classes)]
    with open(name, "w") as out:
        out.write(",".join(f"x{j}" for j in range(columns)) + ",class\n")
        for i in range(rows):
            c = i % classes
            cells = [rng.gauss(centre[c][j] if j % every == 0 else 0, 1) for j in range(columns)]
            out.write(",".join(f"v{int(x + 9)}" if j % 3 == 2 else f"{x:.3f}" for j, x in enumerate(cells)) + f",k{c}\n")
    return name


def cpu_of(*args):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    heft(*args)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


@test
def the_time_of_the_default_grows_with_the_columns():
    """It grew three times as fast: a tree looked at 0.7 of the columns, and there were more trees."""
    for classes in (2, 5):
        few, many = (cpu_of("train", grown("t.csv", 500, columns, classes), "--threads", "1", "-o", "m.heft")
                     for columns in (100, 400))
        require(many < 8 * few, f"{classes} classes: {few:.2f} s, with four times the columns {many:.2f} s")


@test
def the_memory_of_the_default_is_bounded():
    """Many columns and few rows, and many classes: both on two threads."""
    for shape, most in (((20, 40000, 2), 400), ((4000, 5, 800), 260)):
        status, err, peak = run("train", grown("t.csv", *shape), "--threads", "2", "-o", "m.heft")
        require(status == 0, err)
        require(SANITIZED or peak < most << 10, f"{shape}: {peak >> 10} MB of {most}")


@test
def the_time_of_inspect_grows_with_the_classes():
    for classes in (100, 800):
        heft("train", grown("t.csv", 4000, 5, classes, every=1), "-m", "nb", "-o", f"m{classes}.heft")
    for command in (["inspect"], ["report", "-o", "page.html"]):
        few = sum(cpu_of(command[0], "m100.heft", *command[1:]) for _ in range(8))
        many = cpu_of(command[0], "m800.heft", *command[1:])
        require(many < 2.5 * few, f"{command[0]}: 8 times {few / 8:.3f} s, with 8 times the classes {many:.2f} s")


if __name__ == "__main__":
    sys.exit(harness.main())
