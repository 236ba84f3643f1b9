#!/usr/bin/env python3
"""heft evaluate in full: results that outlive a crash, stages, tables, tests, and bad input.

    evaluation.py HEFT [NAME...]      as harness.py says
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree

import harness
from harness import (EXAMPLES, HEFT, PATIENCE, SMALL, Run, files, heft, put, refused, require, same,
                     test)

IRIS, WINE, LOANS = (EXAMPLES / f"{name}.csv" for name in ("iris", "wine", "loans"))


def load(name="r.json"):
    return json.loads(pathlib.Path(name).read_text(encoding="utf-8"))


def figures(result):
    """Everything but the seconds."""
    for data in result["datasets"]:
        for cell in data["methods"]:
            cell.pop("fit_seconds", None)
            cell.pop("checksum", None)  # of the seconds too
            cell.pop("predict_seconds", None)
    return result


# ---- results that are kept -----------------------------------------------------------------------

@test
def json_is_reused_and_extended():
    args = ["evaluate", IRIS, WINE, "--cv", "4", "--json", "r.json"]
    same(heft(*args, "-m", "nb,gnb").err, "", "nothing to reuse")
    before = load()
    run = heft(*args, "-m", "nb,gnb,cfwnb")
    require("r.json: 4 of 6 results reused" in run.err, run.err)
    after = load()
    for old, new in zip(before["datasets"], after["datasets"]):
        same(new["methods"][:2], old["methods"], "the same to the last digit, seconds too")
    require("6 of 6" in heft(*args, "-m", "nb,gnb,cfwnb").err, "all")
    same(heft(*args, "-m", "nb,gnb,cfwnb", "-q").err, "", "-q")
    same(heft(*args, "-m", "nb,gnb,cfwnb", "--fresh").err, "", "--fresh")
    require("2 of 2" in heft("evaluate", IRIS, "--cv", "4", "--json", "r.json", "-m", "nb,gnb").err, "fewer")
    same(heft("evaluate", IRIS, "--cv", "5", "--json", "r.json", "-m", "nb,gnb").err, "", "other folds")
    same(files(), ["r.json"], "no leftovers")


@test
def other_files_are_not_overwritten():
    put("notes.txt", "remember the milk\n")
    refused("evaluate", IRIS, "--json", "notes.txt", says="does not hold results of heft")
    same(open("notes.txt", encoding="utf-8").read(), "remember the milk\n", "untouched")
    put("empty", "")
    heft("evaluate", IRIS, "-m", "nb", "--json", "empty")
    require(load("empty")["datasets"], "an empty file is filled")
    refused("evaluate", IRIS, "--json", "no/such/folder.json", says="no/such/folder")
    refused("evaluate", IRIS, "--fresh", status=2, says="--json")
    heft("evaluate", IRIS, "-m", "nb", "--json", "/dev/null")


@test
def a_killed_run_goes_on_from_its_file():
    """Killed at any moment, the file is whole; the next run goes on and ends with the same figures."""
    rows = LOANS.read_text().splitlines(keepends=True)
    put("big.csv", rows[0] + "".join(rows[1:]) * 12)
    methods = "nb,gnb,cfwnb,klnb,wanbia,tan,aode,hnb"
    args = ["evaluate", "big.csv", LOANS, "-m", methods, "--cv", "5", "--threads", "2"]
    whole = figures(json.loads(heft(*args, "--json", "-").out))
    reused, killed = 0, 0
    for wait in (0.02, 0.05, 0.1, 0.2, 0.3, 0.4):
        with subprocess.Popen([HEFT, *map(str, args), "--json", "r.json"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            began = time.monotonic()
            while process.poll() is None and time.monotonic() - began < PATIENCE:
                known = os.path.exists("r.json") and load()
                cells = sum(len(d["methods"]) for d in known["datasets"]) if known else 0
                if cells > reused:  # something new was kept: kill a little later
                    time.sleep(wait)
                    break
                time.sleep(0.005)
            process.kill()
            process.wait()
            killed += process.returncode == -signal.SIGKILL
        if os.path.exists("r.json"):
            reused = sum(len(d["methods"]) for d in load()["datasets"])
        if reused == 16:
            break
    require(killed > 0 and reused > 0, f"{killed} killed, {reused} kept")
    run = heft(*args, "--json", "r.json")
    require(f"r.json: {reused} of 16 results reused" in run.err, f"{reused}: {run.err}")
    same(figures(load()), whole, "as if nothing had happened")


@test
def a_signal_keeps_what_is_finished():
    rows = LOANS.read_text().splitlines(keepends=True)
    put("big.csv", rows[0] + "".join(rows[1:]) * 20)
    with subprocess.Popen([HEFT, "evaluate", str(IRIS), "big.csv", "-m", "nb,gnb,wanbia,rnb,tan", "--cv", "20",
                           "--repeat", "20", "--json", "r.json"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        began = time.monotonic()
        while not os.path.exists("r.json") and time.monotonic() - began < PATIENCE:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    same((process.returncode, out), (130, b""), str(err))
    require(b"the finished results are in r.json" in err and err.count(b"\n") == 1, str(err))
    part = load()
    require(part["partial"] and part["datasets"][0]["methods"], "a part")
    same(files(), ["big.csv", "r.json"], "files")


# ---- what comes out ------------------------------------------------------------------------------

@test
def one_result_is_told_in_full():
    run = heft("evaluate", IRIS, "-m", "nb", "--json", "r.json")
    cell = load()["datasets"][0]["methods"][0]
    require("calibration error" in run.out and "actual \\ predicted" in run.out, run.out)
    lines = run.out.splitlines()
    matrix = [list(map(int, line.split()[1:])) for line in lines[-3:]]
    same(matrix, cell["confusion"], "confusion")
    same(sum(map(sum, matrix)), 150, "every row once")
    same(sum(matrix[k][k] for k in range(3)) / 150, cell["accuracy_pooled"], "accuracy")
    require(0 <= cell["calibration_error"] < 0.2, "calibration error")
    same(load()["datasets"][0]["class_names"], ["setosa", "versicolor", "virginica"], "classes")
    run = heft("evaluate", IRIS, "-m", "nb,gnb")
    require("actual \\ predicted" not in run.out, "not for several")
    same(heft("evaluate", IRIS, "-m", "nb,gnb", "-v").out, run.out, "-v is for messages")
    same(heft("evaluate", IRIS, "-m", "nb,gnb", "--details").out.count("actual \\ predicted"), 2, "--details")


@test
def latex_compiles():
    rows = SMALL.splitlines()
    put("a_b%50 {x} & y~z^$#.csv", "\n".join(rows) + "\n")
    heft("evaluate", "a_b%50 {x} & y~z^$#.csv", IRIS, "-m", "nb,cfwnb,klnb:normalise=sum", "--cv", "3",
         "--latex", "t.tex")
    text = open("t.tex", encoding="utf-8").read()
    for word in (r"\toprule", r"\midrule", r"\bottomrule", r"a\_b\%50 \{x\} \& y\textasciitilde{}",
                 r"\textbf{", "Friedman"):
        require(word in text, f"no {word} in {text}")
    same(text.count(r"\begin{"), text.count(r"\end{"), "environments")
    labels = re.findall(r"\\caption\{.*?\}\n\\label\{(tab:[a-z-]*)\}", text, re.DOTALL)
    same(labels, ["tab:results-accuracy", "tab:results-measures"], "a caption and a label for each table")
    one = heft("evaluate", "a_b%50 {x} & y~z^$#.csv", "-m", "nb", "--cv", "3", "--noise", "0,0.1", "--latex", "-").out
    require(r"\caption{Accuracy of nb on a\_b\%50 \{x\} \& y\textasciitilde{}" in one and
            r"\label{tab:a-b-50--x----y-z----accuracy}" in one and one.count(r"\label{") == one.count(r"\caption{") == 2, one)
    body = text[text.index(r"\toprule"):text.index(r"\bottomrule")]
    same({len(re.findall(r"(?<!\\)&", line)) for line in body.splitlines() if line.endswith(r"\\")}, {4},
         "five columns in every line")
    require(heft("evaluate", IRIS, "-m", "nb", "--latex", "-").out.startswith("% heft"), "to standard output")
    if not shutil.which("pdflatex"):
        print("        (pdflatex is not at hand: not compiled)")
        return
    put("d.tex", "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}\\begin{document}"
                 + text + "\\end{document}\n")
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "d.tex"],
                          capture_output=True, text=True, timeout=PATIENCE, check=False)
    same(done.returncode, 0, done.stdout[-1500:])


@test
def stages_in_table_and_json():
    run = heft("evaluate", LOANS, "-m", "nb,lnb", "--cv", "3", "--noise", "0,0.2,0.4", "--json", "r.json",
               "--csv", "r.csv", "--report", "r.html")
    for word in ("loans", "noise 0 ", "noise 0.2", "noise 0.4"):
        require(word in run.out, run.out)
    result = load()
    cells = result["datasets"][0]["methods"]
    same([(c["noise"], c["method"]) for c in cells],
         [(n, m) for n in (0, 0.2, 0.4) for m in ("nb", "lnb")], "cells")
    same([s["noise"] for s in result["summary"]["stages"]], [0, 0.2, 0.4], "stages")
    same(result["summary"]["stages"][0]["mean_accuracy"], result["summary"]["mean_accuracy"], "the first")
    require('"stages": [' in open("r.html", encoding="utf-8").read(), "the page has them")
    heft("evaluate", LOANS, IRIS, "-m", "nb", "--cv", "3", "--learn", "0.1,1", "--dimensions", "2,4", "--json",
         "s.json")
    cell = load("s.json")["datasets"][0]["methods"][3]
    same((cell["learn"], cell["dimensions"]), (1, 4), "both")
    plain = json.loads(heft("evaluate", LOANS, "-m", "nb,lnb", "--cv", "3", "--json", "-").out)
    same(plain["datasets"][0]["methods"][0]["per_fold"], cells[0]["per_fold"], "noise 0")
    for args, says in ((["--noise", "2"], "from 0 to 1"), (["--learn", "x"], "--learn"),
                       (["--dimensions", "2", "--select", "cfs"], "leave out --select")):
        refused("evaluate", LOANS, *args, says=says)


@test
def the_summary_is_about_the_full_stage():
    plain = json.loads(heft("evaluate", LOANS, "-m", "nb,lnb", "--cv", "3", "--json", "-").out)["summary"]
    heft("evaluate", LOANS, "-m", "nb,lnb", "--cv", "3", "--noise", "0.2,0", "--learn", "0.2,1,0.5", "--json",
         "r.json", "--report", "r.html")
    summary = load()["summary"]
    same((summary["noise"], summary["learn"]), (0, 1), "the stage")
    for key in ("mean_accuracy", "mean_rank", "tests"):
        same(summary[key], plain[key], key)
    require("the figures are for noise 0, learn 1." in open("r.html", encoding="utf-8").read(), "the page says it")
    for options, stage in ((["--learn", "30,60,20"], {"learn": 60}), (["--noise", "0.3,0.1"], {"noise": 0.1}),
                           (["--dimensions", "20%,80%,50%"], {"dimensions": "80%"}),
                           (["--dimensions", "3,6,2", "--learn", "0.1,0.7"], {"dimensions": 6, "learn": 0.7})):
        heft("evaluate", LOANS, "-m", "nb", "--cv", "3", *options, "--json", "n.json")
        summary = load("n.json")["summary"]
        same({key: summary[key] for key in stage}, stage, str(options))
        alike = [s for s in summary["stages"] if all(s[key] == stage[key] for key in stage)]
        same([s["mean_accuracy"] for s in alike], [summary["mean_accuracy"]], str(options))


@test
def level_and_kind_of_test():
    args = ["evaluate", IRIS, WINE, LOANS, "-m", "nb,tan,cfwnb", "--cv", "5", "--repeat", "2", "--json", "r.json"]
    heft(*args)
    corrected = load()["summary"]["tests"]
    run = heft(*args, "--paired", "plain", "--alpha", "0.2")
    plain = load()["summary"]["tests"]
    require("9 of 9" in run.err and "paired t-test, level 0.2" in run.out, str(run))
    same((corrected["paired"], corrected["alpha"], plain["paired"], plain["alpha"]),
         ("corrected", 0.05, "plain", 0.2), "settings")
    for a, b in zip(corrected["paired_t"], plain["paired_t"]):
        require(b["p"] <= a["p"], "the plain test is the bolder one")
        same(b["significant"], b["p"] < 0.2, "significant")
    require(plain["nemenyi"]["critical_difference"] < corrected["nemenyi"]["critical_difference"], "level")
    for bad in ("0", "1", "x", "-1"):
        refused(*args, "--alpha", bad, status=2, says="--alpha")
    refused(*args, "--paired", "odd", status=2, says=r"corrected\|plain")


# ---- bad input -----------------------------------------------------------------------------------

@test
def a_class_absent_from_a_fold():
    """A class of one row: absent from the training rows of one fold, from the test rows of the rest."""
    rare = "x,class\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(20)) + "99,rare\n"
    put("rare.csv", rare)
    for method in ("nb", "tan", "lnb", "rnb", "auto"):
        heft("evaluate", "rare.csv", "-m", method, "--cv", "5", "--json", "r.json", "--fresh", "-q")
        cell = load()["datasets"][0]["methods"][0]
        same(sum(cell["confusion"][2]), 1, f"{method}: its row is tested once")
        same(cell["confusion"][2][2], 0, f"{method}: nobody has heard of it then")
        require(all(0 <= x <= 1 for x in cell["per_fold"]) and cell["log_loss"] < 40, method)


@test
def too_few_rows_and_wrong_folds():
    put("small.csv", SMALL)
    refused("evaluate", "small.csv", "--cv", "21", says=r"20 rows cannot be divided into 21 folds \(use --cv 20 or less\)")
    put("one.csv", "x,class\n1,a\n")
    refused("evaluate", "one.csv", says="the data have 1 row with a class")
    for content, says in (("0\n1\n", r"folds: the file has 2 lines, and the data have 20 rows"),
                          ("0\n1\n" * 11, r"folds:21: the data have only 20 rows"),
                          ("0\n" * 20, "all rows are in fold 0"), ("0\n2\n" * 10, "fold 1 has no rows"),
                          ("0\n1\n" * 9 + "0,1\n1\n", "the line has 2 fold numbers, but the first line has 1"), ("", "0 lines")):
        put("folds", content)
        refused("evaluate", "small.csv", "--folds", "folds", says=says)


@test
def all_predictions_equal_and_ties_everywhere():
    """An attribute that says nothing: every method predicts the larger class, and all tests say so."""
    put("flat.csv", "x,class\n" + "".join(f"1,{'aab'[i % 3]}\n" for i in range(30)))
    put("flat2.csv", "x,class\n" + "".join(f"1,{'aaab'[i % 4]}\n" for i in range(40)))
    run = heft("evaluate", "flat.csv", "flat2.csv", "-m", "nb,gnb,cfwnb", "--cv", "5", "--json", "r.json",
               "--report", "r.html", "--latex", "t.tex")
    tests = load()["summary"]["tests"]
    same((tests["friedman"]["p"], tests["iman_davenport"]["p"], tests["quade"]["p"]), (1, 1, 1), "p")
    same(tests["wilcoxon"], {"gnb": 1, "cfwnb": 1}, "Wilcoxon")
    same(load()["summary"]["mean_rank"], {"nb": 2, "gnb": 2, "cfwnb": 2}, "ranks")
    same(tests["record"]["gnb"], {"wins": 0, "ties": 2, "losses": 0, "significantly_better": 0,
                                  "significantly_worse": 0, "sign_p": 1, "sign_upper_p": 0.75}, "record")
    cell = load()["datasets"][0]["methods"][0]
    same((cell["auc"], cell["confusion"]), (0.5, [[20, 0], [10, 0]]), "one prediction")
    require("no method is outside" in run.out, run.out)


@test
def documents_describe_every_measure():
    """docs/evaluation.md has the lines of lib/eval/measures.def, and the results have their names."""
    root = pathlib.Path(__file__).resolve().parents[2]
    listed = re.findall(r"^HEFT_MEASURE\((\w+), (.*?)\)$", (root / "lib/eval/measures.def").read_text(encoding="utf-8"),
                        re.M | re.S)
    require(len(listed) > 5, str(listed))
    page = (root / "docs/evaluation.md").read_text(encoding="utf-8")
    heft("evaluate", IRIS, "-m", "nb", "--json", "r.json", "--csv", "r.csv")
    cell = load()["datasets"][0]["methods"][0]
    header = open("r.csv", encoding="utf-8").readline().strip().split(",")
    names = [name for name, _ in listed]
    same([n for n in cell if n in names], [n for n in names if n != "mean_cost"], "JSON")
    same(header[header.index(names[0]):][: len(names)], names, "CSV")
    for name, rest in listed:
        better = rest.split(", ")[1].lower()
        description = "".join(re.findall(r'"([^"]*)"', rest)[1:])
        require(f"| `{name}` | {better} | {description} |" in page, f"{name}: {better}, {description}")


@test
def folds_are_told_one_by_one():
    """--fold-csv has the figures that the JSON has, also those that come from its file."""
    args = ["evaluate", IRIS, WINE, "-m", "nb,cfwnb", "--cv", "4", "--repeat", "3", "--json", "r.json", "--fold-csv"]
    heft(*args, "f.csv")
    lines = [line.split(",") for line in open("f.csv", encoding="utf-8").read().splitlines()]
    same(lines[0], ["data", "method", "repeat", "fold", "accuracy", "macro_f1", "noise", "learn", "dimensions"], "names")
    expected = [[data["name"], cell["method"], str(1 + k // 4), str(k % 4), float(a), float(f), "0", "1", ""]
                for data in load()["datasets"] for cell in data["methods"]
                for k, (a, f) in enumerate(zip(cell["per_fold"], cell["per_fold_macro_f1"]))]
    same([[*line[:4], float(line[4]), float(line[5]), *line[6:]] for line in lines[1:]], expected, "figures")
    run = heft(*args, "again.csv")
    require("4 of 4 results reused" in run.err, run.err)
    same(open("again.csv", "rb").read(), open("f.csv", "rb").read(), "from the file of results")
    heft("train", IRIS, "-m", "nb", "-o", "m.heft")
    same(heft("evaluate", "m.heft", "--test", IRIS, "--fold-csv", "-").out.splitlines()[1].split(",")[:4],
         ["iris", "m.heft", "1", "0"], "a saved model")
    out = heft("evaluate", IRIS, "-m", "nb", "--cv", "2", "--noise", "0,0.1", "--fold-csv", "-").out.splitlines()
    same([line.split(",")[6] for line in out[1:]], ["0", "0", "0.1", "0.1"], "stages")


@test
def figures_show_the_ranks():
    """--figure has every method once with its mean rank, and bars where Nemenyi's difference says so."""
    methods = ["nb", "cfwnb", "tan", "lcwnb:kappa=3", "gnb"]
    args = ["evaluate", IRIS, WINE, LOANS, "-m", ",".join(methods), "--cv", "3", "--json", "r.json", "--figure"]
    heft(*args, "f.svg")
    summary = load()["summary"]
    ranks, difference = summary["mean_rank"], summary["tests"]["nemenyi"]["critical_difference"]
    root = xml.etree.ElementTree.parse("f.svg").getroot()
    space = "{http://www.w3.org/2000/svg}"
    texts = [x.text for x in root.iter(f"{space}text")]
    same([t for t in texts if t in methods], sorted(methods, key=ranks.get), "the methods by their ranks")
    same([t for t in texts if "." in t and "CD" not in t], [f"{r:.2f}" for r in sorted(ranks.values())], "mean ranks")
    require(f"CD = {difference:.3f}" in texts and difference > max(ranks.values()) - min(ranks.values()), str(texts))
    bars = [x for x in root.iter(f"{space}path") if x.get("stroke-width") == "3.0"]
    same(len(bars), 1, "one bar over all: no two differ")
    width, high = (float(root.get(name)) for name in ("width", "height"))
    places = [float(v) for x in root.iter(f"{space}path") for v in re.findall(r"[\d.]+", x.get("d"))]
    require(0 < min(places) and max(places[0::2]) < width and max(places[1::2]) < high, "inside the picture")
    heft(*args, "f.tex")
    text = open("f.tex", encoding="utf-8").read()
    require(text.count(r"\begin{tikzpicture}") == text.count(r"\end{tikzpicture}") == 1, text)
    same(re.findall(r"(?:east|west)\] at .* \{(.*)\};", text), sorted(methods, key=ranks.get), "TikZ")
    refused(*args, "f.png", says="--figure takes a file that ends in .svg or .tex, not 'f.png'", status=2)
    refused("evaluate", IRIS, "--figure", "x.svg", says="--figure needs at least two data sets", status=2)
    refused("evaluate", IRIS, WINE, "-m", "nb", "--figure", "x.svg", says="--figure needs at least two methods", status=2)
    run = Run(["evaluate", IRIS, WINE, "-m", "nb,gnb", "--dimensions", "9", "--figure", "x.svg"])
    same((run.status, "x.svg" in files()), (1, False), "no file")
    require("two data sets on which every method has a result (here: 2 methods and 1 data set)" in run.err
            and "win/tie/loss" in run.out, f"the table is there all the same: {run}")
    if shutil.which("pdflatex"):
        put("d.tex", "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{tikz}\\begin{document}"
                     + text + "\\end{document}\n")
        done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "d.tex"],
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        same(done.returncode, 0, done.stdout[-1500:])


@test
def imported_accuracies_take_part():
    """What --fold-csv wrote of a method gives the figures and tests of that method when it is imported under another name."""
    args = ["evaluate", IRIS, WINE, LOANS, "--cv", "3", "--repeat", "2", "--json"]
    heft(*args, "all.json", "-m", "nb,cfwnb,tan")
    heft(*args, "some.json", "-m", "cfwnb,tan", "--fold-csv", "f.csv")
    lines = open("f.csv", encoding="utf-8").read().replace(",cfwnb,", ',"c, ""f""",').replace(",tan,", ",t_n<&>,").splitlines(True)
    cut = [k for k, line in enumerate(lines) if "t_n" in line]
    put("one.csv", "".join(x for k, x in enumerate(lines) if k not in cut))
    put("two.csv", "\ufeffaccuracy,fold,repeat,method,data\r\n" + "\r\n".join(
        ",".join(lines[k].split(",")[4::-1]) for k in reversed(cut)) + "\r\n\r\n")
    run = heft(*args, "r.json", "-m", "nb", "--import", "one.csv", "--import", "two.csv", "--latex", "t.tex",
               "--markdown", "t.md", "--report", "r.html", "--figure", "f.svg", "--csv", "t.csv", "--details")
    whole, found = load("all.json"), load()
    names = {"nb": "nb", "cfwnb": 'c, "f"', "tan": "t_n<&>"}
    for old, new in zip(whole["datasets"], found["datasets"]):
        same([m["method"] for m in new["methods"]], list(names.values()), "methods")
        for a, b in list(zip(old["methods"], new["methods"]))[1:]:
            same([b[k] for k in ("accuracy", "accuracy_sd", "per_fold")], [a[k] for k in ("accuracy", "accuracy_sd", "per_fold")], "figures")
            same((b["imported"], b["auc"], b["macro_f1_folds"], b["fit_seconds"], "confusion" in b), (True, None, None, None, False), str(b))
        require("imported" not in new["methods"][0] and new["methods"][0]["auc"] > 0, "its own")
    renamed = json.loads(json.dumps(whole["summary"]).replace('"cfwnb"', json.dumps(names["cfwnb"])).replace('"tan"', '"t_n<&>"'))
    same(found["summary"], renamed, "ranks and tests")
    require('Imported accuracies: c, "f", t_n<&>' in run.out, run.out)
    for name, text in (("t.tex", r"t\_n\textless{}\&\textgreater{}."), ("t.md", r"t\_n\<&>"), ("r.html", "t_n&lt;&amp;&gt;.</p>")):
        found = pathlib.Path(name).read_text(encoding="utf-8")
        require("Imported accuracies" in found and text in found, f"{name}: {found[:3000]}")
    require("t_n&lt;&amp;&gt;" in pathlib.Path("f.svg").read_text(encoding="utf-8"), "the figure")
    again = heft(*args, "r.json", "-m", "nb", "--import", "one.csv", "--import", "two.csv")
    require("3 of 3 results reused" in again.err, again.err)


@test
def bad_imports_are_refused():
    head, line = "data,method,repeat,fold,accuracy\n", "iris,x,1,0,0.9\n"
    for text, says in (
            ("", "i.csv: the file is empty"), ("data,method,fold,accuracy\n" + line, "i.csv:1: there is no column 'repeat'"),
            (head + "wine,x,1,0,0.9\n", "i.csv:2: this run has no data set 'wine'"),
            (head + line + "iris,x,1,2,0.9\n", r"i.csv:3: unknown fold '2' of data set 'iris' \(this run has 0 to 1\)"),
            (head + line + "iris,x,2,0,0.9\n", "i.csv:3: unknown repeat '2'"), (head + "iris,x,0,0,0.9\n", "i.csv:2: unknown repeat '0'"),
            (head + "iris,x,1,0.5,0.9\n", "i.csv:2: unknown fold '0.5'"), (head + "iris,x,1,-1,0.9\n", "i.csv:2: unknown fold '-1'"),
            (head + "\n" + line + line, "i.csv:4: method 'x' has an accuracy of data set 'iris', repeat 1, fold 0 already"),
            (head + "iris,x,1,0,good\n", "i.csv:2: column 'accuracy': 'good' is not a number"),
            (head + "iris,x,1,0,nan\n", "i.csv:2: column 'accuracy': 'nan' is not a number"),
            (head + "iris,x,1,0,93.1\n", r"i.csv:2: column 'accuracy': 93.1 is not from 0 to 1 \(write a share"),
            (head + "iris,x,1,0,-0.1\n", "is not from 0 to 1"), (head + "iris,nb,1,0,0.9\n", "i.csv:2: this run has a method 'nb' of its own"),
            (head + "iris,,1,0,0.9\n", "i.csv:2: the method has no name"), (head + "iris,x,1,0\n", "i.csv:2: the line has 4 fields, but the first line has 5"),
            (head + '"iris,x,1,0,0.9\n', "i.csv:2: .*quot"), (head + '"iris"x,x,1,0,0.9\n', "i.csv:2: .*quot"),
            (head + 'iris,"x\ny",1,0,0.9\n' + "wine,x,1,0,1\n", "i.csv:4: this run has no data set"),
            (head + line, "i.csv: method 'x' has no accuracy of data set 'iris', repeat 1, fold 1")):
        put("i.csv", text)
        refused("evaluate", IRIS, "-m", "nb", "--cv", "2", "--import", "i.csv", says=says)
    refused("evaluate", IRIS, "--import", "none.csv", says="none.csv")
    refused("evaluate", IRIS, "--import", "i.csv", "--noise", "0,0.1", says="--import cannot be combined with --noise", status=2)
    refused("evaluate", IRIS, "--import", "i.csv", "--csv", "i.csv", says="would be overwritten", status=2)


@test
def alternatives_are_chosen_by_inner_folds():
    """The model is that of the value with the best held-out accuracy, and an evaluation chooses in each fold."""
    def told(name):
        info = json.loads(heft("inspect", name, "--json", "-").out)
        return info["parameters"], info["extra"].get("chosen")
    heft("train", LOANS, "-m", "lcwnb", "-p", "kappa=5|200|10", "--threads", "1", "-o", "m.heft")
    parameters, chosen = told("m.heft")
    held = dict(re.findall(r"kappa=(\d+): (0\.\d{4})", chosen))
    same(list(held), ["5", "200", "10"], "all of them, in their order")
    same(str(parameters["kappa"]), max(held, key=held.get), chosen)
    require(held["200"] > held["5"], chosen)
    heft("train", LOANS, "-m", "lcwnb", "-p", f"kappa={parameters['kappa']}", "-o", "fixed.heft")
    heft("train", LOANS, "-m", "lcwnb", "-p", "kappa=5|200|10", "--threads", "3", "-o", "threads.heft")
    same(told("threads.heft"), (parameters, chosen), "threads")
    same(heft("predict", "m.heft", LOANS, "--proba").out, heft("predict", "fixed.heft", LOANS, "--proba").out, "the model")
    heft("train", LOANS, "-m", "lcwnb", "-p", "kappa=10|10.0", "-p", "constant=keep|drop", "-o", "m.heft")
    parameters, chosen = told("m.heft")
    same(re.findall(r"(kappa=\S+ constant=\w+): ", chosen), [f"kappa={k} constant={c}" for k in ("10", "10.0") for c in ("keep", "drop")],
         "combinations")
    same(parameters["constant"], "keep", "the first of equal ones")
    # the same choice in each fold: its training rows are all that is seen
    args = ["evaluate", LOANS, "--cv", "3", "--json", "r.json", "-m"]
    heft(*args, "lcwnb:kappa=5|200|10,lcwnb:kappa=5,lcwnb:kappa=10,lcwnb:kappa=200", "--predictions", "p.csv")
    cells = load()["datasets"][0]["methods"]
    rows = [line.split(",") for line in LOANS.read_text(encoding="utf-8").splitlines()]
    folds = [line.split(",")[3:5] for line in open("p.csv", encoding="utf-8") if ",lcwnb:kappa=5," in line]
    for fold in range(3):
        test = {int(row) for f, row in folds if int(f) == fold}
        put("part.csv", "\n".join(",".join(r) for k, r in enumerate(rows) if k not in test) + "\n")
        heft("train", "part.csv", "-m", "lcwnb", "-p", "kappa=5|200|10", "-o", "part.heft")
        value = told("part.heft")[0]["kappa"]
        same(cells[0]["per_fold"][fold], next(c["per_fold"][fold] for c in cells if c["method"] == f"lcwnb:kappa={value}"), "fold")
    heft(*args, "lcwnb:kappa=5|200|10")
    require("reused" not in heft(*args, "lcwnb:kappa=5|200").err, "other alternatives are another method")
    same(heft("evaluate", LOANS, "--cv", "3", "-m", "lcwnb,nb", "-p", "kappa=5|200|10", "--csv", "-").out.splitlines()[1].split(",")[9],
         repr(cells[0]["accuracy"]), "-p")
    for value, says in (("5|x", "'x' is not accepted"), ("5|", "'' is not accepted"), ("|".join(map(str, range(1, 102))), "more than 100 comb")):
        for command in (("train", LOANS, "-o", "x.heft", "-m", "lcwnb", "-p", f"kappa={value}"), ("evaluate", LOANS, "-m", f"lcwnb:kappa={value}")):
            refused(*command, says=says, status=2)
    put("few.csv", "a,class\n" + "1,x\n2,y\n" * 3)
    heft("train", "few.csv", "-m", "lcwnb", "-p", "kappa=5|200", "-o", "few.heft")
    same(told("few.heft")[0]["kappa"], 5, "too few rows to choose")


@test
def outputs_may_be_pipes():
    """Each is opened once: the first reader of a pipe gets all of it. As train and predict do."""
    names = ["json", "csv", "fold-csv", "markdown", "latex", "report", "predictions", "curves"]
    for name in names:
        os.mkfifo(name)
    args = ["evaluate", IRIS, "-m", "nb", "--cv", "3"]
    heft(*args, *(word for name in names for word in (f"--{name}", f"{name}.txt")))
    for name in names:
        reader = subprocess.Popen(["cat", name], stdout=subprocess.PIPE)
        run = subprocess.run([HEFT, *args, f"--{name}", name], capture_output=True, check=False, timeout=PATIENCE)
        got = reader.communicate(timeout=PATIENCE)[0]
        same(run.returncode, 0, f"{name}: {run.stderr}")
        seconds = rb"\d+[.,]?\d*(e-\d+)?"  # of time differ
        kept = pathlib.Path(f"{name}.txt").read_bytes()
        same(re.sub(seconds, b"", got)[:200], re.sub(seconds, b"", kept)[:200], name)
        require(abs(len(got) - len(kept)) < 100, f"{name}: {len(got)} and {len(kept)} bytes")
    os.mkfifo("unwritable", 0o400)
    if os.geteuid():
        refused(*args, "--csv", "unwritable", says="unwritable")


@test
def failures_are_told_once_per_stream():
    """Below the table, which may be kept in a file, and as errors."""
    args = ("evaluate", IRIS, "-m", "nb,gnb", "--dimensions", "50,2")
    why = "iris, gnb, dimensions 50: --dimensions: 50 attributes were asked for, and the data have 4 (use at most 4)"
    for more, times in ((), 1), (("--csv", "-"), 0):
        run = Run([*args, *more])
        same((run.status, run.out.count(why), run.err.count(why), len(run.err.splitlines())), (1, times, 1, 2), f"{more}")


@test
def one_data_set_or_one_method():
    run = heft("evaluate", IRIS, "-m", "nb,tan", "--json", "r.json", "--report", "r.html")
    why = "No tests over data sets: they need at least two data sets on which every method has a result (here: 1)"
    require(why in run.out, run.out)
    tests = load()["summary"]["tests"]
    same((tests["friedman"], tests["quade"], tests["wilcoxon"], tests["note"]), (None, None, None, why), "JSON")
    require('"critical_difference": null' in open("r.html", encoding="utf-8").read(), "no rank plot")
    heft("evaluate", IRIS, WINE, "-m", "nb", "--json", "r.json")
    tests = load()["summary"]["tests"]
    same(tests, {"note": "No significance tests: there is only one method"}, "one method")
    # Two methods, one of which does nothing at all here: refused ranks, with the reason.
    put("w.csv", "x,w,class\n" + "".join(f"{i},2,{'ab'[i % 2]}\n" for i in range(20)))
    run = Run(["evaluate", "w.csv", "w.csv", "-m", "nb,aode", "--weight", "w", "--json", "r.json"])
    if run.status == 1:
        require("two methods with results (found 1)" in load()["summary"]["tests"]["note"], str(run))


if __name__ == "__main__":
    raise SystemExit(harness.main())
