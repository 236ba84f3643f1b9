"""Chen and Wang, subspace weighting for high-dimensional data: gene expression with a given test part, documents by 10 folds.

The paper scales genes to [0,1] and selects words on all rows; the honest column does both on the training rows. G2 and G3 are
not in the collection, T1 and T2 are stand-ins (20NG-5: four and five newsgroups that are not the paper's).
"""
import csv
import math
import os
import random
import tempfile

import curves
import rivals
from cells import Absent, Task, split_method
from sheets import Column, compare, footer, markdown, number, printed

LWL = "weka.classifiers.lazy.LWL -U 0 -K {} -W weka.classifiers.bayes.NaiveBayes"
MISSING = {"G2": "ALL-Subtype-T-ALL", "G3": "ALL-Subtype-Hyperdip50"}
CLASSES = ("ALL", "AML")
NB = "nb:variance=class"  # the rule of the papers
TAU = "7.8"  # with which the counts of the case study come out; the text says 7


# ---- genes: a training and a test part ----

def parts(bench, name):
    """Files of the training and the test part, as they are."""
    if name in MISSING:
        raise Absent(f"{name}, {MISSING[name]}, is not in the collection")
    if name == "G4":
        return bench.path("ALL-AML_train.arff"), bench.path("ALL-AML_test.arff")
    with open(bench.path("MLL-Leukemia.csv"), encoding="ascii", newline="") as file:
        head, *rows = csv.reader(file)
    return (bench.made("mll-train.csv", lambda p: write_rows(p, head, rows[15:])),
            bench.made("mll-test.csv", lambda p: write_rows(p, head, rows[:15])))


def write_rows(path, head, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def scaled_parts(bench, name, keep=None):
    """Both parts scaled to [0,1] by the ranges of all rows, as the paper did; keep: names of attributes to stay."""
    files = parts(bench, name)
    tag = "" if keep is None else f"-{len(keep)}"
    targets = [bench.results / "data" / f"{name}{tag}-{kind}.csv" for kind in ("train", "test")]
    if bench.fresh or not all(t.exists() for t in targets):
        read = [rivals.raw(bench, Task(name, f.name)) for f in files]
        head, both = read[0][0], read[0][1] + read[1][1]
        chosen = [j for j, n in enumerate(head[:-1]) if keep is None or n in keep]
        columns = []
        for j in chosen:
            values = [float(r[j]) for r in both]
            low, wide = min(values), (max(values) - min(values)) or 1.0
            columns.append([repr((v - low) / wide) for v in values])
        rows = [[*cells, "c" + r[-1]] for cells, r in zip(zip(*columns), both)]
        cut, new = len(read[0][1]), [*(head[j] for j in chosen), "class"]
        bench.made(targets[0].name, lambda p: write_rows(p, new, rows[:cut]))
        bench.made(targets[1].name, lambda p: write_rows(p, new, rows[cut:]))
    return targets


def predicted(bench, train, test, method, *options):
    """(truth, said) of the rows of a test file; no scaling beyond what options ask for."""

    def compute():
        with tempfile.TemporaryDirectory() as folder:
            model, out = os.path.join(folder, "m.heft"), os.path.join(folder, "p.csv")
            bench.run("train", train, "-q", "-o", model, *split_method(method), *options)
            bench.run("predict", model, test, "-q", "-o", out)
            with open(out, encoding="utf-8", newline="") as file:
                said = [r["predicted"] for r in csv.DictReader(file)]
        return [[r[-1] for r in rivals.raw(bench, Task("", os.path.basename(test)))[1]], said]

    return bench.cached(["predicted", os.path.basename(train), os.path.basename(test), method, options], compute)


def rival_predicted(bench, train, test, name):
    """(truth, said) of a program of rivals."""

    def compute():
        (x, y), (q, truth) = (rivals.matrix(rivals.raw(bench, Task("", f.name))[1]) for f in (train, test))
        return [list(map(str, truth)), list(map(str, rivals.model_of(name).fit(x, y).predict(q)))]

    return bench.cached(["rival predicted", name, train.name, test.name], compute)


def case_model(bench, tau=TAU):
    """The model of the case study: ALL-AML scaled on all rows."""
    train, _ = scaled_parts(bench, "G4")
    return bench.fitted(Task("G4", train.name), f"swnb:tau={tau}", "--scale", "none", "--prior", "frequency")


def weights_of(model):
    """{class: [weight of each attribute]}."""
    return {c: [a["class_weights"]["c" + c] for a in model["attributes"]] for c in CLASSES}


def selected(model):
    """Names of attributes with a weight of 0.1 in some class."""
    return {a["name"] for a in model["attributes"] if max(a["class_weights"].values()) >= 0.1}


def table1(bench):
    table, few = printed("003-table1"), selected(case_model(bench))
    files = {"7129": scaled_parts(bench, "G4"), "149": scaled_parts(bench, "G4", few)}
    raw = parts(bench, "G4")

    def ours(row, method, *options):
        size, label = row.split()
        return rivals.f1_of(*predicted(bench, *files[size], method, "--scale", "none", *options), "c" + label)

    def honest(row, method, *options):
        size, label = row.split()
        return rivals.f1_of(*predicted(bench, *raw, method, *options), label) if size == "7129" else None

    frequency = ("--prior", "frequency")
    columns = [Column("SWNB", lambda r: float(table[r]["SWNB"]), lambda r: ours(r, f"swnb:tau={TAU}", *frequency),
                      lambda r: honest(r, "swnb")),
               Column("SWNB, tau 7", lambda r: float(table[r]["SWNB"]), lambda r: ours(r, "swnb:tau=7", *frequency),
                      lambda r: honest(r, "swnb:tau=7")),
               Column("NB", lambda r: float(table[r]["NB"]), lambda r: ours(r, NB, *frequency), lambda r: honest(r, NB)),
               Column("LibSVM (scikit-learn)", lambda r: float(table[r]["LibSVM"]),
                      lambda r: rivals.f1_of(*rival_predicted(bench, *files[r.split()[0]], "LibSVM"), "c" + r.split()[1]),
                      lambda r: None)]
    compare(bench, "Table 1, F1 on the ALL-AML test part, all genes and those selected", columns, list(table), 0.0001, digits=4)
    show_case(bench)


def show_case(bench):
    """Counts and means of section 5.1."""
    said = footer("003-case")
    lines = {key: [key, value] for key, value in said.items()}
    for tau in (TAU, "7"):
        model = case_model(bench, tau)
        weights = weights_of(model)
        for c in CLASSES:
            heavy = sum(w >= 0.1 for w in weights[c])
            lines[f"below 0.1, {c}"].append(len(weights[c]) - heavy)
            lines[f"from 0.1, {c}"].append(heavy)
            lines[f"mean logit, {c}"].append(model["extra"]["class c" + c].split("; m ")[1].split(",")[0])
        lines["union"].append(len(selected(model)))
    print("### The case study: attributes by weight\n")
    markdown(["", "paper", f"heft, tau {TAU}", "heft, tau 7"], lines.values())


# ---- Table 3 ----

def gene_columns(bench, which):
    """which: 0 micro, 1 macro F1."""
    table, key = printed("003-table3-" + ("micro", "macro")[which]), ("micro_f1", "macro_f1")[which]

    def paper(row, name):
        return float(table[row][name]) if table[row][name] else None

    def scaled(row, method, *options):
        train, test = scaled_parts(bench, row)
        return bench.evaluate(Task(row, train.name), method, "--scale", "none", *options, "--test", test)[key]

    def honest(row, method, *options):
        train, test = parts(bench, row)
        return bench.evaluate(Task(row, train.name), method, *options, "--test", test)[key]

    frequency = ("--prior", "frequency")
    for name, method, first, own in (("SWNB", "swnb", (), ()), ("NB", NB, frequency, ("--scale", "range", *frequency)),
                                     ("FWNB", "klnb", ("--discretize", "mdl"), ("--discretize", "mdl")),
                                     ("GR+FlexNB", "flexnb", ("--select", "gain-ratio:2.5%"), ("--select", "gain-ratio:2.5%"))):
        yield Column(name, lambda r, n=name: paper(r, n), lambda r, m=method, o=first: scaled(r, m, *o),
                     lambda r, m=method, o=own: honest(r, m, *o))
    yield Column("LibSVM (scikit-learn)", lambda r: paper(r, "LibSVM"),
                 lambda r: rivals.measures(*rival_predicted(bench, *scaled_parts(bench, r), "LibSVM"))[which], lambda r: None)
    yield Column("LWNB (Weka, K = 5)", lambda r: paper(r, "LWNB"),
                 lambda r: rivals.measures(*weka_predicted(bench, *scaled_parts(bench, r), LWL.format(5)))[which], lambda r: None)


def weka_predicted(bench, train, test, spec):
    def compute():
        with tempfile.TemporaryDirectory() as folder:
            path = rivals.weka_proba.compiled(folder)
            bench.run("convert", train, "-q", "-o", os.path.join(folder, "a.arff"))
            bench.run("convert", test, "-q", "-o", os.path.join(folder, "b.arff"))
            same_header(os.path.join(folder, "a.arff"), os.path.join(folder, "b.arff"))
            said = rivals.weka_labels(folder, path, "a.arff", "b.arff", spec)
        return [[r[-1] for r in rivals.raw(bench, Task("", test.name))[1]], said]

    return bench.cached(["weka predicted", spec, train.name, test.name], compute)


def same_header(first, second):
    """Weka compares class values by place: the second file gets the header of the first."""
    head, _ = rivals.arff_parts(first)
    _, body = rivals.arff_parts(second)
    with open(second, "w", encoding="utf-8") as file:
        file.writelines([*head, *body])


def table3(bench):
    rows = ["G4"] if bench.quick else ["G1", "G2", "G3", "G4"]
    for which, label in enumerate(("Micro-F1", "Macro-F1")):
        compare(bench, f"Table 3, {label} on the test part", gene_columns(bench, which), rows, 0.0001, digits=4)
    bench.note("paper's protocol: genes scaled to [0,1] by training and test rows together; cuts and selection by training rows")


# ---- documents ----

WORDS = {"T1": 2000, "T2": 2000, "T3": 1000, "T4": 1000}
STEM = {"T1": "newsgroups4", "T2": "newsgroups5", "T3": "T3", "T4": "T4"}
# "class" is a word in the newsgroups, so the class has to be named
TARGET = {"T1": ("-t", "__class__"), "T2": ("-t", "__class__"), "T3": (), "T4": ()}


def documents(bench, name):
    """The ARFF file of a document set, all words."""
    source, gone = {"T1": ("20NG-5.wc.arff", " forsale}"), "T2": ("20NG-5.wc.arff", None),
                    "T3": ("tr12.wc.arff", " 77}"), "T4": ("tr41.wc.arff", " 356}")}[name]
    if gone is None:
        return bench.path(source)

    def write(target):
        with open(bench.path(source), encoding="utf-8") as file:
            target.write_text("".join(r for r in file if not r.rstrip().endswith(gone)), encoding="utf-8")

    return bench.made(f"{STEM[name]}.arff", write)


def prepared(bench, name, words=None):
    """Max-Relevance words chosen on all rows, documents of unit length; a task."""
    words = words or WORDS[name]
    source = documents(bench, name)
    path = bench.made(f"{STEM[name]}-{words}.arff", lambda p: bench.run(
        "convert", source, "-q", "-o", p, "--to", "arff", *TARGET[name], "--select", f"mutual-information:{words}",
        "--scale", "unit"))
    return Task(name, path.name, TARGET[name])


def document_columns(bench, which):
    table, key = printed("003-table4-" + ("micro", "macro")[which]), ("accuracy", "macro_f1")[which]

    def evaluated(row, method, *options):
        task = prepared(bench, row)
        return bench.evaluate(task, method, *options, "--folds", rivals.folds_file(bench, task, 1)[0])[key]

    def honest(row, method, *options):
        task = Task(row, documents(bench, row).name, TARGET[row])
        folds = rivals.folds_file(bench, prepared(bench, row), 1)[0]
        return bench.evaluate(task, method, "--select", f"mutual-information:{WORDS[row]}", *options, "--folds", folds)[key]

    def average(found):
        return sum(f[which] for f in found) / len(found)

    def rival(row, name):
        task = prepared(bench, row)
        dealt = rivals.folds_file(bench, task, 1)[1]
        return average(rivals.cross_validated(bench, name, task.file, lambda: rivals.matrix(rivals.raw(bench, task)[1]), dealt))

    def weka(row):
        task = prepared(bench, row)
        return average(rivals.weka_cross_validated(bench, LWL.format(50), task, rivals.folds_file(bench, task, 1)[1]))

    def paper(row, name):
        return float(table[row][name])

    frequency = ("--prior", "frequency")
    for name, method, first, own in (
            ("SWNB", "swnb", ("--scale", "none"), ("--scale", "unit")),
            ("NB", NB, frequency, ("--scale", "unit", *frequency)),
            ("FWNB", "klnb", ("--discretize", "presence"), ("--discretize", "presence")),
            ("GR+FlexNB", "flexnb", ("--select", "gain-ratio:25%"), None)):
        yield Column(name, lambda r, n=name: paper(r, n), lambda r, m=method, o=first: evaluated(r, m, *o),
                     (lambda r, m=method, o=own: honest(r, m, *o)) if own else (lambda r: None))
    for label, name, column in (("NB, deviation 1e-5 where it is 0", "NB, deviation 1e-5", "NB"),
                                ("LibSVM (scikit-learn)", "LibSVM", "LibSVM")):
        yield Column(label, lambda r, c=column: paper(r, c), lambda r, n=name: rival(r, n), lambda r: None)
    yield Column("LWNB (Weka, K = 50)", lambda r: paper(r, "LWNB"), weka, lambda r: None)


def table4(bench):
    rows = ["T3"] if bench.quick else list(WORDS)
    for which, label in enumerate(("Micro-F1", "Macro-F1")):
        compare(bench, f"Table 4, {label}, 10 folds", document_columns(bench, which), rows, 0.02, digits=4)
    bench.note("T1 and T2 are stand-ins: other newsgroups of the same collection")
    bench.note("macro-F1 of heft is over the predictions of all folds together, that of the other programs the mean over folds")


# ---- figures ----

def figure1(bench):
    """Densities of a logit-normal weight by mean and standard deviation of its logit."""
    xs = [k / 200 for k in range(1, 200)]

    def density(w, m, s):
        z = (math.log(w / (1 - w)) - m) / s
        return math.exp(-z * z / 2) / (s * math.sqrt(2 * math.pi) * w * (1 - w))

    shown = [(0, 0.5), (0, 1), (0, 2), (-1, 0.5), (-1, 1), (-2, 1)]
    print("## Figure 1, logit-normal densities: mode by mean m and standard deviation s of the logit\n")
    markdown(["m", "s", "weight of the largest density", "density there"],
             [[m, s, *(number(v, 3) for v in max(((w, density(w, m, s)) for w in xs), key=lambda p: p[1]))] for m, s in shown])
    curves.plot(bench, "003-figure1", "Logit-normal densities", "weight", "density",
                {f"m {m:g}, s {s:g}": (xs, [density(w, m, s) for w in xs]) for m, s in shown})
    rows = []
    for tau in ("0", "1", "3", TAU):
        extra = case_model(bench, tau)["extra"]
        rows.append([tau, *(extra["class c" + c].split("rho ")[1] for c in CLASSES)])
    print("## rho of Theorem 1 on ALL-AML, by tau\n")
    markdown(["tau", *CLASSES], rows)
    bench.note("Theorem 1: rho is at most 1, and 1 only for tau = 0")


def figure2(bench):
    """Log histogram of the weights of each class."""
    weights, edges = weights_of(case_model(bench)), [k / 20 for k in range(21)]
    rows, series = [], {}
    for c in CLASSES:
        counts = [sum(low <= w < high for w in weights[c]) for low, high in zip(edges, edges[1:])]
        series[c] = ([e + 0.025 for e in edges[:-1]], [math.log10(n) if n else None for n in counts])
        rows.append(counts)
    print("## Figure 2, number of genes by weight (tau 7.8)\n")
    markdown(["weight from", *CLASSES], [[f"{e:.2f}", *counts] for e, *counts in zip(edges, *rows)])
    curves.plot(bench, "003-figure2", "Weights of SWNB on ALL-AML", "weight", "log10 of the number of genes", series)


def figure3(bench):
    """Weight of each gene, and the heaviest."""
    model = case_model(bench)
    weights, names = weights_of(model), [a["name"] for a in model["attributes"]]
    heavy = sorted(range(len(names)), key=lambda j: -max(weights[c][j] for c in CLASSES))[:20]
    print("## Figure 3, the twenty heaviest genes (tau 7.8)\n")
    markdown(["gene", "place", *CLASSES], [[names[j], j + 1, *(number(weights[c][j], 4) for c in CLASSES)] for j in heavy])
    order = {c: sorted(range(len(names)), key=lambda j, c=c: -weights[c][j]) for c in CLASSES}
    for gene in ("M96326", "U05259"):
        j = next(k for k, n in enumerate(names) if n.startswith(gene))
        bench.note(f"{names[j]}, named by the paper: " + ", ".join(
            f"{c} weight {weights[c][j]:.4f}, place {order[c].index(j) + 1}" for c in CLASSES))
    x = list(range(1, len(names) + 1))
    curves.plot(bench, "003-figure3", "Weights of SWNB on ALL-AML", "gene", "weight", {c: (x, weights[c]) for c in CLASSES},
                joined=False)


def figure4(bench):
    """Accuracy on the ALL-AML test part against tau."""
    few = selected(case_model(bench))
    spaces = {"all genes": scaled_parts(bench, "G4"), f"{len(few)} selected genes": scaled_parts(bench, "G4", few)}
    taus = [1, 7, 12] if bench.quick else list(range(1, 16))

    def accuracy(files, tau, *options):
        return 100 * rivals.measures(*predicted(bench, *files, f"swnb:tau={tau}", *options))[0]

    found = {label: [accuracy(files, t, "--scale", "none", "--prior", "frequency") for t in taus]
             for label, files in spaces.items()}
    found["all genes, honest scaling"] = [accuracy(parts(bench, "G4"), t) for t in taus]
    print("## Figure 4, accuracy on the ALL-AML test part by tau\n")
    markdown(["tau", *found], [[t, *(number(found[c][k]) for c in found)] for k, t in enumerate(taus)])
    curves.plot(bench, "003-figure4", "SWNB on ALL-AML", "tau", "accuracy, percent", {c: (taus, y) for c, y in found.items()})
    bench.note("the paper: good from tau 7 on in the entire space, robust in the selected subspace")


def figure5(bench):
    """Time and accuracy of swnb against dimensions and rows, the four newsgroups of T1's stand-in."""
    sizes = [250, 500] if bench.quick else [250, 500, 1000, 1500, 2000]
    found = []
    for d in sizes:
        found.append((d, *timed(bench, prepared(bench, "T1", d))))
    show_times(bench, "a", "attributes", found)
    shares = [0.2, 1.0] if bench.quick else [0.2, 0.4, 0.6, 0.8, 1.0]
    source, found = bench.path(prepared(bench, "T1").file), []
    for share in shares:
        head, body = rivals.arff_parts(source)
        keep = set(random.Random(1).sample(range(len(body)), round(share * len(body))))
        path = bench.made(f"newsgroups4-2000-rows-{len(keep)}.arff", lambda p, h=head, b=body, k=keep: p.write_text(
            "".join([*h, *(r for i, r in enumerate(b) if i in k)]), encoding="utf-8"))
        found.append((len(keep), *timed(bench, Task("T1", path.name, TARGET["T1"]))))
    show_times(bench, "b", "rows", found)
    bench.note("stand-in for os-4-1: four newsgroups, 2,000 documents; times of one fold (mean of ten), one thread, "
               "without reading")


def timed(bench, task):
    cell = bench.evaluate(task, "swnb", "--scale", "none", "--threads", "1")
    return 100 * cell["fit_seconds"], 100 * cell["predict_seconds"], 100 * cell["accuracy"]


def show_times(bench, part, label, found):
    print(f"## Figure 5({part}), by number of {label}\n")
    markdown([label, "training, ms", "testing, ms", "accuracy"], [[f[0], *(number(v) for v in f[1:])] for f in found])
    xs = [f[0] for f in found]
    curves.plot(bench, f"003-figure5{part}", f"SWNB, time by number of {label}", label, "milliseconds",
                {"training": (xs, [f[1] for f in found]), "testing": (xs, [f[2] for f in found])})


PARTS = {
    "table1": ("Table 1, F1 on ALL-AML, and the case study's counts", table1),
    "table3": ("Table 3, gene data sets", table3),
    "table4": ("Table 4, documents", table4),
    "figure1": ("Figure 1, densities of weights, and rho of Theorem 1", figure1),
    "figure2": ("Figure 2, histogram of the weights", figure2),
    "figure3": ("Figure 3, weight of each gene", figure3),
    "figure4": ("Figure 4, accuracy by tau", figure4),
    "figure5": ("Figure 5, time by attributes and rows", figure5),
}
