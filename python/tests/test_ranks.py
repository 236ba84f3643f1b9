"""Several ranks fit one model: over threads here, over processes in examples/ranks.py."""
import os
import re
import subprocess
import sys
import threading

import numpy as np
import pytest

import heft
from heft import _ffi, ranks


class Shared:
    """What threads that play ranks share."""

    def __init__(self, size):
        self.slots = [b""] * size
        self.barrier = threading.Barrier(size, timeout=60)


class Seat(ranks.Comm):
    def __init__(self, rank, size, shared, break_at=None):
        super().__init__(rank, size)
        self.shared, self.left = shared, break_at

    def allgather(self, mine):
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                self.shared.barrier.abort()
                raise ConnectionError("the line is cut")
        self.shared.slots[self.rank] = mine
        self.shared.barrier.wait()
        parts = list(self.shared.slots)
        self.shared.barrier.wait()
        return parts


def fit_apart(X, y, size, method=b"lnb", break_at=None):
    """heft_fit by threads, each a rank: models and errors, by rank."""
    from ctypes import addressof, byref, c_void_p

    shared, models, errors = Shared(size), [None] * size, [""] * size

    def work(rank):
        part = slice(len(X) * rank // size, len(X) * (rank + 1) // size)
        seat = Seat(rank, size, shared, break_at if rank == 1 else None)
        table = _ffi.Table(len(X[part]))
        names = _ffi.strings([f"x{j}" for j in range(X.shape[1])])
        err, out = _ffi.Error(), c_void_p()
        cells = np.ascontiguousarray(X[part])
        _ffi.check(_ffi.lib.heft_table_add_matrix(
            table.handle, X.shape[1], cells.ctypes.data, X.shape[1], 1, names, byref(err)), err)
        classes = sorted(set(y))
        codes = np.array([classes.index(v) for v in y[part]], np.int32)
        _ffi.check(_ffi.lib.heft_table_set_target(
            table.handle, b"class", codes.ctypes.data, _ffi.strings(classes), len(classes),
            byref(err)), err)
        config = _ffi.Config(method=method, threads=1, comm=addressof(seat._struct))
        status = _ffi.lib.heft_fit(table.handle, byref(config), byref(out), byref(err))
        if status == 0:
            models[rank] = _ffi.Model(out.value)
        else:
            errors[rank] = _ffi.text(err.text)

    threads = [threading.Thread(target=work, args=(r,)) for r in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return models, errors


def test_a_rank_that_is_lost_ends_the_fit_on_all(iris):
    X, y = iris
    models, errors = fit_apart(X, y, 3, break_at=5)
    assert models == [None] * 3
    assert all("cannot be reached" in error for error in errors), errors


def test_a_method_that_needs_all_rows_gets_them(iris):
    X, y = iris
    for method in (b"auto", b"treenb"):
        models, errors = fit_apart(X, y, 3, method=method)
        assert errors == [""] * 3
        assert len({model.to_bytes() for model in models}) == 1


def test_the_example_over_processes(root):
    env = dict(os.environ)
    if "HEFT_LIBRARY" in env:
        env["PYTHONPATH"] = os.path.join(root, "python")
    script = os.path.join(root, "examples", "ranks.py")
    done = subprocess.run([sys.executable, script, "3"], capture_output=True, text=True, env=env,
                          timeout=240)
    assert done.returncode == 0, done.stderr
    said = re.search(r"rank 0 gave (\d+) bytes; largest difference of a probability: (\S+)",
                     done.stdout)
    assert said and float(said[2]) < 1e-7 and int(said[1]) > 1000, done.stdout


def test_a_communicator_is_used_inside_its_block_only(iris):
    X, y = iris
    with pytest.raises(NotImplementedError):
        with ranks.Comm(0, 2):
            heft.LNB().fit(X, y)
    assert ranks.current() is None
    heft.LNB().fit(X, y)
