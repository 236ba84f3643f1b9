#!/usr/bin/env python3
"""reference.py - write docs/python-reference.md from the docstrings.

    HEFT_LIBRARY=build/lib/libheft.so python/reference.py          write it
    HEFT_LIBRARY=build/lib/libheft.so python/reference.py --check  fail where it is out of date
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(os.path.dirname(HERE), "docs", "python-reference.md")
sys.path.insert(0, HERE)

HEAD = """# Python reference

Written by `python/reference.py` from the docstrings of the package; do not edit. [The guide](python.md) explains how the
parts are used together.
"""
SECTION = re.compile(r"^(\w+)\n-+\n", re.M)
ENTRY = re.compile(r"^(\S.*?) : (.+)\n((?:    .*\n?|\n(?=    ))*)", re.M)


def text_of(thing: Any) -> str:
    return inspect.cleandoc(thing.__doc__ or "")


def plain(text: str) -> str:
    """One line, with the marks of Markdown."""
    return re.sub(r":(?:func|meth|class):", "", " ".join(text.split()).replace("``", "`"))


def entries(text: str) -> list[tuple[str, str, str]]:
    """Name, type and description of each parameter or attribute."""
    return [(m[1], m[2], plain(m[3])) for m in ENTRY.finditer(text + "\n")]


def sections(doc: str) -> dict[str, str]:
    """The parts of a numpydoc text by their titles; what comes first is under ''."""
    parts = SECTION.split(doc)
    return {"": parts[0].strip()} | {parts[k]: parts[k + 1].strip() for k in range(1, len(parts), 2)}


def prose(text: str) -> list[str]:
    """A text without sections; examples become code."""
    out: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        lines = block.splitlines()
        if any(line.lstrip().startswith(">>>") for line in lines):
            out += ["```pycon", *(inspect.cleandoc(block).splitlines()), "```", ""]
        elif all(line.startswith("    ") for line in lines) and block.strip():
            before = [*out[:-2], ""] if out[-2:] == ["```", ""] else [*out, "```python"]  # of the same code
            out = [*before, *inspect.cleandoc("\n" + block).splitlines(), "```", ""]
        elif block.strip():
            out += [plain(block), ""]
    return out


def listed(title: str, text: str, leave: set[str]) -> list[str]:
    rows = [f"- `{name}` ({kind})" + (f": {about}" if about else "") for name, kind, about in entries(text)
            if name not in leave]
    return [f"{title}:", "", *rows, ""] if rows else []


def described(doc: str, leave: set[str] | None = None) -> list[str]:
    parts = sections(doc)
    out = prose(parts[""])
    for title in ("Parameters", "Attributes", "Returns", "Raises"):
        if title in parts:
            body = parts[title]
            out += listed(title, body, leave or set()) if entries(body) else [f"{title}: {' '.join(body.split())}", ""]
    return out + prose(parts.get("Examples", ""))


def signature(name: str, function: Any) -> str:
    given = inspect.signature(function)
    shown = [p.replace(annotation=p.empty) for p in given.parameters.values() if p.name not in ("self", "cls")]
    return f"{name}{given.replace(parameters=shown, return_annotation=given.empty)}"


def members(cls: type) -> list[str]:
    """The public methods and properties that the class itself or a base of heft's defines. scikit-learn
    adds set_fit_request and the like."""
    out: list[str] = []
    for name in sorted(n for n in dir(cls) if not n.startswith("_") and not n.endswith("_request")):
        owner = next(c for c in cls.__mro__ if name in c.__dict__)
        member = inspect.getattr_static(cls, name)
        if not owner.__module__.startswith("heft") or not getattr(member, "__doc__", None):
            continue
        if isinstance(member, (classmethod, staticmethod)):
            member = member.__func__
        head = signature(name, member) if callable(member) else name
        out += [f"#### `{head}`", "", *described(text_of(member))]
    return out


def unparsed(function: ast.FunctionDef) -> str:
    """The name and the parameters, as `signature` shows them."""
    given = function.args
    given.args = [arg for arg in given.args if arg.arg not in ("self", "cls")]
    for arg in (*given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))):
        arg.annotation = None
    return f"{function.name}({ast.unparse(given)})"


def from_source(module: str, classes: str) -> list[str]:
    """A module whose packages need not be installed: its classes and functions, as its text has them, and
    the `classes` that it makes."""
    with open(os.path.join(HERE, "heft", module + ".py"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    out = [f"## `heft.{module}`", "", *prose(ast.get_docstring(tree) or ""), f"The classes: {classes}.", "",
           "[The guide](howto/dask-and-spark.md) shows how they are used.", ""]
    for node in tree.body:
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef)) or node.name.startswith("_") or node.name == "Columns":
            continue
        head = node.name if isinstance(node, ast.ClassDef) else unparsed(node)
        out += [f"### `heft.{module}.{head}`", "", *described(ast.get_docstring(node) or "")]
        for member in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                out += [f"#### `{unparsed(member)}`", "", *described(ast.get_docstring(member) or "")]
    return out


def page() -> str:
    import heft
    from heft import plot

    shared = {name for name, _, _ in entries(sections(text_of(heft.NB))["Parameters"])} & {
        name for name, _, _ in entries(sections(text_of(heft.LNB))["Parameters"])}
    same = {name for name, _, _ in entries(sections(text_of(heft.NB)).get("Attributes", ""))}
    out = [HEAD, "## Functions", ""]
    for name in ("check", "compare", "evaluate", "evaluate_models", "load", "merge", "methods"):
        out += [f"### `heft.{signature(name, getattr(heft, name))}`", "", *described(text_of(getattr(heft, name)))]
    out += ["## The default estimator", "", "### `heft.Auto`", "", *described(text_of(heft.Auto)),
            "### Methods and properties of every estimator", "", *members(heft.Auto)]
    out += ["## The other estimators", "",
            "Each also has the parameters that all share (see `Auto`), and the same methods. Those that learn by counting "
            "have `partial_fit`.", ""]
    for name in heft.BY_METHOD.values():
        if name is not heft.Auto:
            out += [f"### `heft.{name.__name__}`", "", *described(text_of(name), shared | same)]
    for title, cls in (("Explanation", heft.Explanation), ("ModelExplanation", heft.ModelExplanation), ("Check", heft.Check),
                       ("Evaluation", heft.Evaluation), ("Result", heft.Result), ("ClassResult", heft.ClassResult)):
        out += [f"## `heft.{title}`", "", *described(text_of(cls)), *members(cls)]
    out += ["## `heft.plot`", "", *described(text_of(plot))]
    for name, function in inspect.getmembers(plot, inspect.isfunction):
        if function.__module__ == plot.__name__ and not name.startswith("_"):
            out += [f"### `heft.plot.{signature(name, function)}`", "", *described(text_of(function))]
    spread = [heft.BY_METHOD[m.name].__name__ for m in heft._ffi.methods() if m.ranks or m.name == "auto"]
    classes = ", ".join(f"`{name}`" for name in spread)
    out += from_source("dask", classes)
    out += from_source("spark", classes + "; and the classes of their models, `AutoModel` and so on")
    return "\n".join(out).rstrip() + "\n"


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        with open(PAGE, encoding="utf-8") as file:
            if file.read() == text:
                return 0
        print("docs/python-reference.md is out of date: run python/reference.py")
        return 1
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
