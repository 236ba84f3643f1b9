#!/usr/bin/env python3
"""Fail when docs/architecture.md says something about the library's layout that does not hold.

Every folder of lib is in its table, in the order of tests/check_includes.py; the decisions are as many
as the heading counts; no folder but base mentions scratch files; prep, stats, learn and methods know
no ranks; every path it names exists.
"""
import pathlib
import re
import sys

import check_includes

COUNTS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
RANK_FREE = ("prep", "stats", "learn", "methods")


def table_faults(text):
    named = re.findall(r"^\| `(\w+)` \|", text, re.M)
    order = [f for part in check_includes.ORDER for f in ([part] if isinstance(part, str) else part)]
    if named != order:
        yield f"the table of folders has {named}, the order is {order}"


def decision_faults(text):
    said, part = re.search(r"^## (\w+) decisions\n(.*?)^## ", text, re.M | re.S).groups()
    found = len(re.findall(r"^\*\*[^*]+\.\*\*", part, re.M))
    if COUNTS.index(said.lower()) != found:
        yield f"{said} decisions: there are {found}"


def source_faults(lib):
    for file in sorted(lib.rglob("*.[ch]")):
        folder = file.relative_to(lib).parts[0]
        text = file.read_text(encoding="utf-8")
        if folder != "base" and re.search(r"heft_spill|HEFT_SPILL|base/spill\.h", text):
            yield f"{file}: scratch files are known in base alone"
        if folder in RANK_FREE and '"base/comm.h"' in text:
            yield f"{file}: {folder} sums over all rows by base/all.h and does not know ranks"


def path_faults(root, text):
    for path in re.findall(r"`((?:lib|cli|tests|bench|include)/[\w./]+)`", text):
        if not (root / path.rstrip("/")).exists():
            yield f"there is no {path}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    faults = [*table_faults(text), *decision_faults(text), *source_faults(root / "lib"),
              *path_faults(root, text)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
