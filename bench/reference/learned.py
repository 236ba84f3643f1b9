"""Methods that minimise something: the functions of the pages, and scipy's minimum of them."""
import math

import numpy as np
from scipy.optimize import minimize

import bayes


def log1pexp(z):
    return np.logaddexp(0, z)


def sig(z):
    return 0.5 * (1 + np.tanh(0.5 * z))


# ---- enb, dnb, lnb, gdnb, mse: exponential-loss.md 2 ----------------------------------------------

def pair_loss(method, a, p0, y, rows, w, w0=1.0):
    """The paper's loss and its slope by (w0, w); y is -1 or 1."""
    f = w0 * p0 + a @ w
    z = y * f
    if method == "enb":
        e = np.exp(-z)
        value, d = np.sum(rows * e), -rows * y * e
    elif method == "dnb":
        value, d = np.sum(rows * log1pexp(-2 * z)), -2 * rows * y * sig(-2 * z)
    elif method in ("lnb", "gdnb"):
        value, d = np.sum(rows * log1pexp(-z)), -rows * y * sig(-z)
    else:
        t, s = (y + 1) / 2, sig(f)
        value, d = np.sum(rows * (t - s) ** 2), -2 * rows * (t - s) * s * (1 - s)
    return value, np.concatenate([[p0 * np.sum(d)], a.T @ d])


def pair_minimum(method, a, p0, y, rows):
    """Least loss that scipy finds, from several starts; enb as log(1 + loss). mse is not convex, and the way is part of
    the answer: one start, columns divided by the root of their mean size, heft's stop rule."""
    free0 = method == "gdnb"
    size = np.sqrt(np.mean(np.abs(a), axis=0))
    size = np.where(size > 0, size, 1.0) if method == "mse" else np.ones(a.shape[1])
    least = math.inf

    def f(x):
        w0, w = (x[0], x[1:]) if free0 else (1.0, x / size)
        if method == "enb":
            z = -y * (p0 + a @ w)
            top = max(0.0, z.max())
            e = rows * np.exp(z - top)
            total = math.exp(-top) + e.sum()
            return top + math.log(total), -(a.T @ (y * e)) / total
        value, g = pair_loss(method, a, p0, y, rows, w, w0)
        return value, g if free0 else g[1:] / size

    for start in (1.0,) if method == "mse" else (1.0, 0.0, 3.0):
        x0 = np.full(a.shape[1] + free0, start) if free0 else start * size
        stop = dict(ftol=1e-9, gtol=1e-5, maxcor=5) if method == "mse" else dict(ftol=1e-14, gtol=1e-9, maxcor=20)
        r = minimize(f, x0, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(x0),
                     options=dict(maxiter=3000, maxfun=20000, **stop))
        least = min(least, math.expm1(min(r.fun, 700)) if method == "enb" else r.fun)
    return least


def pairs_of(t):
    n = bayes.class_counts(t)
    k = len(t.classes)
    return [(a, b) for a in range(k) for b in range(a + 1, k) if n[a] > 0 and n[b] > 0]


def pair_problem(t, e, prior, a, b):
    """Rows of the classes a and b; a is the positive one."""
    own = (t.y == a) | (t.y == b)
    return e[own][:, :, a] - e[own][:, :, b], prior[a] - prior[b], np.where(t.y[own] == a, 1.0, -1.0), t.w[own]


def vote(e, prior, weights, k, link=1):
    """weights: {(a, b): (w0, w)}. Sum of p_ab over b, divided by the number of pairs."""
    score = np.zeros((len(e), k))
    for (a, b), (w0, w) in weights.items():
        f = w0 * (prior[a] - prior[b]) + (e[:, :, a] - e[:, :, b]) @ w
        p = sig(link * f)
        score[:, a] += p
        score[:, b] += 1 - p
    return score / len(weights)


# ---- wanbia, cawnb, rnb: regularized.md 4, 5 ------------------------------------------------------

def squared(t, e, prior, W, w, a):
    """f and its slopes by W (classes x attributes), w and alpha."""
    y = np.eye(len(t.classes))[t.y]
    pd = bayes.softmax(prior + np.einsum("ijc,cj->ic", e, W))
    pi = bayes.softmax(prior + np.einsum("ijc,j->ic", e, w))
    p = a * pd + (1 - a) * pi
    d = (p - y)
    r = t.w[:, None]
    f = 0.5 * np.sum(r * d ** 2)
    gd = r * pd * (d - np.sum(d * pd, 1, keepdims=True))
    gi = r * pi * (d - np.sum(d * pi, 1, keepdims=True))
    return (f, a * np.einsum("ic,ijc->cj", gd, e), (1 - a) * np.einsum("ic,ijc->j", gi, e),
            np.sum(r * d * (pd - pi)), p)


def squared_minimum(method, t, e, prior, x0=None, bounds=(0, 1)):
    """From the page's start, by scipy: (f, posterior)."""
    k, m = len(t.classes), e.shape[1]

    def unpack(x):
        if method == "wanbia":
            return np.ones((k, m)), x, 0.0
        if method == "cawnb":
            return x.reshape(k, m), np.ones(m), 1.0
        return x[:k * m].reshape(k, m), x[k * m:-1], x[-1]

    def f(x):
        value, gW, gw, ga, _ = squared(t, e, prior, *unpack(x))
        if method == "wanbia":
            return value, gw
        if method == "cawnb":
            return value, gW.ravel()
        return value, np.concatenate([gW.ravel(), gw, [ga]])

    size = {"wanbia": m, "cawnb": k * m, "rnb": k * m + m + 1}[method]
    start = np.ones(size)
    box = [bounds] * size
    if method == "rnb":
        start[-1] = 0.5
        box[-1] = (0, 1)
    if x0 is not None:
        start = x0
    r = minimize(f, start, jac=True, method="L-BFGS-B", bounds=box,
                 options=dict(maxiter=1000, maxfun=50000, ftol=1e-7, gtol=1e-10, maxcor=10))
    return r.fun, unpack(r.x)


# ---- vwnb: value-weighted.md ----------------------------------------------------------------------

def vwnb_fit(t, e, prior, codes, sizes, lam=2.0, center=0.0, tol=1e-6, maxit=500):
    """Descent of section 3. codes: rows x attributes, -1 a gap. Returns (weights, E_0, E, passes)."""
    start = np.concatenate([[0], np.cumsum(sizes)])
    n, k = t.w.sum(), len(t.classes)
    w = np.ones(start[-1])
    at = np.where(codes >= 0, start[:-1] + np.maximum(codes, 0), -1)

    def scores(w):
        use = np.where(at >= 0, w[np.maximum(at, 0)], 0.0)
        return prior + np.einsum("ijc,ij->ic", e, use)

    def value(w):
        s = scores(w)
        b = np.argmax(s, 1)
        o = sig(s - s[np.arange(len(b)), b][:, None])
        target = 0.5 * np.eye(k)[t.y]
        return 0.5 * np.sum(t.w[:, None] * (o - target) ** 2) + lam / 2 * np.sum((w - center) ** 2), o, b, target

    def slope(w, o, b, target):
        g = (o - target) * o * (1 - o)
        i = np.arange(len(b))
        g[i, b] = 0
        g[i, b] = -g.sum(1)
        g *= t.w[:, None]
        per = np.einsum("ic,ijc->ij", g, e)
        out = np.zeros(len(w))
        np.add.at(out, at[at >= 0], per[at >= 0])
        return out + lam * (w - center)

    eta0 = 1 / (lam + 0.05 * n)
    e0, *state = value(w)
    now, stale, passes = e0, 0, 0
    for p in range(1, maxit + 1):
        g = slope(w, *state)
        eta = eta0 / (1 + p / n)
        while True:
            new = value(w - eta * g)
            if new[0] <= now - 1e-4 * eta * (g @ g):
                break
            eta /= 2
            if eta < 1e-12 * eta0:
                return w, e0, now, passes, scores
        w, passes = w - eta * g, p
        stale = stale + 1 if (now - new[0]) <= tol * abs(now) else 0
        now, state = new[0], new[1:]
        if stale == 3:
            break
    return w, e0, now, passes, scores
