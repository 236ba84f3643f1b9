"""The tests the papers use, on tables of accuracies as printed. scipy gives the distributions."""
from cells import Absent

np = stats = None


def need_scipy():
    """Imported when first needed: it takes longer than all else a short run does."""
    global np, stats
    try:
        import numpy
        from scipy import stats as distributions
    except ImportError as none:
        raise Absent("the tests need numpy and scipy") from none
    np, stats = numpy, distributions


def ranks(table):
    """Rank of each method in each row, 1 = best, ties averaged. Accuracies are rounded: equal print, equal rank."""
    need_scipy()
    return np.array([stats.rankdata(-np.round(row, 6)) for row in np.asarray(table, float)])


def friedman(table):
    """p of Friedman's test adjusted for ties, and of Iman and Davenport's F."""
    r = ranks(table)
    b, k = r.shape
    mid = b * (k + 1) / 2
    chi2 = (k - 1) * ((r.sum(0) - mid) ** 2).sum() / ((r ** 2).sum() - b * k * (k + 1) ** 2 / 4)
    f = (b - 1) * chi2 / (b * (k - 1) - chi2)
    return stats.chi2.sf(chi2, k - 1), stats.f.sf(f, k - 1, (k - 1) * (b - 1))


def quade(table):
    """p of Quade's test."""
    need_scipy()
    table = np.round(np.asarray(table, float), 6)
    r = ranks(table)
    b, k = r.shape
    weight = stats.rankdata(np.round(table.max(1) - table.min(1), 6))
    s = weight[:, None] * (r - (k + 1) / 2)
    a, c = (s ** 2).sum(), (s.sum(0) ** 2).sum() / b
    return stats.f.sf((b - 1) * c / (a - c), k - 1, (k - 1) * (b - 1))


def wilcoxon(first, second):
    """Two-sided p of signed ranks, normal approximation with ties."""
    need_scipy()
    d = np.round(np.subtract(first, second), 6)
    d = d[d != 0]
    n, r = len(d), stats.rankdata(np.abs(d))
    _, counts = np.unique(np.abs(d), return_counts=True)
    spread = n * (n + 1) * (2 * n + 1) / 24 - (counts ** 3 - counts).sum() / 48
    return float(2 * stats.norm.sf(abs(r[d > 0].sum() - n * (n + 1) / 4) / spread ** 0.5))


def wilcoxon_above(first, second):
    """One-sided p that `first` is above `second`: signed ranks, normal approximation with ties."""
    two = wilcoxon(first, second)
    d = np.round(np.subtract(first, second), 6)
    r = stats.rankdata(np.abs(d[d != 0]))
    above = r[d[d != 0] > 0].sum() > r.sum() / 2
    return two / 2 if above else 1 - two / 2


def spearman(first, second):
    """Rank correlation."""
    need_scipy()
    return float(stats.spearmanr(first, second).statistic)


def paired_t(first, second, test_share=0.0):
    """t and two-sided p over fold accuracies; test_share = n_test/n_train makes it the corrected resampled test."""
    need_scipy()
    d = np.subtract(first, second)
    n, var = len(d), np.var(d, ddof=1)
    if var == 0:
        return (0.0, 1.0) if d.mean() == 0 else (np.inf * np.sign(d.mean()), 0.0)
    t = d.mean() / (var * (1 / n + test_share)) ** 0.5
    return t, 2 * stats.t.sf(abs(t), n - 1)


def mean_rank_test(table):
    """Mean rank of the first method, and its one-sided p if all methods were equal."""
    r = ranks(table)
    b, k = r.shape
    s = (((r - (k + 1) / 2) ** 2).mean(1).sum()) ** 0.5 / b
    own = r[:, 0].mean()
    return own, stats.norm.cdf((own - (k + 1) / 2) / s)


def permutation_bounds(table, times=9999, level=0.95, seed=1):
    """Half widths for the averages and the mean ranks: the level quantile of the largest distance of a column's mean
    from the grand mean when the accuracies of each row are permuted."""
    need_scipy()
    table = np.asarray(table, float)
    r, rng = ranks(table), np.random.default_rng(seed)
    widths = []
    for values in (table, r):
        grand = values.mean()
        far = [np.abs(rng.permuted(values, axis=1).mean(0) - grand).max() for _ in range(times)]
        widths.append(float(np.quantile(far, level)))
    return widths


def at_least(n, p, k):
    """Pr(Binomial(n, p) >= k)."""
    need_scipy()
    return float(stats.binom.sf(k - 1, n, p))
