"""Several ranks fit one model: over threads here, over processes in examples/ranks/ranks.py."""
import os
import re
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import heft
from heft import _ffi, _input, ranks


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
        err, out = _ffi.Error(), c_void_p()
        cells = _input.matrix_of(X[part], [f"x{j}" for j in range(X.shape[1])])
        table.call(_ffi.lib.heft_table_add_matrix, byref(cells), False)
        classes = sorted(set(y))
        codes = np.array([classes.index(v) for v in y[part]], np.int32)
        table.call(_ffi.lib.heft_table_set_target, b"class", codes.ctypes.data, _ffi.strings(classes),
                   len(classes))
        config = _ffi.Config(_ffi.Runtime(threads=1, comm=addressof(seat._struct)), method=method)
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


def run_python(root, *args):
    env = dict(os.environ)
    if "HEFT_LIBRARY" in env:
        env["PYTHONPATH"] = os.path.join(root, "python")
    return subprocess.run([sys.executable, *args], capture_output=True, text=True, env=env, timeout=240)


def test_the_example_over_processes(root):
    done = run_python(root, os.path.join(root, "examples", "ranks", "ranks.py"), "3")
    assert done.returncode == 0, done.stderr
    said = re.findall(r"(\w+): 3 ranks, .* rank 0 gave (\d+) bytes; largest difference of a probability: (\S+)",
                      done.stdout)
    assert [name for name, *_ in said] == ["nb", "lnb", "lcwnb"], done.stdout
    for name, given, off in said:
        assert float(off) <= (1e-7 if name == "lnb" else 0) and int(given) > 1000, done.stdout


DYING = """
import os, signal, sys
sys.path.insert(0, {examples!r})
import ranks


class Dying(ranks.Pipes):
    calls = 0

    def allgather(self, mine):
        Dying.calls += 1
        if self.rank == {victim} and Dying.calls == {moment}:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().allgather(mine)


def task(*args):
    ranks.work(*args, engine=Dying)


if __name__ == "__main__":
    ranks.together(3, "lnb", task)
"""


@pytest.mark.parametrize("victim, moment", [(0, 20), (2, 1)])
def test_a_killed_process_ends_all(root, tmp_path, victim, moment):
    script = tmp_path / "dying.py"
    script.write_text(DYING.format(examples=os.path.join(root, "examples", "ranks"), victim=victim, moment=moment))
    began = time.monotonic()
    done = run_python(root, str(script))
    assert done.returncode == 1 and time.monotonic() - began < 60
    assert "a rank has died, and the others have ended" in done.stderr
    for rank in {0, 1, 2} - {victim}:
        assert f"rank {rank}: " in done.stderr and "Traceback" not in done.stderr, done.stderr


SORTED = """
import sys
sys.path.insert(0, {examples!r})
import ranks

load = ranks.load


def by_class():
    X, y = load()
    order = y.argsort(kind="stable")
    return X[order], y[order]


ranks.load = by_class  # in every process: the first has one class, the last the other

if __name__ == "__main__":
    X, y = by_class()
    for name in ("nb", "lcwnb"):
        alone = ranks.MODELS[name].fit(X, y).predict_proba(X)
        print(name, (alone == ranks.together(3, name)[0]).all())
"""


def test_a_part_need_not_have_every_class(root, tmp_path):
    script = tmp_path / "sorted.py"
    script.write_text(SORTED.format(examples=os.path.join(root, "examples", "ranks")))
    done = run_python(root, str(script))
    assert done.stdout == "nb True\nlcwnb True\n", done.stdout + done.stderr


def test_a_communicator_is_used_inside_its_block_only(iris):
    X, y = iris
    with pytest.raises(NotImplementedError):
        with ranks.Comm(0, 2):
            heft.LNB().fit(X, y)
    assert ranks.current() is None
    heft.LNB().fit(X, y)


@pytest.mark.parametrize("damage, error", [
    (lambda parts: parts[:-1], "returned 1 parts, and there are 2 ranks"),
    (lambda parts: [*parts, b""], "returned 3 parts, and there are 2 ranks"),
    (lambda parts: [parts[0], parts[1] + bytes(1 << 20)], r"bytes of rank 1, which gave \d+ "),
    (lambda parts: [parts[0][:8], parts[1]], "returned 8 bytes of rank 0, which gave")])
def test_lengths_of_an_engine_are_checked(iris, damage, error):
    """What comes back goes to memory of the library, which has room for what every rank gave."""
    X, y = iris

    class Damaged(Seat):
        def allgather(self, mine):
            parts = super().allgather(mine)
            pickled = mine.startswith(b"\x80")  # of any length: only the number of parts can be checked
            return damage(parts) if min(map(len, parts)) > 8 and not pickled else parts

    shared, ended = Shared(2), []

    def work(rank):
        with pytest.raises(ValueError, match=error), Damaged(rank, 2, shared):
            heft.LNB().fit(X[rank::2], y[rank::2])
        ended.append(rank)

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(ended) == [0, 1]


def test_the_sum_of_an_engine_is_checked(iris):
    class Wrong(ranks.Comm):
        def allgather(self, mine):
            return [mine]

        def allreduce(self, mine):
            return mine[:1]

    from ctypes import c_double

    room = (c_double * 3)(1, 2, 3)
    comm = Wrong(0, 1)
    assert comm._doubles(None, room, 3) == 1 and list(room) == [1, 2, 3]
    assert re.search(r"allreduce returned float64 of shape \(1,\) for float64 of shape \(3,\)", str(comm.error))
