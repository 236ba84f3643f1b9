"""Models fitted by several processes together, each of which sees a part of the rows.

    python3 examples/ranks/ranks.py [RANKS [METHOD...]]        METHOD: nb, lnb, lcwnb (all)

The processes are joined by pipes: rank 0 collects what the others give and sends everything back.
The models are those a single process learns from all the rows. A process that dies closes its pipes:
the others notice at the next exchange, and all of them end.
"""
import multiprocessing
import pathlib
import sys

import numpy as np

import heft
from heft.ranks import Comm

DATA = pathlib.Path(__file__).resolve().parents[1] / "breast_cancer.csv"
MODELS = {
    "nb": heft.NB(discretize="width:10", n_jobs=1),
    "lnb": heft.LNB(n_jobs=1),
    "lcwnb": heft.LCWNB(n_jobs=1),
}


class Pipes(Comm):
    """Rank 0 holds a pipe to each of the others; they hold one to rank 0."""

    def __init__(self, rank, size, ends):
        super().__init__(rank, size)
        self.ends = ends

    def allgather(self, mine):
        if self.rank > 0:
            self.ends[0].send(mine)
            return self.ends[0].recv()
        parts = [mine] + [end.recv() for end in self.ends]
        for end in self.ends:
            end.send(parts)
        return parts


def load():
    table = np.genfromtxt(DATA, delimiter=",", skip_header=1, dtype=str)
    return table[:, :-1].astype(float), table[:, -1]


def work(rank, size, ends, answers, name, engine=Pipes):
    X, y = load()
    part = slice(len(X) * rank // size, len(X) * (rank + 1) // size)
    try:
        with engine(rank, size, ends) as comm:
            model = MODELS[name].fit(X[part], y[part])
    except (EOFError, OSError) as error:  # a pipe is closed: somebody has died
        sys.exit(f"rank {rank}: {error.__cause__ or error}")
    if answers:
        answers.send((model.predict_proba(X), comm.bytes_given))


def together(size, name, task=work):
    """The probabilities of a model fitted by `size` processes, and the bytes rank 0 gave."""
    context = multiprocessing.get_context("spawn")
    pairs = [context.Pipe() for _ in range(size - 1)]
    mine, theirs = context.Pipe()
    ranks = []
    for r in range(size):
        ends = [a for a, _ in pairs] if r == 0 else [pairs[r - 1][1]]
        ranks.append(context.Process(target=task, args=(r, size, ends, None if r else theirs, name)))
        ranks[r].start()
    for end in [theirs, *(end for pair in pairs for end in pair)]:
        end.close()  # so that a pipe ends with the process that holds it
    try:
        return mine.recv()
    except EOFError:
        raise SystemExit("a rank has died, and the others have ended") from None
    finally:
        for rank in ranks:
            rank.join()


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    X, y = load()
    for name in sys.argv[2:] or MODELS:
        alone = MODELS[name].fit(X, y).predict_proba(X)
        joined, given = together(size, name)
        print(f"{name}: {size} ranks, {len(X)} rows: rank 0 gave {given} bytes; "
              f"largest difference of a probability: {np.abs(alone - joined).max():.1e}")


if __name__ == "__main__":
    main()
