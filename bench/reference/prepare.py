"""Preparation as the pages state it: fills, cuts, ranges. Learned from the training table, applied to both."""
import math

import numpy as np

from tables import MISSING, Column, Table


def present(column):
    return column.data >= 0 if column.nominal else ~np.isnan(column.data)


def impute(train, ask, keep_unknown=False):
    """Mean of numbers, most frequent value (the first of equals); nothing observed: 0, the first value."""
    made = ([], [])
    for a, b in zip(train.columns, ask.columns):
        seen = present(a)
        w = train.w[seen]
        if a.nominal:
            counts = np.bincount(a.data[seen], weights=w, minlength=len(a.values))
            fill = int(np.argmax(counts))
        else:
            fill = float(np.sum(w * a.data[seen]) / np.sum(w)) if seen.any() else 0.0
        for column, out in ((a, made[0]), (b, made[1])):
            hole = ~present(column)
            if keep_unknown and column.nominal:
                hole = column.data == MISSING
            data = column.data.copy()
            data[hole] = fill
            out.append(Column(column.name, data, column.values))
    return (Table(train.name, made[0], train.y, train.classes, train.weight),
            Table(ask.name, made[1], ask.y, ask.classes))


def entropy(counts):
    total = sum(counts)
    return -sum(c / total * math.log2(c / total) for c in counts if c > 0)


def mdl_cuts(x, y, w, classes, scale=1.0):
    """Fayyad and Irani, regularized.md 2.1, by the words."""
    order = np.argsort(x, kind="stable")
    x, y, w = x[order], y[order], w[order]
    values = np.unique(x)
    table = np.zeros((len(values), classes))
    np.add.at(table, (np.searchsorted(values, x), y), w)

    def split(lo, hi):
        s = table[lo:hi].sum(0)
        n, k, h = s.sum(), int((s > 0).sum()), entropy(s)
        best, at, left = None, None, np.zeros(classes)
        for i in range(lo, hi - 1):
            left = left + table[i]
            right = s - left
            e = left.sum() / n * entropy(left) + right.sum() / n * entropy(np.maximum(right, 0))
            if best is None or e < best - 1e-12:
                best, at = e, i
        if at is None:
            return []
        s1 = table[lo:at + 1].sum(0)
        s2 = table[at + 1:hi].sum(0)
        gain = h - best
        k1, k2 = int((s1 > 0).sum()), int((s2 > 0).sum())
        delta = math.log2(3.0 ** k - 2) - (k * h - k1 * entropy(s1) - k2 * entropy(s2))
        if gain <= 0 or not gain > scale * (math.log2(max(n - 1, 1)) + delta) / n:
            return []
        cut = values[at] / 2 + values[at + 1] / 2
        if cut >= values[at + 1]:
            cut = values[at]
        return split(lo, at + 1) + [cut] + split(at + 1, hi)

    return np.array(split(0, len(values)))


def width_cuts(x, bins):
    lo, hi = x.min(), x.max()
    return np.array([]) if lo == hi else np.array([lo + (hi - lo) / bins * i for i in range(1, bins)])


def frequency_cuts(x, bins, w=None):
    """The distinct values among the quantiles i/bins, linear between order statistics."""
    if w is not None:
        x = np.repeat(x, w.astype(int))
    return np.unique(np.quantile(x, [i / bins for i in range(1, bins)]))


def cuts_of(column, table, how):
    seen = present(column)
    x, y, w = column.data[seen], table.y[seen], table.w[seen]
    if len(x) == 0:
        return np.array([])
    kind, _, number = how.partition(":")
    if kind == "mdl":
        return mdl_cuts(x, y, w, len(table.classes), float(number or 1))
    if kind == "width":
        return width_cuts(x, int(number))
    cuts = frequency_cuts(x, int(number), w if np.all(w == np.round(w)) else None)
    return cuts if len(np.unique(x)) > 1 else np.array([])


def coded(column, cuts):
    """Numbers as codes: how many cuts are strictly below."""
    code = np.searchsorted(cuts, np.where(np.isnan(column.data), 0, column.data), side="left")
    code = np.where(np.isnan(column.data), MISSING, code)
    return Column(column.name, code, [f"#{i}" for i in range(len(cuts) + 1)])


def discretize(train, ask, how):
    made = ([], [])
    for a, b in zip(train.columns, ask.columns):
        if a.nominal:
            made[0].append(a)
            made[1].append(b)
        else:
            cuts = cuts_of(a, train, how)
            made[0].append(coded(a, cuts))
            made[1].append(coded(b, cuts))
    return (Table(train.name, made[0], train.y, train.classes, train.weight),
            Table(ask.name, made[1], ask.y, ask.classes))


def scale(train, ask, how):
    """minmax: (x - min)/range; range: x/range; a constant column is divided by 1."""
    made = ([], [])
    for a, b in zip(train.columns, ask.columns):
        if a.nominal:
            made[0].append(a)
            made[1].append(b)
            continue
        seen = a.data[present(a)]
        lo, hi = (seen.min(), seen.max()) if len(seen) else (0.0, 0.0)
        width = hi - lo if hi > lo else 1.0
        for column, out in ((a, made[0]), (b, made[1])):
            out.append(Column(column.name, (column.data - (lo if how == "minmax" else 0)) / width))
    return (Table(train.name, made[0], train.y, train.classes, train.weight),
            Table(ask.name, made[1], ask.y, ask.classes))


PAPER = {  # impute, discretize, scale, smoothing, prior: interface.md 2
    "nb": (0, None, None, "laplace", "smoothed"), "gnb": (0, None, None, "laplace", "smoothed"),
    "flexnb": (0, None, "minmax", "laplace", "smoothed"),
    "swnb": (0, None, "range", "laplace", "frequency"), "vwnb": (0, "mdl", None, "laplace", "smoothed"),
    "sbc": (0, None, None, "laplace", "smoothed"), "klnb": (0, None, None, "laplace", "smoothed"),
    "treenb": (0, None, None, "laplace", "smoothed"),
}
for _m in ("enb", "dnb", "lnb", "gdnb", "mse"):
    PAPER[_m] = (0, None, None, "laplace", "frequency")
for _m in ("wanbia", "cawnb", "rnb", "cwanb", "cfwnb", "dfwnb", "deawnb", "tcsfsnb"):
    PAPER[_m] = (1, "mdl", None, "paper", "smoothed")
for _m in ("lcwnb", "lwnb", "iclnb", "tan", "aode", "waode", "hnb"):
    PAPER[_m] = (1, "width:10", None, "laplace", "smoothed")


def flat(column):
    """One value in all rows, and declared no other."""
    seen = column.data[present(column)]
    return len(column.values) < 2 if column.nominal else len(seen) == 0 or seen.min() == seen.max()


def alike(column):
    """The same cell in all rows: one value, or missing throughout."""
    seen = column.data[present(column)]
    return len(seen) == 0 or (len(seen) == len(column.data) and seen.min() == seen.max())


def varying(train, ask, constant=flat):
    """Without the columns that are constant in the training rows."""
    kept = [j for j, column in enumerate(train.columns) if not constant(column)]
    return (Table(train.name, [train.columns[j] for j in kept], train.y, train.classes, train.weight),
            Table(ask.name, [ask.columns[j] for j in kept], ask.y, ask.classes))


def prepared(train, ask, method, **change):
    fill, cut, stretch, smoothing, prior = PAPER[method]
    fill = change.get("impute", fill)
    cut = change.get("discretize", cut)
    smoothing = change.get("smoothing", smoothing)
    prior = change.get("prior", prior)
    if fill:
        train, ask = impute(train, ask, change.get("keep_unknown", False))
    if cut:
        train, ask = discretize(train, ask, cut)
    if stretch:
        train, ask = scale(train, ask, stretch)
    return train, ask, smoothing, prior
