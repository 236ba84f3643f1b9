#!/usr/bin/env python3
"""Reports of models in a real browser: they load without a complaint, can be read, and say what predict says.

    report_page.py HEFT [NAME...]      needs chromium; skipped (status 77) where there is none
"""
import base64
import csv
import json
import pathlib
import random
import re
import sys

import page_look
from harness import EXAMPLES, heft, put, require, same, test
from page_look import check as look_at, check_open, document, opened

BROWSER = None
LOANS, IRIS = EXAMPLES / "loans.csv", EXAMPLES / "iris.csv"
HOSTILE = ["<script>alert(1)</script>", "a\"b'&c", "\u05d0\u05d1\u05d2 right to left", "\U0001f600 emoji", "x" * 500,
           "</script><img src=x onerror=alert(1)>", "\u202eturned"]
ALL_SIZES = ((1280, False), (1280, True), (800, False), (390, False), (390, True))


def check(path, ids, sizes=((1280, False), (390, True))):
    look_at(BROWSER, path, ids, sizes)


def show(path, **how):
    return opened(BROWSER, path, **how)


def report(table, *options, data=True, more=()):
    """m.html: the report of a model of the table."""
    heft("train", table, "-o", "m.heft", *options)
    heft("report", "m.heft", *([table] if data else []), *more, "-o", "m.html")
    return document("m.html")


def event(page, element, value, kind="input"):
    page.run(f"(() => {{ const e = document.getElementById({json.dumps(element)}); e.value = {json.dumps(str(value))};"
             f"e.dispatchEvent(new Event('{kind}')); }})()")


# ---- what if ----

def random_rows(table, data, n, seed):
    """Rows of cells as text: those of the table mixed, numbers moved, some missing, some not known."""
    with open(table, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    dice = random.Random(seed)
    for _ in range(n):
        row = {}
        for attribute in data["attributes"]:
            cell = dice.choice(rows)[attribute["name"]]
            if dice.random() < 0.08:
                cell = ""
            elif attribute.get("values") and dice.random() < 0.04:
                cell = "never seen"
            elif not attribute.get("values") and cell and dice.random() < 0.5:
                cell = repr(float(cell) * dice.uniform(0.5, 1.6))
            row[attribute["name"]] = cell
        yield row


def cells_of(row, data):
    """As the script takes them."""
    cells = []
    for attribute in data["attributes"]:
        text, values = row[attribute["name"]], attribute.get("values")
        if text == "":
            cells.append(None)
        elif values:
            cells.append(values.index(text) if text in values else -1)
        else:
            cells.append(float(text))
    return cells


def predicted(rows, data):
    """What predict says of rows, class by class."""
    with open("new.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [a["name"] for a in data["attributes"]], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    heft("predict", "m.heft", "new.csv", "--proba", "-o", "p.csv")
    with open("p.csv", encoding="utf-8", newline="") as file:
        return [[float(line[f"P({c})"]) for c in data["model"]["classes"]] for line in csv.DictReader(file)]


def same_as_predict(table, *options, n=50):
    data = report(table, *options)
    rows = list(random_rows(table, data, n, 7))
    expected, page = predicted(rows, data), show("m.html")
    found = page.run(f"{json.dumps([cells_of(row, data) for row in rows])}.map(heft.predict)")
    same(page.complaints, [], f"{options}: console")
    page.close()
    worst = max(abs(a - b) for e, f in zip(expected, found) for a, b in zip(e, f))
    require(worst < 1e-9, f"{table.name} {options}: what if differs from predict by {worst}")


@test
def what_if_equals_predict():
    same_as_predict(LOANS)
    same_as_predict(IRIS)
    same_as_predict(LOANS, "-m", "nb")


@test
def what_if_equals_predict_for_every_kind_of_term():
    same_as_predict(LOANS, "-m", "flexnb", n=20)
    same_as_predict(LOANS, "-m", "gnb", n=20)
    same_as_predict(LOANS, "-m", "cawnb", n=20)
    same_as_predict(LOANS, "-m", "vwnb", "--calibrate", "vector", n=20)
    same_as_predict(LOANS, "--calibrate", "temperature", n=20)
    same_as_predict(LOANS, "--calibrate", "vector", n=20)
    same_as_predict(IRIS, "-m", "swnb", "--scale", "unit", n=20)
    same_as_predict(IRIS, "-m", "nb", "-p", "variance=class", "--impute", "mean", n=20)
    same_as_predict(IRIS, "-p", "order=1", "--calibrate", "vector", n=20)
    same_as_predict(LOANS, "-m", "nb", "--unseen", "zero", "--discretize", "mdl", n=20)


def shown_probabilities(page):
    return page.run("[...document.querySelectorAll('#chances [data-p]')].map(e => +e.dataset.p)")


@test
def a_row_is_found_and_changed():
    """A row found by its number, a number and a menu that are changed: the panel shows what predict says of such a row."""
    data = report(LOANS)
    page, names = show("m.html"), [a["name"] for a in data["attributes"]]
    with open(LOANS, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    chosen = data["rows"]["list"][3]["row"]
    event(page, "row-find", chosen)
    page.run("document.querySelector('#row-list tr.go').click()")
    row = dict(rows[chosen - 1])
    for found, wanted in zip(shown_probabilities(page), predicted([row], data)[0]):
        require(abs(found - wanted) < 1e-9, f"row {chosen}: {found}, not {wanted}")
    event(page, f"w{names.index('late_payments')}", 2)
    event(page, f"w{names.index('work')}", 0, "change")
    row.update(late_payments="2", work=data["attributes"][names.index("work")]["values"][0])
    for found, wanted in zip(shown_probabilities(page), predicted([row], data)[0]):
        require(abs(found - wanted) < 1e-9, f"changed: {found}, not {wanted}")
    number = "e => +e.textContent.replace('\\u2212', '-')"
    total = page.run(f"({number})(document.querySelector('#fall .total td.n'))")
    steps = page.run(f"[...document.querySelectorAll('#fall tr:not(.total) td.n')].map({number})")
    require(abs(total - sum(steps)) < 0.01 * len(steps), f"{total}: {steps}")
    event(page, "row-find", "work = " + row["work"])
    said = page.run("document.querySelector('#row-list').closest('.card').querySelector('[aria-live]').textContent")
    listed = sum(r["cells"][names.index("work")] == 0 for r in data["rows"]["list"])
    require(re.sub(r"\s", "", said).startswith(f"{listed}of"), f"{listed} rows: {said}")
    event(page, "row-find", "")
    event(page, "row-which", "wrong", "change")
    wrong = page.run("[...document.querySelectorAll('#row-list tbody tr')].map(tr => [tr.cells[1].textContent, tr.cells[2].textContent])")
    require(wrong and all(a != b for a, b in wrong), f"predicted wrong: {wrong}")
    page.close()


@test
def what_would_change_the_decision():
    """Every change that is offered flips the decision of predict, has values that occur, and is applied by a click."""
    data = report(LOANS)
    page = show("m.html")
    rows = [r for r in data["rows"]["list"] if all(not isinstance(c, str) for c in r["cells"])][:12]
    some = 0
    for r in rows:
        for flip in page.run(f"heft.flips({json.dumps(r['cells'])})"):
            cells = list(r["cells"])
            for j, value in flip["changes"]:
                attribute = data["attributes"][j]
                require(attribute["kind"] == "values" or value in attribute["occur"], f"{attribute['name']} = {value} does not occur")
                cells[j] = value
            text = {a["name"]: "" if c is None else a["values"][c] if a.get("values") else repr(c) for a, c in zip(data["attributes"], cells)}
            p = predicted([text], data)[0]
            require(p.index(max(p)) == flip["to"] != r["predicted"], f"row {r['row']}: {flip} gives {p}")
            require(abs(p[flip["to"]] - flip["p"]) < 1e-9, f"{flip}: {p}")
            require(len(flip["changes"]) <= 2, f"{flip}")
            some += 1
    require(some > 12, f"{some} changes")
    before = page.run("document.querySelector('.verdict b').textContent")
    page.run("new Promise(r => setTimeout(r, 1200))")
    page.run("document.querySelector('#flips button').click()")
    require(page.run("document.querySelector('.verdict b').textContent") != before, "the decision after a click")
    same(page.complaints, [], "console")
    page.close()


# ---- thresholds ----

@test
def threshold_figures_are_those_of_predict():
    data = report(LOANS, "-m", "nb")
    heft("predict", "m.heft", LOANS, "--proba", "-o", "p.csv")
    with open("p.csv", encoding="utf-8", newline="") as file:
        yes = [float(line["P(yes)"]) for line in csv.DictReader(file)]
    with open(LOANS, encoding="utf-8", newline="") as file:
        actual = [line["repaid"] == "yes" for line in csv.DictReader(file)]
    same(data["model"]["classes"][data["curves"][0]["class"]], "yes", "the class of the curve")
    page = show("m.html")
    counts, figures = ("tp", "fn", "fp", "tn"), ("accuracy", "precision", "recall", "cost")

    def shown():
        return page.run("Object.fromEntries(%s.map(k => { const e = document.getElementById('t-' + k);"
                        "return [k, +(e.dataset.value || e.textContent.replace(/\\s/g, ''))]; }))" % json.dumps(counts + figures))

    def expected(t):
        tp = sum(a and p >= t for a, p in zip(actual, yes))
        fp = sum(not a and p >= t for a, p in zip(actual, yes))
        fn, tn = sum(actual) - tp, len(actual) - sum(actual) - fp
        return {"tp": tp, "fn": fn, "fp": fp, "tn": tn, "accuracy": (tp + tn) / len(actual),
                "precision": tp / (tp + fp) if tp + fp else 0, "recall": tp / (tp + fn), "cost": (3 * fp + fn) / len(actual)}

    event(page, "t-cost-fp", 3)
    thinned = data["curves"][0]["at"]
    for t in (None, 0, thinned[len(thinned) // 3], thinned[len(thinned) // 2], 1.01):
        if t is not None:
            event(page, "t-number", t)
        found, wanted = shown(), expected(0.5 if t is None else t - 5e-7)
        for name in counts + figures:
            require(abs(found[name] - wanted[name]) < 0.01, f"threshold {t}: {name} is {found[name]}, not {wanted[name]}")
    page.run("document.getElementById('t-best').click()")
    best = min(expected(t)["cost"] for t in [0, 1.01, *yes])
    require(abs(shown()["cost"] - best) < 0.01, f"least cost {shown()['cost']}, not {best}")
    order = page.run("['confusion', 't-matrix'].map(id => [...document.querySelectorAll(`#${id} th[scope=row]`)].map(e => e.textContent))")
    same(order[0], order[1], "the order of the classes in both matrices")
    page.close()


@test
def a_class_that_the_model_does_not_know():
    """With rows of a third class there is no threshold of two classes, and nothing is drawn at NaN."""
    put("two.csv", "x,class\n" + "".join(f"{k % 7},{'ab'[k % 7 > 3]}\n" for k in range(60)))
    put("three.csv", "x,class\n" + "".join(f"{k % 7},{'abc'[(k % 7 > 3) + (k % 10 == 0)]}\n" for k in range(90)))
    heft("train", "two.csv", "-m", "nb", "-o", "m.heft")
    heft("report", "m.heft", "three.csv", "-o", "m.html")
    page = show("m.html")
    require(page.run("document.getElementById('t-number') === null"), "the page has a threshold")
    require(page.run("!document.getElementById('page').outerHTML.includes('NaN')"), "the page has NaN")
    page.close()


# ---- pages ----

MIXED = {"importance": 8, "pair-list": 10, "shape-0": 4, "pair-0": 3, "chances": 2, "confusion": 3, "roc": 2, "pr": 2, "t-curve": 2, "t-gain": 2,
         "reliability": 8, "scores": 4, "facts": 5, "priors": 2, "correlations": 4, "row-list": 8}


@test
def mixed_two_classes():
    data = report(LOANS)
    check("m.html", MIXED, ALL_SIZES)
    size = pathlib.Path("m.html").stat().st_size
    require(size < 500_000, f"{size} bytes")
    page = show("m.html")
    require("on which the model was" in page.run("document.getElementById('headline').textContent"), "training rows are named")
    require(page.run("!!document.getElementById('optimistic')"), "with a warning")
    same(page.run("document.querySelectorAll('.words li').length"), len(data["sentences"]), "sentences in words")
    same(page.run("document.querySelectorAll('#importance').length"), 1, "importance is shown once")
    require(page.run("!document.querySelector('#matter details').open"), "triples and the rest are folded away")
    require(page.run("[...document.querySelectorAll('.plot > svg')].every(s => s.getBoundingClientRect().width > 0.6 * s.closest('.card, .pairplots').clientWidth)"),
            "plots use their panel")
    page.close()


@test
def hovering_tells_value_rows_and_evidence():
    report(LOANS)
    page = show("m.html", height=2600)
    for selector, wanted in (("#shapes .values tr", ("rows", "log-odds of")), ("#shapes .pane", ("rows", "log-odds of")), ("#importance tr + tr", ("evidence",)),
                             ("#pair-0 td[style]", ("log-odds",)), ("#confusion td.wrong", ("rows",)), ("#reliability circle", ("observed", "rows")), ("#roc .pane", ("threshold",))):
        box = page.run(f"(() => {{ const e = document.querySelector('{selector}'); e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect();"
                       "return [r.left + r.width / 2, r.top + r.height / 2]; })()")
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])
        said = page.run("(() => { const t = document.getElementById('tip'); return t && !t.hidden ? t.textContent : ''; })()")
        for word in wanted:
            require(word in said, f"{selector}: {said!r}")
    same(page.complaints, [], "console")
    page.close()


@test
def two_pages_on_paper():
    report(LOANS)
    page = show("m.html")
    pdf = base64.b64decode(page.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"])
    same(len(re.findall(rb"/Type\s*/Page\b", pdf)), 2, "pages")
    page.close()


@test
def one_quantity_has_one_number():
    """Evidence as in inspect; AUC and average precision of the positive class, in the table and beside the plots."""
    report(LOANS)
    page = show("m.html")
    page.run("document.querySelectorAll('#matter details').forEach(d => { d.open = true; })")
    shown = page.run("Object.fromEntries([...document.querySelectorAll('#importance tr, #matter details .bars tr')].filter(t => t.querySelector('td'))"
                     ".map(t => [t.querySelector('bdi').textContent, +t.querySelector('td.n').firstChild.textContent.replace('\u2212', '-')]))")
    told = json.loads(heft("inspect", "m.heft", "--json", "-").out)
    for attribute in told["attributes"]:
        require(abs(shown[attribute["name"]] - attribute["importance"]) <= 0.0051 * abs(attribute["importance"]), f"{attribute}: {shown}")
    pair = told["attribute_pairs"][0]
    strongest = page.run("+document.querySelector('#pair-list td.n').textContent")
    require(abs(strongest - pair["weight"]) <= 0.0051 * pair["weight"], f"{pair}: {strongest}")
    page.close()
    for option, name in ((), "yes"), (("--positive", "no"), "no"):
        report(LOANS, "-m", "nb", *option)
        cell = json.loads(heft("evaluate", "m.heft", "--test", LOANS, "--json", "-").out)["datasets"][0]["methods"][0]
        page = show("m.html")
        table = page.run("Object.fromEntries([...document.querySelectorAll('#measures tbody tr')].map(t => [t.cells[0].textContent, +t.cells[1].textContent]))")
        for title, plot, key in ("AUC", "roc", "auc"), ("average precision", "pr", "average_precision"):
            beside = page.run(f"document.getElementById('{plot}').closest('.card').querySelector('.sub').textContent")
            require(abs(table[f"{title} ({name})"] - cell[key]) <= 0.000051, f"{title} of {name}: {table} {cell[key]}")
            require(f"{name} {cell[key]:.3f}" in beside, f"{title} of {name}: {beside} {cell[key]}")
        page.close()


@test
def unseen_values_are_told_of_once():
    rows = [f"{'pqr'[i % 3]},{i % 7},{'ab'[i % 2]}\n" for i in range(60)]
    pathlib.Path("seen.csv").write_text("kind,n,class\n" + "".join(rows), encoding="utf-8")
    pathlib.Path("new.csv").write_text("kind,n,class\nz,1,a\n" + "".join(rows), encoding="utf-8")
    heft("train", "seen.csv", "-m", "nb", "-o", "u.heft")
    said = heft("report", "u.heft", "new.csv", "-o", "u.html").err
    require(said.count("1 cell has a value that is not in the training data") == 1, said)
    page = show("u.html")
    event(page, "row-find", "1")
    page.run("document.querySelector('#row-list tr.go').click()")
    same(page.complaints, [], "console")
    require(abs(sum(shown_probabilities(page)) - 1) < 1e-9, "probabilities of a row with a value that is not known")
    page.close()


@test
def nomograms_say_how_close_they_are():
    """Naive Bayes is the sum of its lines; the pairs of auto have none, so that too many rows of loans change class."""
    report(LOANS, "-m", "nb")
    check("m.html", {"nomogram-plot": 30})
    text = "document.getElementById('nomogram').textContent"
    page = show("m.html")
    require("Compared with the model on 600 rows: the sum gives the probability of the model." in page.run(text), "exact")
    page.close()
    for data, said in (True, "another class than the model to "), (False, "cannot be said without data"):
        report(LOANS, data=data)
        page = show("m.html")
        require(said in page.run(text) and not page.run("!!document.getElementById('nomogram-plot')"), "absent, with the reason")
        page.close()


@test
def rare_classes_lead_the_page():
    """One row in 200 is a fraud: recall, precision and average precision come first, and the axes fit."""
    put("fraud.csv", "a,b,fraud\n" + "".join(f"{i * 7 % 13},{i * 5 % 11 + 9 * (i % 400 == 7)},{'yes' if i % 200 == 7 else 'no'}\n"
                                             for i in range(3000)))
    report(pathlib.Path("fraud.csv"), "-m", "gnb", more=("--cv", "5"))
    page = show("m.html")
    found = page.run("[...document.querySelectorAll('#headline .figure')].map(e => e.querySelector('p').textContent)")
    same([re.sub(" \\(.*", "", t) for t in found], ["recall of yes", "precision of yes", "average precision of yes"], "what leads")
    require("99.5" in page.run("document.getElementById('baseline').textContent"), "the baseline")
    ticks = page.run("[...document.querySelectorAll('#t-curve text.mid')].map(e => [+e.textContent.replace('\\u2212', '-'), +e.getAttribute('x')]).filter(t => t[0] > 0)")
    require(len(ticks) > 2 and ticks[0][0] <= 0.01 and all(b[0] / a[0] > 5 for a, b in zip(ticks, ticks[1:])), f"a logarithmic axis: {ticks}")
    require(page.run("[...document.querySelectorAll('#reliability text.mid')].length") > 1, "an axis of the reliability diagram")
    page.close()
    check("m.html", {"t-curve": 3, "reliability": 4}, ((1280, False), (390, False)))


@test
def without_scripts():
    report(LOANS)
    page = BROWSER.open(pathlib.Path("m.html").resolve().as_uri(), scripts=False)
    root = page.call("DOM.getDocument")["root"]["nodeId"]
    for selector in ("h1", "#headline", "#measures", "#per-class", "#importance"):
        node = page.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        require(node and page.call("DOM.getBoxModel", nodeId=node)["model"]["height"] > 20, f"without scripts: {selector}")
    same(page.complaints, [], "console")
    page.close()


@test
def many_classes():
    dice = random.Random(1)
    lines = ["x,y,colour,class"]
    for i in range(1300):
        c = i % 26
        lines.append(f"{c + dice.gauss(0, 2):.3f},{c % 5 + dice.gauss(0, 1):.3f},{'rgb'[(c + (dice.random() < .3)) % 3]},{chr(65 + c)}")
    pathlib.Path("many.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    report(pathlib.Path("many.csv"), "-m", "nb")
    check("m.html", {"confusion": 27, "per-class": 27, "worst": 10, "shape-0": 5, "roc": 3, "chances": 6})
    page = show("m.html")
    curves = "new Promise(r => setTimeout(() => { heft.drawn(); r([...document.querySelectorAll('#shape-0 path.line')].map(e => e.style.stroke)); }, 100))"
    same(len(page.run(curves)), 3, "series at first")
    for n in range(4, 9):
        page.run("document.querySelector('#pick input:not(:checked)').click()")
        colours = page.run(curves)
        same(len(colours), n, "series after a choice")
        same(len(set(colours)), n, f"colours {colours}")
    page.run("document.querySelector('#pick input:not(:checked)').click()")
    same(len(page.run(curves)), 8, "no more series than colours that can be told apart")
    page.run("document.querySelector('#pick input:checked').click()")
    same(len(page.run(curves)), 7, "one less")
    same(page.complaints, [], "console")
    page.close()


def wide_table(path, n, rows=120):
    dice = random.Random(2)
    lines = [",".join(f"attribute_{j}" for j in range(n)) + ",class"]
    for i in range(rows):
        cells = [f"{dice.gauss((i % 2) * (j < 20), 1):.3f}" for j in range(n)]
        lines.append(",".join(cells) + f",{'ab'[i % 2]}")
    pathlib.Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return pathlib.Path(path)


@test
def many_attributes():
    report(wide_table("wide.csv", 2000), "-m", "nb")
    check("m.html", {"importance": 12, "shape-0": 4, "nomogram-plot": 90, "chances": 2})
    size = pathlib.Path("m.html").stat().st_size
    require(size < 2_000_000, f"{size} bytes")


@test
def five_thousand_attributes_are_usable_at_once():
    report(wide_table("wide.csv", 5000, 60), "-m", "nb")
    size = pathlib.Path("m.html").stat().st_size
    require(size < 3_000_000, f"{size} bytes")
    best = 1e9
    for _ in range(3):
        page = BROWSER.open(pathlib.Path("m.html").resolve().as_uri())
        best = min(best, page.run("performance.timing.loadEventEnd - performance.timing.navigationStart"))
        page.run("heft.drawn()")
        require(page.run("!!document.querySelector('#chances')"), "the panel is there")
        page.close()
    require(best < 3000, f"usable after {best} ms")  # a second, with allowance for a busy machine


@test
def a_lazy_model_and_a_text_model():
    report(LOANS, "-m", "lcwnb")
    check("m.html", {"confusion": 3, "roc": 2, "importance": 8})
    page = show("m.html")
    require("cannot be tried out here" in page.run("document.getElementById('no-panel').textContent"), "the panel is missing for a reason")
    page.close()
    dice = random.Random(3)
    lines = []
    for i in range(200):
        words = sorted(dice.sample(range(1, 400), 12)) if i % 2 else sorted(dice.sample(range(300, 700), 12))
        lines.append(f"{'sport' if i % 2 else 'politics'} " + " ".join(f"{w}:{dice.randint(1, 4)}" for w in words))
    pathlib.Path("text.libsvm").write_text("\n".join(lines) + "\n", encoding="utf-8")
    report(pathlib.Path("text.libsvm"), "-m", "swnb")
    check("m.html", {"confusion": 3, "roc": 2, "importance": 12, "chances": 2})


@test
def names_that_are_markup():
    dice = random.Random(4)
    path = pathlib.Path("h.csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HOSTILE + ["class <b>&\"'"])
        for i in range(160):
            row = [HOSTILE[(i + dice.randrange(2)) % len(HOSTILE)] for _ in HOSTILE[:-2]] + [f"{dice.gauss(i % 2, 1):.3f}" for _ in range(2)]
            writer.writerow(row + [HOSTILE[i % 2 * 4]])
    for method in ("auto", "nb"):
        report(path, "-m", method)
        check("m.html", {"confusion": 3, "chances": 2})
        page = show("m.html", width=390)
        page.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        page.run("document.querySelectorAll('button').forEach(b => b.click())")
        page.run("document.querySelectorAll('th, td, circle').forEach(e => e.dispatchEvent(new PointerEvent('pointermove', {bubbles: true})))")
        check_open(page, {"weights": 0}, f"{method}, all opened")
        same(page.run("document.querySelectorAll('img, iframe, b b').length"), 0, "elements of users")
        page.close()
        report(path, "-m", method, data=False)
        check("m.html", {"importance": 7, "chances": 2})


@test
def cross_validated_figures():
    report(LOANS, "-m", "nb", more=("--cv", "5"))
    heft("evaluate", LOANS, "-m", "nb", "--cv", "5", "--json", "e.json")
    told = json.loads(pathlib.Path("e.json").read_text(encoding="utf-8"))["datasets"][0]["methods"][0]
    page = show("m.html")
    head = page.run("document.getElementById('headline').textContent")
    require("5-fold cross-validation" in head and not page.run("!!document.getElementById('optimistic')"), "cross-validation is named")
    require(head.replace("\u2009", "").count(f"{100 * told['accuracy_pooled']:.1f}%"), f"accuracy {told['accuracy_pooled']}: {head}")
    detail = page.run("document.querySelector('#wrong .detail').textContent")
    require("in cross-validation" in detail, f"where the probability is from: {detail}")
    page.close()
    check("m.html", {"confusion": 3, "wrong-list": 5})


if __name__ == "__main__":
    page_look.run(sys.modules[__name__])
