"""A report on Chang-Hwan Lee's value weighting: five data sets, two tables.

Table 4.1 is copied from the original, whose preparation fits MDL cuts; Table 4.2 is the report's own, whose naive Bayes
fits one value for every number. Neither gives its folds: here ten folds, three times, the same for every column.
"""
import curves
import rivals
from cells import Task
from sheets import Column, compare, markdown, percent, printed

REPEATS = 3


def need_spect(bench):
    """Both parts in one file: the report's figures fit folds of all 267 rows."""

    def write(target):
        head, body = rivals.arff_parts(bench.path("spect_train.arff"))
        target.write_text("".join([*head, *body, *rivals.arff_parts(bench.path("spect_test.arff"))[1]]), encoding="utf-8")

    bench.made("spect_all.arff", write)


FIRST = ("-t", "1")
ORIGINAL = {
    "balance": Task("balance", "balance-scale.arff"), "derma": Task("derma", "dermatology.arff"),
    "glass": Task("glass", "glass.arff"), "iris": Task("iris", "iris.arff"), "spect": Task("spect", "spect_train.arff", FIRST),
}
REPORT = {
    "balance": Task("balance-values", "balance-scale.arff", ("--nominal", "1-4")),
    "derma": Task("derma-values", "dermatology.arff", ("--nominal", "1-34")),
    "glass": Task("glass-values", "glass.arff", ("--nominal", "1-9")),
    "iris": Task("iris-values", "iris.arff", ("--nominal", "1-4")),
    "spect": Task("spect", "spect_all.arff", FIRST),
}


def ours(bench, task, method, *options):
    path, _ = rivals.folds_file(bench, task, REPEATS)
    return percent(bench.evaluate(task, method, *options, "--smoothing", "laplace", "--folds", path))


def rival(bench, name, task, form):
    """A program on the folds of a task; form: the same rows as it gets them."""
    _, dealt = rivals.folds_file(bench, task, REPEATS)
    found = rivals.cross_validated(bench, name, [form.file, form.options, task.name],
                                   lambda: rivals.matrix(rivals.raw(bench, form)[1]), dealt)
    return 100 * sum(f[0] for f in found) / len(found)


def forms(name, task):
    """What CART and RF get: the original's are near naive Bayes on cut numbers, the report's on numbers."""
    plain = task if name == "spect" else ORIGINAL[name]
    cut = Task(plain.name, plain.file, (*plain.options, "--discretize", "mdl"))
    return (cut if task is ORIGINAL[name] else plain), plain


def columns_of(bench, table, tasks, cuts):
    """cuts: options of the paper's protocol and of the honest one."""
    for name, method in (("VWNB", "vwnb:update=printed"), ("NB", "nb")):
        yield Column(name, lambda r, c=name: float(table[r][c]),
                     *(lambda r, m=method, o=options: ours(bench, tasks[r], m, *o) for options in cuts))
    yield Column("VWNB, descent to the minimum", lambda r: float(table[r]["VWNB"]),
                 *(lambda r, o=options: ours(bench, tasks[r], "vwnb", *o) for options in cuts))
    yield Column("VWNB, center=1 (not in the paper)", lambda r: None,
                 *(lambda r, o=options: ours(bench, tasks[r], "vwnb:center=1", *o) for options in cuts))
    for name in ("CART", "RF"):
        yield Column(name + " (scikit-learn)", lambda r, c=name: float(table[r][c]),
                     *(lambda r, c=name, k=k: rival(bench, c, tasks[r], forms(r, tasks[r])[k]) for k in (0, 1)))


def table4(bench):
    need_spect(bench)
    rows = ["glass", "iris"] if bench.quick else list(ORIGINAL)
    spread = printed("004-table4.1-sd"), printed("004-table4.2-sd")
    mdl = ("--discretize", "mdl")
    cuts = ((*mdl, "--protocol", "whole"), (*mdl, "--protocol", "honest"))
    compare(bench, "Table 4.1 (the original's), MDL cuts on all rows / in each fold", columns_of(bench, printed("004-table4.1"),
            ORIGINAL, cuts), rows, 2)
    compare(bench, "Table 4.2 (the report's own), one value for every number", columns_of(bench, printed("004-table4.2"), REPORT,
            ((), ())), rows, 2)
    print("### Printed standard deviations over folds, Tables 4.1 / 4.2\n")
    markdown(["data", *spread[0]["iris"]], [[r, *(f"{spread[0][r][c]} / {spread[1][r][c]}" for c in spread[0][r])] for r in rows])
    bench.note(f"ten folds, {REPEATS} times; CART and RF are scikit-learn's DecisionTreeClassifier and "
               "RandomForestClassifier(100) on the same folds; Table 4.1: on numbers cut by MDL on all rows / on numbers, "
               "Table 4.2: on numbers")


def figure41(bench):
    """Average accuracy of each method on each data set, Table 4.2 as a chart; and what VWNB costs beside NB."""
    need_spect(bench)
    table, groups, times = printed("004-table4.2"), {}, []
    for row, task in REPORT.items():
        path, _ = rivals.folds_file(bench, task, REPEATS)
        cells = {name: bench.evaluate(task, method, "--smoothing", "laplace", "--folds", path)
                 for name, method in (("VWNB", "vwnb:update=printed"), ("NB", "nb"))}
        groups[row] = {"VWNB, printed": float(table[row]["VWNB"]), "VWNB, heft": percent(cells["VWNB"]),
                       "NB, printed": float(table[row]["NB"]), "NB, heft": percent(cells["NB"])}
        seconds = {n: 1e3 * c["fit_seconds"] / (10 * REPEATS) for n, c in cells.items()}
        times.append([row, f"{seconds['VWNB']:.2f}", f"{seconds['NB']:.3f}", f"{seconds['VWNB'] / max(seconds['NB'], 1e-6):.0f}"])
    print("## Figure 4.1, accuracy by data set\n")
    markdown(["data", *groups["iris"]], [[r, *(f"{v:.2f}" for v in g.values())] for r, g in groups.items()])
    print("## Time of training, milliseconds a fold\n")
    markdown(["data", "VWNB", "NB", "ratio"], times)
    curves.bars(bench, "004-figure4.1", "Accuracy by data set", "percent", groups)
    bench.note("the report says only that VWNB takes much longer than NB")


PARTS = {
    "table4": ("Tables 4.1 and 4.2, accuracy on five data sets", table4),
    "figure41": ("Figure 4.1, accuracy by data set; time of VWNB and NB", figure41),
}
