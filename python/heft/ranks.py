"""Several processes that fit one model: each has a part of the rows, and an engine joins them.

Any engine will do (multiprocessing, Dask, Ray, Spark's barrier mode, MPI): it has to gather bytes.

    class Mine(heft.ranks.Comm):
        def allgather(self, mine: bytes) -> list[bytes]:
            ...                      # what every rank gave, in the order of the ranks

    with Mine(rank, size):           # on every rank, with its part of the rows
        model = heft.LNB().fit(X_part, y_part)

Every rank makes the same calls in the same order and gets the model of all the rows. Columns must be
the same on every rank; a part need not have every class, nor every value of a column, nor any row.
heft.evaluate in such a block takes all the rows on every rank, and the ranks share the folds. When a
rank fails, all of them raise its error. A block is valid for the thread that entered it. Control-C ends
the work of a rank when its engine answers; a second one does not wait for that.

heft.dask and heft.spark join the workers of a cluster. examples/ranks/ranks.py does it over multiprocessing.
"""
from __future__ import annotations

import ctypes
import pickle
import threading
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p
from typing import Any, Callable, Sequence, TypeVar

import numpy as np

from . import _ffi

_DOUBLES = CFUNCTYPE(c_int, c_void_p, POINTER(c_double), c_size_t)
_INTS = CFUNCTYPE(c_int, c_void_p, POINTER(c_int64), c_size_t)
_GATHER = CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(c_size_t), c_void_p)
_BROADCAST = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_int)
_ABORT = CFUNCTYPE(None, c_void_p, c_char_p)


class _Struct(_ffi.Sized):  # heft_comm
    _fields_ = _ffi._fields(
        "heft_comm", allreduce_doubles=_DOUBLES, allreduce_ints=_INTS, allgather=_GATHER, broadcast=_BROADCAST, abort=_ABORT)


class _Thread(threading.local):
    active: Comm | None = None  # the communicator whose block this thread is in


_thread = _Thread()
Made = TypeVar("Made")


def active() -> Comm | None:
    """The communicator that fits are to use; None: alone."""
    return _thread.active


def current() -> int | None:
    """Its address for the library."""
    comm = _thread.active
    return ctypes.addressof(comm._struct) if comm is not None else None


def is_first() -> bool:
    """Whether this is the rank that prints."""
    return _thread.active is None or _thread.active.rank == 0


def gathered(make: Callable[[], Made]) -> list[Made]:
    """What `make` returns on every rank, in their order. Where it raises an error, all ranks raise
    that of the first of them."""
    active = _thread.active
    if active is None:
        return [make()]
    mine: tuple[Any, BaseException | None] = None, None
    try:
        mine = make(), None
    except Exception as error:
        mine = None, error
    parts = active._exchange(packed(mine))
    if parts is None:
        assert active.error is not None
        raise active.error
    found = [pickle.loads(part) for part in parts]
    if mine[1] is not None:
        raise mine[1]
    for _, failure in found:
        if failure is not None:
            raise failure
    return [value for value, _ in found]


def packed(mine: tuple[Any, BaseException | None]) -> bytes:
    """As bytes; an error of a kind that cannot be sent becomes a ValueError."""
    try:
        return pickle.dumps(mine)
    except Exception:
        return pickle.dumps((None, ValueError(str(mine[1]))))


class Comm:
    """One rank's end of an engine. A subclass says how bytes are gathered."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank, self.size = rank, size
        self.bytes_given = 0
        self.error: BaseException | None = None
        self._struct = _Struct(
            rank=rank, n_ranks=size, allreduce_doubles=_DOUBLES(self._doubles),
            allreduce_ints=_INTS(self._ints), allgather=_GATHER(self._gather),
            broadcast=_BROADCAST(self._broadcast), abort=_ABORT(lambda user, text: None))

    def allgather(self, mine: bytes) -> list[bytes]:
        """What every rank gave, in the order of the ranks."""
        raise NotImplementedError

    def allreduce(self, mine: np.ndarray) -> np.ndarray:
        """The sum of the vectors of all ranks, added in the order of the ranks: the same bits
        everywhere. An engine may have a way that moves fewer bytes."""
        parts = self._parts(mine.tobytes(), [mine.nbytes] * self.size)
        return in_order([np.frombuffer(part, mine.dtype) for part in parts])

    def __enter__(self) -> Comm:
        self._before, _thread.active = _thread.active, self
        return self

    def __exit__(self, *reason: Any) -> None:
        _thread.active = self._before
        if self.error is not None and reason[0] is not None and reason[1] is not self.error:
            raise self.error from reason[1]

    def _parts(self, mine: bytes, lengths: Sequence[int] | None = None) -> list[bytes]:
        """What every rank gave. An engine that answers with other lengths than these would write where it must not."""
        parts = self.allgather(mine)
        if len(parts) != self.size:
            raise ValueError(f"allgather returned {len(parts)} parts, and there are {self.size} ranks "
                             "(it must return what every rank gave, in the order of the ranks)")
        for rank, part in enumerate(parts):
            if lengths is not None and len(part) != lengths[rank]:
                raise ValueError(f"allgather returned {len(part)} bytes of rank {rank}, which gave {lengths[rank]} "
                                 "(it must return what every rank gave, in the order of the ranks)")
        return parts

    def _exchange(self, mine: bytes, lengths: Sequence[int] | None = None) -> list[bytes] | None:
        return self._call(lambda given: self._parts(given, lengths), mine, len(mine))

    def _call(self, collective: Callable[[Any], Made], mine: Any, n_bytes: int) -> Made | None:
        """What the engine answers; None where it fails, with the error kept: it must not pass through C."""
        try:
            self.bytes_given += n_bytes
            return collective(mine)
        except BaseException as error:
            self.error = error
            return None

    def _sum(self, values: Any, n: int) -> int:
        if n == 0:
            return 0
        here = np.ctypeslib.as_array(values, (n,))
        total = self._call(self._total, here, here.nbytes)
        if total is None:
            return 1
        here[:] = total
        return 0

    def _total(self, mine: np.ndarray) -> np.ndarray:
        total = np.asarray(self.allreduce(mine))
        if total.shape != mine.shape or total.dtype != mine.dtype:
            raise ValueError(f"allreduce returned {total.dtype} of shape {total.shape} for {mine.dtype} of shape {mine.shape} "
                             "(it must return the sum of the vectors of all ranks)")
        return total

    def _doubles(self, user: Any, values: Any, n: int) -> int:
        return self._sum(values, n)

    def _ints(self, user: Any, values: Any, n: int) -> int:
        return self._sum(values, n)

    def _gather(self, user: Any, mine: int, length: Any, out: int) -> int:
        parts = self._exchange(ctypes.string_at(mine, length[self.rank]) if mine else b"", length[:self.size])
        if parts is None:
            return 1
        whole = b"".join(parts)
        ctypes.memmove(out, whole, len(whole))
        return 0

    def _broadcast(self, user: Any, data: int, n: int, root: int) -> int:
        parts = self._exchange(ctypes.string_at(data, n) if self.rank == root and n else b"",
                               [n if rank == root else 0 for rank in range(self.size)])
        if parts is None:
            return 1
        if self.rank != root and n:
            ctypes.memmove(data, parts[root], n)
        return 0


def in_order(parts: list[np.ndarray]) -> np.ndarray:
    """The sum of vectors, from the first to the last."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total
