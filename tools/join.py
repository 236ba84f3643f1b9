#!/usr/bin/env python3
"""Join JavaScript modules into one classic script, for the build.

    join.py OUTPUT ENTRY [MODULE...]

Follows the imports from ENTRY and puts every module after those that it imports. Each becomes a function that returns
what it exports, so private names need not differ between modules. An import of a name that is not exported is an error,
and so is a MODULE that nothing imports. Only `import {names} from './file.mjs';` on one line is understood, and `export`
before const, function and class.
"""
import pathlib
import re
import sys

IMPORT = re.compile(r"^import \{([^}]*)\} from '\./([\w.]+)';\n", re.M)
EXPORT = re.compile(r"^export (?:async )?(?:const|function|class) ([\w$]+)", re.M)


def variable(file):
    return "m_" + pathlib.Path(file).stem


def visit(path, order, open_paths):
    if path in order:
        return
    if path in open_paths:
        sys.exit(f"join.py: {path.name} imports itself, by way of others")
    text = path.read_text(encoding="utf-8")
    for names, file in IMPORT.findall(text):
        visit(path.parent / file, order, open_paths | {path})
        exported = EXPORT.findall(order[path.parent / file])
        for name in names.split(","):
            if name.strip() not in exported:
                sys.exit(f"join.py: {path.name} imports {name.strip()}, which {file} does not export")
    order[path] = text


def wrapped(path, text):
    exported = EXPORT.findall(text)
    text = IMPORT.sub(lambda found: f"const {{{found[1]}}} = {variable(found[2])};\n", text)
    if re.search(r"^import |^export (?!(?:async )?(?:const|function|class) [\w$]+)", text, re.M):
        sys.exit(f"join.py: {path.name} has an import or an export of another form")
    text = re.sub(r"^export ", "", text, flags=re.M)
    return f"const {variable(path)} = (() => {{\n{text}return {{{', '.join(exported)}}};\n}})();\n"


def main():
    output, entry, listed = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), [pathlib.Path(p) for p in sys.argv[3:]]
    order = {}
    visit(entry, order, frozenset())
    unused = {p.name for p in listed} - {p.name for p in order}
    if unused:
        sys.exit(f"join.py: nothing imports {', '.join(sorted(unused))}")
    script = "".join(wrapped(path, text) for path, text in order.items())
    output.write_text(f"(() => {{\n'use strict';\n{script}}})();\n", encoding="utf-8")


if __name__ == "__main__":
    main()
