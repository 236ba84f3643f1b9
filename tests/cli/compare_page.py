#!/usr/bin/env python3
"""Pages of comparisons and of checks in a real browser: they show the document that they contain, which is that of --json.

    compare_page.py HEFT [NAME...]      needs chromium; skipped (status 77) where there is none
"""
import csv
import json
import math
import pathlib
import random
import re
import sys

import browser
import page_look
from harness import EXAMPLES, heft, put, require, same, test
from page_look import check as look_at, check_open, document, opened

BROWSER = None
LOANS, IRIS = EXAMPLES / "loans.csv", EXAMPLES / "iris.csv"
HOSTILE = ["<script>alert(1)</script>", "a\"b'&c", "\u05d0\u05d1\u05d2 right to left", "\U0001f600 emoji", "x" * 500,
           "</script><img src=x onerror=alert(1)>", "\u202eturned"]
MANY = ["nb", "gnb", "flexnb", "enb", "dnb", "lnb", "gdnb", "sbc", "klnb", "treenb", "dfwnb", "cfwnb", "wanbia", "cawnb", "rnb", "cwanb",
        "deawnb", "tcsfsnb", "vwnb", "swnb", "lcwnb", "lwnb", "iclnb", "tan", "aode", "waode", "hnb"]
ALL_SIZES = ((1280, False), (1280, True), (390, False), (390, True))


def check(path, ids, sizes=((1280, False), (390, True))):
    look_at(BROWSER, path, ids, sizes)


def load(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def choose(page, measure):
    page.run(f"(() => {{ const m = document.getElementById('measure'); m.value = '{measure}'; m.dispatchEvent(new Event('change')); }})()")


def tip(page, selector):
    """What hovering over the first such mark tells."""
    return page.run(f"""(() => {{ const e = document.querySelector({json.dumps(selector)}), r = e.getBoundingClientRect();
        e.dispatchEvent(new PointerEvent('pointermove', {{clientX: r.left + r.width / 2, clientY: r.top + 1, bubbles: true}}));
        const box = document.getElementById('tip'); return box && !box.hidden ? box.textContent : null; }})()""")


# ---- comparisons ----

def table_shown(page, one):
    """The numbers of the table by row and column, whether each is marked as the best; of one data set by method."""
    cells = page.run("""[...document.querySelectorAll('#results tr:not(.mean)')].slice(1).map(tr => [tr.querySelector('th bdi').textContent,
        [...tr.querySelectorAll('td:not(.base)')].map(td => [+td.querySelector('span, strong').textContent, !!td.querySelector('strong')])])""")
    return dict(cells) if one else [line for _, line in cells]


def same_as_json(path, told):
    """Every measure of the menu, chosen, shows the numbers of the JSON file, and marks the best of them."""
    told = load(told)
    same(document(path), told, "the document of the page is that of --json")
    one = len(told["datasets"]) == 1
    page = opened(BROWSER, path, width=390)
    menu = page.run("[...document.getElementById('measure').options].map(o => o.value)")
    require(set(menu) >= {"accuracy", "balanced_accuracy", "log_loss", "auc", "brier"}, menu)
    for measure in menu:
        choose(page, measure)
        percent = 100 if measure == "accuracy" else 1
        shown = table_shown(page, one)
        for d, data in enumerate(told["datasets"]):
            wanted = {m["method"]: percent * m[measure] for m in data["methods"]}
            best = (min if measure in ("log_loss", "brier", "calibration_error", "mean_cost") else max)(wanted.values())
            found = {m: shown[m][menu.index(measure)] for m in wanted} if one else dict(zip(wanted, shown[d], strict=True))
            for method, (x, marked) in found.items():
                require(abs(x - wanted[method]) <= 0.00501 * (1 if percent == 100 else 0.01), f"{measure}: {x} is not {wanted[method]}")
                same(marked, abs(wanted[method] - best) <= 1e-9 * percent, f"{measure} of {method}: the best")
        one_measure = next(m for m in told["measures"] if m["name"] == measure)
        same(page.run("[...document.querySelectorAll('#headline .big, #headline .figure p')].map(e => e.textContent)"), one_measure["figures"], "figures")
        require(all(text in page.run("document.getElementById('headline').textContent") for text in one_measure["text"]), "sentences")
        check_open(page, {}, f"{path}, {measure}")
    page.close()


@test
def comparisons():
    heft("evaluate", LOANS, IRIS, "-m", "nb,gnb,cfwnb", "--cv", 3, "--report", "c.html", "--json", "c.json")
    check("c.html", {"results": 5, "ranks": 9, "time": 3, "sets": 6, "tests": 4, "rivals": 3, "confusion-0-0": 3}, ALL_SIZES)
    same_as_json("c.html", "c.json")
    page = opened(BROWSER, "c.html")
    page.run("document.querySelectorAll('#results td.go')[5].click()")
    check_open(page, {"confusion-1-2": 4, "classes-1-2": 4, "measures-1-2": 12}, "a cell that is clicked")
    told = load("c.json")["datasets"][1]["methods"][2]
    cut = page.run("[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 40))")
    same(cut, [], "tables that need scrolling at 1280")
    same(page.run("[...document.querySelectorAll('#confusion-1-2 tr')].slice(1).map(tr => [...tr.querySelectorAll('td')].map(e => +e.firstChild.textContent))"),
         told["confusion"], "its confusion matrix")
    require("mean rank" in tip(page, "#ranks circle"), "hovering over the ranks")
    require(tip(page, "#sets circle").startswith("nb on loans"), "hovering over the data sets")
    require("seconds" in tip(page, "#time circle"), "hovering over the time")
    require("nb on loans" in tip(page, "#results td.go"), "hovering over the table")
    ticks = page.run("[...document.querySelectorAll('#time > text.tick.mid')].map(e => [+e.textContent.replace('\u2212', '-'), +e.getAttribute('x')])")
    ticks = [t for t in ticks if t[0] > 0][1:-1] if len(ticks) > 4 else ticks
    require(len(ticks) > 1, f"the axis of time: {ticks}")
    steps = [(b[1] - a[1]) / math.log(b[0] / a[0]) for a, b in zip(ticks, ticks[1:])]
    require(max(steps) - min(steps) < 0.05 * max(steps), f"the axis of time is not logarithmic: {ticks}")
    page.run("document.getElementById('measure').focus()")  # a key chooses the next measure
    for kind in ("keyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key="ArrowDown", code="ArrowDown", windowsVirtualKeyCode=40)
    same(page.run("document.getElementById('measure').value"), "balanced_accuracy", "the measure chosen by a key")
    same(page.run("document.getElementById('results').dataset.measure"), "balanced_accuracy", "the table shown")
    page.close()
    page = BROWSER.open(pathlib.Path("c.html").resolve().as_uri(), scripts=False)
    root = page.call("DOM.getDocument")["root"]["nodeId"]
    for selector, there in (("#results", True), (".headline .big", True), ("#choose", False)):
        node = page.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        try:
            shown = page.call("DOM.getBoxModel", nodeId=node)["model"]["height"] > 0
        except browser.Failed:
            shown = False
        same(shown, there, f"without scripts: {selector}")
    page.close()


@test
def ranks_that_do_not_differ_are_joined():
    """The bars of the diagram are the groups of ranks that differ by less than the critical difference."""
    for k in range(6):
        dice = random.Random(k)
        put(f"t{k}.csv", "x,y,class\n" + "".join(f"{dice.gauss(i % 3, 1):.2f},{dice.gauss(0, 1):.2f},{'abc'[i % 3]}\n" for i in range(60)))
    heft("evaluate", *[f"t{k}.csv" for k in range(6)], "-m", ",".join(MANY), "--cv", 2, "--report", "m.html", "--json", "m.json")
    measure = load("m.json")["measures"][0]
    ranks, cd = sorted(measure["mean_rank"].values()), measure["critical_difference"]
    groups, last = [], 0
    for a, low in enumerate(ranks):
        b = max(k for k, x in enumerate(ranks) if x - low < cd)
        if b > a and b > last:
            groups.append((a, b))
            last = b
    for width in (1280, 390):
        page = opened(BROWSER, "m.html", width=width)
        same(page.run("document.querySelectorAll('#ranks .group').length"), len(groups), "bars")
        same(page.run("document.querySelectorAll('#ranks circle').length"), len(MANY), "methods")
        colours = page.run("[...document.querySelectorAll('#ranks circle')].map(e => getComputedStyle(e).fill)")
        same(len(set(colours)), len(MANY), f"colours of methods: {colours}")
        page.close()
    check("m.html", {"ranks": 80, "results": 9, "sets": 100, "wins": 28}, ALL_SIZES)


@test
def comparisons_of_stages_one_set_and_one_method():
    heft("evaluate", IRIS, LOANS, "-m", "nb,gnb", "--cv", 2, "--noise", "0,0.2,0.4", "--learn", "0.5,1", "--report", "s.html")
    check("s.html", {"curve-noise": 8, "curve-learn": 6})
    text = pathlib.Path("s.html").read_text(encoding="utf-8")
    require("the figures are for noise 0, learn 1." in text, "the head names the stage")
    heft("evaluate", IRIS, "-m", "nb", "--cv", 3, "--intervals", "--report", "o.html")
    check("o.html", {"measures-0-0": 10, "classes-0-0": 4, "confusion-0-0": 4})
    page = opened(BROWSER, "o.html")
    text = page.run("document.body.textContent")
    require("95\u2009% interval" in text and "Baseline: 33.3%" in text, "intervals and a baseline")
    page.close()
    heft("evaluate", IRIS, "-m", "nb,gnb,tan", "--cv", 3, "--report", "t.html", "--json", "t.json")
    check("t.html", {"results": 4, "sets": 6, "time": 3, "classes-0-0": 4})
    same_as_json("t.html", "t.json")


@test
def comparisons_of_saved_models_and_of_many_methods():
    for method in ("nb", "tan"):
        heft("train", LOANS, "-m", method, "-o", f"{method}.heft")
    heft("evaluate", "nb.heft", "tan.heft", "--test", LOANS, "--report", "m.html")
    check("m.html", {"results": 3, "rivals": 2, "sets": 4})
    heft("evaluate", IRIS, LOANS, "-m", ",".join(MANY[:11]), "--cv", 2, "--learn", "0.5,1", "--report", "m.html")
    check("m.html", {"ranks": 12, "curve-learn": 30})
    heft("evaluate", LOANS, "-m", ",".join(MANY), "--cv", 2, "--report", "m.html")
    check("m.html", {"results": 28, "sets": 54})
    put("many.csv", "x,y,class\n" + "".join(f"{i % 26},{i * 7 % 11},{chr(65 + i % 26)}\n" for i in range(520)))
    heft("evaluate", "many.csv", "-m", "nb,gnb", "--cv", 2, "--report", "m.html")
    check("m.html", {"confusion-0-0": 27, "classes-0-0": 27})


@test
def rare_classes_lead_a_comparison():
    """One row in sixty is a fraud: recall, precision and average precision come first, not an accuracy of 98%."""
    put("fraud.csv", "a,b,fraud\n" + "".join(f"{i * 7 % 13},{i * 5 % 11 + 9 * (i % 120 == 7)},{'yes' if i % 60 == 7 else 'no'}\n"
                                             for i in range(900)))
    heft("evaluate", "fraud.csv", "-m", "gnb,nb", "--report", "r.html", "--json", "r.json")
    still = re.findall(r'class="big">([^<]*)</div><p>(.*?)</p>', pathlib.Path("r.html").read_text(encoding="utf-8"))
    page = opened(BROWSER, "r.html")
    drawn = page.run("[...document.querySelectorAll('#headline .figure')].map(e => [...e.children].map(c => c.textContent))")
    said = page.run("document.getElementById('headline').textContent")
    page.close()
    for found in (still, drawn):
        same([re.sub(" \\(.*", "", title) for _, title in found], ["recall of yes", "precision of yes", "average precision of yes"], "what leads")
    require("98.3%, by always predicting the most frequent class, no" in said, "the baseline")
    best = max(load("r.json")["datasets"][0]["methods"], key=lambda m: m["per_class"][1]["average_precision"])
    same(drawn[2][0], f"{best['per_class'][1]['average_precision']:.3f}", "the method that finds it best")
    check("r.html", {}, ((1280, False), (390, False)))
    put("noise.csv", "a,fraud\n" + "".join(f"{i * 7 % 13},{'yes' if i % 60 == 7 else 'no'}\n" for i in range(900)))
    heft("evaluate", "noise.csv", "-m", "nb", "--report", "r.html")
    require("The accuracy is not above the baseline." in pathlib.Path("r.html").read_text(encoding="utf-8"), "in words")


@test
def comparisons_of_names_that_are_markup():
    names = [n.replace("/", "\u2215") for n in HOSTILE]
    text = IRIS.read_text(encoding="utf-8").replace("setosa", HOSTILE[0]).replace("virginica", "x" * 500)
    text = text.replace("versicolor", HOSTILE[2])
    for name in names:
        pathlib.Path(f"{name[:200]}.csv").write_text(text, encoding="utf-8")
    heft("evaluate", *[f"{name[:200]}.csv" for name in names], "-m", "nb,gnb", "--cv", 2, "--report", "h.html", "--json", "h.json")
    check("h.html", {"results": 8, "ranks": 4, "sets": 14})
    same(document("h.html"), load("h.json"), "the document")
    page = opened(BROWSER, "h.html", width=390)
    same(page.run("document.querySelectorAll('img, iframe').length"), 0, "elements of users")
    for k in range(7):
        page.run(f"document.querySelectorAll('#results td.go')[{2 * k}].click()")
        check_open(page, {f"confusion-{k}-0": 4}, names[k][:20])
    page.close()


# ---- checks ----

@test
def checks():
    heft("check", LOANS, "--json", "c.json", "-o", "c.html")
    same(document("c.html"), load("c.json"), "the document")
    check("c.html", {"information": 8, "class-rows": 2, "missing": 7, "all-columns": 10}, ALL_SIZES)
    page = opened(BROWSER, "c.html")
    same(page.run("[...document.querySelectorAll('[data-column]')].map(e => e.dataset.column).sort()"),
         sorted(c["name"] for c in load("c.json")["columns"] if not c["target"]), "columns")
    require("employed" in tip(page, "[data-column=work] tr") and "333" in tip(page, "[data-column=work] tr"), "hovering over a value")
    require("19 to 22" in tip(page, "[data-column=age] .pane"), "hovering over a bar")
    page.close()
    page = BROWSER.open(pathlib.Path("c.html").resolve().as_uri(), scripts=False)
    root = page.call("DOM.getDocument")["root"]["nodeId"]
    for selector, n in (("#columns tr", 9), ("#findings p", 1)):
        same(len(page.call("DOM.querySelectorAll", nodeId=root, selector=selector)["nodeIds"]), n, f"without scripts: {selector}")
    page.close()


@test
def checks_of_odd_tables():
    """Names that are markup, many classes, a column without values: labels are whole, and nothing is read as markup."""
    dice = random.Random(4)
    with open("h.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HOSTILE + ["empty", "class <b>&\"'"])
        for i in range(160):
            row = [HOSTILE[(i + dice.randrange(2)) % len(HOSTILE)] for _ in HOSTILE[:-2]] + [f"{dice.gauss(i % 2, 1):.3f}" for _ in range(2)]
            writer.writerow(row + ["", HOSTILE[i % 2 * 4]])
    heft("check", "h.csv", "--json", "h.json", "-o", "h.html")
    same(document("h.html"), load("h.json"), "the document")
    check("h.html", {"information": 3, "class-rows": 2})
    page = opened(BROWSER, "h.html", width=390)
    same(page.run("document.querySelectorAll('img, iframe').length"), 0, "elements of users")
    require("All cells are missing." in page.run("document.body.textContent"), "a column without values")
    cut = page.run("[...document.querySelectorAll('th, figcaption')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 30))")
    same(cut, [], "labels that are cut")
    page.close()
    put("many.csv", "x,town,class\n" + "".join(f"{i % 7},{'abcdefgh'[i % 8] * 20},c{i % 30}\n" for i in range(600)))
    heft("check", "many.csv", "-o", "m.html")
    check("m.html", {"class-rows": 20})
    page = opened(BROWSER, "m.html")
    same(page.run("document.querySelectorAll('#columns .legend span').length"), 10, "nine classes, and the others")
    require("21 other classes" in page.run("document.querySelector('#columns .legend').textContent"), "the others")
    page.close()


@test
def checks_of_many_columns():
    dice = random.Random(2)
    with open("wide.csv", "w", encoding="utf-8") as file:
        file.write(",".join(f"attribute_{j}" for j in range(2000)) + ",class\n")
        for i in range(60):
            file.write(",".join(f"{dice.gauss((i % 2) * (j < 20), 1):.2f}" for j in range(2000)) + f",{'ab'[i % 2]}\n")
    heft("check", "wide.csv", "-o", "w.html")
    size = pathlib.Path("w.html").stat().st_size
    require(size < 1_500_000, f"{size} bytes")
    check("w.html", {"information": 12})
    page = opened(BROWSER, "w.html")
    require(page.run("performance.timing.loadEventEnd - performance.timing.navigationStart") < 3000, "drawn at once")  # a second, on an idle machine
    same(page.run("document.querySelectorAll('[data-column]').length"), 100, "columns drawn")
    first = page.run("document.querySelector('[data-column]').dataset.column")
    page.run(f"(() => {{ const f = document.getElementById('find'); f.value = '{first}'; f.dispatchEvent(new Event('input')); }})()")
    found = page.run("[...document.querySelectorAll('[data-column]')].filter(e => e.checkVisibility()).map(e => e.dataset.column)")
    require(first in found and all(first in name for name in found) and len(found) < 100, f"found: {found}")
    page.run("(() => { const d = document.querySelector('#list details'); d.open = true; })()")
    page.run("new Promise(done => setTimeout(done, 200))")
    same(page.run("document.querySelectorAll('#all-columns tbody tr').length"), 2001, "the table of all")
    page.close()


if __name__ == "__main__":
    page_look.run(sys.modules[__name__])
