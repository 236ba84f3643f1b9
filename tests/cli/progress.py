#!/usr/bin/env python3
"""What takes time to see: bars on a terminal, signals. Under a sanitizer these would take minutes.

    progress.py HEFT [NAME...]      as harness.py says
"""
import os
import pty
import re
import signal
import subprocess
import sys
import time

import harness
from harness import HEFT, PATIENCE, Run, files, heft, put, require, same, test


def on_terminal(*args, env=None, results=False):
    """Standard error of a run whose standard error is a terminal; with results, standard output goes there too."""
    master, slave = pty.openpty()
    with subprocess.Popen([HEFT, *args], stdout=slave if results else subprocess.DEVNULL, stderr=slave,
                          env={**os.environ, "TERM": "xterm", **(env or {})}) as process:
        os.close(slave)
        text = b""
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:
                break
            if not piece:
                break
            text += piece
        process.wait(PATIENCE)
    os.close(master)
    return text


@test
def colour_on_terminals_only():
    plain = {k: "" for k in ("NO_COLOR",)}
    require(b"\x1b[" in on_terminal("train", "absent.csv", env=plain), "coloured on a terminal")
    require(b"\x1b[" not in on_terminal("train", "absent.csv", env={"NO_COLOR": "1"}), "NO_COLOR")
    require(b"\x1b[" not in on_terminal("train", "absent.csv", env={"TERM": "dumb"}), "dumb")
    require("\x1b" not in Run(["train", "absent.csv"]).err, "plain in a pipe")


@test
def signals_end_it_quickly_without_output():
    lines = ["a,b,c,class"] + [f"{i % 97},{i % 89},{i % 83},{'pq'[i % 2]}" for i in range(60000)]
    put("big.csv", "\n".join(lines) + "\n")
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        with subprocess.Popen([HEFT, "evaluate", "big.csv", "--cv", "100", "--repeat", "100",
                               "--json", "r.json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            time.sleep(1.0)
            require(process.poll() is None, "it ended before the signal")
            process.send_signal(number)
            began = time.monotonic()
            out, err = process.communicate(timeout=PATIENCE)
            took = time.monotonic() - began
        same(process.returncode, status, f"status; {err!r}")
        require(took < 5, f"{took:.1f} s to stop")
        require(out == b"" and err.count(b"\n") == 1, f"{out!r} {err!r}")
        same(files(), ["big.csv"], "files")


@test
def a_signal_leaves_all_or_nothing():
    """Whenever it comes: status 0 and the whole output, or stopped and no file, not even a temporary."""
    lines = ["a,b,c,class"] + [f"{i % 97},{i % 89},v{i % 83},{'pq'[i % 2]}" for i in range(60000)]
    put("big.csv", "\n".join(lines) + "\n")
    heft("train", "big.csv", "-m", "nb", "-o", "m.heft")
    stopped = 0
    for args in (["train", "big.csv", "-m", "rnb", "-o", "out"], ["convert", "big.csv", "-o", "out", "--to", "arff"],
                 ["predict", "m.heft", "big.csv", "--proba", "-o", "out"]):
        began = time.monotonic()
        heft(*args)
        whole, took = os.path.getsize("out"), time.monotonic() - began
        os.remove("out")
        for share in (0.1, 0.4, 0.7, 0.9):
            with subprocess.Popen([HEFT, *args], stderr=subprocess.PIPE) as process:
                time.sleep(took * share)
                process.send_signal(signal.SIGTERM)
                err = process.communicate(timeout=PATIENCE)[1]
            left = [name for name in files() if name not in ("big.csv", "m.heft")]
            same(left, ["out"] if process.returncode == 0 else [], f"{args}, {err!r}")
            if process.returncode == 0:
                if args[0] == "train":  # its size depends on the seconds it tells
                    heft("inspect", "out")
                else:
                    same(os.path.getsize("out"), whole, f"{args}: size")
                os.remove("out")
            else:  # before main has begun the signal itself ends the process
                require(process.returncode in (143, -signal.SIGTERM), f"{args}, {err!r}")
                stopped += process.returncode == 143
    require(stopped > 0, "no run was stopped in time")


@test
def progress_on_terminals_only():
    lines = ["a,b,c,class"] + [f"{i % 97},{i % 89},{i % 83},{'pq'[i % 2]}" for i in range(20000)]
    put("big.csv", "\n".join(lines) + "\n")
    args = ["evaluate", "big.csv", "--threads", "1", "--cv", "10", "--repeat"]
    repeats = 2
    while True:  # a machine may be fast: look for work that lasts longer than two seconds
        began = time.monotonic()
        run = heft(*args, repeats)
        took = time.monotonic() - began
        if took > 2:
            break
        repeats = 1 + int(repeats * 2.5 / took)
    same(run.err, "", "standard error in a pipe")
    text = on_terminal(*args, str(repeats))
    require(b"%" in text and b"left" in text, f"no bar: {text[:300]!r}")
    require(text.endswith(b"\r\x1b[K"), f"not erased at the end: {text[-60:]!r}")
    require(b"%" not in on_terminal(*args, str(repeats), "-q"), "-q")


def much(rows):
    """A table that keeps a lazy method or auto busy."""
    lines = ["a,b,c,d,e,class"] + [f"{i % 97},{i * 7 % 89},{i * i % 83},v{i * 11 % 5},{i % 7},{'pqr'[i * i % 3]}"
                                   for i in range(rows)]
    return put("much.csv", "\n".join(lines) + "\n")


def lasting(rows, *args, seconds=1.5, results=False):
    """What a terminal shows of the command on so many rows of `much`, or more, that it is busy for so long. Time may
    grow with the square of the rows: at most twice as many next time."""
    while True:
        much(rows)
        began = time.monotonic()
        text = on_terminal(*args, results=results)
        took = time.monotonic() - began
        if took > seconds:
            return text
        rows = int(rows * min(2, 1.25 * seconds / took))


@test
def bar_is_erased_before_results():
    text = lasting(6000, "evaluate", "much.csv", "-m", "lwnb", "--threads", "1", "--cv", "3", results=True)
    before, title, after = text.partition(b"3-fold cross-validation")
    require(b"evaluating [" in before and title, f"no bar: {text[:300]!r}")
    require(before.endswith(b"\r\x1b[K"), f"not erased before the table: {before[-60:]!r}")
    require(b"[#" not in after and b"\x1b" not in after, f"a bar behind the table: {after[:300]!r}")


@test
def learning_and_predicting_show_a_bar():
    train = ["train", "much.csv", "-o", "m.heft", "--threads", "1"]
    text = lasting(16000, *train, "-p", "effort=full", seconds=3)
    bar = rb"learning: round \d+(?:, held-out loss [0-9.]+| of \d+) +\[[#.]+\] +(\d+)%"
    shares = [int(x) for x in re.findall(bar, text)]
    require(len(shares) > 1 and shares == sorted(shares), f"learning: {shares} in {text[:300]!r}")
    require(b"held-out loss 0." in text, f"no loss: {text[:300]!r}")
    lines = re.split(rb"\r\n|\r(?:\x1b\[K)?", text.split(b"heft: ")[0])
    require(max(map(len, lines)) < 80, f"wider than a terminal: {max(lines, key=len)!r}")
    require(b"%\r\n" not in text and b"left\r\n" not in text, "the bar is erased")
    for method in ("lcwnb", "lwnb"):
        put("few.csv", "".join(open(much(8000), encoding="utf-8").readlines()))
        heft("train", "few.csv", "-m", method, "-o", "m.heft")
        predict = ["predict", "m.heft", "much.csv", "--threads", "1"]
        text = lasting(6000, *predict, "-o", "p.csv")
        shares = [int(x) for x in re.findall(rb"predicting \[[#.]+\] +(\d+)%", text)]
        require(len(shares) > 1 and shares == sorted(shares), f"{method}: {shares} in {text[:300]!r}")
        require(b"reading" not in text, "one bar for the file")
    text = on_terminal(*predict, results=True)
    require(b"\x1b[K" not in text and b"%" not in text, "no bar while rows go to the terminal")
    rows = text.split(b"heft: ")[0]  # the accuracy follows
    same(rows.split(), open("p.csv", "rb").read().split(), "the rows")


if __name__ == "__main__":
    sys.exit(harness.main())
