"""Li and Li, locally weighted learning for naive Bayes (lazy cell-weighted): 36 data sets, ten runs of ten folds.

Weka's splits for seeds 1 to 10; gaps filled and numbers cut into ten intervals of equal width on all rows. The
statistics are computed from accuracies rounded to the two decimals the paper prints.
"""
import json
import os
import time

import curves
import significance
import weka_proba
from cells import Task
from sheets import Column, compare, footer, markdown, mean, number, percent, printed
from weka_proba import DROP

COLUMNS = {
    "LCWNB5": "lcwnb:kappa=5", "LCWNB10": "lcwnb:kappa=10", "LCWNB20": "lcwnb:kappa=20", "NB": "nb", "TAN": "tan",
    "AODE": "aode", "WAODE": "waode", "HNB": "hnb", "LWNB": "lwnb", "ICLNB": "iclnb",
}
KAPPA = ("LCWNB5", "LCWNB10", "LCWNB20")
QUICK = ["glass", "iris", "labor", "sonar", "vote", "zoo"]
LOST_MARKS = ("TAN", "WAODE", "HNB")  # the text at hand has lost dots of these columns; the counts below remain
PLACES = ("significantly worse", "worse", "better", "significantly better")


def sets(bench):
    return bench.at_hand(QUICK if bench.quick else list(printed("002-table2-mean")), lambda n: n + ".arff")


def cell(bench, name, column, protocol="whole"):
    task = Task(name, name + ".arff", ("--drop", DROP[name]) if name in DROP else ())
    return bench.evaluate(task, COLUMNS[column], "--impute", "mean", "--discretize", "width:10", "--smoothing", "laplace",
                          "--split", "weka", "--cv", "10", "--repeat", "10", "--seed", "1", "--protocol", protocol)


def as_printed(found):
    return f"{100 * found['accuracy']:.2f}±{100 * found['accuracy_sd']:.2f}"


def rounded(bench, name, column, protocol="whole"):
    return round(percent(cell(bench, name, column, protocol)), 2)


def table2(bench):
    means, spreads, names = printed("002-table2-mean"), printed("002-table2-sd"), sets(bench)
    columns = [Column(c, lambda n, c=c: float(means[n][c]), lambda n, c=c: rounded(bench, n, c),
                      lambda n, c=c: rounded(bench, n, c, "honest")) for c in COLUMNS]
    compare(bench, "Table 2, accuracy, ten runs of ten folds", columns, names, 0.001)
    print("### Mean and standard deviation, digit for digit\n")
    lines, differ = [], []
    for c in COLUMNS:
        paper = [f"{means[n][c]}±{spreads[n][c]}" for n in names]
        mine = [as_printed(cell(bench, n, c)) for n in names]
        differ += [[n, c, a, b] for n, a, b in zip(names, paper, mine) if a != b]
        lines.append([c, f"{sum(map(str.__eq__, paper, mine))} of {len(names)}"])
    markdown(["column", "cells as printed"], lines)
    if differ:
        markdown(["data", "column", "printed", "heft"], differ)


def marks_of(bench, name, column, protocol, corrected=True):
    """LCWNB5 against a column on one data set, as in the last row of Table 2: a place of PLACES, or None for a tie."""
    first, second = (cell(bench, name, c, protocol)["per_fold"] for c in ("LCWNB5", column))
    _, p = significance.paired_t(first, second, 1 / 9 if corrected else 0)
    a, b = (rounded(bench, name, c, protocol) for c in ("LCWNB5", column))
    if a == b:
        return None
    return (2 if p >= 0.05 else 3) if a > b else (1 if p >= 0.05 else 0)


def counted(places):
    counts = [0.0] * 4
    for place in places:
        if place is None:  # a tie counts half on both sides
            counts[1] += 0.5
            counts[2] += 0.5
        else:
            counts[place] += 1
    return "/".join(f"{c:g}" for c in counts)


def marks(bench):
    names, said, table = sets(bench), footer("002-marks"), printed("002-table2-marks")
    print("## Marks of Table 2, paired t over 100 folds: LCWNB5 significantly worse/worse/better/significantly better\n")
    lines = []
    for c in said:
        exact = [marks_of(bench, n, c, "whole") for n in names]
        same = sum({0: "worse", 3: "better"}.get(e, "") == table[n][c] for n, e in zip(names, exact))
        lines.append([c, "/".join(f"{x:g}" for x in said[c]), counted(exact),
                      "lost in the text" if c in LOST_MARKS else f"{same} of {len(names)}",
                      counted([marks_of(bench, n, c, "whole", False) for n in names]),
                      counted([marks_of(bench, n, c, "honest") for n in names])])
    markdown(["", "printed", "heft, corrected t", "sets marked as printed", "heft, plain t", "heft honest, corrected t"], lines)


def kappa_star(features):
    """The rule of LCWNB*; the paper's m counts the class."""
    return "LCWNB20" if features + 1 < 15 else "LCWNB10" if features + 1 <= 16 else "LCWNB5"


def statistics(table, sizes):
    """{test: value} of {data set: {column: accuracy}}."""
    names = list(table)
    kappas = [[table[n][c] for c in KAPPA] for n in names]
    p_friedman, p_iman = significance.friedman(kappas)
    rivals = ("AODE", "WAODE", "HNB", "LWNB", "ICLNB")
    rank, p_rank = significance.mean_rank_test([[table[n][c] for c in ("LCWNB5", *rivals)] for n in names])
    star = [[table[n][kappa_star(int(sizes[n]["m"]) - 1)], *(table[n][c] for c in rivals)] for n in names]
    r = significance.ranks(kappas)
    return {"Friedman": p_friedman, "Iman-Davenport": p_iman, "Quade": significance.quade(kappas),
            "LCWNB5 mean rank of six": rank, "LCWNB5 p": p_rank, "LCWNB* p": significance.mean_rank_test(star)[1],
            "LCWNB10 between the others": sum(r[:, 1] == 2), "LCWNB5 first": sum(r[:, 0] == 1)}


def files(bench):
    """Paths of the data sets without the columns that name every row."""
    for name in sets(bench):
        source = bench.path(name + ".arff")
        if name in DROP:
            yield bench.made(f"{name}.dropped.arff", lambda p, n=name, s=source: bench.run(
                "convert", s, "-q", "-o", p, "--to", "arff", "--drop", DROP[n]))
        else:
            yield source


def own_tests(bench, protocol):
    """What heft evaluate itself says of the three kappas, from exact accuracies: {test: p}."""

    def compute():
        said = bench.run("evaluate", *files(bench), "-q", "-m", ",".join(COLUMNS[k] for k in KAPPA), "--impute", "mean",
                         "--discretize", "width:10", "--smoothing", "laplace", "--split", "weka", "--cv", "10", "--repeat", "10",
                         "--seed", "1", "--protocol", protocol, "--json", "-")
        found = json.loads(said)["summary"]["tests"]
        return {label: found[key]["p"] for label, key in (("Friedman", "friedman"), ("Iman-Davenport", "iman_davenport"),
                                                         ("Quade", "quade"))}

    return bench.cached(["own tests", protocol, sets(bench)], compute)


def tests(bench):
    names, sizes, said = sets(bench), printed("002-table1"), footer("002-tests")
    paper = {n: {c: float(v) for c, v in row.items()} for n, row in printed("002-table2-mean").items() if n in names}
    whole, honest = ({n: {c: rounded(bench, n, c, p) for c in COLUMNS} for n in names} for p in ("whole", "honest"))
    tables = (paper, whole, honest)
    print("## Averages and mean ranks\n")
    ranked = [significance.ranks([list(t[n].values()) for n in names]).mean(0) for t in tables]
    lines = []
    for k, c in enumerate(COLUMNS):
        line = [c, number(footer("002-average")[c])]
        line += [number(mean([t[n][c] for n in names])) for t in tables]
        line += [number(footer("002-rank")[c], 4)] + [number(r[k], 4) for r in ranked]
        lines.append(line)
    markdown(["", "average, printed", "from printed cells", "heft", "heft, honest", "mean rank, printed",
              "from printed cells", "heft", "heft, honest"], lines)
    print("## Tests\n")
    found, own = [statistics(t, sizes) for t in tables], own_tests(bench, "whole")
    markdown(["", "printed", "from printed cells", "heft, paper's protocol", "heft, honest", "heft evaluate's own, unrounded"],
             [[key, said[key], *(f"{f[key]:.6g}" for f in found), f"{own[key]:.6g}" if key in own else ""] for key in said])
    print("## Simultaneous 95 % bounds under equal performance (Figure 2), 9999 permutations\n")
    lines = []
    for label, t in zip(("from printed cells", "heft, paper's protocol", "heft, honest"), tables):
        values = [list(t[n].values()) for n in names]
        wide, far = significance.permutation_bounds(values)
        grand = mean(v for row in values for v in row)
        lines.append([label, f"{grand - wide:.2f} to {grand + wide:.2f}", f"{5.5 - far:.2f} to {5.5 + far:.2f}"])
    markdown(["", "average accuracy", "mean rank"], lines)
    print("## One-sided Wilcoxon tests, p that LCWNB5 is above\n")
    markdown(["", "from printed cells", "heft, paper's protocol", "heft, honest"],
             [[c, *(f"{significance.wilcoxon_above([t[n]['LCWNB5'] for n in names], [t[n][c] for n in names]):.4f}"
                    for t in tables)] for c in KAPPA[1:]])
    bench.note("the paper prints no p of these Wilcoxon tests; it says that none is significant at 5 %")
    marks(bench)
    first = significance.at_least(36, 1 / 3, 18)
    between, sign = significance.at_least(36, 1 / 3, 27), significance.at_least(36, 0.5, 23)
    bench.note(f"Pr(Bin(36, 1/3) >= 27) = {between:.3g} (printed 3.81e-7), Pr(Bin(36, 1/3) >= 18) = {first:.4f} (printed "
               f"0.0283), Pr(Bin(36, 1/2) >= 23) = {sign:.4f} (printed 0.0662)")


def figure2(bench):
    """Average accuracy and mean rank of each method, with the bounds of equal performance."""
    names = sets(bench)
    table = [[rounded(bench, n, c) for c in COLUMNS] for n in names]
    wide, far = significance.permutation_bounds(table)
    grand = mean(v for row in table for v in row)
    averages = {c: mean([row[k] for row in table]) for k, c in enumerate(COLUMNS)}
    ranks = dict(zip(COLUMNS, map(float, significance.ranks(table).mean(0))))
    order = sorted(COLUMNS, key=lambda c: -averages[c])
    print("## Figure 2, average accuracy and mean rank, best first\n")
    markdown(["", "average, printed", "average, heft", "mean rank, printed", "mean rank, heft"],
             [[c, number(footer("002-average")[c]), number(averages[c]), number(footer("002-rank")[c], 4), number(ranks[c], 4)]
              for c in order])
    curves.bars(bench, "002-figure2a", "Average accuracy, with 95 % bounds of equal performance", "percent",
                {c: {"printed": footer("002-average")[c], "heft": averages[c]} for c in order}, (grand - wide, grand + wide))
    curves.bars(bench, "002-figure2b", "Mean rank, with 95 % bounds of equal performance", "mean rank",
                {c: {"printed": footer("002-rank")[c], "heft": ranks[c]} for c in order}, (5.5 - far, 5.5 + far))


def speed(bench):
    """Ten methods on all data sets in one command."""
    command = ["evaluate", *files(bench), "-q", "-m", ",".join(COLUMNS.values()), "--impute", "mean", "--discretize", "width:10",
               "--json", "-"]
    begun, cpu = time.time(), sum(os.times()[2:4])
    bench.run(*command)
    print(f"10 methods, {len(sets(bench))} data sets, 10 folds: {time.time() - begun:.0f} s, "
          f"{sum(os.times()[2:4]) - cpu:.0f} s of CPU\n")


def figure3(bench):
    """Ranks of the three kappas by number of rows, attributes and classes."""
    names, sizes = sets(bench), printed("002-table1")
    r = dict(zip(names, significance.ranks([[rounded(bench, n, c) for c in KAPPA] for n in names])))
    panels = []
    for key, label in (("n", "rows"), ("m", "attributes"), ("r", "classes")):
        ordered = sorted(names, key=lambda n, k=key: (int(sizes[n][k]), n))
        panels.append((f"by number of {label}", ordered))
        print(f"## Ranks by number of {label} ({key})\n")
        markdown(["data", key, *KAPPA], [[n, sizes[n][key], *(f"{x:g}" for x in r[n])] for n in ordered])
    by_m = panels[1][1]
    seven = sum(r[n][0] == 1 for n in by_m[-7:])
    ten = sum(r[n][0] == 3 for n in by_m[:10])
    chance = (1 / 3) ** 7 * significance.at_least(10, 1 / 3, 7)
    bench.note(f"LCWNB5 is first on {seven} of the seven sets with most attributes and last on {ten} of the ten with fewest "
               f"(paper: 7 and 7; chance of that {chance:.3e}, printed 8.990e-06)")
    lines = {c: [[float(r[n][k]) for n in by_m] for k in range(3)][i] for i, c in enumerate(KAPPA)}
    x = list(range(1, len(by_m) + 1))
    curves.plot(bench, "002-figure3", "Ranks of LCWNB by number of attributes", "data sets, few attributes to many", "rank",
                {c: (x, y) for c, y in lines.items()}, joined=False)


PARTS = {
    "table2": ("Table 2, accuracy of ten methods on 36 data sets", table2),
    "tests": ("averages, ranks, tests, marks, permutation bounds", tests),
    "figure2": ("Figure 2, averages and mean ranks", figure2),
    "figure3": ("Figure 3, ranks of the three kappas by size", figure3),
    "speed": ("time of ten methods on 36 data sets, 10 folds, in one command", speed),
    "weka": ("class probabilities beside Weka's own on the same folds", weka_proba.main),
}
