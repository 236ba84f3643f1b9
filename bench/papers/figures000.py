"""Figures 1 to 6 of Kim and Lee, and the time of training against rows and attributes."""
import csv
import json
import math
import os
import random
import tempfile

import curves
import rivals
from sheets import markdown, mean, number

LOSSES = {
    "exponential (ENB)": lambda m: math.exp(-m),
    "binomial deviance (DNB)": lambda m: math.log1p(math.exp(-2 * m)),
    "modified deviance (LNB)": lambda m: math.log1p(math.exp(-m)),
}


def figure1(bench):
    """The three losses by margin y f."""
    margins = [k / 10 for k in range(-20, 21)]
    print("## Figure 1, losses by classification margin\n")
    markdown(["margin y f", *LOSSES], [[f"{m:g}", *(number(f(m), 4) for f in LOSSES.values())] for m in margins[::5]])
    curves.plot(bench, "000-figure1", "Loss functions", "margin y f", "loss",
                {name: (margins, [f(m) for m in margins]) for name, f in LOSSES.items()})
    bench.note("the paper says: the exponential loss is the largest everywhere; deviance above modified deviance for negative "
               "margins, below it for positive ones")


def two_clouds():
    """Two separable clouds of 50 rows, and five rows of the other class among them: drawn once, seed 1, never searched."""
    rng, rows = random.Random(1), []
    for label, at in (("n", -2.0), ("p", 2.0)):
        rows += [[rng.gauss(at, 0.7), rng.gauss(at, 0.7), label] for _ in range(50)]
    rows += [[rng.gauss(2.0, 0.5), rng.gauss(2.0, 0.5), "n"] for _ in range(3)]
    rows += [[rng.gauss(-2.0, 0.5), rng.gauss(-2.0, 0.5), "p"] for _ in range(2)]
    return rows


def scores(bench, folder, model, rows):
    """f = log P(p)/P(n) of rows without a class."""
    path, out = os.path.join(folder, "rows.csv"), os.path.join(folder, "out.csv")
    with open(path, "w", encoding="ascii", newline="") as file:
        csv.writer(file).writerows([["x", "y"], *rows])
    bench.run("predict", model, path, "-q", "--proba", "-o", out)
    with open(out, encoding="ascii", newline="") as file:
        return [math.log(float(r["P(p)"])) - math.log(float(r["P(n)"])) for r in csv.DictReader(file)]


def boundary(bench, folder, model, grid):
    """(xs, ys) where f changes sign between neighbours on the grid, from column to column."""
    xs, ys = [], []
    f = scores(bench, folder, model, [[x, y] for x in grid for y in grid])
    for i, x in enumerate(grid):
        column = f[i * len(grid):(i + 1) * len(grid)]
        for k in range(len(grid) - 1):
            if (column[k] > 0) != (column[k + 1] > 0):
                share = column[k] / (column[k] - column[k + 1])
                xs.append(x)
                ys.append(grid[k] + share * (grid[k + 1] - grid[k]))
                break
    return xs, ys


def figure2(bench):
    """Boundaries, and the share of the loss that the five outliers take."""
    rows, grid = two_clouds(), [k / 10 for k in range(-40, 41)]
    losses = dict(zip(("enb", "dnb", "lnb"), LOSSES.values()))
    lines, edges = [], {}
    with tempfile.TemporaryDirectory() as folder:
        data, model = os.path.join(folder, "d.csv"), os.path.join(folder, "m.heft")
        with open(data, "w", encoding="ascii", newline="") as file:
            csv.writer(file).writerows([["x", "y", "class"], *([f"{r[0]:.6g}", f"{r[1]:.6g}", r[2]] for r in rows)])
        for method in ("nb", "enb", "dnb", "lnb"):
            more = ("-p", "variance=class") if method == "nb" else ()
            bench.run("train", data, "-q", "-o", model, "-m", method, *more, "--prior", "frequency")
            f = scores(bench, folder, model, [r[:2] for r in rows])
            edges[method.upper()] = boundary(bench, folder, model, grid)
            wrong = [i for i, (r, s) in enumerate(zip(rows, f)) if (s > 0) != (r[2] == "p")]
            shown = [method.upper(), len(wrong), "yes" if wrong == list(range(100, 105)) else "no"]
            if method in losses:
                each = [losses[method](s if r[2] == "p" else -s) for r, s in zip(rows, f)]
                shown.append(number(100 * sum(each[100:]) / sum(each), 1))
            else:
                shown.append("")
            lines.append([*shown, {"enb": "below 60", "dnb": "above 70", "lnb": "above 70"}.get(method, "")])
    print("## Figure 2, two clouds of 50 rows and five rows of the other class\n")
    markdown(["", "rows predicted wrong", "they are the five", "share of the loss on the five, percent", "the paper, its own data"],
             lines)
    points = {"class n": tuple(zip(*[(r[0], r[1]) for r in rows if r[2] == "n"])),
              "class p": tuple(zip(*[(r[0], r[1]) for r in rows if r[2] == "p"]))}
    curves.plot(bench, "000-figure2", "Decision boundaries", "x", "y", edges, points=points)
    bench.note("the paper does not give its data; these were generated once (seed 1) and not searched for a fit")


def figure3(bench, found):
    """Mean relative improvement of each method; found: {column: (printed, heft)}."""
    print("## Figure 3, mean relative improvement over NB, percent\n")
    markdown(["", "printed", "heft, paper's protocol"], [[n, number(a), number(b)] for n, (a, b) in found.items()])
    curves.bars(bench, "000-figure3", "Mean relative improvement over NB", "percent",
                {n: {"printed": a, "heft": b} for n, (a, b) in found.items()})


def correlations(bench, task):
    head, rows = rivals.raw(bench, task)
    numeric = []
    for j, name in enumerate(head[:-1]):
        try:
            numeric.append((name, [float(r[j]) for r in rows]))
        except ValueError:
            continue
    centred = []
    for name, values in numeric:
        middle = sum(values) / len(values)
        away = [v - middle for v in values]
        length = math.sqrt(sum(v * v for v in away))
        if length > 0:
            centred.append((name, [v / length for v in away]))
    return [n for n, _ in centred], [[sum(map(lambda x, y: x * y, a, b)) for _, b in centred] for _, a in centred]


def heat_map(bench, number_, task, title):
    """A correlation heat map: figures 4 to 6."""
    names, matrix = correlations(bench, task)
    off = [abs(matrix[i][j]) for i in range(len(names)) for j in range(i)]
    print(f"## Figure {number_}, correlations of the attributes of {title}\n")
    markdown(["attributes", "pairs", "mean absolute r", "pairs above 0.7", "largest absolute r"],
             [[len(names), len(off), number(mean(off)), sum(v > 0.7 for v in off), number(max(off))]])
    curves.heat(bench, f"000-figure{number_}", f"Correlations, {title}", names, matrix)


def made(bench, rows, attrs):
    """A table of two normal classes, half of the attributes without meaning."""

    def write(path):
        rng = random.Random(100 * attrs + rows)
        with open(path, "w", encoding="ascii", newline="") as file:
            out = csv.writer(file)
            out.writerow([*(f"a{j}" for j in range(attrs)), "class"])
            for i in range(rows):
                out.writerow([*(f"{rng.gauss(0.6 * (i % 2) * (j % 2), 1):.5g}" for j in range(attrs)), "np"[i % 2]])

    return bench.made(f"time-{rows}x{attrs}.csv", write)


def seconds(bench, path, method):
    """Seconds of training on one thread, the least of three."""

    def compute():
        with tempfile.TemporaryDirectory() as folder:
            model, found = os.path.join(folder, "m.heft"), []
            for _ in range(3):
                bench.run("train", path, "-q", "-o", model, "-m", method, "--threads", "1", "-p", "max-iter=20", "-p", "tol=0",
                          "-p", "pgtol=0")
                found.append(json.loads(bench.run("inspect", model, "--json", "-"))["training"]["seconds"])
        return min(found)

    return bench.cached(["seconds", os.path.basename(path), method], compute)


def time(bench):
    """Training time against rows and attributes, 20 iterations each."""
    for label, sizes in (("rows, 20 attributes", [(n, 20) for n in (2000, 4000, 8000, 16000, 32000)]),
                         ("attributes, 4,000 rows", [(4000, m) for m in (10, 20, 40, 80, 160)])):
        found = {m: [1000 * seconds(bench, made(bench, *s), m) for s in sizes] for m in ("enb", "dnb", "lnb", "gdnb")}
        xs = [s[label.startswith("attributes")] for s in sizes]
        print(f"## Milliseconds of 20 iterations by number of {label}\n")
        markdown(["", *map(str.upper, found)], [[x, *(number(found[m][k], 1) for m in found)] for k, x in enumerate(xs)])
        curves.plot(bench, f"000-time-{label.split(',')[0]}", f"Training time by number of {label}", label.split(",")[0],
                    "milliseconds", {m.upper(): (xs, y) for m, y in found.items()})
    bench.note("the paper states O(n m) for one evaluation; one thread, 20 iterations of L-BFGS-B, with reading left out")

