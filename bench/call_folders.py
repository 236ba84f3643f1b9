#!/usr/bin/env python3
"""Measure the layout of the library: how often does the call chain change folder?

    bench/call_folders.py                          # this source tree, examples/iris.csv
    bench/call_folders.py --tree ../old --data my.csv -m nb -m auto
    bench/call_folders.py -m nb --sequence train   # the functions in order, one line per folder

The tree is built once more without optimisation and with -finstrument-functions, linked with a small
tracer, and `heft train`, `predict` and `evaluate` run with one thread. Functions are put in order of
their first entry; a folder change is a neighbour from another folder. Sub-folders count as their
parent, cli is a folder, and functions of base are left out: every folder calls them. An edge is a
pair of caller and callee whose folders differ, again without base.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Writes "caller callee" in hexadecimal, once per pair, to the file $TRACE_OUT.
TRACER = r"""
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define PLAIN __attribute__((no_instrument_function))
enum { DEEPEST = 4096, PAIRS = 1 << 20 };
typedef struct pair { uintptr_t caller, callee; } pair;
static __thread void *stack[DEEPEST];
static __thread int   depth;
static pair            pairs[PAIRS];
static FILE           *out;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
PLAIN static void record(uintptr_t caller, uintptr_t callee)
{
    size_t at = ((caller * 0x9e3779b97f4a7c15u) ^ (callee * 0xc2b2ae3d27d4eb4fu)) >> 20;
    pthread_mutex_lock(&lock);
    if (!out) out = fopen(getenv("TRACE_OUT"), "w");
    for (at %= PAIRS; pairs[at].callee; at = (at + 1) % PAIRS)
        if (pairs[at].caller == caller && pairs[at].callee == callee) break;
    if (!pairs[at].callee) {
        pairs[at] = (pair){caller, callee};
        if (out) fprintf(out, "%lx %lx\n", (unsigned long)caller, (unsigned long)callee);
    }
    pthread_mutex_unlock(&lock);
}
PLAIN void __cyg_profile_func_enter(void *fn, void *site)
{
    (void)site;
    record(depth ? (uintptr_t)stack[depth - 1] : 0, (uintptr_t)fn);
    if (depth < DEEPEST - 1) stack[depth++] = fn;
}
PLAIN void __cyg_profile_func_exit(void *fn, void *site)
{
    (void)fn, (void)site;
    if (depth) depth--;
}
PLAIN __attribute__((destructor)) static void finish(void)
{
    if (out) fclose(out);
}
"""


def build(tree, folder):
    """The program of a source tree, instrumented; its path."""
    tracer = folder / "tracer.c"
    tracer.write_text(TRACER)
    subprocess.run(["gcc", "-O2", "-c", tracer, "-o", folder / "tracer.o"], check=True)
    words = (tree / "meson_options.txt").read_text(encoding="utf-8")
    tests = "disabled" if "'tests', type: 'feature'" in words else "false"  # earlier trees
    options = [f"-Dtests={tests}", "-Dpython=false", "-Dbuildtype=debug", "-Db_ndebug=true", "-Db_pie=false",
               "-Dhardened=false", "-Dc_args=-gdwarf-4 -finstrument-functions -fno-inline",
               f"-Dc_link_args={folder / 'tracer.o'} -no-pie"]
    known = (tree / "meson_options.txt").read_text()
    options = [o for o in options if not o.startswith(("-Dtests", "-Dpython", "-Dhardened"))
               or f"'{o[2:].split('=')[0]}'" in known]
    place = folder / "build"
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "env": {**os.environ, "CC": "gcc"}}
    if not (place / "build.ninja").exists():
        subprocess.run(["meson", "setup", place, tree, *options], **quiet)
    subprocess.run(["ninja", "-C", place, "cli/heft"], **quiet)
    return place / "cli" / "heft"


def folder_of(path):
    """lib/data/formats/csv.c is data, cli/main.c is cli; None for code of no folder of heft."""
    parts = pathlib.PurePath(os.path.normpath(path)).parts
    for k in range(len(parts) - 1, -1, -1):
        if parts[k] == "lib" and k + 1 < len(parts):
            return parts[k + 1] if k + 2 < len(parts) else "api"
        if parts[k] == "cli":
            return "cli"
    return None


class Trace:
    """The functions of one run in order of first entry, with their folders."""

    def __init__(self, heft, pairs):
        lines = [line.split() for line in pairs.read_text().splitlines()]
        places = sorted({a for line in lines for a in line})
        text = subprocess.run(["addr2line", "-f", "-e", heft], input="\n".join(places),
                              capture_output=True, text=True, check=True).stdout.splitlines()
        name = dict(zip(places, text[0::2]))
        path = {a: p.split(":")[0] for a, p in zip(places, text[1::2])}
        self.folder = {self.named(n, path[a]): folder_of(path[a]) for a, n in name.items()}
        lines = [[self.named(name[a], path[a]) for a in line] for line in lines]
        counted = {f for f, folder in self.folder.items() if folder not in (None, "base")}
        self.order = [b for b in dict.fromkeys(b for _, b in lines) if b in counted]
        self.edges = {(a, b) for a, b in lines if a in counted and b in counted}

    @staticmethod
    def named(function, path):
        """An inline function of a header is one function, however many files include it."""
        return f"{function}@{os.path.basename(path)}"

    def changes(self):
        folders = [self.folder[a] for a in self.order]
        return sum(a != b for a, b in zip(folders, folders[1:]))

    def crossing(self):
        return sum(self.folder[a] != self.folder[b] for a, b in self.edges)

    def runs(self):
        """Neighbours of one folder as one line of text each."""
        lines, last = [], None
        for a in self.order:
            if self.folder[a] != last:
                lines.append(f"{self.folder[a]}:")
            last = self.folder[a]
            lines[-1] += f" {a}"
        return lines


def traced(heft, folder, data, method):
    """One trace per command."""
    chosen = ["-m", method] if method else []
    model = folder / "m.heft"
    commands = {"train": [data, "-o", model, *chosen], "predict": [model, data, "-o", folder / "out.csv"],
                "evaluate": [data, *chosen]}
    for command, args in commands.items():
        pairs = folder / f"{command}.txt"
        subprocess.run([heft, command, *args, "--threads", "1", "-q"], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "TRACE_OUT": str(pairs)})
        yield command, Trace(heft, pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT, help="the source tree to measure")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "examples" / "iris.csv")
    parser.add_argument("-m", action="append", help="a method (default: nb, and the default method)")
    parser.add_argument("--folder", type=pathlib.Path, help="keep the build here, to measure again")
    parser.add_argument("--sequence", metavar="COMMAND", help="print the functions of train, ...")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="heft-folders-") as place:
        folder = (args.folder or pathlib.Path(place)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        heft = build(args.tree.resolve(), folder)
        print("method   command    functions  folder changes  edges that cross")
        for method in args.m or ["nb", None]:
            for command, trace in traced(heft, folder, args.data.resolve(), method):
                print(f"{method or 'default':8} {command:10} {len(trace.order):9}  "
                      f"{trace.changes():14}  {trace.crossing():16}")
                if command == args.sequence:
                    print(*trace.runs(), sep="\n")


if __name__ == "__main__":
    main()
