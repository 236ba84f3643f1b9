#!/usr/bin/env python3
"""generate.py - write the module heft.estimators from the option tables of a library.

    python/generate.py LIBRARY FILE      such as build/lib/libheft.so estimators.py
    python/generate.py --structs FILE    write the module heft._structs from the headers of the library instead

The build of a wheel runs it (meson.build); heft/estimators.py and heft/_structs.py run it where the package is used from the
source tree. What all classes share is said once, in the tables and the template below. It needs nothing but the standard
library: of the package it imports the modules that do without numpy.
"""

from __future__ import annotations

import ctypes
import keyword
import os
import re
import string
import sys
import textwrap
import types
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))

NAMES = {"auto": "Auto", "flexnb": "FlexNB", "treenb": "TreeNB"}

class Shared(NamedTuple):
    """A parameter that a class has beside the options of its method."""

    kind: str  # for people
    annotation: str
    default: str
    help: str


ADDED = {  # settings that take more here than a str: their types, and what the library's help does not say
    "prior": ("str, dict or array-like", "Any", "or probabilities as a dict by class or a sequence"),
    "class_weight": ("str or dict", "Any", "or a dict by class, with 1 for other classes; sample_weight is multiplied by them"),
    "cost": ("array-like, dict or path", "Any", "an array by actual and predicted class, in the order of classes_, a dict "
             "by (actual, predicted) with 1 for other errors, or a CSV file"),
    "threshold": ("float or dict", "Any", "a dict {CLASS: P}, or the P of classes_[1]"),
    "time_limit": ("float", "float | None", "a warning says so; None: no limit"),
    "random_state": ("int or generator", "Any", ""),
    "n_jobs": ("int", "int | None", "None: all cores; the result does not depend on it"),
}
OWN = {  # parameters that the library does not know
    "categorical_features": Shared("array-like", "Any", "None", "numeric columns to take as nominal: indices, names or a mask"),
    "verbose": Shared("int", "int", "0", "what fit prints: 1: messages, and once a second how far it is; 2: more messages"),
}
ATTRIBUTES = {
    "classes_ : ndarray of shape (n_classes,)": "the labels, of y's type",
    "n_features_in_ : int": "the number of columns of X",
    "feature_names_in_ : ndarray of shape (n_features,)": "the names of the columns of X, where it has names",
    "feature_importances_ : ndarray of shape (n_features,)": "how much each column says about the class; for "
    "methods whose score is a sum of terms or that have weights",
    "attribute_weights_ : ndarray": "the weights of the columns; docs/python.md has its shapes and further attributes",
    "class_prior_ : ndarray of shape (n_classes,)": "the prior probabilities",
}
MODULE = string.Template('''"""One estimator for each method. Made by generate.py from the library's option tables."""

from __future__ import annotations

from typing import Any

from ._base import HeftClassifier, WeightedClassifier
from ._partial import PartialClassifier

$classes
BY_METHOD: dict[str, type[HeftClassifier]] = {
$by_method
}

__all__ = [
$names
]
''')
CLASS = string.Template('''
class $name($base):
    """$about

    Parameters
    ----------
$parameters

    Attributes
    ----------
$attributes

    Examples
    --------
    >>> from heft import $name
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> $name().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "$method"
    _sparse = $sparse
    _missing = $missing
    _explains = $explains
    _options = $options

    def __init__(
        self,
        *,
$arguments
    ) -> None:
$assignments

''')


def shared(method) -> dict[str, Shared]:
    """The parameters that the method has beside its own: the settings of the library, and those of OWN."""
    from heft import _ffi

    out = {}
    for setting in sorted(_ffi.settings(), key=lambda setting: not setting.is_text):
        kind, annotation, more = ADDED.get(setting.name, ("str", "str | None", ""))
        words = [word for word in setting.value.split("|") if not re.match("[A-Z]", word)] if setting.is_text else []
        if setting.name == "class_weight" and not method.weights or setting.name == "time_limit" and not method.stops:
            continue
        if words and not any(accepts(method, setting.field, word) for word in words):
            continue
        taken = ", ".join([*map(repr, words), *filter(None, [more])])
        text = re.sub(r" \(default: [^()]*\)", "", setting.help)
        out[setting.name] = Shared(kind, annotation, "None", text + (": " if setting.is_text else "; ") * bool(taken) + taken)
    return {**out, **OWN}


def accepts(method, field: str, word: str) -> bool:
    """Whether the method takes a setting of this form, such as width:B."""
    from heft import _ffi

    value = re.sub(r"\[.*\]", "", re.sub(":[A-Z]+", ":5", word))
    config = _ffi.Config(_ffi.Runtime(), method=method.name.encode(), **{field: value.encode()})
    return _ffi.lib.heft_config_check(ctypes.byref(config), ctypes.byref(_ffi.Error())) == _ffi.OK


def class_name(method: str) -> str:
    return NAMES.get(method, method.upper())


def parameter(option: str) -> str:
    name = option.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) or name in taken_names() else name


def taken_names() -> set[str]:
    from heft import _ffi

    return {setting.name for setting in _ffi.settings()} | set(OWN)


def default(text: str) -> str:
    """The Python value of an option's default."""
    parts = text.split(",")
    if len(parts) == 2 and all(number(p) is not None for p in parts):
        return f"({number(parts[0])}, {number(parts[1])})"
    return number(text) or repr(text)


def number(text: str) -> str | None:
    for kind in (int, float):
        try:
            return repr(kind(text))
        except ValueError:
            pass
    return None


def wrapped(text: str, first: str, rest: str) -> str:
    return textwrap.fill(text, 100, initial_indent=first, subsequent_indent=rest,
                         break_long_words=False, break_on_hyphens=False)


NOTES = {  # what users of a method must know
    "auto": "A row is a row: sample_weight is divided by its mean, so that weights say how rows compare, "
            "and rows are held out whole during training. A row of weight 2 is therefore not the same as "
            "the row twice, unlike with the other methods. Copies of rows are held out together.",
}


def described(head: str, text: str) -> list[str]:
    """An entry of a section of a docstring."""
    return ["    " + head, wrapped(text, " " * 8, " " * 8)]


def about(method) -> str:
    """What a docstring says before its sections."""
    said = [method.title[:1].upper() + method.title[1:] + ".", f"Source: {method.source}."]
    said += method.references
    words = method.prepare.replace("' ", "', ") or "none"
    said += [f"Default preparation: {words}. " + ("Sparse data: yes. " if method.sparse else "")
             + ("" if method.weights else "Instance weights: no. ")]
    said += [NOTES[method.name]] if method.name in NOTES else []
    blocks = [wrapped(text, " " * 4, " " * (6 if text in method.references else 4)) for text in said]
    return "\n\n".join(blocks).lstrip()


def kind_of(accepted: str) -> tuple[str, str]:
    """What an option takes, for people and as an annotation."""
    words = accepted.split("|")
    if len(words) > 1:
        kind = "int" if all(map(str.isdigit, words)) else "str"
        return "{" + ", ".join(map(default, words)) + "}", kind
    for start, shown, kind in (("a whole number", "int", "int"), ("a number", "float", "float"),
                               ("LOW,HIGH", "tuple of two floats", "tuple[float, float]"), ("text", "str", "str")):
        if accepted.startswith(start):
            word = re.search(r", or ([a-z]+)$", accepted)
            return (f"{shown} or '{word[1]}'", f"{kind} | str") if word else (shown, kind)
    raise ValueError(accepted)


def estimator(method) -> str:
    """The text of a class."""
    own = [(parameter(o.name), kind_of(o.range)[1], default(o.fallback)) for o in method.options]
    others = shared(method)
    given = own + [(name, p.annotation, p.default) for name, p in others.items()]
    entries = []
    for option, (name, _, value) in zip(method.options, own):
        accepted = "" if "|" in option.range or option.range == "text" else f" ({option.range})"
        entries += described(f"{name} : {kind_of(option.range)[0]}, default {value}", option.help + accepted)
    for name, p in others.items():
        entries += described(f"{name} : {p.kind}, default {p.default}", p.help)
    options = [f'        "{parameter(o.name)}": "{o.name}",' for o in method.options]
    return CLASS.substitute(
        name=class_name(method.name), method=method.name, sparse=method.sparse, missing=method.missing,
        explains=method.explains, about=about(method), parameters="\n".join(entries),
        # every method that merges takes weights
        base="PartialClassifier" if method.merges else "WeightedClassifier" if method.weights else "HeftClassifier",
        attributes="\n".join(sum((described(name, text) for name, text in ATTRIBUTES.items()), [])),
        options="\n".join(["{", *options, "    }"]) if options else "{}",
        arguments="\n".join(f"        {name}: {kind} = {value}," for name, kind, value in given),
        assignments="\n".join(f"        self.{name} = {name}" for name, _, _ in given))


def module() -> str:
    """The text of heft.estimators, for the library that heft._ffi has opened."""
    from heft import _ffi

    methods = _ffi.methods()
    return MODULE.substitute(
        classes="".join(map(estimator, methods)),
        by_method="\n".join(f'    "{m.name}": {class_name(m.name)},' for m in methods),
        names="\n".join(f'    "{class_name(m.name)}",' for m in methods))


def fields(body: str) -> list[tuple[str, str]]:
    """Name and type of the fields of a C struct."""
    out = []
    for declaration in filter(str.strip, re.sub(r"/\*.*?\*/", " ", body, flags=re.S).split(";")):
        function = re.search(r"\(\s*\*\s*(\w+)\s*\)", declaration)
        if function:
            out.append((function[1], "void*"))
            continue
        first, *others = declaration.split(",")
        base = re.match(r"\s*(?:const\s+)?(?:struct\s+)?(\w+)", first)
        for part in (first[base.end():], *others):
            stars, name, array = re.fullmatch(r"((?:\s|\*|const\b)*)(\w+)\s*((?:\[\d+\])?)\s*", part).groups()
            out.append((name, base[1] + "*" * stars.count("*") + array))
    return out


def structs() -> str:
    """The text of heft._structs: the fields of each public struct, in the order of its header."""
    out = ['"""The structs of the library: for each field its name and its type. Made by generate.py from the headers."""\n',
           "FIELDS: dict[str, list[tuple[str, str]]] = {"]
    include = os.path.join(os.path.dirname(HERE), "include")
    for name in sorted(file for file in os.listdir(include) if file.endswith(".h")):
        with open(os.path.join(include, name), encoding="utf-8") as file:
            found = re.findall(r"\bstruct (heft_\w+) \{(.*?)\n\}", file.read(), re.S)
        out += [f'    "{struct}": {fields(body)},' for struct, body in found]
    return "\n".join(out + ["}", ""])


def main() -> int:
    if len(sys.argv) != 3:
        asked = sys.argv[1:] in (["--help"], ["-h"])
        print(__doc__.strip(), file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    sys.modules["heft"] = types.ModuleType("heft")  # without what heft/__init__.py imports
    sys.modules["heft"].__path__ = [os.path.join(HERE, "heft")]
    try:
        if sys.argv[1] == "--structs":
            text = structs()
        else:
            os.environ["HEFT_LIBRARY"] = os.path.abspath(sys.argv[1])
            text = module()
    except ImportError as error:
        print(f"generate.py: {error}", file=sys.stderr)
        return 1
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
