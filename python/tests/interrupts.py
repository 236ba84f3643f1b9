"""Interrupts calls of the library at random moments, by one to three signals each, and starts another call at
once. Ends with status 0 where every call had ended before its KeyboardInterrupt came out. test_process.py runs
it, and ./test once more under the address sanitizer:

    HEFT_LIBRARY=build/lib/libheft.so python python/tests/interrupts.py [ROUNDS]
"""
import os
import random
import signal
import sys
import threading
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import heft  # noqa: E402

inside, armed = [], False


def watched(name):
    """The call of the library notes that it runs."""
    call = getattr(heft._ffi.lib, name)

    def noting(*arguments):
        inside.append(name)
        try:
            return call(*arguments)
        finally:
            inside.remove(name)

    setattr(heft._ffi.lib, name, noting)


def on_signal(number, frame):
    if armed:
        raise KeyboardInterrupt


def send(seed):
    """Signals to the main thread: after a moment the first, soon the others."""
    draw = random.Random(seed)
    for longest in (0.2, 0.01, 0.001)[: 1 + seed % 3]:
        time.sleep(draw.random() * longest)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def main(rounds):
    global armed
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 10)), rng.integers(0, 2, 3000)
    words = np.where(X > 0, "up", "down")
    expected = heft.NB().fit(X, y).predict_proba(X)
    long = heft.DEAWNB(generations=1000000, discretize="width:10", n_jobs=2)
    works = [lambda: long.fit(X, y), lambda: long.fit(words, y), lambda: heft.evaluate(long, X, y, n_jobs=2)]
    for name in ("heft_fit_matrix", "heft_fit", "heft_evaluate"):
        watched(name)
    signal.signal(signal.SIGINT, on_signal)
    for k in range(rounds):
        sender = threading.Thread(target=send, args=(k,))
        armed = True
        try:
            sender.start()
            works[k % len(works)]()
            sys.exit(f"round {k}: the call was not interrupted")
        except KeyboardInterrupt:
            armed = False
            if inside:
                sys.exit(f"round {k}: {inside[0]} still runs after the interrupt")
        if not (heft.NB().fit(X, y).predict_proba(X) == expected).all():
            sys.exit(f"round {k}: the next fit gives another model")
        sender.join()
    print(f"{rounds} calls interrupted")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 30)
