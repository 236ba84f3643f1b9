#!/usr/bin/env python3
"""Join JavaScript modules into one classic script, for the build.

    join.py OUTPUT ENTRY [MODULE...]

Follows the imports from ENTRY, puts every module after those that it imports, leaves out `import` lines and the word
`export`, and wraps the whole in one function. The modules then share one scope, so a name that two of them declare
is an error, and so is a MODULE that nothing imports. Only `import {names} from './file.mjs';` on one line is understood.
"""
import pathlib
import re
import sys

IMPORT = re.compile(r"^import \{([^}]*)\} from '\./([\w.]+)';\n", re.M)
DECLARED = re.compile(r"^(?:export )?(?:async )?(?:const|let|var|function|class) (?:([\w$]+)|([\[{][^=]*))", re.M)


def names_of(text):
    for plain, pattern in DECLARED.findall(text):
        yield from [plain] if plain else re.findall(r"[\w$]+", pattern)


def visit(path, order, open_paths):
    if path in order:
        return
    if path in open_paths:
        sys.exit(f"join.py: {path.name} imports itself, by way of others")
    text = path.read_text(encoding="utf-8")
    for names, file in IMPORT.findall(text):
        visit(path.parent / file, order, open_paths | {path})
        exported = set(re.findall(r"^export (?:async )?(?:const|let|function|class) ([\w$]+)", order[path.parent / file], re.M))
        for name in names.split(","):
            if name.strip() not in exported:
                sys.exit(f"join.py: {path.name} imports {name.strip()}, which {file} does not export")
    order[path] = text


def main():
    output, entry, listed = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), [pathlib.Path(p) for p in sys.argv[3:]]
    order, owner, parts = {}, {}, []
    visit(entry, order, frozenset())
    unused = {p.name for p in listed} - {p.name for p in order}
    if unused:
        sys.exit(f"join.py: nothing imports {', '.join(sorted(unused))}")
    for path, text in order.items():
        for name in names_of(text):
            if owner.setdefault(name, path.name) != path.name:
                sys.exit(f"join.py: {name} is declared in {owner[name]} and in {path.name}")
        text = IMPORT.sub("", text)
        if re.search(r"^import ", text, re.M):
            sys.exit(f"join.py: {path.name} has an import of another form")
        parts.append(re.sub(r"^export ", "", text, flags=re.M))
    output.write_text("(() => {\n'use strict';\n" + "\n".join(parts) + "})();\n", encoding="utf-8")


if __name__ == "__main__":
    main()
