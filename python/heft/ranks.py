"""Several processes that fit one model: each has a part of the rows, and an engine joins them.

Any engine will do (multiprocessing, Dask, Ray, Spark's barrier mode, MPI): it has to gather bytes.

    class Mine(heft.ranks.Comm):
        def allgather(self, mine: bytes) -> list[bytes]:
            ...                      # what every rank gave, in the order of the ranks

    with Mine(rank, size):           # on every rank, with its part of the rows
        model = heft.LNB().fit(X_part, y_part)

Every rank makes the same calls in the same order and gets the model of all the rows. Columns must be
the same on every rank; a part need not have every class. When a rank fails, all of them raise its
error. examples/ranks.py does it over multiprocessing.
"""
from __future__ import annotations

import ctypes
import pickle
import threading
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p
from typing import Any

import numpy as np

from . import _ffi

_DOUBLES = CFUNCTYPE(c_int, c_void_p, POINTER(c_double), c_size_t)
_INTS = CFUNCTYPE(c_int, c_void_p, POINTER(c_int64), c_size_t)
_GATHER = CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(c_size_t), c_void_p)
_BROADCAST = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_int)
_ABORT = CFUNCTYPE(None, c_void_p, c_char_p)


class _Struct(_ffi.Sized):  # heft_comm
    _fields_ = [
        ("size", c_size_t),
        ("user", c_void_p),
        ("rank", c_int),
        ("n_ranks", c_int),
        ("allreduce_doubles", _DOUBLES),
        ("allreduce_ints", _INTS),
        ("allgather", _GATHER),
        ("broadcast", _BROADCAST),
        ("abort", _ABORT),
    ]


_active: Comm | None = None
_turn = threading.RLock()


def current() -> int | None:
    """Address of the communicator that fits are to use; None: alone."""
    return ctypes.addressof(_active._struct) if _active is not None else None


def gathered(mine: Any) -> list[Any]:
    """What every rank has, in their order."""
    assert _active is not None
    return [pickle.loads(part) for part in _active.allgather(pickle.dumps(mine))]


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

    def __enter__(self) -> Comm:
        global _active
        _turn.acquire()
        self._before, _active = _active, self
        return self

    def __exit__(self, *reason: Any) -> None:
        global _active
        _active = self._before
        _turn.release()
        if self.error is not None and reason[0] is not None:
            raise self.error from reason[1]

    def _exchange(self, mine: bytes) -> list[bytes] | None:
        try:
            self.bytes_given += len(mine)
            return self.allgather(mine)
        except BaseException as error:  # it must not pass through C
            self.error = error
            return None

    def _sum(self, values: Any, n: int, kind: Any) -> int:
        if n == 0:
            return 0
        here = np.ctypeslib.as_array(values, (n,))
        parts = self._exchange(here.tobytes())
        if parts is None:
            return 1
        total = np.frombuffer(parts[0], kind).copy()
        for part in parts[1:]:  # in the order of the ranks: the same bits everywhere
            total += np.frombuffer(part, kind)
        here[:] = total
        return 0

    def _doubles(self, user: Any, values: Any, n: int) -> int:
        return self._sum(values, n, np.float64)

    def _ints(self, user: Any, values: Any, n: int) -> int:
        return self._sum(values, n, np.int64)

    def _gather(self, user: Any, mine: int, length: Any, out: int) -> int:
        parts = self._exchange(ctypes.string_at(mine, length[self.rank]) if mine else b"")
        if parts is None:
            return 1
        whole = b"".join(parts)
        ctypes.memmove(out, whole, len(whole))
        return 0

    def _broadcast(self, user: Any, data: int, n: int, root: int) -> int:
        parts = self._exchange(ctypes.string_at(data, n) if self.rank == root and n else b"")
        if parts is None:
            return 1
        if self.rank != root and n:
            ctypes.memmove(data, parts[root], n)
        return 0
