#!/usr/bin/env python3
"""Fail when a struct or a list of parameters in lib is too long to be understood at a glance.

    check_sizes.py [ROOT]

A struct has at most 20 fields, a function at most 8 parameters. Public structs (include/) are not looked at, because
they can only grow; heft_method is a record of functions and words, and may be longer. LARGE_STRUCTS and LONG_CALLS
name what is too long still, with its present size: a struct or function may leave the list or shrink, and nothing
may be added.
"""
import pathlib
import re
import sys

MOST_FIELDS, MOST_PARAMETERS = 20, 8
EXCEPT = {"heft_method"}
LARGE_STRUCTS = {}
LONG_CALLS = {}

SKIPPED = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
STRUCT = re.compile(r"\b(?:struct|union)\s*(\w*)\s*\{((?:[^{}]|\{[^{}]*\})*)\}\s*(\w*)")
FUNCTION = re.compile(r"^[\w* \t]*?\b(\w+)\(([^(){};]*(?:\([^()]*\)[^(){};]*)*)\)\s*\{", re.M)
NO_FUNCTION = {"if", "for", "while", "switch", "return", "sizeof"}


def without_comments(text):
    return SKIPPED.sub(lambda m: "\n" * m[0].count("\n"), text)


def count_fields(body):
    """Declarators in the body of a struct; a nested struct without a name counts with its own fields."""
    n = 0
    for nested in re.findall(r"\b(?:struct|union)\s*\{([^{}]*)\}", body):
        n += count_fields(nested)
    body = re.sub(r"\b(?:struct|union|enum)\s*\w*\s*\{[^{}]*\}\s*\w*", "", body)
    for declaration in body.split(";"):
        if declaration.strip():
            n += 1 + re.sub(r"\([^()]*\)|\[[^]]*\]", "", declaration).count(",")
    return n


def structs_in(text):
    """(name, fields); the inner structs of a struct are part of it."""
    for match in STRUCT.finditer(without_comments(text)):
        yield match[3] or match[1], count_fields(match[2])


def functions_in(text):
    """(name, parameters) of function definitions."""
    for match in FUNCTION.finditer(without_comments(text)):
        if match[1] not in NO_FUNCTION:
            parameters = re.sub(r"\([^()]*\)", "", match[2])
            yield match[1], 0 if parameters.strip() in ("", "void") else parameters.count(",") + 1


def faults_in(text):
    for name, n in structs_in(text):
        if n > LARGE_STRUCTS.get(name, MOST_FIELDS) and name not in EXCEPT:
            yield f"struct {name} has {n} fields, above {LARGE_STRUCTS.get(name, MOST_FIELDS)}"
    for name, n in functions_in(text):
        if n > LONG_CALLS.get(name, MOST_PARAMETERS):
            yield f"{name} has {n} parameters, above {LONG_CALLS.get(name, MOST_PARAMETERS)}"


def faults(root):
    for path in sorted((root / "lib").rglob("*.[ch]")):
        yield from (f"{path.relative_to(root)}: {fault}" for fault in faults_in(path.read_text(encoding="utf-8")))


def self_test():
    fields = "typedef struct thing { /* a, b; */\n    int a, *b;\n    char c[4], d;\n    void (*f)(int, int);\n} thing;"
    assert list(structs_in(fields)) == [("thing", 5)], list(structs_in(fields))
    assert list(structs_in("struct x {\n    union {\n        int a;\n        long b;\n    };\n    int c;\n};")) == [("x", 3)]
    many = "struct x {\n" + "    int a, b, c;\n" * 7 + "};\n"
    assert list(faults_in(many)) == ["struct x has 21 fields, above 20"]
    assert not list(faults_in(many.replace("struct x", "struct heft_method")))
    call = "static int f(int a, int b,\n             void (*g)(int, int), int c)\n{\n    if (g(a, b)) {\n    }\n}\n"
    assert list(functions_in(call)) == [("f", 4)], list(functions_in(call))
    assert list(functions_in("int none(void)\n{\n}\n")) == [("none", 0)]
    assert list(functions_in("int declared(int a, int b);\n")) == []
    long = "int f(" + ", ".join(f"int a{k}" for k in range(9)) + ")\n{\n}\n"
    assert list(faults_in(long)) == ["f has 9 parameters, above 8"]


def main():
    self_test()
    found = list(faults(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    print("\n".join(found), file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
