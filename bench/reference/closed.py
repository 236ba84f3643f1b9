"""Methods without an optimiser: filters, local and one-dependence methods."""
import math

import numpy as np
from scipy.special import logsumexp

import bayes
import prepare


# ---- information -------------------------------------------------------------------------------

def information(a, b, w):
    """Mutual information in nats of two code columns, rows where both are there."""
    both = (a >= 0) & (b >= 0)
    if not both.any():
        return 0.0
    t = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(t, (a[both], b[both]), w[both])
    t /= t.sum()
    p, q = t.sum(1, keepdims=True), t.sum(0, keepdims=True)
    k = t > 0
    found = float(np.sum(t[k] * np.log(t[k] / (p @ q)[k])))
    return found if found > 1e-12 else 0.0  # rounding is no information


def column_entropy(a, w):
    t = np.bincount(a[a >= 0], weights=w[a >= 0])
    t = t[t > 0] / t.sum()
    return float(-np.sum(t * np.log(t)))


def as_codes(t, how):
    return [c.data if c.nominal else prepare.coded(c, prepare.cuts_of(c, t, how)).data for c in t.columns]


def gain_ratios(t, how="width:10"):
    out = []
    for a in as_codes(t, how):
        h = column_entropy(a, t.w)
        out.append(information(a, t.y, t.w) / h if h > 0 else 0.0)
    return np.array(out)


def klnb_weights(t, normalise="mean", how="width:10"):
    g = gain_ratios(t, how)
    if normalise == "none" or g.sum() == 0:
        return g
    return g / (g.mean() if normalise == "mean" else g.sum())


def cfw_weights(t):
    codes, w = as_codes(t, "mdl"), t.w
    m = len(codes)
    r = np.array([information(a, t.y, w) for a in codes])
    d = np.array([[information(a, b, w) if i != j else 0.0 for j, b in enumerate(codes)] for i, a in enumerate(codes)])
    rr = r / r.mean() if r.mean() > 0 else np.zeros(m)
    if m > 1 and d.sum() > 0:
        dd = d / (d.sum() / (m * (m - 1)))
        red = dd.sum(1) / (m - 1)
    else:
        red = np.zeros(m)
    return 1 / (1 + np.exp(-(rr - red)))


def su(a, b, w):
    h = column_entropy(a, w) + column_entropy(b, w)
    return 2 * information(a, b, w) / h if h > 0 else 0.0


def cfs(t, unrelated=1.0):
    """Best first, forward, five stale expansions, gain above 1e-5. unrelated: r of two columns that share nothing (Weka)."""
    codes, w = as_codes(t, "mdl"), t.w
    m = len(codes)
    rc = [su(a, t.y, w) for a in codes]
    rij = np.zeros((m, m))
    for i in range(m):
        for j in range(i):
            rij[i, j] = rij[j, i] = su(codes[i], codes[j], w) or unrelated

    def merit(s):
        if not s:
            return 0.0
        top = sum(rc[j] for j in s)
        below = len(s) + 2 * sum(rij[i, j] for i in s for j in s if i < j)
        return top / math.sqrt(below)

    best, best_merit, stale = (), 0.0, 0
    queue, seen = [(0.0, ())], {()}
    while queue and stale < 5:
        at = max(range(len(queue)), key=lambda k: queue[k][0])
        value, s = queue.pop(at)
        found = False
        for j in range(m):
            new = tuple(sorted(s + (j,)))
            if j in s or new in seen:
                continue
            seen.add(new)
            v = merit(new)
            queue.append((v, new))
            if v > best_merit + 1e-5:
                best, best_merit, found = new, v, True
        stale = 0 if found else stale + 1
    return best


# ---- local methods, all on codes without gaps (UNKNOWN differs from every row) ------------------

def grid(t):
    return np.stack([c.data for c in t.columns], axis=1) if t.columns else np.zeros((t.n, 0), int)


def local_laplace(s, agree, q):
    """log Q: s per class, agree per class and attribute."""
    return np.log(1 + s) + np.sum(np.log(1 + agree) - np.log(q[None, :] + s[:, None]), axis=1)


def lcwnb(t, asked, kappa):
    rows, queries = grid(t), grid(asked)
    q = np.array([len(c.values) for c in t.columns], float)
    k, m = len(t.classes), rows.shape[1]
    if kappa == "auto":
        kappa = 20 if m <= 13 else 10 if m <= 15 else 5
    out = []
    for x in queries:
        same = rows == x
        h = m - same.sum(1)
        weights = np.zeros(t.n)
        s, squares = np.zeros(k), 0.0
        for c in range(k):
            own = t.y == c
            v = np.bincount(h[own], minlength=m + 1).astype(float)
            if v.sum() == 0:
                continue
            if v[0] >= kappa:
                g = 0.0
            elif v.sum() <= kappa:
                g = 1.0
            else:
                lo, hi = 0.0, 1.0
                for _ in range(200):
                    g = (lo + hi) / 2
                    if np.sum(v * g ** np.arange(m + 1)) < kappa:
                        lo = g
                    else:
                        hi = g
            power = np.array([1.0 if l == 0 else g ** l for l in range(m + 1)])
            weights[own] = power[h[own]]
            s[c] = np.sum(v * power)
            squares += np.sum(v * power ** 2)
        rho = s.sum() / squares if squares > 0 else 1.0
        agree = np.array([(weights[t.y == c, None] * same[t.y == c]).sum(0) for c in range(k)])
        out.append(local_laplace(rho * s, rho * agree, q))
    return bayes.softmax(np.array(out))


def weighted(t, w, same):
    """Sums of the weights by class, and of those that agree with the query on each attribute."""
    own = [t.y == c for c in range(len(t.classes))]
    return np.array([w[c].sum() for c in own]), np.array([(w[c, None] * same[c]).sum(0) for c in own])


def lwnb(t, asked, k=50, kernel="linear"):
    rows, queries = grid(t), grid(asked)
    q = np.array([len(c.values) for c in t.columns], float)
    m, out = rows.shape[1], []
    for x in queries:
        same = rows == x
        h = m - same.sum(1)
        d = np.sort(h)[min(k, t.n) - 1]
        if kernel == "weka":
            near = h <= d
            w = np.where(near, 1.0001 - np.sqrt(h / d) if d > 0 else 1.0001, 0.0)
            w = w * near.sum() / w.sum()
        elif d == 0:
            w = (h == 0).astype(float)
        else:
            w = np.where(h < d, 1 - h / d, 0.0)
            w = w * (w > 0).sum() / w.sum() if w.sum() > 0 else w
        out.append(local_laplace(*weighted(t, w, same), q))
    return bayes.softmax(np.array(out))


def iclnb(t, asked, k=10):
    rows, queries = grid(t), grid(asked)
    q = np.array([len(c.values) for c in t.columns], float)
    m, out = rows.shape[1], []
    for x in queries:
        same = rows == x
        h = m - same.sum(1)
        d = np.sort(h)[min(k, t.n) - 1]
        w = np.where(h <= d, 1.0 + m - h, 0.0)
        out.append(local_laplace(*weighted(t, w, same), q))
    return bayes.softmax(np.array(out))


# ---- one dependence ----------------------------------------------------------------------------

class Pairs:
    def __init__(self, t, x):
        rows = grid(t)
        self.n, self.r, self.m = t.w.sum(), len(t.classes), rows.shape[1]
        self.q = [len(c.values) for c in t.columns]
        self.ny = bayes.class_counts(t)
        same = (rows == x) * 1.0
        self.i = np.array([(t.w[t.y == c, None] * same[t.y == c]).sum(0) for c in range(self.r)])
        self.ij = np.array([(same[t.y == c] * t.w[t.y == c, None]).T @ same[t.y == c] for c in range(self.r)])


def aode(t, asked):
    out = []
    for x in grid(asked):
        p = Pairs(t, x)
        parents = [i for i in range(p.m) if p.i[:, i].sum() >= 1]
        s = np.full((p.r, max(1, len(parents))), -np.inf)
        for a, i in enumerate(parents):
            v = np.log((p.i[:, i] + 1) / (p.n + p.r * p.q[i]))
            for j in range(p.m):
                if j != i:
                    v = v + np.log((p.ij[:, i, j] + 1) / (p.i[:, i] + p.q[j]))
            s[:, a] = v
        if not parents:
            s[:, 0] = np.log((p.ny + 1) / (p.n + p.r)) + sum(
                np.log((p.i[:, j] + 1) / (p.ny + p.q[j])) for j in range(p.m))
        out.append(logsumexp(s, axis=1))
    return bayes.softmax(np.array(out))


def weka_information(joint, p, q):
    k = (joint >= 1e-6) & (p * q >= 1e-6)
    return float(np.sum(joint[k] * np.log2(joint[k] / (p * q)[k])))


def waode(t, asked):
    weights = []
    for c in t.columns:
        joint = bayes.table_counts(c, t) / t.w.sum()
        weights.append(max(0.0, weka_information(joint, joint.sum(1, keepdims=True), joint.sum(0, keepdims=True))))
    weights = np.array(weights)
    if weights.sum() == 0:
        weights[:] = 1
    out = []
    for x in grid(asked):
        p = Pairs(t, x)
        s = np.full((p.r, p.m), -np.inf)
        for i in range(p.m):
            if weights[i] == 0:
                continue
            v = math.log(weights[i]) + np.log((p.i[:, i] + 1 / (p.r * p.q[i])) / (p.n + 1))
            for j in range(p.m):
                if j != i:
                    v = v + np.log((p.ij[:, i, j] + 1 / p.q[j]) / (p.i[:, i] + 1))
            s[:, i] = v
        out.append(logsumexp(s, axis=1))
    return bayes.softmax(np.array(out))


def conditional_information(a, b, t, small=1e-6):
    """I(X_i; X_j | Y), terms below `small` dropped. Ratios of counts: independence is exactly 0."""
    joint = np.zeros((len(t.classes), len(a.values), len(b.values)))
    np.add.at(joint, (t.y, a.data, b.data), t.w)
    n = joint.sum()
    top = joint * joint.sum((1, 2), keepdims=True)
    below = joint.sum(2, keepdims=True) * joint.sum(1, keepdims=True)
    k = (top > small * n * n) & (below > small * n * n) if small else top > 0
    return float(np.sum(joint[k] / n * np.log2(top[k] / below[k])))


def hnb(t, asked):
    m = len(t.columns)
    w = np.array([[conditional_information(a, b, t) if i != j else 0.0 for j, b in enumerate(t.columns)]
                  for i, a in enumerate(t.columns)])
    out = []
    for x in grid(asked):
        p = Pairs(t, x)
        s = np.log((p.ny + 1 / p.r) / (p.n + 1))
        for i in range(m):
            total = w[i].sum()
            if total == 0:
                s = s + np.log((p.i[:, i] + 1 / p.q[i]) / (p.ny + 1))
            else:
                mix = np.zeros(p.r)
                for j in range(m):
                    if j != i:
                        mix += w[i, j] / total * (p.ij[:, i, j] + 1 / p.q[i]) / (p.i[:, j] + 1)
                s = s + np.log(mix)
        out.append(s)
    return bayes.softmax(np.array(out))


def tan_information(t, asked, alpha):
    """Tree by conditional mutual information; every choice of the root."""
    m = len(t.columns)
    w = {(i, j): conditional_information(t.columns[i], t.columns[j], t, 0) for i in range(m) for j in range(m) if i != j}
    inside, arcs = {0}, []
    while len(inside) < m:
        _, i, j = max((w[i, j], -i, -j) for i in inside for j in range(m) if j not in inside)
        arcs.append((-i, -j))
        inside.add(-j)
    out = []
    for root in range(m):
        parent, todo = {root: None}, [root]
        while todo:
            a = todo.pop()
            for e in arcs:
                if a in e:
                    b = e[0] if e[1] == a else e[1]
                    if b not in parent:
                        parent[b] = a
                        todo.append(b)
        score = []
        for x in grid(asked):
            p = Pairs(t, x)
            s = np.log((p.ny + alpha) / (p.n + alpha * p.r))
            for j in range(m):
                i = parent[j]
                s = s + (np.log((p.i[:, j] + alpha) / (p.ny + alpha * p.q[j])) if i is None else
                         np.log((p.ij[:, i, j] + alpha) / (p.i[:, i] + alpha * p.q[j])))
            score.append(s)
        out.append(bayes.softmax(np.array(score)))
    return out


# ---- swnb --------------------------------------------------------------------------------------

def sigmoid(z):
    return np.where(z >= 0, 1 / (1 + np.exp(-np.abs(z))), np.exp(-np.abs(z)) / (1 + np.exp(-np.abs(z))))


def swnb_class(v, tau=7.0, s=0.5, tol=1e-5, passes=100, damp="auto"):
    from scipy.optimize import brentq
    d = len(v)
    w0 = 1 / (1 + math.exp(tau * s))
    w = np.full(d, w0)
    if v.max() - v.min() <= 1e-14 * v.max() or s == 0 or v.max() == 0:
        return w, 0
    lam2, share, before, swings, auto = 0.0, 1.0 if damp == "auto" else float(damp), None, 0, damp == "auto"
    done = 0
    for done in range(1, passes + 1):
        sigma2 = np.mean(w * v)
        m = np.mean(np.log(w) - np.log1p(-w))
        q = w * (1 - w)
        a = 3 * w - 1 - q * v / sigma2
        phi = a - 2 * q * lam2
        big = max(1e-10, math.sqrt(np.sum(phi ** 2) / (d * s * s)))
        f = lambda lam: np.sum(sigmoid(m + (a - 2 * q * lam) / big)) - d * w0
        lo, hi, step = lam2, lam2, 1.0
        while f(lo) < 0:
            lo, step = lo - step, 2 * step
        step = 1.0
        while f(hi) > 0:
            hi, step = hi + step, 2 * step
        lam2 = lo if lo == hi else brentq(f, lo, hi, xtol=1e-14, rtol=1e-15)
        u = sigmoid(m + (a - 2 * q * lam2) / big)
        share_before = share  # halving counts from the next pass on: the page's 76 and 58 passes
        r = u - w
        change = np.abs(r).max()
        if auto and before is not None and r @ before < -0.3 * np.linalg.norm(r) * np.linalg.norm(before):
            swings += 1
            if swings == 2:
                share, swings = max(share / 2, 1 / 16), 0
        else:
            swings = 0
        before = r
        w = np.clip(w + share_before * r, 1e-15, 1 - 1e-15)
        if change < tol:
            break
    return w, done


def swnb(t, asked, **options):
    """Probabilities, weights (classes x attributes) and passes. Gaps leave mu, X and the score sum."""
    n = bayes.class_counts(t)
    x, q = grid(t).astype(float), grid(asked).astype(float)
    scores, weights, passes = [], [], []
    for c in range(len(t.classes)):
        if n[c] == 0:
            scores.append(np.full(asked.n, -np.inf))
            weights.append(None)
            passes.append(0)
            continue
        own, wc = x[t.y == c], t.w[t.y == c][:, None]
        here = ~np.isnan(own)
        nkj = (wc * here).sum(0)
        z = np.where(here, own, 0)
        mu = (wc * here * z).sum(0) / np.where(nkj > 0, nkj, 1)
        for j in np.flatnonzero(nkj == 0):  # the page is silent; heft takes the mean of all rows
            mu[j] = np.average(x[~np.isnan(x[:, j]), j], weights=t.w[~np.isnan(x[:, j])])
        v = (wc * here * (z - mu) ** 2).sum(0) / np.where(nkj > 0, nkj, 1)
        for j in range(own.shape[1]):  # equal values have no spread, whatever rounding says
            v[j] = 0.0 if nkj[j] == 0 or np.ptp(own[here[:, j], j]) == 0 else v[j]
        w, k = swnb_class(v, **options)
        sigma = max(1e-5, math.sqrt(np.mean(w * v)))
        inside = ~np.isnan(q)
        diff = np.where(inside, q - mu, 0)
        one = 0.5 * np.log(w) - 0.5 * math.log(2 * math.pi * sigma ** 2)
        scores.append(math.log(n[c] / n.sum()) + (inside * one).sum(1) - (w * diff ** 2).sum(1) / (2 * sigma ** 2))
        weights.append(w)
        passes.append(k)
    return bayes.softmax(np.array(scores).T), weights, passes
