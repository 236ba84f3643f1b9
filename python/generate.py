#!/usr/bin/env python3
"""generate.py - write the module heft.estimators from the option tables of a library.

    python/generate.py LIBRARY FILE      such as build/lib/libheft.so estimators.py

The build of a wheel runs it (meson.build); heft/estimators.py runs it where the package is used from the source tree. What
all classes share is said once, in the tables and the template below. It needs nothing but the standard library: of the
package it imports the modules that do without numpy.
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


def estimator(method) -> str:
    """The text of a class."""
    own = [(parameter(o.name), kind_of(o.range)[1], default(o.fallback)) for o in method.options]
    given = own + [(name, TYPES.get(name, "str | None"), str(DEFAULTS.get(name))) for name in shared(method)]
    entries = []
    for option, (name, _, value) in zip(method.options, own):
        accepted = "" if "|" in option.range or option.range == "text" else f" ({option.range})"
        entries += described(f"{name} : {kind_of(option.range)[0]}, default {value}", option.help + accepted)
    for name, text in shared(method).items():
        entries += described(f"{name} : {WORDS.get(name, 'str')}, default {DEFAULTS.get(name)}", text)
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


def main() -> int:
    if len(sys.argv) != 3:
        asked = sys.argv[1:] in (["--help"], ["-h"])
        print(__doc__.strip(), file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    os.environ["HEFT_LIBRARY"] = os.path.abspath(sys.argv[1])
    sys.modules["heft"] = types.ModuleType("heft")  # without what heft/__init__.py imports
    sys.modules["heft"].__path__ = [os.path.join(HERE, "heft")]
    try:
        text = module()
    except ImportError as error:
        print(f"generate.py: {error}", file=sys.stderr)
        return 1
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
