#!/usr/bin/env python3
"""Train and predict on a file that is larger than the memory they may take.

    cc -O2 bench/make_table.c -o make_table -lm
    ./make_table 41000000 > huge.csv                       # 5 GB: 10 numeric, 10 nominal columns
    bench/stream.py build/cli/heft huge.csv 1600M -m nb -m klnb -m lnb -m rnb
    bench/stream.py build/cli/heft huge.csv 64M --predict MODEL

For every method one line: seconds on the clock, seconds of CPU in the program and in the system,
megabytes of the file a second, and the peak of resident memory against the limit. The scratch file
is in the folder of the data unless --scratch names another one. Nothing is left behind but the
report.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile
import time


def measured(args):
    """Seconds, CPU seconds (own, system) and the peak resident bytes of one run."""
    began = time.monotonic()
    process = subprocess.Popen(args)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(args)}: status {status}")
    return (time.monotonic() - began, usage.ru_utime, usage.ru_stime, usage.ru_maxrss * 1024)


def bytes_of(text):
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1].upper())
    return int(text[:-1]) * unit if unit else int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heft")
    parser.add_argument("data")
    parser.add_argument("limit", help="as for --memory; 0: no limit")
    parser.add_argument("-m", dest="methods", action="append", default=[])
    parser.add_argument("-x", dest="extra", action="append", default=[],
                        help="an option for heft, as in -x=--discretize=mdl")
    parser.add_argument("--predict", metavar="MODEL", help="also predict with this model")
    parser.add_argument("--keep", metavar="MODEL", help="keep the last model here")
    parser.add_argument("--scratch")
    given = parser.parse_args()
    size = os.path.getsize(given.data)
    folder = given.scratch or str(pathlib.Path(given.data).resolve().parent)
    limit = [] if given.limit == "0" else ["--memory", given.limit, "--scratch", folder]
    print(f"{given.data}: {size / 1e6:.0f} MB; limit {given.limit}; load {os.getloadavg()[0]:.1f} on "
          f"{len(os.sched_getaffinity(0))} cores", flush=True)
    print("| work | seconds | CPU own + system | MB/s | MB/s of CPU | peak MB | limit MB |")
    print("|---|---:|---:|---:|---:|---:|---:|", flush=True)

    def report(name, args):
        wall, user, system, peak = measured(args)
        most = f"{bytes_of(given.limit) / 2**20:.0f}" if limit else "-"
        print(f"| {name} | {wall:.1f} | {user:.1f} + {system:.1f} | {size / 1e6 / wall:.0f} | "
              f"{size / 1e6 / (user + system):.0f} | {peak / 2**20:.0f} | {most} |", flush=True)

    with tempfile.TemporaryDirectory(dir=folder) as place:
        model = given.keep or f"{place}/m.heft"
        for method in given.methods:
            report(f"train {method}", [given.heft, "train", given.data, "-m", *method.split(),
                                       "-o", model, "-q", *given.extra, *limit])
        if given.predict:
            report("predict", [given.heft, "predict", given.predict, given.data, "-q", "-o",
                               f"{place}/p.csv", *limit])


if __name__ == "__main__":
    main()
