#!/usr/bin/env python3
"""Compare how two builds of heft read made-up, damaged CSV and LIBSVM files.

    bench/read_versus.py OLD NEW [--seconds 60] [--seed 1]

Each case is a small table as text, changed at random places, and random options. Both programs convert it to
ARFF or CSV, or train nb on it. Status, messages and results must be the same to the byte, but for the seconds that
training took. The first case that differs is kept and named, and ends the run with status 1.
"""
import argparse
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

WORDS = ["a", "b", "yes", "no", "red", "green", "v1", "v2", "longer than eight", "Zürich", "?", "NA", "NaN", "nan", "",
         "-", "inf", "-inf", "1e999", "x y", "0x10", "12", "1.0", "+5", "o'neill", "a;b", "tab\tin", "é"]


def number(rng):
    shape = rng.randrange(12)
    if shape < 4:
        return f"{rng.gauss(0, 50):.{rng.randrange(6)}f}"
    if shape < 6:
        return str(rng.randrange(-10, 100))
    if shape == 6:
        return repr(rng.gauss(0, 1))
    if shape == 7:
        return f"{rng.random() * 10:.{rng.randrange(20)}f}e{rng.randrange(-330, 320)}"
    if shape == 8:
        return "".join(rng.choice("0123456789") for _ in range(rng.randrange(1, 40)))
    if shape == 9:
        return f"{rng.randrange(10 ** rng.randrange(1, 18))}.{rng.randrange(10 ** rng.randrange(1, 18))}"
    if shape == 10:
        return rng.choice(["-0", ".5", "5.", "-.5", ".", "-", "1e5", "1E-3", "00012", "-0.0", "1e", "1,5", "+3", "--1"])
    return f"{rng.random():.8e}"


def quoted(rng, cell):
    if rng.random() < 0.0005:
        return '"' + cell + '"' + rng.choice(["", " ", "x"])
    return '"' + cell.replace('"', '""') + '"'


def column(rng):
    """A function that draws cells of a column."""
    kind, missing = rng.randrange(5), rng.choice([0, 0, 0, 0.01, 0.2])
    values = rng.sample(WORDS, rng.randrange(1, 8)) if kind < 4 else [f"id{k}" for k in range(400)]
    odd = rng.choice([0, 0, 0, 0.002])

    def draw():
        if rng.random() < missing:
            return rng.choice(["", "?", "NA", "NaN"])
        if rng.random() < odd:
            return rng.choice(WORDS)
        return number(rng) if kind < 2 else rng.choice(values)
    if kind == 0:  # plain numbers of one shape, as most files have them
        decimals = rng.randrange(5)
        return lambda: f"{rng.gauss(0, 50):.{decimals}f}" if rng.random() >= missing else ""
    return draw


def csv_text(rng):
    n, rows = rng.randrange(1, 12), rng.choice([3, 30, 300, 300, 3000])
    if rng.random() < 0.02:
        n, rows = 3000, 20
    delimiter, end = rng.choice(",,,,;\t| "), rng.choice(["\n", "\n", "\n", "\r\n", "\r\n", "\r"])
    quote, blank = rng.choice([0, 0, 0, 0.01, 0.3, 1]), rng.choice([0, 0, 0, 0.05])
    columns = [column(rng) for _ in range(n)]
    lines = []
    if rng.random() < 0.8:
        lines.append(delimiter.join(f"c_{k}" for k in range(n)))
    for _ in range(rows):
        cells = [draw() for draw in columns]
        cells = [quoted(rng, c) if rng.random() < quote or (delimiter in c and rng.random() < 0.999) else c for c in cells]
        if blank:
            cells = [" " * rng.randrange(3) + c + " " * rng.randrange(2) if rng.random() < blank else c for c in cells]
        lines.append(delimiter.join(cells))
    return end.join(lines) + rng.choice([end, end, "", end + end])


def libsvm_text(rng):
    lines = []
    for _ in range(rng.choice([3, 30, 300])):
        columns = sorted(rng.sample(range(1, 60), rng.randrange(0, 9)))
        entries = [f"{k}:{number(rng)}" for k in columns]
        lines.append(" ".join([rng.choice(["1", "-1", "+1", "2.0", "a"]), *entries]) + rng.choice(["", "", " ", " # x"]))
    return rng.choice(["\n", "\n", "\r\n"]).join(lines) + "\n"


def damage(rng, text):
    """A few bytes changed, taken out, doubled or put in."""
    data = bytearray(text.encode("utf-8", "surrogateescape"))
    for _ in range(rng.choice([0, 0, 0, 0, 0, 1, 1, 3, 20])):
        at = rng.randrange(len(data) + 1)
        what = rng.randrange(5)
        if what == 0 and at < len(data):
            data[at] = rng.choice(b'",;\t\n\r .-0e\x80\xff\xe9aZ')
        elif what == 1:
            data[at:at] = rng.choice([b'"', b'""', b",", b"\n", b"\r\n", b"\n\n", b" ", b"\xe9", b"\xc3", b",,", b"\t"])
        elif what == 2:
            del data[at:at + rng.choice([1, 1, 5, 50])]
        elif what == 3:
            data[at:at] = data[at:at + rng.randrange(200)]
        elif at:
            end = data.find(b"\n", at)
            del data[at:end if end > 0 else len(data)]
    return bytes(data)


def options(rng, names):
    out = ["--threads", rng.choice(["1", "1", "2", "3"])]
    pick = lambda: rng.choice([*names, "1", "2-3", "-1"])
    for share, option in ((0.04, ["--header", rng.choice(["yes", "no"])]), (0.06, ["--missing", rng.choice(["-", "0,9", "a,12"])]),
                          (0.04, ["--numeric", pick()]), (0.06, ["--nominal", pick()]), (0.05, ["--drop", pick()]),
                          (0.05, ["--weight", pick()]), (0.04, ["--decimal-mark", ","]), (0.06, ["--target", pick()]),
                          (0.05, ["--delimiter", rng.choice(",;|")]), (0.05, ["--skip", "1"]),
                          (0.03, ["--memory", "40M"])):
        if rng.random() < share:
            out += option
    return out


def without_seconds(value):
    if isinstance(value, dict):
        return {k: without_seconds(v) for k, v in value.items() if "seconds" not in k}
    return [without_seconds(v) for v in value] if isinstance(value, list) else value


def run(program, work, command):
    for old in work.glob("out*"):
        old.unlink()
    done = subprocess.run([program, *command], cwd=work, capture_output=True, timeout=120)
    result = [done.returncode, re.sub(rb"trained in [\d.]+ s", b"", done.stderr), done.stdout]
    for file in sorted(work.glob("out*")):
        if file.suffix == ".heft":
            shown = subprocess.run([program, "inspect", file.name, "--json", "-"], cwd=work, capture_output=True, timeout=120)
            result.append(json.dumps(without_seconds(json.loads(shown.stdout or b"null"))))
        else:
            result.append(file.read_bytes())
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    programs = [str(pathlib.Path(p).resolve()) for p in (args.old, args.new)]
    rng, end, cases, good, late = random.Random(args.seed), time.time() + args.seconds, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        while time.time() < end:
            sparse = rng.random() < 0.15
            name = "data.libsvm" if sparse else "data.csv"
            (work / name).write_bytes(damage(rng, libsvm_text(rng) if sparse else csv_text(rng)))
            what = rng.choice([["convert", name, "-o", "out.arff"], ["convert", name, "-o", "out.csv"],
                               ["train", name, "-m", "nb", "-o", "out.heft"]])
            command = what + options(rng, ["c_0", "c_1", "c_2"])
            try:
                results = [run(p, work, command) for p in programs]
            except subprocess.TimeoutExpired:  # a busy machine
                late += 1
                continue
            cases += 1
            good += results[0][0] == 0
            if results[0] == results[1]:
                continue
            kept = pathlib.Path(f"read_versus.{args.seed}.{cases}." + name)
            shutil.copy(work / name, kept)
            print(f"{kept}: heft {' '.join(command)}", file=sys.stderr)
            for program, result in zip(programs, results):
                print(f"{program}: status {result[0]}\n{result[1].decode(errors='replace')}", file=sys.stderr)
            return 1
    print(f"{cases} cases, {good} of them read without an error: no difference ({late} took too long)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
