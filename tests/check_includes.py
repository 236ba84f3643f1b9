#!/usr/bin/env python3
"""Which way things point: fail when a file includes against the order of the folders.

    base, optim < data < prep < stats < model < learn < methods < train < eval < explain
    < export, pages < api

A file may include from its own folder and from those before it; base and optim are under all, and
base knows nothing of optim. The program (cli) sees heft.h alone, and threads are made in base/pool.c
alone, for base/rows.c alone.
File names are unique, so that a name in a conversation means one file.
"""
import pathlib
import re
import sys

ORDER = ["base", "optim", "data", "prep", "stats", "model", "learn", "methods", "train", "eval",
         "explain", "export", "pages", "api"]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def layer(path):
    return path.parts[0]


def library_faults(lib):
    for file in sorted(lib.rglob("*.[ch]")):
        own = layer(file.relative_to(lib))
        if own not in ORDER:
            yield f"{file}: the folder '{own}' has no place in the order"
            continue
        text = file.read_text(encoding="utf-8")
        where = file.relative_to(lib).as_posix()
        if re.search(r"pthread_create|omp\.h|threads\.h", text) and where != "base/pool.c":
            yield f"{file}: threads are made in base/pool.c"
        if '"base/pool.h"' in text and where not in ("base/pool.c", "base/rows.c",
                                                             "base/spill.c"):
            yield f"{file}: threads are used through base/rows.h"
        for name in INCLUDE.findall(text):
            if name == "heft.h":
                continue
            other = pathlib.Path(name)
            if not (lib / other).is_file():
                yield f"{file}: include \"{name}\" by its path from lib"
            elif ORDER.index(layer(other)) > ORDER.index(own):
                yield f"{file}: {own} must not include {name}"


def program_faults(cli):
    own = {file.name for file in cli.glob("*.h")}
    for file in sorted(cli.glob("*.[ch]")):
        for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            if name != "heft.h" and name not in own:
                yield f"{file}: the program sees only heft.h, not {name}"


def name_faults(root):
    seen = {}
    for folder in ("include", "lib", "cli", "tests", "examples"):
        for file in sorted((root / folder).rglob("*.[ch]")):
            if file.name in seen:
                yield f"{file}: the name is taken by {seen[file.name]}"
            seen[file.name] = file


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    faults = [*library_faults(root / "lib"), *program_faults(root / "cli"), *name_faults(root)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
