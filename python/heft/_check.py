"""A look at data before training: what every column holds, and what looks wrong."""

from __future__ import annotations

import ctypes
import json
import os
import warnings
from ctypes import byref, c_void_p
from typing import Any

import numpy as np

from . import _ffi, _input
from ._base import DataConversionWarning, run, set_target, target_name, threads_of, whole_of


_CHARACTERS = {"delimiter": "one character, or 'tab'", "decimal_mark": "one character",
               "quote": "one character, or 'none'"}


class Check:
    """What :func:`heft.check` found. ``print(check)`` shows it as ``heft check`` does; a notebook shows
    the page.

    Attributes
    ----------
    findings : list of dict
        The most serious first: ``code``, ``serious``, ``text`` (one sentence: where, what, what to do)
        and ``columns``.
    columns : list of dict
        One for each column, the class last: ``name``, ``kind``, ``missing``, ``distinct``,
        ``information`` and more.
    rows, repeated_rows, contradicting_rows : int
        The number of rows, of those with the attributes of an earlier row, and of those with equal
        attributes and different classes.
    html : str
        A page about the data; ``save`` writes it.
    """

    def __init__(self, texts: dict[str, str]) -> None:
        self._text, self.html = texts["text"], texts["html"]
        facts = json.loads(texts["json"])
        self.findings: list[dict[str, Any]] = facts["findings"]
        self.columns: list[dict[str, Any]] = facts["columns"]
        self.rows: int = facts["rows"]
        self.repeated_rows: int = facts["repeated_rows"]
        self.contradicting_rows: int = facts["contradicting_rows"]

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        serious = sum(f["serious"] for f in self.findings)
        return f"<heft.Check: {self.rows} rows, {len(self.findings)} findings, {serious} of them serious>"

    def _repr_html_(self) -> str:
        page = self.html.replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{page}" style="width:100%;height:40rem;border:0"></iframe>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)


def _character(name: str, value: Any) -> bytes:
    """The delimiter, the decimal mark or the quotation mark of a file as its byte."""
    if name == "delimiter" and value == "tab":
        return b"\t"
    if name == "quote" and value == "none":
        return b"\n"  # the library's sign that quotation marks are letters like others
    if not isinstance(value, str) or len(value) != 1 or not value.isascii():
        raise ValueError(f"{name}: {value!r} is not {_CHARACTERS[name]}")
    return value.encode()


def _read(path: Any, options: dict[str, Any], runtime: _ffi.Runtime) -> Any:
    source = _ffi.Source(run=ctypes.pointer(runtime), any_classes=True)
    for name, value in options.items():
        if name == "skip":
            source.skip = whole_of(name, value, 0)
        elif name == "header":
            if not isinstance(value, (bool, np.bool_)):
                raise ValueError(f"header: {value!r} is not True, False or None")
            source.header = 1 if value else -1
        elif name in _CHARACTERS:
            setattr(source, name, _character(name, value))
        else:
            value = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            setattr(source, name, value.encode())
    err, out = _ffi.Error(), c_void_p()
    status, messages = run(runtime, lambda: _ffi.lib.heft_read(os.fsencode(path), byref(source), byref(out), byref(err)))
    for text in messages:
        warnings.warn(text, stacklevel=4)
    _ffi.check(status, err, path)
    return out.value


def _texts(table: Any, plan: _ffi.CheckPlan, runtime: _ffi.Runtime) -> dict[str, str]:
    err, out, texts = _ffi.Error(), c_void_p(), {}
    status, _ = run(runtime, lambda: _ffi.lib.heft_check_table(table, byref(plan), byref(out), byref(err)))
    _ffi.check(status, err)
    try:
        for form in ("text", "json", "html"):
            text = c_void_p()
            _ffi.check(_ffi.lib.heft_check_text(out, form.encode(), byref(text), byref(err)), err)
            try:
                texts[form] = ctypes.string_at(text.value or 0).decode("utf-8", "replace")
            finally:
                _ffi.lib.heft_text_free(text)
    finally:
        _ffi.lib.heft_check_free(out)
    return texts


def check(X: Any, y: Any = None, *, top: int = 100, n_jobs: int | None = None, target: Any = None,
          drop: Any = None, numeric: Any = None, nominal: Any = None, positive: Any = None, missing: Any = None,
          weight: Any = None, format: str | None = None, header: bool | None = None, delimiter: str | None = None,
          decimal_mark: str | None = None, skip: int | None = None, quote: str | None = None) -> Check:
    """Look at data before training: what every column holds, and what looks wrong.

    Parameters
    ----------
    X : path, DataFrame, array-like or sparse matrix
        The path of a data file, or the columns.
    y : array-like of shape (n_samples,), default None
        The classes, where X is not a path.
    top : int, default 100
        How many columns the text and the page show.
    n_jobs : int, default None
        Threads; None: all cores.
    target, weight : str or int, default None
        Of a file: the class column and the column of instance weights, by name or number (from 1).
    drop, numeric, nominal : str, int or list of them, default None
        Of a file: columns to leave out, to take as numbers and to take as categories.
    positive : str, default None
        Of a file: a class, against which all others are one.
    missing : str or list of str, default None
        Of a file: marks of missing cells besides the usual ones (empty, ?, NA, N/A, NaN, NULL and so on).
    format, header, delimiter, decimal_mark, skip, quote : default None
        Of a file: how it is written, where that is not to be detected; `quote` is the quotation mark, or "none".

    Returns
    -------
    Check

    Examples
    --------
    >>> import heft
    >>> found = heft.check([[1.5, 1], [2.5, 1], [0.5, 1]], ["no", "yes", "no"])
    >>> [finding["code"] for finding in found.findings]
    ['rare-class', 'constant']
    """
    given = {"target": target, "drop": drop, "numeric": numeric, "nominal": nominal, "positive": positive,
             "missing": missing, "weight": weight, "format": format, "header": header, "delimiter": delimiter,
             "decimal_mark": decimal_mark, "skip": skip, "quote": quote}
    options = {name: value for name, value in given.items() if value is not None}
    runtime = _ffi.Runtime(threads=threads_of(n_jobs))
    plan = _ffi.CheckPlan(top=whole_of("top", top, 0), run=ctypes.pointer(runtime))
    if isinstance(X, (str, os.PathLike)):
        if y is not None:
            raise TypeError("heft.check(): name the class column of a file with target=, not with y")
        handle = _read(X, options, runtime)
        try:
            return Check(_texts(handle, plan, runtime))
        finally:
            _ffi.lib.heft_table_free(handle)
    if options:
        raise TypeError(f"heft.check(): '{next(iter(options))}' is for files; X is not a path")
    frame = _input.read(X, "heft.check", True)
    table = frame.table()
    if y is not None:
        target = _input.read_target(y, frame.n_rows, "heft.check", DataConversionWarning)
        set_target(table, target, target_name(frame, y))
    return Check(_texts(table, plan, runtime))
