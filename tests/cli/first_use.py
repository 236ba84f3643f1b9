#!/usr/bin/env python3
"""What a new user meets: classes the model does not know, one class against the rest, files of
pandas, and files that must not be lost.

    first_use.py HEFT [NAME...]      as harness.py says
"""
import json
import os
import pathlib
import re
import subprocess

import harness
from harness import EXAMPLES, SANITIZED, heft, put, refused, require, same, test

IRIS = EXAMPLES / "iris.csv"
ROWS = IRIS.read_text(encoding="utf-8")


def warnings(run):
    return [line for line in run.err.splitlines() if line.startswith("heft: warning: ")]


def about_names(run):
    """Without those that tell what a column holds."""
    return [line for line in warnings(run) if "no name" in line]


# ---- classes that the model does not know --------------------------------------------------------

def two_classes():
    put("two.csv", "".join(line for line in ROWS.splitlines(True) if "virginica" not in line))
    heft("train", "two.csv", "-m", "nb", "-o", "two.heft")


@test
def rows_of_unknown_classes_are_wrong():
    two_classes()
    put("all.csv", ROWS)
    run = heft("predict", "two.heft", "all.csv", "-o", "out.csv")
    require("accuracy 0.6667 (100 of 150 rows correct)" in run.err, run.err)
    said, = warnings(run)
    require("all.csv: 50 of 150 rows" in said and "'virginica'" in said, said)
    run = heft("evaluate", "two.csv", "--test", "all.csv", "-m", "nb", "--json", "r.json")
    said, = (line for line in warnings(run) if "petal_length" not in line)  # it tells these two classes apart
    require("50 of 150 rows" in said and "'virginica'" in said, said)
    cell = json.loads(pathlib.Path("r.json").read_text(encoding="utf-8"))["datasets"][0]["methods"][0]
    same(cell["accuracy"], 100 / 150, "evaluate --test")
    page = json.loads(heft("report", "two.heft", "all.csv", "--json", "-").out)["headline"]
    same(page["accuracy"], 0.666667, "the page")
    require("50 rows of a class that the model does not know ('virginica') are counted as wrong" in page["warning"], page)


@test
def standard_input_is_named():
    two_classes()
    run = heft("predict", "two.heft", "-", "-o", "out.csv", stdin=ROWS.encode())
    require("standard input: 50 of 150 rows" in run.err, run.err)


@test
def rows_without_a_class_are_not_counted():
    two_classes()
    put("some.csv", ROWS.replace(",virginica", ",?"))
    run = heft("predict", "two.heft", "some.csv", "-o", "out.csv")
    require("accuracy 1.0000 (100 of 100 rows correct)" in run.err, run.err)
    same(warnings(run), [], "no warning")


@test
def no_label_is_known():
    two_classes()
    put("other.csv", ROWS.replace(",setosa", ",a").replace(",versicolor", ",b").replace(",virginica", ",c"))
    run = heft("predict", "two.heft", "other.csv", "-o", "out.csv")
    require("accuracy 0.0000 (0 of 150 rows correct)" in run.err, run.err)
    said, = warnings(run)
    require("none of the classes in column 'class' ('a', 'b', 'c')" in said and "'setosa'" in said, said)
    put("renamed.csv", pathlib.Path("other.csv").read_text(encoding="utf-8").replace("class", "kind", 1))
    for run in (heft("predict", "two.heft", "renamed.csv", "-t", "kind", "-o", "out.csv"),
                heft("report", "two.heft", "renamed.csv", "-t", "kind", "-o", "page.html")):
        require("none of the classes in column 'kind' ('a', 'b', 'c')" in run.err, run.err)


@test
def many_unknown_classes_are_cut_short():
    two_classes()
    lines = ROWS.splitlines()
    put("ids.csv", "\n".join([lines[0]] + [f"{line.rsplit(',', 1)[0]},id{i}" for i, line in
                                           enumerate(lines[1:])]) + "\n")
    said, = warnings(heft("predict", "two.heft", "ids.csv", "-o", "out.csv"))
    require("and 145 more" in said and len(said) < 400, said)
    heft("report", "two.heft", "ids.csv", "-o", "page.html")


# ---- one class against the rest ------------------------------------------------------------------

@test
def positive_class_is_stored():
    put("all.csv", ROWS)
    heft("train", "all.csv", "--positive", "virginica", "-m", "nb", "-o", "p.heft")
    require("--positive virginica" in heft("inspect", "p.heft").out, "inspect")
    shown = json.loads(heft("inspect", "p.heft", "--json", "-").out)
    same((shown["positive"], shown["classes"]), ("virginica", ["rest", "virginica"]), "inspect --json")
    asked = heft("predict", "p.heft", "all.csv", "--positive", "virginica", "-o", "a.csv").err
    plain = heft("predict", "p.heft", "all.csv", "-o", "b.csv").err
    require("of 150 rows correct" in plain, plain)
    same(plain, asked, "with and without --positive")
    refused("predict", "p.heft", "all.csv", "--positive", "setosa", "-o", "x.csv",
            says="trained with --positive virginica")
    heft("convert", "all.csv", "--positive", "virginica", "-o", "binary.csv")
    binary = heft("predict", "p.heft", "binary.csv", "-o", "c.csv").err
    same(binary.replace("binary.csv", "all.csv"), plain, "a file of the two classes")
    same(open("a.csv", encoding="utf-8").read(), open("c.csv", encoding="utf-8").read(), "predictions")
    page = json.loads(heft("report", "p.heft", "all.csv", "--json", "-").out)["data"]
    same((page["with_class"], page["rows"], page["unknown_rows"]), (150, 150, 0), "the page")
    row = json.loads(heft("explain", "p.heft", "all.csv", "--row", "1", "--json", "-").out)
    same(row["actual"], "rest", "explain")


@test
def positive_class_is_kept_by_like_and_merge():
    put("all.csv", ROWS)
    lines = ROWS.splitlines(True)
    put("one.csv", lines[0] + "".join(lines[1::2]))
    put("two.csv", lines[0] + "".join(lines[2::2]))
    heft("train", "one.csv", "--positive", "virginica", "-m", "nb", "-o", "one.heft")
    heft("train", "two.csv", "--like", "one.heft", "-o", "two.heft")
    heft("merge", "one.heft", "two.heft", "-o", "both.heft")
    heft("train", "all.csv", "--positive", "virginica", "-m", "nb", "-o", "all.heft")
    same(heft("predict", "both.heft", "all.csv", "--proba").raw, heft("predict", "all.heft", "all.csv", "--proba").raw,
         "the parts and the whole")
    require("--positive virginica" in heft("inspect", "both.heft").out, "inspect")
    heft("train", "two.csv", "--positive", "setosa", "-m", "nb", "-o", "three.heft")
    refused("merge", "one.heft", "three.heft", "-o", "x.heft", says="--positive differ")
    refused("train", "two.csv", "--like", "one.heft", "--positive", "setosa", "-o", "x.heft", says="has virginica")


# ---- files of pandas ----------------------------------------------------------------------------

def table(header, index=None, kind=("a", "b")):
    """Rows of three numbers and a class, with row numbers from `index` on where it is given."""
    rows = [[*([i + index] if index is not None else []), i % 7 + 0.5, i % 3 + 0.25, (i * 5) % 11 + 0.1, kind[i % 2]]
            for i in range(20)]
    return "\n".join(",".join(map(str, row)) for row in [header, *rows]) + "\n"


def attributes(name, *args):
    heft("train", name, "-m", "nb", "-o", "m.heft", "-q", *args)
    shown = json.loads(heft("inspect", "m.heft", "--json", "-").out)
    return [a["name"] for a in shown["attributes"]], shown["classes"], shown["training"]["rows"]


INDEXES = {
    "in order": [*range(20)],
    "from 1": [*range(1, 21)],
    "shuffled": [(7 * i + 3) % 20 for i in range(20)],
    "a subset": [i * i + 40 for i in range(20)],
    "concatenated": [i % 10 for i in range(20)],
    "reversed and negative": [-i for i in range(20)],
    "text": [f"row {i}" for i in range(20)],
    "dates": [f"2024-01-{i + 1:02}" for i in range(20)],
}


def indexed(names, *indexes, header=("x", "y", "z", "kind")):
    """The rows of `table` behind one column for each index."""
    lines = [line.split(",") for line in table(header).splitlines()]
    return "\n".join(",".join(map(str, [*before, *line]))
                     for before, line in zip([names, *zip(*indexes)], lines)) + "\n"


HEADERS = {
    "counted": [0, 1, 2, "target"],
    "counted, with the class": [0, 1, 2, 3],
    "from 1": [1, 2, 3, "target"],
    "equal steps": [10, 20, 30, 40],
    "equal steps below 1": ["0.0", 0.5, "1.0", "target"],
    "years": [1990, 1991, 1992, "label"],
    "falling": [1200.5, 1190.1, 1180.9, "kind"],
    "chosen columns": [7, 3, 12, "target"],
    "a class": [1.5, 0.25, 4.1, "Class"],
    "in quotes": ['"3"', '"1"', '"2"', '"kind"'],
}


@test
def header_of_numbers_is_recognised():
    for what, header in HEADERS.items():
        names = [str(name).strip('"') for name in header[:3]]
        put("a.csv", table(header))
        said, = warnings(heft("train", "a.csv", "-m", "nb", "-o", "m.heft"))
        require("a.csv:1:" in said and "--header no" in said, said)
        same(attributes("a.csv"), (names, ["a", "b"], 20), what)
        put("few.csv", "".join(table(header).splitlines(True)[:3]))
        run = heft("predict", "m.heft", "few.csv")
        same((len(run.out.splitlines()), warnings(run)), (3, []), f"{what}: predict two rows")
        put("more.csv", table(header))
        heft("train", "a.csv", "more.csv", "-m", "nb", "-o", "m.heft")
        require("40 rows" in heft("inspect", "m.heft").out, f"{what}: two files")
        put("i.csv", indexed([""], INDEXES["shuffled"], header=header))
        same(attributes("i.csv"), (names, ["a", "b"], 20), f"{what}: behind an index")
        same(attributes("a.csv", "--header", "no")[2], 21, f"{what}: --header no")


@test
def a_model_knows_its_names():
    put("a.csv", table([0.5, 3.25, 1.1, 9]))  # looks like a row
    same(attributes("a.csv", "--header", "yes")[0], ["0.5", "3.25", "1.1"], "--header yes")
    same(len(heft("predict", "m.heft", "a.csv").out.splitlines()), 21, "predict after --header yes")
    put("b.csv", table([10, 20, 30, 40]))     # looks like a header
    same(attributes("b.csv", "--header", "no")[0], ["c1", "c2", "c3"], "--header no")
    run = heft("predict", "m.heft", "b.csv")
    same((len(run.out.splitlines()), warnings(run)), (22, []), "predict after --header no")
    put("t.csv", table([0.5, 1.25, 1.1, "what"], kind=("what is", "what was")))
    same(attributes("t.csv", "--target", "what")[2], 20, "a class that is named is in a header")


@test
def rows_are_not_taken_for_names():
    plain = table([]).split("\n", 1)[1].splitlines()
    for what, first in {"a value that occurs again": "7.5,8.5,9.5,a", "a class of its own": "2.5,1.25,3.1,c",
                        "an outlier": "700,-80,900,b", "in order": "1.5,2.25,3.1,a", "a missing cell": "10,20,?,x",
                        "a cell without a value": "10,,30,x"}.items():
        put("r.csv", "\n".join([first, *plain]) + "\n")
        run = heft("train", "r.csv", "-m", "nb", "-o", "m.heft")
        require("names of columns" not in run.err, f"{what}: {run.err}")
        same(attributes("r.csv")[0], ["c1", "c2", "c3"], what)
    put("sorted.csv", "\n".join(f"{i},{2 * i},{3 * i},{'ab'[i > 30]}" for i in range(1, 60)) + "\n")
    same(attributes("sorted.csv")[2], 59, "rows that rise as the first one does")
    put("text.csv", "\n".join(f"text {i},{'ham' if i % 3 else 'spam'}" for i in range(30)) + "\n")
    same(attributes("text.csv")[2], 30, "texts that are all different")
    wide = "\n".join(",".join("pqr"[(i * k + k) % 3] for k in range(1, 12)) for i in range(30))
    put("wide.csv", "p,rare," + wide[4:] + "\n")
    same(attributes("wide.csv")[2], 30, "a rare value")


@test
def files_without_a_header_have_none():
    folder = os.environ.get("HEFT_DATA")
    for path in sorted(pathlib.Path(folder).glob("*.csv")) if folder else []:
        lines = [line for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
        run = heft("convert", path, "--to", "csv", "-o", "-")
        require("names of columns" not in run.err, f"{path}: {run.err}")
        header = not run.out.startswith("c1,")
        rows = lines[header:][:400]
        for first in range(0, len(rows), 400 if SANITIZED else 50):  # each as the first line
            put("part.csv", "\n".join([rows[first], *rows[:first], *rows[first + 1:]]) + "\n")
            run = heft("convert", "part.csv", "--to", "csv", "-o", "-")
            require(run.out.startswith("c1,"), f"{path}, row {first}: {run.err}")


@test
def numbers_that_occur_again_are_a_row():
    put("digits.csv", "\n".join(f"{i % 3},{(i + 1) % 3},{(i + 2) % 3},{'ab'[i % 2]}" for i in range(30)) + "\n")
    same(warnings(heft("train", "digits.csv", "-m", "nb", "-o", "m.heft")), [], "no warning")
    same(attributes("digits.csv")[2], 30, "every line is a row")


def advice(said):
    """The options that a warning names."""
    return re.search(r"\((--numeric \S+) or (--nominal \S+) keeps", said).groups()


@test
def unnamed_index_is_left_out():
    put("plain.csv", table(["x", "y", "z", "kind"]))
    attributes("plain.csv")
    expected = heft("predict", "m.heft", "plain.csv", "--proba").out
    names = ("", "Unnamed: 0", "Unnamed: 0.1", "Unnamed: 0_level_0", '""')
    for k, (kind, index) in enumerate(INDEXES.items()):
        for name in names[k % 5:k % 5 + 1] if SANITIZED else names:
            what = f"{kind}, named {name!r}"
            put("i.csv", indexed([name], index))
            said, = warnings(heft("train", "i.csv", "-m", "nb", "-o", "i.heft"))
            require("i.csv: column 1 has no name and is left out" in said, said)
            same(attributes("i.csv"), (["x", "y", "z"], ["a", "b"], 20), what)
            for model, data in ("m.heft", "i.csv"), ("i.heft", "plain.csv"), ("i.heft", "i.csv"):
                run = heft("predict", model, data, "--proba")
                same((run.out, warnings(run)), (expected, []), f"{what}: {model} on {data}")
            same(heft("predict", "m.heft", "-", "--format", "csv", "--proba", stdin=pathlib.Path("i.csv").read_bytes()).out,
                 expected, f"{what}: standard input")
            numeric, nominal = advice(said)
            kept = nominal if kind in ("text", "dates") else numeric
            run = heft("train", "i.csv", "-m", "nb", "-o", "kept.heft", *kept.split())
            same(about_names(run), [], f"{what}: {kept}")
            same(len(json.loads(heft("inspect", "kept.heft", "--json", "-").out)["attributes"]), 4, f"{what}: {kept}")
            same(warnings(heft("predict", "kept.heft", "i.csv", "-o", "out.csv")), [], f"{what}: the model has it")


@test
def several_index_columns_are_left_out():
    order, shuffled = INDEXES["in order"], INDEXES["shuffled"]
    for names in ["", ""], ["", "Unnamed: 0"], ["Unnamed: 0.1", "Unnamed: 0"], ["Unnamed: 0", "Unnamed: 1"]:
        put("i.csv", indexed(names, order, INDEXES["text"]))
        said, = warnings(heft("train", "i.csv", "-m", "nb", "-o", "m.heft"))
        require("columns 1-2 have no names" in said and "--numeric 1-2 " in said, said)
        same(attributes("i.csv")[0], ["x", "y", "z"], names)
    same(len(attributes("i.csv", "--nominal", "1-2")[0]), 5, "both are kept")
    run = heft("train", "i.csv", "-m", "nb", "-o", "m.heft", "--nominal", "2")
    require("column 1 has no name" in run.err, run.err)
    same(len(attributes("i.csv", "--nominal", "2")[0]), 4, "one is kept")
    same(attributes("i.csv", "--drop", "1")[0], ["x", "y", "z"], "one is dropped by the user")
    same(attributes("i.csv", "--target", "2", "--nominal", "2")[0], ["x", "y", "z", "kind"], "one is the class")
    put("i.csv", indexed(["", "Unnamed: 0.1", "Unnamed: 0"], order, shuffled, shuffled))
    same(attributes("i.csv")[0], ["x", "y", "z"], "read and written twice")


@test
def names_are_not_mistaken_for_an_index():
    for name in "n", "Unnamed", "Unnamed: ", "Unnamed: x", "Unnamed: 0x", "Unnamed: .1", "Unnamed: 0_level_", "unnamed: 0":
        put("l.csv", indexed([name], INDEXES["in order"]))
        run = heft("train", "l.csv", "-m", "nb", "-o", "m.heft")
        same(about_names(run), [], name)
        same(len(attributes("l.csv")[0]), 4, name)
    put("class.csv", indexed(["x"], [*range(20)], header=["y", "", "z", "kind"]))
    same(attributes("class.csv")[0], ["x", "y", "c3", "z"], "an unnamed column behind a named one")
    put("only.csv", ",kind\n" + "".join(f"{i % 5},{'ab'[i % 2]}\n" for i in range(20)))
    same(attributes("only.csv")[0], ["c1"], "the only attribute")


@test
def index_does_not_take_the_name_of_a_column():
    put("plain.csv", table(["c1", "c2", "c3", "kind"]))
    put("i.csv", indexed([""], INDEXES["shuffled"], header=["c1", "c2", "c3", "kind"]))
    same(attributes("i.csv"), (["c1", "c2", "c3"], ["a", "b"], 20), "train")
    out = heft("predict", "m.heft", "i.csv", "--proba").out
    attributes("plain.csv")
    same(out, heft("predict", "m.heft", "plain.csv", "--proba").out, "predict")
    same(heft("predict", "m.heft", "i.csv", "--proba").out, out, "an index beside the names of the model")
    refused("train", "i.csv", "--numeric", "1", "-o", "x.heft", says="columns 1 and 2 are both named 'c1'")


@test
def index_before_numbers_is_left_out():
    put("both.csv", indexed([""], INDEXES["in order"], header=[0, 1, 2, "target"]))
    same(attributes("both.csv"), (["0", "1", "2"], ["a", "b"], 20), "both")
    run = heft("train", "both.csv", "-m", "nb", "-o", "m.heft")
    said = [line for line in warnings(run) if "column 1 " in line]
    numeric, _ = advice(said[0])
    same(len(attributes("both.csv", *numeric.split())[0]), 4, f"{numeric}, though a column is named 1")


@test
def index_is_left_out_however_rows_are_read():
    names = [f"part{k}.csv" for k in range(3)]
    for k, name in enumerate(names):
        put(name, indexed(["", ""], INDEXES["text"], [20 * k + i for i in range(20)]))
    put("all.csv", "".join(part if k == 0 else part.split("\n", 1)[1] for k, part in enumerate(
        pathlib.Path(name).read_text(encoding="utf-8") for name in names)))
    heft("train", "all.csv", "-m", "nb", "-o", "all.heft")
    expected = heft("predict", "all.heft", "all.csv", "--proba").out
    for args in (names, ["all.csv", "--threads", "4"], ["all.csv", "--memory", "64M"]):
        heft("train", *args, "-m", "nb", "-o", "m.heft")
        same(heft("predict", "m.heft", "all.csv", "--proba").out, expected, args)
    heft("convert", "all.csv", "-o", "converted.csv")
    same(pathlib.Path("converted.csv").read_text(encoding="utf-8").split("\n", 1)[0], "x,y,z,kind", "convert")
    heft("train", "part0.csv", "-m", "nb", "-o", "p0.heft")
    for k in 1, 2:
        heft("train", names[k], "--like", "p0.heft", "-o", f"p{k}.heft")
    heft("merge", "p0.heft", "p1.heft", "p2.heft", "-o", "merged.heft")
    same(heft("predict", "merged.heft", "all.csv", "--proba").out, expected, "merge")


# ---- files that must not be lost ----------------------------------------------------------------

@test
def inputs_are_not_overwritten():
    put("iris.csv", ROWS)
    heft("train", "iris.csv", "-m", "nb", "-o", "m.heft")
    heft("train", "iris.csv", "-m", "nb", "-o", "n.heft")
    os.mkdir("sub")
    os.symlink("iris.csv", "soft.csv")
    os.link("iris.csv", "hard.csv")
    before = {name: pathlib.Path(name).read_bytes() for name in ("iris.csv", "m.heft", "n.heft")}
    put("folds", "".join(f"{i % 3}\n" for i in range(150)))
    for out in "iris.csv", "./iris.csv", "sub/../iris.csv", os.path.abspath("iris.csv"), "soft.csv", "hard.csv":
        refused("train", "iris.csv", "-m", "nb", "-o", out, status=2, says="would be overwritten")
        refused("predict", "m.heft", "iris.csv", "-o", out, status=2, says="would be overwritten")
    for args in (["train", "soft.csv", "-o", "iris.csv"], ["train", "iris.csv", "soft.csv", "-o", "hard.csv"],
                 ["train", "iris.csv", "--like", "m.heft", "-o", "m.heft"],
                 ["predict", "m.heft", "iris.csv", "-o", "m.heft"],
                 *(["evaluate", "iris.csv", "-m", "nb", f"--{option}", "iris.csv"]
                   for option in ("json", "csv", "markdown", "latex", "report")),
                 ["evaluate", "iris.csv", "-m", "nb", "--folds", "folds", "--csv", "folds"],
                 ["evaluate", "iris.csv", "-m", "nb", "--test", "hard.csv", "--csv", "hard.csv"],
                 ["report", "m.heft", "iris.csv", "-o", "iris.csv"], ["report", "m.heft", "-o", "m.heft"],
                 ["convert", "iris.csv", "-o", "soft.csv"], ["convert", "iris.csv", "--like", "m.heft", "-o", "m.heft"],
                 ["convert", "iris.csv", "--select", "m.heft", "-o", "m.heft"],
                 ["export", "m.heft", "-o", "m.heft"], ["merge", "m.heft", "n.heft", "-o", "n.heft"],
                 ["inspect", "m.heft", "--json", "m.heft"], ["explain", "m.heft", "iris.csv", "--json", "iris.csv"]):
        refused(*args, status=2, says="would be overwritten")
    os.rename("m.heft", "iris.heft")
    refused("train", "iris.csv", "--like", "iris.heft", status=2, says="would be overwritten")
    os.rename("iris.heft", "m.heft")
    for name, bytes_ in before.items():
        same(pathlib.Path(name).read_bytes(), bytes_, name)


@test
def files_that_parameters_name_are_not_overwritten():
    put("iris.csv", ROWS)
    costs = "".join(f"{name},1\n" for name in ROWS.split("\n", 1)[0].split(",")[:-1])
    put("costs", costs)
    put("iris.heft", costs)
    os.symlink("costs", "soft")
    os.link("costs", "hard")
    os.mkdir("sub")
    train = ["train", "iris.csv", "-m", "tcsfsnb", "-p"]
    for name in "costs", "./costs", "sub/../costs", os.path.abspath("costs"), "soft", "hard":
        refused(*train, "costs=costs", "-o", name, status=2, says="would be overwritten")
        refused(*train, f"costs={name}", "-o", "costs", status=2, says="would be overwritten")
        for option in "json", "csv", "markdown", "latex", "report":
            refused("evaluate", "iris.csv", "-m", f"nb,tcsfsnb:costs={name}:tradeoff=0.1", f"--{option}", "costs", status=2,
                    says="would be overwritten")
            refused("evaluate", "iris.csv", "-m", "nb,tcsfsnb", "-p", f"costs={name}", f"--{option}", "costs", status=2,
                    says="would be overwritten")
    refused(*train, "costs=iris.heft", status=2, says="the output iris.heft is the input iris.heft")
    heft(*train, "costs=costs", "-o", "m.heft")
    refused("train", "iris.csv", "--like", "m.heft", "-o", "soft", status=2, says="the input costs")
    heft("train", "iris.csv", "--like", "m.heft", "-p", "costs=iris.heft", "-o", "n.heft")
    heft("evaluate", "iris.csv", "-m", "tcsfsnb:costs=costs", "--cv", "2", "--csv", "out.csv")
    for name in "costs", "iris.heft":
        same(pathlib.Path(name).read_text(encoding="utf-8"), costs, name)


@test
def links_that_lead_nowhere_are_followed():
    put("iris.csv", ROWS)
    os.mkdir("sub")
    os.symlink("../there.heft", "sub/second")
    os.symlink("sub/second", "first")
    heft("train", "iris.csv", "-m", "nb", "-o", "first")
    require(os.path.islink("first") and os.path.islink("sub/second"), "the links stay")
    require(os.path.isfile("there.heft") and not os.path.islink("there.heft"), "the file is made")
    heft("inspect", "first")
    os.symlink("nowhere/x.heft", "lost")
    refused("train", "iris.csv", "-m", "nb", "-o", "lost", says="there is no folder 'nowhere'")
    os.symlink("round", "round")
    refused("train", "iris.csv", "-m", "nb", "-o", "round", says="symbolic links")


@test
def streams_are_inputs_and_outputs_too():
    put("x.csv", ROWS)
    heft("train", "x.csv", "-m", "nb", "-o", "m.heft")
    for line in ('predict m.heft - --format csv -o x.csv < x.csv', 'train - --format csv -m nb -o x.csv < x.csv',
                 'convert - --format csv --to arff -o x.csv < x.csv', 'predict m.heft x.csv >> x.csv',
                 'evaluate x.csv -m nb --csv - >> x.csv', 'evaluate x.csv -m nb --csv r1 --json r1',
                 'evaluate x.csv -m nb --csv r2 --markdown r2'):
        done = subprocess.run(["bash", "-c", f'"$0" {line}', harness.HEFT], capture_output=True, check=False, text=True)
        same(done.returncode, 2, f"{line}: {done.stderr}")
        same(pathlib.Path("x.csv").read_text(encoding="utf-8"), ROWS, line)


@test
def a_constant_column_changes_nothing():
    lines = ROWS.splitlines()
    put("i.csv", ROWS)
    put("i7.csv", "\n".join([f"k7,{lines[0]}", *(f"7,{line}" for line in lines[1:])]) + "\n")
    for method in ("vwnb", "nb", "rnb", "auto"):
        heft("train", "i.csv", "-m", method, "-o", "i.heft")
        heft("train", "i7.csv", "-m", method, "-o", "i7.heft")
        same(heft("predict", "i7.heft", "i7.csv", "--proba").out, heft("predict", "i.heft", "i.csv", "--proba").out,
             method)


if __name__ == "__main__":
    raise SystemExit(harness.main())
