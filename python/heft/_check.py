"""A look at data before training: what every column holds, and what looks wrong."""

from __future__ import annotations

import ctypes
import json
import os
import warnings
from ctypes import byref, c_bool, c_char, c_char_p, c_int, c_size_t, c_void_p
from typing import Any

from . import _ffi, _input
from ._base import DataConversionWarning, run, set_target, target_name, threads_of


class _Source(_ffi.Sized):
    _fields_ = [
        ("size", c_size_t),
        ("format", c_char_p),
        ("target", c_char_p),
        ("drop", c_char_p),
        ("numeric", c_char_p),
        ("nominal", c_char_p),
        ("positive", c_char_p),
        ("missing", c_char_p),
        ("weight", c_char_p),
        ("header", c_int),
        ("delimiter", c_char),
        ("decimal_mark", c_char),
        ("skip", c_size_t),
        ("like", c_void_p),
        ("more", c_void_p),
        ("max_columns", c_size_t),
        ("max_classes", c_size_t),
        ("max_unpacked", c_size_t),
        ("whole", c_bool),
        ("run", ctypes.POINTER(_ffi.Runtime)),
    ]


class _CheckPlan(_ffi.Sized):
    _fields_ = [("size", c_size_t), ("top", c_size_t), ("run", ctypes.POINTER(_ffi.Runtime))]


_TEXTS = ("format", "target", "drop", "numeric", "nominal", "positive", "missing", "weight")


class Check:
    """What :func:`heft.check` found.

    findings : list of dict, the most serious first: ``code``, ``serious``, ``text`` (one sentence:
        where, what, what to do) and ``columns``.
    columns : list of dict, one for each column, the class last: ``name``, ``kind``, ``missing``,
        ``distinct``, ``information`` and more.
    html : a page about the data; :meth:`save` writes it.

    ``print(check)`` shows it as ``heft check`` does; a notebook shows the page.
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


def _read(path: Any, options: dict[str, Any], runtime: _ffi.Runtime) -> Any:
    source = _Source(run=ctypes.pointer(runtime))
    for name, value in options.items():
        if name in _TEXTS:
            value = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            setattr(source, name, value.encode())
        elif name in ("delimiter", "decimal_mark"):
            setattr(source, name, value.encode())
        elif name == "skip":
            source.skip = int(value)
        elif name == "header":
            source.header = 1 if value else -1
        else:
            raise TypeError(f"heft.check() got an unexpected option '{name}' (files take {', '.join(_TEXTS)}, "
                            "header, delimiter, decimal_mark and skip)")
    err, out = _ffi.Error(), c_void_p()
    status, heard = run(runtime, lambda: _ffi.lib.heft_read(os.fsencode(path), byref(source), byref(out), byref(err)))
    for text in heard:
        warnings.warn(text, stacklevel=4)
    _ffi.check(status, err, path)
    return out.value


def _texts(table: Any, plan: _CheckPlan, runtime: _ffi.Runtime) -> dict[str, str]:
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


def check(X: Any, y: Any = None, *, top: int = 100, n_jobs: int | None = None, **options: Any) -> Check:
    """Look at data before training: what every column holds, and what looks wrong.

    X : the path of a data file, or a DataFrame, array or sparse matrix.
    y : the classes, where X is not a path.
    top : how many columns the text and the page show.
    options : how to read a file: ``target``, ``drop``, ``numeric``, ``nominal``, ``positive``, ``missing``,
        ``weight``, ``format``, ``header``, ``delimiter``, ``decimal_mark`` and ``skip``.

    >>> print(heft.check("loans.csv", target="repaid"))
    """
    runtime = _ffi.Runtime(threads=threads_of(n_jobs))
    plan = _CheckPlan(top=top, run=ctypes.pointer(runtime))
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
    return Check(_texts(table.handle, plan, runtime))
