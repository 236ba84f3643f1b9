"""Priors, tables and densities of naive Bayes, and methods that are closed forms of them."""
import math

import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm

from prepare import present
from tables import UNKNOWN


def softmax(s):
    return np.exp(s - logsumexp(s, axis=1, keepdims=True))


def class_counts(t):
    return np.bincount(t.y, weights=t.w, minlength=len(t.classes))


def log_prior(t, prior, smoothing):
    n, k = class_counts(t), len(t.classes)
    if prior == "uniform":
        return np.full(k, -math.log(k))
    if isinstance(prior, dict):
        with np.errstate(divide="ignore"):
            return np.log([prior[c] for c in t.classes])
    if prior == "frequency":
        with np.errstate(divide="ignore"):
            return np.log(n / n.sum())
    add = {"laplace": 1.0, "paper": 1.0 / k}.get(smoothing)
    if add is None:
        add = float(smoothing[2:]) / k
    return np.log((n + add) / (n.sum() + add * k))


def table_counts(column, t):
    seen = column.data >= 0
    counts = np.zeros((len(t.classes), len(column.values)))
    np.add.at(counts, (t.y[seen], column.data[seen]), t.w[seen])
    return counts


def nominal(column, asked, t, smoothing, unseen, multiply=1.0):
    """Rows asked about x classes: log P(value | class); 0 for a gap."""
    counts, v = multiply * table_counts(column, t), len(column.values)
    add = {"laplace": 1.0, "paper": 1.0 / v}.get(smoothing)
    if add is None:
        add = float(smoothing[2:]) / v
    logs = np.log((counts + add) / (counts.sum(1, keepdims=True) + add * v))
    zero = np.log(add / (counts.sum(1) + add * v))
    out = np.zeros((len(asked.data), len(t.classes)))
    known = asked.data >= 0
    out[known] = logs[:, asked.data[known]].T
    if unseen == "zero":
        out[asked.data == UNKNOWN] = zero
    return out


def weighted_moments(x, w, less):
    mean = np.sum(w * x) / np.sum(w)
    n = np.sum(w) - less if np.sum(w) > 1 else np.sum(w)
    return mean, np.sum(w * (x - mean) ** 2) / n


def normal(column, asked, t):
    """Normal with n-1, point masses where a class has one value, nothing where the column is constant."""
    seen = present(column)
    x, y, w = column.data[seen], t.y[seen], t.w[seen]
    out = np.zeros((len(asked.data), len(t.classes)))
    if len(x) == 0 or x.min() == x.max():
        return out
    floor = 1e-9 * weighted_moments(x, w, 0)[1]
    ask = ~np.isnan(asked.data)
    q = asked.data[ask]
    for c in range(len(t.classes)):
        own, wc = x[y == c], w[y == c]
        if len(own) == 0:  # the page is silent; heft borrows the normal of all classes
            own, wc = x, w
        if own.min() == own.max():
            out[ask, c] = np.where(q == own[0], 0.0, math.log(1e-10))
            continue
        mean, variance = weighted_moments(own, wc, 1)
        out[ask, c] = norm.logpdf(q, mean, math.sqrt(max(variance, floor)))
    return out


def shrunk_normal(column, asked, t):
    """nb: one row of the pooled variance within classes joins each class; a class of equal values has at least a tenth of it."""
    seen = present(column)
    x, y, w = column.data[seen], t.y[seen], t.w[seen]
    out = np.zeros((len(asked.data), len(t.classes)))
    if len(x) == 0 or x.min() == x.max():
        return out
    floor = 1e-9 * weighted_moments(x, w, 1)[1]
    there = [c for c in range(len(t.classes)) if np.any(y == c)]
    n = {c: np.sum(w[y == c]) for c in there}
    mean = {c: weighted_moments(x[y == c], w[y == c], 0)[0] for c in there}
    scatter = {c: np.sum(w[y == c] * (x[y == c] - mean[c]) ** 2) for c in there}
    for c in there:
        if x[y == c].min() == x[y == c].max():
            scatter[c] = 0.0
    freedom = np.sum(w) - len(there)
    pooled = sum(scatter.values()) / (freedom if freedom > 0 else np.sum(w))
    ask = ~np.isnan(asked.data)
    q = asked.data[ask]
    for c in range(len(t.classes)):
        if c not in n:
            m, variance = weighted_moments(x, w, 1)
        else:
            m, variance = mean[c], (scatter[c] + pooled) / max(n[c], 1)
            if scatter[c] == 0:
                variance = max(variance, pooled / 10)
        out[ask, c] = norm.logpdf(q, m, math.sqrt(max(variance, floor)))
    return out


def weka_normal(column, asked, t):
    """gnb, regularized.md 7."""
    seen = present(column)
    x, y, w = column.data[seen], t.y[seen], t.w[seen]
    out = np.zeros((len(asked.data), len(t.classes)))
    ask = ~np.isnan(asked.data)
    values = np.unique(x)
    q = 0.01 if len(values) < 2 else sum(values[1:] - values[:-1]) / (len(values) - 1)
    near = lambda z: np.rint(z / q) * q
    for c in range(len(t.classes)):
        own, wc = near(x[y == c]), w[y == c]
        mean, sd = 0.0, 0.0
        if len(own):
            mean, variance = weighted_moments(own, wc, 0)
            sd = math.sqrt(variance)
        sd = max(sd, q / 6)
        lo, hi = (near(asked.data[ask]) - mean - q / 2) / sd, (near(asked.data[ask]) - mean + q / 2) / sd
        p = np.where(lo > 0, norm.cdf(-lo) - norm.cdf(-hi), norm.cdf(hi) - norm.cdf(lo))
        out[ask, c] = np.log(np.maximum(p, 1e-75))
    return out


def kernel(column, asked, t):
    """flexnb, subspace-weighted.md: bandwidth 1/sqrt(n_k)."""
    seen = present(column)
    x, y, w = column.data[seen], t.y[seen], t.w[seen]
    out = np.zeros((len(asked.data), len(t.classes)))
    ask = ~np.isnan(asked.data)
    for c in range(len(t.classes)):
        own, wc = x[y == c], w[y == c]
        if len(own) == 0:  # the page is silent; heft takes the mean of the others' log densities
            out[ask, c] = np.nan
            continue
        n = wc.sum()
        h = 1 / math.sqrt(n)
        z = -0.5 * ((asked.data[ask][:, None] - own[None, :]) / h) ** 2
        out[ask, c] = logsumexp(z, b=wc, axis=1) - math.log(n * h * math.sqrt(2 * math.pi))
    return np.where(np.isnan(out), np.nanmean(out, axis=1, keepdims=True), out)


def evidence(t, asked, smoothing, unseen="missing", density=normal, multiply=None):
    """Rows x attributes x classes: log P(x_j | c)."""
    out = []
    for j, (a, b) in enumerate(zip(t.columns, asked.columns)):
        times = 1.0 if multiply is None else multiply[j]
        out.append(nominal(a, b, t, smoothing, unseen, times) if a.nominal else density(a, b, t))
    if not out:
        return np.zeros((asked.n, 0, len(t.classes)))
    return np.stack(out, axis=1)


def naive(t, asked, smoothing, prior, unseen="missing", density=normal, weights=None, multiply=None):
    e = evidence(t, asked, smoothing, unseen, density, multiply)
    first = log_prior(t, prior, smoothing)
    if density is not weka_normal and not all(c.nominal for c in t.columns):
        first[class_counts(t) == 0] = -np.inf  # a class without rows has no density: it is left out
    w = np.ones(e.shape[1]) if weights is None else weights
    return softmax(first + np.einsum("ijc,j->ic", e, w))
