#!/usr/bin/env python3
"""Fail when programs that were built for an earlier heft of this major version would not run with
this one.

    check_abi.py LIBRARY VERSION_INCLUDE            compare with tests/abi-MAJOR.txt
    check_abi.py LIBRARY VERSION_INCLUDE --write    add what is new to that list

LIBRARY is libheft.so, VERSION_INCLUDE the folder of the generated heft_version.h. The list has the
exported symbols, the types of functions, the sizes of structs with the place and type of each field,
and the values of enumerators. What it has must not change; a struct may grow behind its end. What is
new must be added to the list with --write, which refuses to change what is there: a change that the
list does not allow takes a new major version and with it a new list.

Before the comparison the script shows on changed copies of the headers that it finds a removed
function, a changed parameter, a moved field, a changed enumerator, a field in the padding of a struct
and a struct that may not grow.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMENT = re.compile(r"/\*.*?\*/", re.S)
FUNCTION = re.compile(r"HEFT_API\s+([^;{}]*?)\b(heft_\w+)\s*\(([^;{}]*)\)\s*;")
FUNCTION_TYPE = re.compile(r"typedef\s+([\w \*]+?)\b(heft_\w+)\s*\(([^;{}]*)\)\s*;")
STRUCT = re.compile(r"\bstruct\s+(heft_\w+)\s*\{(.*?)\n\}", re.S)
ENUM = re.compile(r"\benum\s+heft_\w+\s*\{(.*?)\}", re.S)
FIXED = {"heft_error", "heft_reason"}  # the caller's, without a size


# ---- what the headers say ----------------------------------------------------------------------

def tidy(text):
    """One form for each type: single blanks, stars before what follows them."""
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r" ?\[", "[", re.sub(r"\* ", "*", re.sub(r" ?\*", " *", text))).replace("* *", "**")


def without_name(parameter):
    """The type of a parameter."""
    parameter = tidy(parameter)
    found = re.fullmatch(r"(.*[ \*])(\w+)", parameter)
    return tidy(found.group(1)) if found else parameter


def signature(result, parameters):
    return f"{tidy(result)}({', '.join(without_name(p) for p in parameters.split(','))})"


def fields(body):
    """(name, type) of the fields of a struct."""
    for declaration in filter(str.strip, body.split(";")):
        pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\((.*)\)", declaration, re.S)
        if pointer:
            yield pointer.group(1), "*" + signature(declaration[:pointer.start()], pointer.group(2))
            continue
        first, *others = declaration.split(",")
        base = re.match(r"\s*((?:const\s+)?(?:struct\s+)?\w+)", first).group(1)
        for part in (first[first.index(base) + len(base):], *others):
            name = re.search(r"(\w+)\s*((?:\[\w+\])?)\s*$", part)
            yield name.group(1), tidy(base + part[:name.start()] + name.group(2))


def sizes_of(include, versions, structs, enumerators):
    """By a C program: sizes and places of structs and fields, values of enumerators."""
    lines = ["#include <stdio.h>"]
    lines += [f'#include "{file.name}"' for file in sorted(include.glob("*.h"))]
    lines.append("int main(void) {")
    for struct, body in structs.items():
        lines.append(f'printf("struct {struct} %zu\\n", sizeof(struct {struct}));')
        for name, kind in body:
            at = f"offsetof(struct {struct}, {name}), sizeof((struct {struct} *)0)->{name}"
            lines.append(f'printf("field {struct}.{name} %zu %zu %s\\n", {at}, "{kind}");')
    lines += [f'printf("enumerator {name} %d\\n", (int){name});' for name in enumerators]
    lines.append("return (int)sizeof(void *); }")
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "sizes.c"), pathlib.Path(folder, "sizes")
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        subprocess.run([*os.environ.get("CC", "cc").split(), f"-I{include}", f"-I{versions}", source,
                        "-o", program], check=True)
        done = subprocess.run([program], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()


def interface(include, versions, symbols):
    """{key: value} of everything that the list holds; the bytes of a pointer."""
    text = "\n".join(COMMENT.sub(" ", file.read_text(encoding="utf-8"))
                     for file in sorted(include.glob("*.h")))
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    found = {f"symbol {name}": "" for name in symbols}
    for result, name, parameters in FUNCTION.findall(text):
        found[f"function {name}"] = signature(result, parameters)
    for result, name, parameters in FUNCTION_TYPE.findall(text):
        found[f"type {name}"] = signature(result, parameters)
    structs = {name: list(fields(body)) for name, body in STRUCT.findall(text)}
    enumerators = [name for body in ENUM.findall(text) for name in re.findall(r"\bHEFT_\w+", body)]
    pointer, lines = sizes_of(include, versions, structs, enumerators)
    for line in lines:
        kind, name, *rest = line.split(" ", 2)
        found[f"{kind} {name}"] = " ".join(rest)
    return found, pointer


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    return sorted(line.split()[-1].split("@")[0] for line in lines)


# ---- comparison --------------------------------------------------------------------------------

def faults(listed, found):
    """What would break a program that was built for the interface that is listed."""
    for key, value in listed.items():
        kind, name = key.split(" ", 1)
        now = found.get(key)
        if now is None:
            yield f"{key} is gone"
        elif kind == "struct" and name not in FIXED:
            if int(now) < int(value):
                yield f"struct {name} has {now} bytes and had {value}"
        elif now != value:
            yield f"{key} is now '{now}' and was '{value}'"
    for key, value in found.items():
        if key in listed or not key.startswith("field "):
            continue
        struct = key.split(" ", 1)[1].split(".")[0]
        before, at = listed.get(f"struct {struct}"), value.split(" ", 1)[0]
        if f"field {struct}.size" in listed and int(at) < int(before):
            yield (f"{key} is new at byte {at}, inside the {before} bytes that the struct had: older "
                   "programs have anything there")


def news(listed, found):
    return [key for key in found if key not in listed]


def dangling(found):
    """Declared and not exported, or the other way round."""
    for key in found:
        kind, name = key.split(" ", 1)
        if kind == "function" and f"symbol {name}" not in found:
            yield f"{name} is declared, but the library does not export it"
        if kind == "symbol" and f"function {name}" not in found:
            yield f"{name} is exported, but no public header declares it"


def read_list(path):
    lines = [line for line in path.read_text(encoding="utf-8").splitlines()
             if line and not line.startswith("#")]
    return {" ".join(line.split(" ", 2)[:2]): (line.split(" ", 2) + [""])[2] for line in lines}


def write_list(path, found):
    text = "# The binary interface of this major version on 64-bit systems; see check_abi.py.\n"
    for key in sorted(found):
        text += f"{key} {found[key]}".rstrip() + "\n"
    path.write_text(text, encoding="utf-8")


# ---- the script finds what it should -----------------------------------------------------------

CHANGES = [  # header, what is replaced, by what, the faults that must be found
    ("heft.h", r"HEFT_API heft_status heft_predict_row\([^;]*;", "",
     ["function heft_predict_row is gone"]),
    ("heft.h", r"(heft_model_save\()const heft_model", r"\1heft_model",
     ["function heft_model_save is now 'heft_status(heft_model *, const char *, heft_error *)' and was "
      "'heft_status(const heft_model *, const char *, heft_error *)'"]),
    ("heft.h", r"(double +shift), (factor;)", r"double factor; double shift;",
     ["field heft_attribute.shift is now '48 8 double' and was '40 8 double'",
      "field heft_attribute.factor is now '40 8 double' and was '48 8 double'"]),
    ("heft_host.h", r"HEFT_INFO = 1", "HEFT_INFO = 3",
     ["enumerator HEFT_INFO is now '3' and was '1'"]),
    ("heft_stream.h", r"(bool +actual;)", r"\1 bool header;",
     ["field heft_predictions.header is new at byte 10, inside the 32 bytes that the struct had: older "
      "programs have anything there"]),
    ("heft.h", r"text\[512\];", "text[520];",
     ["struct heft_error is now '524' and was '516'",
      "field heft_error.text is now '4 520 char[520]' and was '4 512 char[512]'"]),
    ("heft_ranks.h", r"(void \(\*abort\)\(void \*user), const char \*text\);", r"\1);",
     ["field heft_comm.abort is now '56 8 *void(void *)' and was '56 8 *void(void *, const char *)'"]),
    ("heft_stream.h", r"(size_t +reasons;)([^}]*\} heft_predictions;)", r"\1 int more;\2", []),
]


def self_test(include, versions, found, symbols):
    for file, pattern, change, wanted in CHANGES:
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "include")
            shutil.copytree(include, copy)
            text = (copy / file).read_text(encoding="utf-8")
            changed, n = re.subn(pattern, change, text)
            if n != 1:
                yield f"the self-test does not find '{pattern}' in {file}"
                continue
            (copy / file).write_text(changed, encoding="utf-8")
            got = list(faults(found, interface(copy, versions, symbols)[0]))
        if sorted(got) != sorted(wanted):
            yield f"self-test, '{pattern}': found {got}, not {wanted}"
    without = {key: value for key, value in found.items() if key != "symbol heft_fit"}
    if list(faults(found, without)) != ["symbol heft_fit is gone"]:
        yield "self-test: a symbol that is gone is not found"
    if not list(dangling(without)):
        yield "self-test: a function without its symbol is not found"


def main():
    library, versions = sys.argv[1:3]
    include = ROOT / "include"
    symbols = exported(library)
    found, pointer = interface(include, versions, symbols)
    if pointer != 8:
        print("skipped: the list is of 64-bit systems")
        return 77
    version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    path = ROOT / "tests" / f"abi-{version.split('.', maxsplit=1)[0]}.txt"
    listed = read_list(path) if path.exists() else {}
    wrong = [*self_test(include, versions, found, symbols), *dangling(found), *faults(listed, found)]
    if "--write" in sys.argv and not wrong:
        write_list(path, found)
        return 0
    if not wrong and news(listed, found):
        wrong = [f"{key} is not in {path.name}: add it with --write" for key in news(listed, found)]
    for fault in wrong:
        print(f"check_abi: {fault}", file=sys.stderr)
    if wrong:
        print(f"check_abi: programs built for an earlier {version.split('.', maxsplit=1)[0]}.x rely on "
              f"{path.name}; see the head of tests/check_abi.py", file=sys.stderr)
    else:
        print(f"{len(listed)} entries of {path.name} hold, and {len(CHANGES) + 2} self-tests")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
