"""What a process may do around the library: signals, threads, forks."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import heft

LONG = """
import signal, sys
import numpy as np
import heft
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X, y = rng.normal(size=(20000, 40)), rng.integers(0, 2, 20000)
model = heft.DEAWNB(generations=1000000, discretize="width:10")
print("begun", flush=True)
try:
    model.fit(X, y)
except KeyboardInterrupt:
    try:
        model.predict(X)
    except heft.NotFittedError:
        print("interrupted and unfitted", flush=True)
        sys.exit(3)
print("went on", flush=True)
"""


def make(n=3000):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 10)), rng.integers(0, 3, n)
    X[:, 0] += y
    return X, y


def child_environment():
    folder = os.path.dirname(os.path.dirname(heft.__file__))
    return {**os.environ, "PYTHONPATH": folder + os.pathsep + os.environ.get("PYTHONPATH", "")}


def test_a_signal_from_outside_cancels_a_fit():
    """As Control-C does: another process sends it while the library works."""
    child = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True,
                             env=child_environment())
    try:
        assert child.stdout.readline() == "begun\n"
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    assert child.returncode == 3 and out == "interrupted and unfitted\n"


def test_an_interrupted_call_has_ended():
    """Fits and evaluations, interrupted up to three times at random moments: nothing runs beside the next one."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "interrupts.py")
    done = subprocess.run([sys.executable, script, "18"], capture_output=True, text=True, timeout=120, env=child_environment())
    assert done.returncode == 0 and done.stdout == "18 calls interrupted\n", done.stdout + done.stderr


ENGINE = """
import signal, sys, threading, time
import heft
signal.signal(signal.SIGINT, signal.default_int_handler)
answer = threading.Event()

class Silent(heft.ranks.Comm):
    def allgather(self, mine):
        if threading.current_thread() is not threading.main_thread():
            print("waiting", flush=True)
            answer.wait()
            raise OSError("the other rank is gone")
        return [mine, mine]

try:
    with Silent(0, 2):
        heft.NB().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
except KeyboardInterrupt:
    print("interrupted", flush=True)
    answer.set()
"""


def test_a_second_interrupt_does_not_wait_for_an_engine():
    """Other ranks may never answer. The fit then goes on with memory of its own until the engine does."""
    child = subprocess.Popen([sys.executable, "-c", ENGINE], stdout=subprocess.PIPE, text=True, env=child_environment())
    try:
        assert child.stdout.readline() == "waiting\n"
        for _ in range(2):
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    assert child.returncode == 0 and out == "interrupted\n"


def test_other_threads_run_during_a_fit():
    """The interpreter is free while the library works."""
    X, y = make(60000)
    counts, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counts[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counts[0]
        began = time.monotonic()
        while time.monotonic() - began < 0.3 or counts[0] - before < 5:
            heft.LNB(n_jobs=1).fit(X, y)
            assert time.monotonic() - began < 60, "the other thread stands still"
        assert counts[0] - before >= 5
    finally:
        stop.set()
        thread.join()


def test_fits_and_predictions_from_many_threads():
    """Sixteen threads, one shared model, each with fits of its own and batches added up."""
    X, y = make()
    shared = heft.AODE().fit(X, y)
    expected, own = shared.predict_proba(X), heft.NB().fit(X, y).predict_proba(X)
    wrong = []

    def work(k):
        for _ in range(3):
            if not (shared.predict_proba(X) == expected).all():
                wrong.append(("shared", k))
            model = heft.NB().partial_fit(X[:1000], y[:1000]).partial_fit(X[1000:], y[1000:])
            if not (model.predict_proba(X) == own).all():
                wrong.append(("own", k))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def part(bounds):
    X, y = make()
    return heft.NB().partial_fit(X[bounds[0]:bounds[1]], y[bounds[0]:bounds[1]])


@pytest.mark.filterwarnings("ignore:.*fork")
@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_worker_processes_fit_parts(way):
    """Parts fitted in other processes, sent back by pickle and merged."""
    X, y = make()
    whole = heft.NB().fit(X, y)  # the library has worked, with threads, before the fork
    with multiprocessing.get_context(way).Pool(2) as pool:
        parts = pool.map(part, [(0, 700), (700, 1500), (1500, 3000)])
    np.testing.assert_array_equal(heft.merge(parts).predict_proba(X), whole.predict_proba(X))
