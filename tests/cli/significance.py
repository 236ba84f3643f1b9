#!/usr/bin/env python3
"""Every test of heft evaluate, worked out again by others from the same folds. The measures are checked
by measures.py.

    significance.py HEFT      needs scipy; skipped (status 77) where there is none. What R can check is
                              checked where it is there.
"""
import json
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from scipy import stats
except ImportError:
    print("skipped: scipy is not at hand")
    sys.exit(77)

HEFT = str(pathlib.Path(sys.argv[1]).resolve())
METHODS = ["nb", "cfwnb", "klnb", "tan", "wanbia"]
CHECKED = 0


def run(*args):
    done = subprocess.run([HEFT, *map(str, args)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"heft {' '.join(map(str, args))}: {done.stderr}")
    return done.stdout


def near(found, expected, what, tolerance=1e-9):
    global CHECKED
    CHECKED += 1
    if not abs(found - expected) <= tolerance * max(1, abs(expected)):
        sys.exit(f"{what}: {found!r}, expected {expected!r}")


def make_data(folder, seed, rows):
    """Three classes, attributes that copy one another: the methods differ."""
    rng = random.Random(seed)
    lines = ["a,b,c,d,class"]
    for _ in range(rows):
        c = rng.randrange(3)
        a = c if rng.random() < 0.7 else rng.randrange(3)
        b = a if rng.random() < 0.9 else rng.randrange(3)
        lines.append(f"v{a},v{b},{c + rng.gauss(0, 1.2):.3f},w{rng.randrange(4)},k{c}")
    path = folder / f"set{seed}.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def holm(p):
    order = sorted(range(len(p)), key=lambda k: p[k])
    out, top = [0.0] * len(p), 0.0
    for k, i in enumerate(order):
        top = max(top, min(1, (len(p) - k) * p[i]))
        out[i] = top
    return out


def check_paired(result, ratio):
    tests = result["summary"]["tests"]
    by = {(t["dataset"], t["method"]): t for t in tests["paired_t"]}
    for data in result["datasets"]:
        first = np.array(data["methods"][0]["per_fold"])
        ps = []
        for cell in data["methods"][1:]:
            d = np.array(cell["per_fold"]) - first
            n = len(d)
            found = by[data["name"], cell["method"]]
            near(found["difference"], d.mean(), "difference")
            if np.ptp(d) < 1e-12:
                ps.append(found["p"])
                continue
            t = d.mean() / math.sqrt(d.var(ddof=1) * (1 / n + ratio))
            near(found["t"], t, "t")
            near(found["p"], 2 * stats.t.sf(abs(t), n - 1), "p of t")
            if ratio == 0:
                near(found["p"], stats.ttest_rel(cell["per_fold"], first).pvalue, "ttest_rel")
            ps.append(found["p"])
        for cell, p in zip(data["methods"][1:], holm(ps)):
            near(by[data["name"], cell["method"]]["p_holm"], p, "Holm over the methods of a data set")


def exact_wilcoxon(d):
    """The share of sign patterns on these ranks, counted."""
    d = d[np.abs(d) > 1e-9]
    if len(d) == 0:
        return 1.0
    rank = stats.rankdata(np.round(np.abs(d), 9))
    ways = {0: 1}
    for r in np.round(2 * rank).astype(int):
        grown = dict(ways)
        for s, w in ways.items():
            grown[s + r] = grown.get(s + r, 0) + w
        ways = grown
    low = min(rank[d > 0].sum(), rank[d < 0].sum())
    return min(1, 2 * sum(w for s, w in ways.items() if s <= 2 * low + 1e-9) / 2 ** len(d))


def check_ranks(result):
    tests = result["summary"]["tests"]
    A = np.array([[c["accuracy"] for c in d["methods"]] for d in result["datasets"]])
    b, k = A.shape
    R = np.array([stats.rankdata(np.round(-row, 9)) for row in A])
    for m, name in enumerate(METHODS):
        near(result["summary"]["mean_accuracy"][name], A[:, m].mean(), "mean accuracy")
        near(result["summary"]["mean_rank"][name], R[:, m].mean(), "mean rank")
        sd = math.sqrt(((R - (k + 1) / 2) ** 2).mean(axis=1).sum()) / b
        near(tests["mean_rank_p"][name], stats.norm.cdf((R[:, m].mean() - (k + 1) / 2) / sd), "mean rank p")
    f = stats.friedmanchisquare(*np.round(A, 9).T)
    near(tests["friedman"]["chi2"], f.statistic, "Friedman")
    near(tests["friedman"]["p"], f.pvalue, "Friedman p")
    F = (b - 1) * f.statistic / (b * (k - 1) - f.statistic)
    near(tests["iman_davenport"]["F"], F, "Iman and Davenport")
    near(tests["iman_davenport"]["p"], stats.f.sf(F, k - 1, (k - 1) * (b - 1)), "its p")
    S = stats.rankdata(np.round(np.ptp(A, axis=1), 9))[:, None] * (R - (k + 1) / 2)
    total, between = (S ** 2).sum(), (S.sum(axis=0) ** 2).sum() / b
    Q = (b - 1) * between / (total - between)
    near(tests["quade"]["F"], Q, "Quade")
    near(tests["quade"]["p"], stats.f.sf(Q, k - 1, (k - 1) * (b - 1)), "Quade p")
    q = stats.studentized_range.isf(0.05, k, np.inf)
    near(tests["nemenyi"]["critical_difference"], q / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * b)), "Nemenyi", 1e-6)
    p = [exact_wilcoxon(A[:, m] - A[:, 0]) for m in range(1, k)]
    for m, name in enumerate(METHODS[1:]):
        near(tests["wilcoxon"][name], p[m], "Wilcoxon")
        near(tests["wilcoxon_holm"][name], holm(p)[m], "Wilcoxon after Holm")
        d = np.round(A[:, m + 1] - A[:, 0], 9)
        if len(set(np.abs(d))) == b and (d != 0).all():
            near(tests["wilcoxon"][name], stats.wilcoxon(d, method="exact").pvalue, "scipy's exact Wilcoxon")
        signs = stats.rankdata(np.abs(d[d != 0]))
        w, shared = len(signs), sum(t ** 3 - t for t in np.unique(signs, return_counts=True)[1])
        z = (signs[d[d != 0] > 0].sum() - w * (w + 1) / 4) / math.sqrt(w * (w + 1) * (2 * w + 1) / 24 - shared / 48) if w else 0
        near(tests["wilcoxon_z"][name], z, "Wilcoxon's z")
        record = tests["record"][name]
        near(record["sign_upper_p"], stats.binom.sf((d > 0).sum() + (d == 0).sum() / 2 - 0.5, b, 0.5) if (d == 0).sum() % 2 == 0
             else stats.binom.sf((d > 0).sum() + (d == 0).sum() / 2, b, 0.5), "wins and half the ties")
        ties = int((d == 0).sum())
        if ties % 2 == 0:
            more = max(int((d > 0).sum()), int((d < 0).sum())) + ties // 2
            near(record["sign_p"], stats.binomtest(more, b, 0.5).pvalue, "signs")
    rng = np.random.default_rng(1)
    for M, name in ((A, "accuracy"), (R, "rank")):
        far = [np.abs(rng.permuted(M, axis=1).mean(axis=0) - M.mean()).max() for _ in range(9999)]
        bounds = tests["permutation_bounds"]
        half = (bounds[f"{name}_high"] - bounds[f"{name}_low"]) / 2
        near(half / np.quantile(far, 0.95), 1, f"permutation bound of {name}", 0.05)
    return A


def check_with_r(A, tests):
    if not shutil.which("Rscript"):
        print("(R is not at hand)")
        return
    text = ",".join(map(repr, A.ravel().round(9)))
    code = (f"a <- matrix(c({text}), ncol={A.shape[1]}, byrow=TRUE);"
            "cat(format(c(friedman.test(a)$p.value, quade.test(a)$p.value), digits=15))")
    done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    friedman, quade = map(float, done.stdout.split())
    near(tests["friedman"]["p"], friedman, "R's friedman.test")
    near(tests["quade"]["p"], quade, "R's quade.test")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sets = [make_data(folder, seed, 60 + 5 * seed) for seed in range(1, 12)]
        args = ["evaluate", *sets, "-m", ",".join(METHODS), "--cv", "5", "--repeat", "2", "--json", folder / "r.json", "-q"]
        for more, ratio in ((["--paired", "corrected"], 1 / 4), (["--paired", "plain"], 0)):
            run(*args, *more)
            result = json.loads((folder / "r.json").read_text(encoding="utf-8"))
            check_paired(result, ratio)
        A = check_ranks(result)
        check_with_r(A, result["summary"]["tests"])
    print(f"{CHECKED} figures agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
