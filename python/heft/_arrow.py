"""Tables of polars, pyarrow, DuckDB and others, by the Arrow C stream interface alone: none of them
is imported. https://arrow.apache.org/docs/format/CStreamInterface.html

The library reads the stream (heft_arrow.h) and keeps its memory where it need not copy it."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char_p, c_void_p
from typing import Any

from . import _ffi, _input

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]


def read_stream(X: Any) -> _input.Frame:
    """All columns as attributes. The capsule releases the stream where the library has not."""
    capsule = X.__arrow_c_stream__()
    stream = _pointer(capsule, b"arrow_array_stream")
    err, out, how = _ffi.Error(), c_void_p(), _ffi.Source(no_target=True)
    status = _ffi.lib.heft_table_from_arrow_stream(stream, byref(how), byref(out), byref(err))
    if b"not a struct of columns" in err.text:
        raise ValueError(_input.one_dimensional(X))
    if status in (_ffi.EUNSUPPORTED, _ffi.EIO):
        raise (TypeError if status == _ffi.EUNSUPPORTED else ValueError)(_ffi.sentence(err.text))
    _ffi.check(status, err)
    n_rows = _ffi.lib.heft_table_rows(out)
    table = _ffi.Table(n_rows, out.value)
    names = table.names()
    frame = _input.Frame(n_rows, len(names), names or None)
    frame.made = table
    return frame
