#!/usr/bin/env python3
"""Fail when docs/architecture.md or a comment says something about the layout that does not hold.

Every folder of lib is in the table of that page, in the order of tests/check_includes.py; the decisions are as many
as the heading counts; no folder but base uses scratch files; memory is allocated in base/mem.c and base/spill.c alone;
prep, stats, learn and methods know no ranks; every path it names exists. Every function of include/*.h is defined in
lib/api and nowhere else, and lib/api defines nothing else that others can call. The files outside base that ask for their
rank are those that the page lists. Files and names (heft_..., HEFT_...) in comments of C files exist; "NAME (FILE.h)"
and "NAME in FILE.h" are true. Structs and lists of parameters are short (check_sizes.py), and no condition of a loop
stays the same in it (check_loops.py).
"""
import pathlib
import re
import sys

import check_includes
import check_loops
import check_sizes

COUNTS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
ALLOCATORS = re.compile(r"\b(?:malloc|calloc|realloc|aligned_alloc|posix_memalign|strn?dup|mmap|mremap)\s*\(")
ALLOCATING = ("base/mem.c", "base/spill.c")
RANK_FREE = ("prep", "stats", "learn", "methods")
FOLDERS = ("include", "lib", "cli", "tests", "bench", "fuzz", "examples", "python", "docs", "man", "tools")
TOKEN = re.compile(r"(/\*.*?\*/|//[^\n]*)|'(?:\\.|[^'\\])'|\"(?:\\.|[^\"\\])*\"", re.S)
FILE = re.compile(r"(?<![\w./-])((?:[\w-]+/)*[A-Za-z][\w-]*\.(?:c|h|py|md|def|sh|in))(?![\w/(])")
NAME = re.compile(r"\b((?:heft|HEFT)_\w+)(\*?)")
PLACE = re.compile(r"\b((?:heft|HEFT)_\w+)(?: \(| in )([\w/]+\.h)\b")
API = re.compile(r"^HEFT_API\b[^;]*?\b(heft_\w+)\(", re.M)
GETTER = re.compile(r"^HEFT_GET\([^;{}]*?\b(heft_\w+)\(", re.M)
PLACEHOLDER = re.compile(r"(?<![A-Za-z])(?:FILE|NAME)(?![A-Za-z])|^dir/")


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
        if file.relative_to(lib).as_posix() not in ALLOCATING and ALLOCATORS.search(split_code(text)[1]):
            yield f"{file}: memory is allocated by heft_alloc and its like (base/mem.h)"
        if folder in RANK_FREE and '"base/comm.h"' in text:
            yield f"{file}: {folder} sums over all rows by base/all.h and does not know ranks"


def api_faults(root):
    """lib/api defines the public functions, all of them and no others but those of its own header."""
    headers = "".join(f.read_text(encoding="utf-8") for f in sorted((root / "include").glob("*.h")))
    public = set(API.findall(split_code(headers)[1]))
    own = set(re.findall(r"\b(heft_\w+)\(", split_code((root / "lib/api/api.h").read_text(encoding="utf-8"))[1]))
    missing = set(public)
    for file in sorted((root / "lib").rglob("*.c")):
        where, code = file.relative_to(root), split_code(file.read_text(encoding="utf-8"))[1]
        defined = set(check_includes.FUNCTION.findall(code)) | set(GETTER.findall(code))
        if where.parts[1] == "api":
            missing -= defined
            yield from (f"{where}: {name} is neither public nor in api.h: it belongs to another folder"
                        for name in sorted(defined - public - own))
        else:
            yield from (f"{where}: {name} is public: lib/api defines it, and calls a function of another name"
                        for name in sorted(defined & public))
    yield from (f"lib/api: the public function {name} is not defined" for name in sorted(missing))


def rank_faults(root, text):
    """The files outside base that ask for their rank are those that the page lists."""
    part = re.search(r"^\*\*Several processes.*?(?=^\*\*)", text, re.M | re.S)[0]
    listed = set(re.findall(r"`(lib/[\w/]+\.c)`", part)) - {"lib/train/root_rank.c"}
    asking = {f.relative_to(root).as_posix() for f in (root / "lib").rglob("*.c") if "/base/" not in f.as_posix() and
              "heft_comm_rank(" in split_code(f.read_text(encoding="utf-8"))[1]}
    yield from (f"docs/architecture.md: {name} asks for its rank and is not listed" for name in sorted(asking - listed))
    yield from (f"docs/architecture.md: {name} does not ask for its rank" for name in sorted(listed - asking))


def path_faults(root, text):
    for path in re.findall(r"`((?:lib|cli|tests|bench|include)/[\w./]+)`", text):
        if not (root / path.rstrip("/")).exists():
            yield f"there is no {path}"


def split_code(text):
    """The comments of C source, each with its line, and the rest."""
    comments = [(text.count("\n", 0, m.start()) + 1, re.sub(r"\s*\n\s*\*?\s*", " ", m[1]))
                for m in TOKEN.finditer(text) if m[1]]
    return comments, TOKEN.sub(lambda m: " " if m[1] else m[0], text)


def comment_faults(root):
    """Files and names that comments mention and that do not exist."""
    files = [f for folder in FOLDERS for f in (root / folder).rglob("*") if f.is_file()] + list(root.glob("*.*"))
    known = {part for f in files for part in endings(f.relative_to(root))}
    sources = {f: split_code(f.read_text(encoding="utf-8")) for f in sorted(files) if f.suffix in (".c", ".h", ".def")}
    words = {word for _, code in sources.values() for word in re.findall(r"\w+", code)}
    for file, (comments, _) in sources.items():
        for line, comment in comments:
            where = f"{file.relative_to(root)}:{line}"
            for path in FILE.findall(comment):
                if not (path in known or path + ".in" in known or PLACEHOLDER.search(path)):
                    yield f"{where}: the comment names {path}, which does not exist"
            for name, star in NAME.findall(comment):
                begins = (star or name.endswith("_")) and any(word.startswith(name) for word in words)
                if not (name in words or begins or PLACEHOLDER.search(name.replace("_", " "))):
                    yield f"{where}: the comment names {name}, which does not exist"
            for name, path in PLACE.findall(comment):
                if not any(name in f.read_text(encoding="utf-8") for f in sources if f.as_posix().endswith("/" + path)):
                    yield f"{where}: {name} is not in {path}"


def endings(path):
    """data/table.c and table.c of lib/data/table.c."""
    return {"/".join(path.parts[k:]) for k in range(len(path.parts))}


def loop_faults(root):
    for folder in ("lib", "cli"):
        for file in sorted((root / folder).rglob("*.[ch]")):
            for line, operand in check_loops.faults(file.read_text(encoding="utf-8")):
                yield f"{file}:{line}: '{operand}' does not change in the loop: put an if around it"


def self_test():
    check_loops.self_test()
    assert ALLOCATORS.search(split_code("p = malloc(n); /* x */")[1]) and ALLOCATORS.search("q = strdup (s);")
    assert not ALLOCATORS.search(split_code("/* malloc(n) */ p = heft_malloc(n); s.calloc = 0;")[1])


def main():
    self_test()
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    faults = [*table_faults(text), *decision_faults(text), *source_faults(root / "lib"), *api_faults(root),
              *rank_faults(root, text),
              *path_faults(root, text), *comment_faults(root), *check_sizes.faults(root), *loop_faults(root)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
