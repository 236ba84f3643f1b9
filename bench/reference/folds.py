"""Weka's folds, lazy-cell-weighted.md 4: java.util.Random, Fisher-Yates, classes grouped, every tenth row."""


class JavaRandom:
    def __init__(self, seed):
        self.seed = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def next(self, bits):
        self.seed = (self.seed * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        return self.seed >> (48 - bits)  # of 31 bits: never negative

    def below(self, n):
        if n & (n - 1) == 0:
            return (n * self.next(31)) >> 31
        while True:
            bits = self.next(31)
            value = bits % n
            if bits - value + (n - 1) < 1 << 31:
                return value


def weka_folds(y, k, seed):
    """The fold of every row."""
    n, rng = len(y), JavaRandom(seed)
    order = list(range(n))
    for j in range(n - 1, 0, -1):
        i = rng.below(j + 1)
        order[i], order[j] = order[j], order[i]
    at = 1
    while at < n:
        first = y[order[at - 1]]
        for j in range(at, n):
            if y[order[j]] == first:
                order[at], order[j] = order[j], order[at]
                at += 1
        at += 1
    dealt = [order[i] for start in range(k) for i in range(start, n, k)]
    fold, begin = [0] * n, 0
    for f in range(k):
        size = n // k + (1 if f < n % k else 0)
        for i in range(begin, begin + size):
            fold[dealt[i]] = f
        begin += size
    return fold
