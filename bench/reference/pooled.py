"""auto, default.md: counted half to the digit, learned half to its minimum."""
import math

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

import bayes
import prepare
from closed import information
from prepare import present

S0, S = 1.0, 5.0


def ln(s):
    return s - logsumexp(s, axis=1, keepdims=True)


def median(x):
    return float(np.median(x))


def code_column(column, asked, t, how):
    """Codes of the training rows and of those asked about, and their number: section 2."""
    seen = present(column)
    if column.nominal:
        q, a, b = len(column.values), column.data, asked.data
        fill = int(np.argmax(np.bincount(a[seen], weights=t.w[seen], minlength=q))) if seen.any() else 0
    else:
        x = column.data[seen]
        if len(x) == 0:
            cuts = np.array([])
        elif how == "mdl":
            cuts = prepare.mdl_cuts(x, t.y[seen], t.w[seen], len(t.classes))
        else:
            cuts = prepare.frequency_cuts(x, how)
        q = len(cuts) + 1
        a, b = prepare.coded(column, cuts).data, prepare.coded(asked, cuts).data
        fill = int(np.searchsorted(cuts, median(x), side="left")) if len(x) else 0
    if not seen.all():
        return np.where(a < 0, q, a), np.where(b < 0, q, b), q + 1
    return a, np.where(b < 0, fill, b), q


class Geomean:
    """G at one resolution."""

    def __init__(self, t, asked, how, k):
        made = [code_column(c, d, t, how) for c, d in zip(t.columns, asked.columns)]
        self.codes = np.stack([m[0] for m in made], 1)
        self.asked = np.stack([m[1] for m in made], 1)
        self.q = [m[2] for m in made]
        self.n, self.m, self.k = t.n, len(made), k
        self.y = t.y
        self.nc = np.bincount(t.y, minlength=k).astype(float)
        info = np.array([information(self.codes[:, j], t.y, t.w) for j in range(self.m)])
        most = min(self.m, max(1, 6000 // self.m))
        order = sorted(range(self.m), key=lambda j: (-info[j], j))[:most]
        cells, parents = 0, []
        for p in order:
            cells += self.q[p]
            if parents and cells * sum(self.q) * k > 5e7:
                break
            parents.append(p)
        self.parents = parents
        total = info[parents].sum()
        self.omega = {p: info[p] / total if total > 0 else 1 / len(parents) for p in parents}
        self.one = []
        for j in range(self.m):
            c = np.zeros((k, self.q[j]))
            np.add.at(c, (t.y, self.codes[:, j]), 1.0)
            self.one.append(c)
        self.p0 = [(c.sum(0) + 1) / (self.n + q) for c, q in zip(self.one, self.q)]
        self.two = {}
        for p in parents:
            for j in range(self.m):
                if j != p:
                    c = np.zeros((k, self.q[p], self.q[j]))
                    np.add.at(c, (t.y, self.codes[:, p], self.codes[:, j]), 1.0)
                    self.two[p, j] = c

    def scores(self, codes, own=None):
        """own: the class of each row, whose entries leave that row out."""
        out = np.zeros((len(codes), self.k))
        for i, x in enumerate(codes):
            for c in range(self.k):
                less = 1.0 if own is not None and own[i] == c else 0.0
                nc = self.nc[c] - less
                total = self.n - less
                s = 0.0
                for p in self.parents:
                    v = x[p]
                    ncv = self.one[p][c, v] - less
                    g = math.log((ncv + self.p0[p][v] * (nc + 1 / self.k) / (total + 1)) / (total + 1))
                    for j in range(self.m):
                        if j == p:
                            continue
                        w = x[j]
                        back = (self.one[j][c, w] - less + S0 * self.p0[j][w]) / (nc + S0)
                        g += math.log((self.two[p, j][c, v, w] - less + S * back) / (ncv + S))
                    s += self.omega[p] * g
                out[i, c] = s
        return out


def present_only(t, asked):
    """Classes without rows take no part."""
    n = bayes.class_counts(t)
    keep = np.flatnonzero(n > 0)
    where = {c: i for i, c in enumerate(keep)}
    y = np.array([where[c] for c in t.y])
    import dataclasses
    return dataclasses.replace(t, y=y, classes=[t.classes[c] for c in keep]), asked, keep


def counted(t, asked):
    """B of the rows asked about, leave-one-out B, beta: all-classes probabilities are softmax of B."""
    k = len(t.classes)
    bins = [5, 10] if t.n < 2000 else [5, 10, 20]
    g = [Geomean(t, asked, b, k) for b in bins]
    loo = [ln(r.scores(r.codes, t.y)) for r in g]
    ask = [ln(r.scores(r.asked)) for r in g]
    groups = []
    for r in range(len(g)):
        for group in groups:
            if np.array_equal(g[group[0]].codes, g[r].codes):
                group.append(r)
                break
        else:
            groups.append([r])
    R = len(bins)
    one = np.eye(k)[t.y]
    mult = np.array([len(x) for x in groups], float)

    def f(x):
        beta, a = x[:len(groups)], x[len(groups):]
        s = sum(b * loo[x0[0]] for b, x0 in zip(beta, groups)) + a
        l = ln(s)
        d = np.exp(l) - one
        value = -np.sum(l * one) + 1.5 * np.sum((beta - mult / R) ** 2 / mult) + 0.5 * a @ a
        return value, np.concatenate([[np.sum(d * loo[x0[0]]) for x0 in groups] + 3 * (beta - mult / R) / mult,
                                      d.sum(0) + a])

    x0 = np.concatenate([mult / R, np.zeros(k)])
    r = minimize(f, x0, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(groups) + [(None, None)] * k,
                 options=dict(maxiter=2000, ftol=1e-15, gtol=1e-10))
    beta, a = r.x[:len(groups)], r.x[len(groups):]
    mix = lambda parts: ln(sum(b * parts[x0[0]] for b, x0 in zip(beta, groups)) + a)
    return mix(ask), mix(loo), beta


def learned(t, asked, scale, most_pairs, iterations):
    """A of the rows asked about at the minimum (or after so many iterations), objective at 0 and at the end."""
    k, n = len(t.classes), t.n
    lines, lam, ask = [], [], []  # a feature is a dense n x q matrix: slow and plain

    def add(a, b, q, penalty):
        known = np.unique(a)
        at = {v: i for i, v in enumerate(known)}
        x, z = np.zeros((n, len(known))), np.zeros((asked.n, len(known)))
        x[np.arange(n), [at[v] for v in a]] = 1
        for i, v in enumerate(b):
            if v in at:
                z[i, at[v]] = 1
        lines.append(x)
        ask.append(z)
        lam.extend([penalty] * len(known))

    b2 = 5 if n < 2000 else 10
    at_b2 = []
    features = 0
    for c, d in zip(t.columns, asked.columns):
        made = [code_column(c, d, t, how) for how in ("mdl", 5, 10, 20)]
        at_b2.append(made[1] if b2 == 5 else made[2])
        groups = []
        for m in made:
            if m[2] == 1:
                continue
            for group in groups:
                if np.array_equal(group[0][0], m[0]):
                    group.append(m)
                    break
            else:
                groups.append([m])
        for group in groups:
            add(*group[0], 4 * scale / len(group))
            features += 1
    info = [information(m[0], t.y, t.w) * n for m in at_b2]
    best = sorted(range(len(at_b2)), key=lambda j: (-info[j], j))[:60]
    gains = []
    for a in range(len(best)):
        for b in range(a):
            i, j = sorted((best[a], best[b]))
            if at_b2[i][2] == 1 or at_b2[j][2] == 1:
                continue  # an attribute of one code changes no learned weight
            both = at_b2[i][0] * at_b2[j][2] + at_b2[j][0]
            gains.append((-(information(both, t.y, t.w) * n - max(info[i], info[j])), i, j))
    for _, i, j in sorted(gains)[:most_pairs]:
        q = at_b2[j][2]
        add(at_b2[i][0] * q + at_b2[j][0], at_b2[i][1] * q + at_b2[j][1], 0, 8 * scale)
    for c, d in zip(t.columns, asked.columns):
        if c.nominal:
            continue
        x = c.data[present(c)]
        if len(x) and x.std() > 0:
            z = lambda v: np.nan_to_num(np.clip((v - x.mean()) / x.std(), -4, 4))
            lines.append(z(c.data)[:, None])
            ask.append(z(d.data)[:, None])
            lam.append(scale)
    lines.append(np.ones((n, 1)))
    ask.append(np.ones((asked.n, 1)))
    lam.append(1.0)
    x, z, lam = np.hstack(lines), np.hstack(ask), np.array(lam)
    one = np.eye(k)[t.y]

    def f(v):
        w = v.reshape(-1, k)
        l = ln(x @ w)
        d = np.exp(l) - one
        return -np.sum(l * one) + 0.5 * np.sum(lam[:, None] * w * w), (x.T @ d + lam[:, None] * w).ravel()

    start = np.zeros(x.shape[1] * k)
    r = minimize(f, start, jac=True, method="L-BFGS-B",
                 options=dict(maxiter=iterations, maxcor=8, ftol=1e-14, gtol=1e-9, maxfun=100000))
    return ln(z @ r.x.reshape(-1, k)), f(start)[0], r.fun, features, len(gains[:most_pairs])
