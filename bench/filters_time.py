#!/usr/bin/env python3
"""CPU time and memory of filters and wrappers.

    bench/filters_time.py --data FOLDER [--heft PROGRAM] [--runs R] [--rows N] [--attributes M]

letter: every filter and wrapper trained on the 20,000 rows. pairs: cfwnb beside nb on a made table
of N x M nominal attributes; the difference is the pair statistics, n m^2 / 2 pairs of cells. CPU is
user + system time of the process, the best of R runs, reading included; peak its largest resident
set.
"""
import argparse
import os
import random
import sys
import tempfile

FILTERS = ["klnb", "cfwnb", "dfwnb", "treenb"]
WRAPPERS = ["sbc", "tcsfsnb", "cwanb", "deawnb"]


def measure(command, runs):
    best = None
    for _ in range(runs):
        child = os.posix_spawnp(command[0], command, os.environ)
        _, status, use = os.wait4(child, 0)
        if status:
            sys.exit(f"failed: {' '.join(command)}")
        cpu = use.ru_utime + use.ru_stime
        if best is None or cpu < best[0]:
            best = (cpu, use.ru_maxrss / 1024)
    return best


def make_table(path, rows, attributes):
    draw = random.Random(1)
    with open(path, "w", encoding="ascii") as out:
        out.write(",".join(f"a{j}" for j in range(attributes)) + ",class\n")
        for _ in range(rows):
            c = draw.randrange(3)
            bits = draw.getrandbits(4 * attributes)
            cells = [f"v{(bits >> (4 * j)) % (2 + j % 9)}" for j in range(attributes)]
            for j in range(c, attributes, 7):
                cells[j] = f"v{c % (2 + j % 9)}"
            out.write(",".join(cells) + f",k{c}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", default=os.environ.get("HEFT_DATA", "../shared/data"))
    parser.add_argument("--heft", default="build/cli/heft")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rows", type=int, default=200000)
    parser.add_argument("--attributes", type=int, default=64)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "m.heft")

        def train(data, method):
            return measure([args.heft, "train", data, "-q", "-m", method, "-o", model], args.runs)

        letter = os.path.join(args.data, "letter.arff")
        base = train(letter, "nb")
        print(f"letter, nb: {base[0]:.3f} s, {base[1]:.0f} MB")
        total = 0
        for method in FILTERS + WRAPPERS:
            cpu, peak = train(letter, method)
            total += cpu if method in FILTERS else 0
            print(f"letter, {method}: {cpu:.3f} s, {peak:.0f} MB", flush=True)
        print(f"letter, the {len(FILTERS)} filters together: {total:.3f} s")

        made = os.path.join(folder, "made.csv")
        make_table(made, args.rows, args.attributes)
        nb, cfw = train(made, "nb"), train(made, "cfwnb")
        pairs = args.rows * args.attributes * (args.attributes - 1) / 2
        print(f"{args.rows} x {args.attributes}, nb: {nb[0]:.3f} s, {nb[1]:.0f} MB; "
              f"cfwnb: {cfw[0]:.3f} s, {cfw[1]:.0f} MB")
        print(f"pair statistics: {cfw[0] - nb[0]:.3f} s of CPU, {cfw[1] - nb[1]:.0f} MB more, "
              f"{(cfw[0] - nb[0]) / pairs * 1e9:.2f} ns a pair of cells")


if __name__ == "__main__":
    main()
