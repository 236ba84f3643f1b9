"""One model fitted by several processes, each of which sees a part of the rows.

    python3 examples/ranks.py [RANKS]

The processes are joined by pipes: rank 0 collects what the others give and sends everything back.
The model is the one a single process learns from all the rows.
"""
import multiprocessing
import pathlib
import sys

import numpy as np

import heft
from heft.ranks import Comm

DATA = pathlib.Path(__file__).parent / "breast_cancer.csv"


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


def work(rank, size, ends, answers):
    X, y = load()
    part = slice(len(X) * rank // size, len(X) * (rank + 1) // size)
    with Pipes(rank, size, ends) as comm:
        model = heft.LNB(n_jobs=1).fit(X[part], y[part])
    if rank == 0:
        answers.send((model.predict_proba(X), comm.bytes_given))


def together(size):
    """The probabilities of a model fitted by `size` processes, and the bytes rank 0 gave."""
    context = multiprocessing.get_context("spawn")
    pairs = [context.Pipe() for _ in range(size - 1)]
    mine, theirs = context.Pipe()
    ranks = [context.Process(target=work, args=(r, size, [a for a, _ in pairs] if r == 0 else [pairs[r - 1][1]],
                                                theirs if r == 0 else None))
             for r in range(size)]
    for rank in ranks:
        rank.start()
    answer = mine.recv()
    for rank in ranks:
        rank.join()
    return answer


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    X, y = load()
    alone = heft.LNB().fit(X, y).predict_proba(X)
    joined, given = together(size)
    print(f"{size} ranks, {len(X)} rows: rank 0 gave {given} bytes; "
          f"largest difference of a probability: {np.abs(alone - joined).max():.1e}")


if __name__ == "__main__":
    main()
