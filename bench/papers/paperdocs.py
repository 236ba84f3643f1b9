"""Tables of other documents that rest on the papers' data: written into them by bench/papers/check."""
import paper000
from cells import Task
from sheets import markdown, number, percent

HONEST = ("--protocol", "honest")


def row(bench, name, methods, *options, **where):
    """Accuracies in percent of several methods on one data set."""
    task = Task(name, where.get("file", name + ".arff"), where.get("options", ()))
    return [percent(bench.evaluate(task, m, *options)) for m in methods]


def multiclass(bench):
    sets = {"vowel": 11, "segment": 7, "glass": 7, "balance-scale": 3, "soybean": 19, "waveform-5000": 3}
    methods = {"nb": "nb", "lnb ovo": "lnb:multiclass=ovo", "lnb direct": "lnb:multiclass=direct"}
    lines = []
    for name, classes in sets.items():
        cells = [bench.evaluate(Task(name, name + ".arff"), m) for m in methods.values()]
        lines.append([name, classes, *(f"{number(percent(c), 1)}, {number(c['log_loss'])}" for c in cells)])
    markdown(["", "classes", *methods], lines)


def noise(bench):
    """The panel of segment in Figure 7 of paper 000, some of its rates."""
    methods = {"nb": "nb:variance=class", **{m.lower(): m.lower() for m in paper000.PROPOSED}}
    lines = []
    for rate in (0.0, 0.05, 0.1, 0.2, 0.3):
        found = [percent(bench.evaluate(paper000.BY_NUMBER["14"], m, *paper000.PRIOR, "--repeat", "10", "--noise", rate))
                 for m in methods.values()]
        lines.append([f"{100 * rate:g} %", *(number(v, 1) for v in found)])
    markdown(["changed", *methods], lines)


def vwnb(bench):
    methods = ("nb", "vwnb", "vwnb:center=1", "vwnb:update=printed")
    how = ("--discretize", "mdl", "--repeat", "3", *HONEST)
    lines = [[n, *(number(v, 1) for v in row(bench, n, methods, *how))]
             for n in ("balance-scale", "dermatology", "glass", "iris", "vote", "credit-g", "vehicle")]
    values = row(bench, "balance-scale", methods, "--repeat", "3", *HONEST, options=("--nominal", "1-4"))
    lines.append(["balance-scale, a value for every number", *(number(v, 1) for v in values)])
    markdown(["", "nb", "vwnb", "vwnb, center=1", "vwnb, update=printed"], lines)


def words(bench):
    lines = []
    for label, name in (("20NG-5, 9,328 words", "20NG-5.wc"), ("tr12, 5,804 words", "tr12.wc")):
        options = ("-t", "__class__") if name.startswith("20NG") else ()
        cells = [v for how in ("presence", "mdl") for v in row(bench, name, ("nb", "klnb"), "--discretize", how, options=options)]
        lines.append([label, *(number(v, 1) for v in cells)])
    markdown(["data", "nb, presence", "klnb, presence", "nb, mdl", "klnb, mdl"], lines)


def documents(bench):
    """tr12 and tr41 without the topic of nine rows, as the command beside the table has them."""
    lines = []
    for name, gone in (("tr12", " 77}"), ("tr41", " 356}")):
        def write(target, source=name, end=gone):
            text = bench.path(source + ".wc.arff").read_text(encoding="utf-8").splitlines(True)
            target.write_text("".join(r for r in text if not r.rstrip().endswith(end)), encoding="utf-8")

        made = bench.made(f"{name}-docs.arff", write)
        select = ("--select", "mutual-information:1000", "--protocol", "whole")
        cells = row(bench, name, ("swnb", "nb", "klnb", "flexnb"), *select, "--scale", "unit", file=made.name)
        cells += row(bench, name, ("nb", "klnb"), *select, "--discretize", "presence", file=made.name)
        lines.append([name, *(number(v) for v in cells)])
    markdown(["", "swnb", "nb", "klnb", "flexnb", "nb, presence", "klnb, presence"], lines)


PARTS = {
    "multiclass": ("lnb by class pairs and directly", multiclass),
    "noise": ("wrong labels on segment", noise),
    "vwnb": ("value weights on eight tables", vwnb),
    "words": ("presence of words and cuts", words),
    "documents": ("TREC documents", documents),
}
