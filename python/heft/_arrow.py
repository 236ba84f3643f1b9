"""Tables of polars, pyarrow, DuckDB and others, by the Arrow C stream interface alone: none of them
is imported. https://arrow.apache.org/docs/format/CStreamInterface.html"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_void_p
from typing import Any

import numpy as np

from . import _input


class Schema(Structure):
    pass


class Array(Structure):
    pass


class Stream(Structure):
    pass


Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", POINTER(Schema)),
    ("release", CFUNCTYPE(None, POINTER(Schema))),
    ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", POINTER(Array)),
    ("release", CFUNCTYPE(None, POINTER(Array))),
    ("private_data", c_void_p),
]
Stream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(Stream))),
    ("release", CFUNCTYPE(None, POINTER(Stream))),
    ("private_data", c_void_p),
]

NUMBERS = {
    b"c": np.int8, b"C": np.uint8, b"s": np.int16, b"S": np.uint16, b"i": np.int32,
    b"I": np.uint32, b"l": np.int64, b"L": np.uint64, b"e": np.float16, b"f": np.float32,
    b"g": np.float64,
}
OFFSETS = {b"u": np.int32, b"U": np.int64}

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]


def read_stream(X: Any) -> _input.Frame:
    capsule = X.__arrow_c_stream__()
    stream = Stream.from_address(_pointer(capsule, b"arrow_array_stream"))
    schema, chunks = Schema(), []
    try:
        check(stream, stream.get_schema(byref(stream), byref(schema)))
        if schema.format != b"+s":
            raise ValueError(_input.one_dimensional(X))
        while True:
            chunk = Array()
            check(stream, stream.get_next(byref(stream), byref(chunk)))
            if not chunk.release:
                break
            chunks.append(chunk)
        return frame_of(schema, chunks)
    finally:
        for part in [*chunks, schema, stream]:
            if part.release:
                part.release(byref(part))


def check(stream: Stream, code: int) -> None:
    if code:
        said = stream.get_last_error(byref(stream))
        raise ValueError(f"the Arrow stream failed: {(said or b'').decode('utf-8', 'replace')}")


def frame_of(schema: Schema, chunks: list[Array]) -> _input.Frame:
    n = schema.n_children
    kinds = [schema.children[j].contents for j in range(n)]
    names = _input.text_names([(kind.name or b"").decode("utf-8") for kind in kinds])
    frame = _input.Frame(sum(chunk.length for chunk in chunks), n, names)
    frame.columns = []
    for j, kind in enumerate(kinds):
        parts = [column_of(kind, chunk.children[j].contents, chunk, frame.column_name(j))
                 for chunk in chunks]
        frame.columns.append(joined(parts))
    _input.settle(frame)
    return frame


def joined(parts: list[Any]) -> Any:
    """Chunks of a column as one, copied: the stream's memory ends with it."""
    if not parts:
        return np.empty(0)
    if not isinstance(parts[0], _input.Codes):
        return np.concatenate(parts)
    values = sorted({v for part in parts for v in part.values})
    if all(part.values == parts[0].values for part in parts):
        values = parts[0].values  # a dictionary keeps its order
    place = {v: k for k, v in enumerate(values)}
    codes = []
    for part in parts:
        to = np.array([place[v] for v in part.values] + [-1], dtype=np.int32)
        codes.append(to[part.codes])
    return _input.Codes(np.concatenate(codes), list(values))


def memory(array: Array, k: int, dtype: Any, count: int) -> np.ndarray:
    """`count` elements of buffer k from its beginning."""
    size = np.dtype(dtype).itemsize * count
    if not size or not array.buffers[k]:
        return np.empty(0, dtype=dtype)
    return np.frombuffer((ctypes.c_char * size).from_address(array.buffers[k]), dtype=dtype)


def bits(array: Array, k: int, lo: int, n: int) -> np.ndarray:
    return np.unpackbits(memory(array, k, np.uint8, (lo + n + 7) // 8), bitorder="little")[lo : lo + n] > 0


def column_of(kind: Schema, array: Array, parent: Array, name: str) -> Any:
    lo, n = array.offset + parent.offset, parent.length
    known = bits(array, 0, lo, n) if array.n_buffers and array.buffers[0] else np.ones(n, bool)
    form = kind.format
    if form == b"n":
        return np.full(n, np.nan)
    if kind.dictionary:
        codes = memory(array, 1, NUMBERS[form], lo + n)[lo:].astype(np.int64)
        dictionary = array.dictionary.contents
        words = texts(kind.dictionary.contents, dictionary, dictionary.offset, dictionary.length, name)
        values = list(dict.fromkeys(w for w in words if w is not None))
        place = {v: k for k, v in enumerate(values)}
        to = np.array([-1 if w is None else place[w] for w in words] + [-1], dtype=np.int32)
        return _input.Codes(to[np.where(known, codes, -1)], values)
    if form in NUMBERS:
        cells = memory(array, 1, NUMBERS[form], lo + n)[lo:].astype(np.float64)
        cells[~known] = np.nan
        return cells
    if form == b"b":
        return _input.Codes(np.where(known, bits(array, 1, lo, n), -1).astype(np.int32), _input.BOOLS)
    words = texts(kind, array, lo, n, name)
    return _input.as_codes(np.array([w if k else None for w, k in zip(words, known)], dtype=object))


def texts(kind: Schema, array: Array, lo: int, n: int, name: str) -> list[str | None]:
    form = kind.format
    if form in OFFSETS:
        ends = memory(array, 1, OFFSETS[form], lo + n + 1)[lo:].tolist() or [0]
        data = memory(array, 2, np.uint8, ends[-1]).tobytes()
        return [data[a:b].decode("utf-8") for a, b in zip(ends, ends[1:])]
    if form == b"vu":
        return views(array, lo, n)
    if form in NUMBERS:
        return [_input.value_text(v) for v in memory(array, 1, NUMBERS[form], lo + n)[lo:].tolist()]
    if form[:1] == b"t":
        raise TypeError(f"column '{name}' holds dates or times (make them numbers: with polars X = "
                        f"X.with_columns(polars.col('{name}').to_physical()), with pyarrow cast the column to int64)")
    raise TypeError(f"column '{name}' has the Arrow type '{form.decode()}', which is neither numbers nor text")


def views(array: Array, lo: int, n: int) -> list[str | None]:
    """Text by views of 16 bytes: the length and, up to 12 bytes, the text itself; else four bytes of
    it, the buffer and the place."""
    heads = memory(array, 1, np.uint8, 16 * (lo + n))[16 * lo :].tobytes()
    numbers = np.frombuffer(heads, dtype=np.int32).reshape(n, 4).tolist()
    sizes = memory(array, array.n_buffers - 1, np.int64, array.n_buffers - 3).tolist()
    data = [memory(array, 2 + k, np.uint8, size).tobytes() for k, size in enumerate(sizes)]
    out: list[str | None] = []
    for i, (length, _, which, at) in enumerate(numbers):
        inside = heads[16 * i + 4 : 16 * i + 4 + length]
        out.append((inside if length <= 12 else data[which][at : at + length]).decode("utf-8"))
    return out
