#!/usr/bin/env python3
"""generate.py - write heft/estimators.py from the library's option tables.

    HEFT_LIBRARY=build/lib/libheft.so python/generate.py          write it
    HEFT_LIBRARY=build/lib/libheft.so python/generate.py --check  fail where it is out of date

It needs nothing but the standard library: of the package it imports the modules that do without numpy.
"""

from __future__ import annotations

import ctypes
import keyword
import os
import re
import sys
import textwrap
import types

HERE = os.path.dirname(os.path.abspath(__file__))

NAMES = {"auto": "Auto", "flexnb": "FlexNB", "treenb": "TreeNB"}
SHARED = {
    "discretize": "how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' "
                  "or 'presence'",
    "impute": "missing cells: 'none' or 'mean' (the mode of nominal columns)",
    "scale": "scaling of numbers: 'none', 'minmax', 'range' or 'unit'",
    "smoothing": "of counts: 'laplace', 'paper' or 'm:VALUE'",
    "prior": "'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence",
    "select": "attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'",
    "unseen": "values never seen: 'missing' or 'zero'",
    "calibrate": "probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'",
    "cost": "predict the class of least expected cost: a matrix of costs (actual by predicted class, in "
            "the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file",
    "threshold": "of two classes: a dict {class: P} predicts that class from the probability P on; a "
                 "number is that of classes_[1]",
    "tune": "of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the "
            "mean of both classes), 'mcc', or 'cost' (with cost)",
    "categorical_features": "numeric columns to take as nominal: indices, names or a mask",
    "n_jobs": "threads; None: all cores. The answer does not depend on it",
    "random_state": "seed of the methods that draw random numbers",
    "verbose": "what fit prints: 1: messages, and once a second how far it is; 2: more messages",
}
WEIGHTS = {  # of methods that take instance weights
    "class_weight": "weights of the rows of a class, by which sample_weight is multiplied: 'balanced', "
                    "or a dict by class with 1 for other classes",
}
STOPS = {  # of methods that a time limit can stop
    "time_limit": "seconds after which fit ends with the best model so far, which then depends on the "
                  "speed of the machine (a warning says so); None: no limit",
}


TRIED = {  # values of a parameter; a method that refuses all of them does not have it
    "discretize": ["none", "width:5", "mdl", "presence"], "impute": ["none", "mean"],
    "scale": ["none", "minmax", "range", "unit"], "smoothing": ["laplace", "paper", "m:1"],
    "prior": ["smoothed", "frequency", "uniform"], "select": ["gain-ratio:1", "cfs"], "unseen": ["missing", "zero"],
    "calibrate": ["none", "temperature", "vector"],
}
WORDS = {  # the types of parameters that are not a str
    "prior": "str, dict or array-like", "categorical_features": "array-like", "n_jobs": "int",
    "random_state": "int or generator", "time_limit": "float", "class_weight": "str or dict",
    "cost": "array-like, dict or path", "threshold": "float or dict", "verbose": "int",
}
DEFAULTS = {"verbose": 0}  # of shared parameters; the others have None
ATTRIBUTES = {
    "classes_ : ndarray of shape (n_classes,)": "the labels, of y's type",
    "n_features_in_ : int": "the number of columns of X",
    "feature_names_in_ : ndarray of shape (n_features,)": "the names of the columns of X, where it has names",
    "feature_importances_ : ndarray of shape (n_features,)": "how much each column says about the class; for "
    "methods whose score is a sum of terms or that have weights",
    "attribute_weights_ : ndarray": "the weights of the columns; docs/python.md has its shapes and further attributes",
    "class_prior_ : ndarray of shape (n_classes,)": "the prior probabilities",
}
EXAMPLE = ["    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]",
           '    >>> y = ["short"] * 4 + ["long"] * 4']


def shared(method) -> dict[str, str]:
    """The parameters that the method has beside its own."""
    every = {**SHARED, **(WEIGHTS if method.weights else {}), **(STOPS if method.stops else {})}
    return {name: text for name, text in every.items() if name not in TRIED or accepts(method, name)}


def accepts(method, name: str) -> bool:
    from heft import _ffi

    def accepted(value: str) -> bool:
        config = _ffi.Config(_ffi.Runtime(), method=method.name.encode(), **{name: value.encode()})
        return _ffi.lib.heft_config_check(ctypes.byref(config), ctypes.byref(_ffi.Error())) == _ffi.OK

    return any(map(accepted, TRIED[name]))


def class_name(method: str) -> str:
    return NAMES.get(method, method.upper())


def parameter(option: str) -> str:
    name = option.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) or name in SHARED else name


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


def docstring(method) -> list[str]:
    out = [wrapped('"""' + method.title[:1].upper() + method.title[1:] + ".", " " * 4, " " * 4), ""]
    out += [wrapped(f"Source: {method.source}.", " " * 4, " " * 4), ""]
    for reference in method.references:
        out += [wrapped(reference, " " * 4, " " * 6), ""]
    words = re.sub(r"--(\w+) (\S+)", r"\1='\2',", method.prepare).rstrip(",")
    out += [wrapped(f"Default preparation: {words or 'none'}. "
                    + ("Sparse data: yes. " if method.sparse else "")
                    + ("" if method.weights else "Instance weights: no. "), " " * 4, " " * 4), ""]
    if method.name in NOTES:
        out += [wrapped(NOTES[method.name], " " * 4, " " * 4), ""]
    out += ["    Parameters", "    ----------"]
    for option in method.options:
        value = default(option.fallback)
        out += [f"    {parameter(option.name)} : {kind_of(option.range)[0]}, default {value}"]
        accepted = "" if "|" in option.range or option.range == "text" else f" ({option.range})"
        out += [wrapped(f"{option.help}{accepted}", " " * 8, " " * 8)]
    for name, text in shared(method).items():
        out += [f"    {name} : {WORDS.get(name, 'str')}, default {DEFAULTS.get(name)}", wrapped(text, " " * 8, " " * 8)]
    out += ["", "    Attributes", "    ----------"]
    for name, text in ATTRIBUTES.items():
        out += [f"    {name}", wrapped(text, " " * 8, " " * 8)]
    name = class_name(method.name)
    return out + ["", "    Examples", "    --------", f"    >>> from heft import {name}"] + EXAMPLE + [
        f"    >>> {name}().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()", "    ['short', 'long']", '    """']


TYPES = {"prior": "Any", "categorical_features": "Any", "n_jobs": "int | None", "random_state": "Any",
         "time_limit": "float | None", "cost": "Any", "threshold": "Any", "class_weight": "Any", "verbose": "int"}


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


def constructor(method) -> list[str]:
    given = [(parameter(o.name), kind_of(o.range)[1], default(o.fallback)) for o in method.options]
    given += [(name, TYPES.get(name, "str | None"), str(DEFAULTS.get(name))) for name in shared(method)]
    out = ["    def __init__(", "        self,", "        *,"]
    out += [f"        {name}: {kind} = {value}," for name, kind, value in given]
    out += ["    ) -> None:"] + [f"        self.{name} = {name}" for name, _, _ in given]
    return out


def estimator(method) -> list[str]:
    base = "WeightedClassifier" if method.weights else "HeftClassifier"
    if method.merges:  # all of which take weights
        base = "PartialClassifier"
    out = [f"class {class_name(method.name)}({base}):"] + docstring(method) + [""]
    out += [f'    _method = "{method.name}"', f"    _sparse = {method.sparse}"]
    out += [f"    _missing = {method.missing}", f"    _explains = {method.explains}"]
    options = {parameter(o.name): o.name for o in method.options}
    if options:
        out += ["    _options = {"] + [f'        "{k}": "{v}",' for k, v in options.items()] + ["    }"]
    else:
        out += ["    _options = {}"]
    return out + [""] + constructor(method) + ["", ""]


def library_methods() -> list:
    """heft._ffi.methods(), without what heft/__init__.py imports."""
    package = types.ModuleType("heft")
    package.__path__ = [os.path.join(HERE, "heft")]
    sys.modules["heft"] = package
    from heft import _ffi

    return _ffi.methods()


def module() -> str:
    methods = library_methods()
    lines = [
        '"""One estimator for each method. Written by generate.py from the library\'s option tables;',
        'do not edit."""', "",
        "from __future__ import annotations", "", "from typing import Any", "",
        "from ._base import HeftClassifier, WeightedClassifier",
        "from ._partial import PartialClassifier", "", "",
    ]
    for method in methods:
        lines += estimator(method)
    lines += ["BY_METHOD: dict[str, type[HeftClassifier]] = {"]
    lines += [f'    "{m.name}": {class_name(m.name)},' for m in methods] + ["}", ""]
    lines += ["__all__ = ["] + [f'    "{class_name(m.name)}",' for m in methods] + ["]", ""]
    return "\n".join(lines)


def main() -> int:
    options = sys.argv[1:]
    if options not in ([], ["--check"]):
        asked = options in (["--help"], ["-h"])
        print(__doc__.strip(), file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    path = os.path.join(HERE, "heft", "estimators.py")
    try:
        text = module()
    except (ImportError, OSError) as error:
        print(f"generate.py: {error} (build it, and name it: HEFT_LIBRARY=build/lib/libheft.so)", file=sys.stderr)
        return 1
    if options:
        with open(path, encoding="utf-8") as file:
            same = file.read() == text
        if not same:
            print(f"{path} is out of date: run python/generate.py", file=sys.stderr)
        return 0 if same else 1
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
