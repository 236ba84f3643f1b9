#!/usr/bin/env python3
"""Which way things point: fail when a file uses something against the order of the folders.

    check_includes.py ROOT [OBJECTS]

    base < optim < data < prep < stats < boost < decide < model < predict < learn < methods
    < train < eval < explain < check < export < pages < api

A file may use its own folder and those before it: include their headers, name their types and
functions, call them. Folders inside one folder (methods/auto, methods/lazy, ...) do not use each
other, and what is in the folder of a method is used by methods alone. Four checks, since each sees what another
cannot:

    includes     #include "folder/file.h"
    names        a type or function of a later folder that is named, so also a forward declaration
                 or a function declared a second time; types of include/*.h are everybody's
    calls        with OBJECTS, the folder of the library's object files or the one above it: an
                 undefined symbol of an object that a later folder's object defines
    the program  cli sees include/*.h, its own headers and the list of settings alone

Threads are started in base/thread_pool.c and base/spill.c alone; other folders use them through
base/rows.h. Only base knows about scratch memory, and prep, stats, learn and methods do not know
about ranks. Within a folder there are no circles: modules (x.h with x.c) that include each other, and,
with OBJECTS, source files that call each other, whatever header declares the functions. File names are
unique, so that a name means one file. tests/check_includes_test.py shows that each fault is found.
"""
import pathlib
import re
import subprocess
import sys

ORDER = [["base"], ["optim"], ["data"], ["prep"], ["stats"], ["boost"], ["decide"], ["model"],
         ["predict"], ["learn"], ["methods"], ["train"], ["eval"], ["explain"], ["check"],
         ["export"], ["pages"], ["api"]]
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
STRUCT = re.compile(r"^(?:typedef )?(?:struct|union|enum) (heft_\w+) \{", re.M)
TYPEDEF = re.compile(r"^(?:typedef [^;{}]*?|\} )\b(heft_\w+)(?:\([^;{}]*\))?;", re.M)
FUNCTION = re.compile(r"^(?!static|typedef|#)[A-Za-z_][\w \*\n]*?\b(heft_\w+)\([^;{}]*\)\s*\{", re.M)


def may_use(own, other):
    """Whether a file of folder `own` may use what is in folder `other` (paths from lib)."""
    if own.parts[0] != other.parts[0]:
        return RANK[own.parts[0]] > RANK[other.parts[0]] and not (
            other.parts[0] == "methods" and len(other.parts) > 1)
    return len(own.parts) == 1 or len(other.parts) == 1 or own.parts[1] == other.parts[1]


class Source:
    def __init__(self, lib, path):
        self.path = path
        self.where = path.relative_to(lib)
        self.folder = self.where.parent
        self.text = path.read_text(encoding="utf-8")
        self.code = NOT_CODE.sub(" ", self.text)


def sources(lib):
    return [Source(lib, path) for path in sorted(lib.rglob("*.[ch]"))]


def public_headers(root):
    return sorted((root / "include").glob("*.h"))


def include_faults(lib, files):
    public = {file.name for file in public_headers(lib.parent)}
    for file in files:
        for name in INCLUDE.findall(file.text):
            if name in public:
                continue
            if not (lib / name).is_file():
                yield f"{file.path}: include \"{name}\" by its path from lib"
            elif not may_use(file.folder, pathlib.PurePath(name).parent):
                yield f"{file.path}: {file.folder} must not include {name}"


def thread_faults(files):
    for file in files:
        where = file.where.as_posix()
        started = re.search(r"pthread_create|omp\.h|threads\.h", file.text) and where not in (
            "base/thread_pool.c", "base/spill.c")
        if started or (file.where.parts[0] != "base" and "heft_pool_run" in file.text):
            yield f"{file.path}: threads are used through base/rows.h"


def housekeeping_faults(files):
    """Scratch memory is known to base alone; learning sees all rows through base/all.h."""
    for file in files:
        folder = file.where.parts[0]
        if folder != "base" and re.search(r"\bheft_spill_|\bHEFT_SPILL_|\"base/spill\.h\"",
                                          file.text):
            yield f"{file.path}: scratch memory is known to base alone (loops: base/rows.h)"
        if folder in ("prep", "stats", "learn", "methods") and re.search(
                r"\bheft_comm_|\"base/comm\.h\"", file.text):
            yield f"{file.path}: ranks are reached through base/all.h"


def name_faults(root, files):
    """Names of types and functions, by the folder that defines them: one for each name."""
    public = "\n".join(file.read_text(encoding="utf-8") for file in public_headers(root))
    everybodys = set(STRUCT.findall(public)) | set(TYPEDEF.findall(public))
    home = {}
    for file in files:
        names = set(FUNCTION.findall(file.code)) | set(STRUCT.findall(file.code)) - everybodys
        if file.path.suffix == ".h":
            names |= {name for name in TYPEDEF.findall(file.code) if name not in everybodys and
                      not re.search(rf"typedef struct {name} {name};", file.code)}
        for name in names:
            home.setdefault(name, []).append(file)
    for name, places in sorted(home.items()):
        if len({place.folder.parts[0] for place in places}) > 1:
            yield f"{places[1].path}: {name} is defined in {places[0].where} too"
    for file in files:
        for name in sorted(set(re.findall(r"\bheft_\w+", file.code)) & home.keys()):
            if not any(may_use(file.folder, other.folder) for other in home[name]):
                yield f"{file.path}: {file.folder} must not name {name} of {home[name][0].where}"


def symbols(object_file):
    """The names an object file defines, and those it leaves to others."""
    lines = subprocess.run(["nm", "-P", object_file], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    defined, wanted = set(), set()
    for name, kind, *_ in (line.split() for line in lines):
        if kind == "U":
            wanted.add(name)
        elif kind.isupper():
            defined.add(name)
    return defined, wanted


def call_faults(objects, files):
    seen = {}
    for file in files:
        name = file.where.as_posix().replace("/", "_") + ".o"
        found = [path for path in (objects / name, *sorted(objects.glob(f"*.p/{name}")))
                 if path.is_file()]
        if found:
            seen[file] = symbols(found[0])
    if not seen:
        yield f"{objects}: there is no object file of lib"
    home = {name: file for file, (defined, _) in seen.items() for name in defined}
    calls = {file.where.as_posix(): set() for file in seen}
    for file, (_, wanted) in seen.items():
        for name in sorted(wanted & home.keys()):
            other = home[name]
            if not may_use(file.folder, other.folder):
                yield f"{file.path}: {file.folder} must not call {name} of {other.where}"
            elif other.where.parts[0] == file.where.parts[0]:
                calls[file.where.as_posix()].add(other.where.as_posix())
    for circle in circles(calls):
        yield f"lib: these files call each other: {', '.join(circle)}"


SETTINGS = "../lib/base/settings.def"  # the list that the program's options come from: data, no interface


def cycle_faults(files):
    """Modules of one folder that include each other, x.h and x.c being one module."""
    module = {file.where.as_posix(): file.where.with_suffix("").as_posix() for file in files}
    uses = {name: set() for name in module.values()}
    for file in files:
        own = file.where.with_suffix("").as_posix()
        for name in INCLUDE.findall(file.text):
            if name in module and module[name] != own and name.split("/")[0] == file.where.parts[0]:
                uses[own].add(module[name])
    for circle in circles(uses):
        yield f"lib: these files need each other: {', '.join(circle)}"


def circles(uses):
    """The largest sets of names that all reach each other."""
    reach = {name: reachable(name, uses) for name in uses}
    for name in sorted(uses):
        group = sorted({name} | {other for other in reach[name] if name in reach[other]})
        if name == group[0] and len(group) > 1:
            yield group


def reachable(name, uses):
    seen, open_ = set(), [name]
    while open_:
        for other in uses[open_.pop()] - seen:
            seen.add(other)
            open_.append(other)
    return seen


def program_faults(cli):
    own = {file.name for file in (*cli.glob("*.h"), *public_headers(cli.parent))}
    for file in sorted(cli.glob("*.[ch]")):
        for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            if name not in own and name != SETTINGS:
                yield f"{file}: the program sees only the headers of include, not {name}"


def file_name_faults(root):
    seen = {}
    for folder in ("include", "lib", "cli", "tests", "examples"):
        for file in sorted((root / folder).rglob("*.[ch]")):
            if file.name in seen:
                yield f"{file}: the name is taken by {seen[file.name]}"
            seen[file.name] = file


def faults_of(root, objects=None):
    lib = root / "lib"
    files = sources(lib)
    lost = [file for file in files if file.where.parts[0] not in RANK]
    if lost:
        return [f"{file.path}: the folder '{file.where.parts[0]}' has no place in the order"
                for file in lost]
    found = [*include_faults(lib, files), *thread_faults(files),
             *housekeeping_faults(files), *name_faults(root, files),
             *cycle_faults(files), *program_faults(root / "cli"), *file_name_faults(root)]
    if objects:
        found += call_faults(objects, files)
    return found


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = faults_of(root, pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
