#!/usr/bin/env python3
"""heft check, the warnings of train and evaluate, and the options of reading that go with them.

    check.py HEFT [NAME...]      as harness.py says
"""
import json
import pathlib

import harness
from harness import EXAMPLES, heft, put, refused, require, same, test

IRIS = str(EXAMPLES / "iris.csv")
LINES = pathlib.Path(IRIS).read_text(encoding="utf-8").splitlines(True)


def warnings(run):
    return [line for line in run.err.splitlines() if line.startswith("heft: warning: ")]


def leaky():
    """A class that a column repeats, a number that counts the rows, identifiers and dates."""
    put("leaky.csv", "n,code,id,day,x,class\n" + "".join(
        f"{i},{'ab'[i % 3 == 0]},K{i * 7919 % 10007},2024-01-{i % 28 + 1:02},{i * 31 % 97},"
        f"{'yes' if i % 3 == 0 else 'no'}\n" for i in range(100)))


@test
def a_clean_table():
    out = heft("check", IRIS).out
    require("petal_width   numeric" in out and "what looks wrong" not in out, out)
    same(warnings(heft("train", IRIS, "-m", "nb", "-o", "m.heft")), [], "warnings")
    same(warnings(heft("evaluate", IRIS, "-m", "nb", "--cv", "2")), [], "warnings")


@test
def a_class_column_of_too_many_values():
    """It is shown, with the finding; who trains is told the same as before."""
    put("ids.csv", "x,id\n" + "".join(f"{i % 7},k{i}\n" for i in range(65001)))
    heft("check", "ids.csv", "--json", "c.json", "-o", "c.html")
    facts = json.loads(pathlib.Path("c.json").read_text(encoding="utf-8"))
    same([c["name"] for c in facts["columns"]], ["x", "id"], "columns")
    same((facts["columns"][1]["target"], facts["columns"][1]["distinct"]), (True, 65001), "the class column")
    same((facts["findings"][0]["code"], facts["findings"][0]["text"]),
         ("many-classes", "class column 'id': it has 65001 values, and at most 65000 are allowed (choose another class "
          "column with --target)"), "finding")
    for command in (["train", "ids.csv", "-o", "m.heft"], ["evaluate", "ids.csv"], ["check", "ids.csv", "--max-classes", "9"]):
        refused(*command, says="the class column 'id' has 65001 distinct values, and at most")


@test
def documents():
    leaky()
    heft("check", "leaky.csv", "--json", "c.json", "-o", "c.html")
    facts = json.loads(pathlib.Path("c.json").read_text(encoding="utf-8"))
    same([f["code"] for f in facts["findings"]][:4], ["leak", "row-number", "identifier", "date"], "codes")
    same(facts["findings"][0]["columns"], ["code"], "columns")
    same([c["name"] for c in facts["columns"]], ["n", "code", "id", "day", "x", "class"], "columns")
    same((facts["format"], facts["version"], facts["page"]), ("heft page", 1, "check"), "format")
    same((facts["groups"], sorted(facts["shown"])), (["no", "yes"], [0, 1, 2, 3, 4]), "groups and columns shown")
    for column in facts["columns"][:-1]:
        bars = column["bars"]
        same(sum(map(sum, bars["rows"])), 100, f"{column['name']}: rows of all bars")
        same(len(bars["edges"]) - 1 if "edges" in bars else len(bars["values"]), len(bars["rows"]), column["name"])
        require(all(len(rows) == 2 for rows in bars["rows"]), column["name"])
    same(facts["columns"][1]["bars"], {"values": ["a", "b"], "rows": [[66, 0], [0, 34]]}, "bars of a nominal column")
    same((facts["columns"][0]["bars"]["edges"][0], facts["columns"][0]["bars"]["edges"][-1]), (0, 99), "ends")
    require("bars" not in facts["columns"][-1], "the class has none")
    page = pathlib.Path("c.html").read_text(encoding="utf-8")
    require("leaky at a glance" in page and page.count("<tr><th scope") == 5 and page.count("<li>") + page.count("<li class") == len(facts["findings"]), "page")
    json.loads(heft("check", "leaky.csv", "--json", "-").out)
    refused("check", "leaky.csv", "--json", "-", "-o", "-", status=2, says="only one of --json and --output")


@test
def training_warns_of_the_most_serious():
    leaky()
    for args in (("train", "leaky.csv", "-m", "nb", "-o", "m.heft"),
                 ("evaluate", "leaky.csv", "-m", "nb", "--cv", "2")):
        said = warnings(heft(*args))
        same(len(said), 4, "warnings")
        require("column 'code'" in said[0] and "1 more finding (heft check leaky.csv shows all)" in said[3], said)
        same(warnings(heft(*args, "-q")), [], "with -q")


@test
def evaluation_warns_once_per_file():
    leaky()
    put("b.csv", pathlib.Path("leaky.csv").read_text(encoding="utf-8").replace("class", "x y"))
    said = warnings(heft("evaluate", "leaky.csv", "b.csv", "-m", "nb", "--cv", "2"))
    same(len(said), 2, "warnings")
    require(all("column 'code'" in line for line in said), said)
    require(said[1].endswith("; and 3 more findings (heft check b.csv shows all)"), said)
    said = warnings(heft("train", "b.csv", "-t", "x y", "-m", "nb", "-o", "m.heft"))
    require(said[3].endswith("1 more finding (heft check b.csv -t 'x y' shows all)"), said)


@test
def only_the_class():
    put("class.csv", "class\n" + "a\nb\n" * 20)
    says = "there is no column besides the class 'class'"
    require(says in heft("check", "class.csv").out, "finding")
    said = warnings(heft("train", "class.csv", "-m", "nb", "-o", "m.heft"))
    require(len(said) == 1 and says in said[0], said)


@test
def models_that_are_no_tables():
    heft("train", IRIS, "-m", "nb", "-o", "m.heft")
    put("cut.heft", pathlib.Path("m.heft").read_bytes()[:300])
    for name in ("m.heft", "cut.heft"):
        refused("check", name, says=r"this is a heft model, not a data file \('heft inspect MODEL' shows")
    refused("evaluate", "cut.heft", IRIS, says="this is a heft model, not a data file")


@test
def training_warns_of_a_number_that_tells_the_class():
    put("overdue.csv", "days,x,class\n" + "".join(
        f"{i * 7919 % 3000 / 100 + (60 if i % 60 == 7 else 0)},{i * 31 % 97},{'fraud' if i % 60 == 7 else 'ok'}\n"
        for i in range(3000)))
    said = warnings(heft("train", "overdue.csv", "-m", "nb", "-o", "m.heft"))
    require("column 'days': it almost determines the class by itself (100%" in said[0], said)
    require("column 'x'" not in "".join(said), said)


@test
def odd_tables():
    put("empty.csv", "")
    refused("check", "empty.csv", says="the file is empty")
    put("header.csv", "a,b,class\n")
    refused("check", "header.csv", says="no data rows")
    put("one.csv", "a,b,class\n1,2,x\n")
    require("there is nothing to learn" in heft("check", "one.csv").out, "one row")
    put("missing.csv", "a,class\n?,?\n?,?\n")
    require("all cells are missing" in heft("check", "missing.csv").out, "all missing")
    put("long.csv", "x" * 500 + ",\u202eabc,<b>,class\n1,2,3,a\n2,3,4,b\n")
    heft("check", "long.csv", "-o", "long.html")
    refused("check", IRIS, "--target", "nope", says="there is no column 'nope'")


@test
def decimal_marks():
    put("comma.csv", "x;y;class\n" + "".join(f"{i},5;{i};{'ab'[i % 2]}\n" for i in range(30)))
    require("--decimal-mark , reads them as numbers" in heft("check", "comma.csv").out, "finding")
    heft("train", "comma.csv", "--decimal-mark", ",", "-m", "nb", "-o", "m.heft")
    rows = heft("convert", "comma.csv", "--decimal-mark", ",", "-o", "-", "--to", "csv").out.splitlines()
    same(rows[1], "0.5,0,a", "row")
    heft("predict", "m.heft", "comma.csv")  # the model knows
    put("point.csv", "x,y,class\n1.5,2,a\n")
    heft("predict", "m.heft", "point.csv", "--decimal-mark", ".")
    refused("check", "comma.csv", "--decimal-mark", ";", "--delimiter", ";", says="is the delimiter too")
    refused("check", IRIS, "--decimal-mark", ",", says="cannot be the decimal mark too")
    refused("check", IRIS, "--decimal-mark", "5", says="no letter, digit")
    put("a.arff", "@relation r\n@attribute a numeric\n@attribute class {x,y}\n@data\n1,x\n2,y\n")
    refused("check", "a.arff", "--decimal-mark", ",", says="is for CSV and TSV files")


@test
def the_wrong_decimal_mark():
    rows = "".join(f"{i * 37 % 101 / 8 + 0.01};{i};{'ab'[i % 2]}\n" for i in range(60))
    put("point.csv", "x;y;c\n" + rows)
    put("comma.csv", "x;y;c\n" + rows.replace(".", ","))
    out = heft("check", "point.csv", "--decimal-mark", ",").out
    require("column 'x': numbers with decimal points, such as '" in out and "--decimal-mark is ,;" in out, out)
    require("--drop x" not in out, out)
    heft("train", "point.csv", "-m", "nb", "-o", "p.heft")
    refused("predict", "p.heft", "comma.csv", says="--decimal-mark , if it has a decimal comma")
    heft("predict", "p.heft", "comma.csv", "--decimal-mark", ",")
    heft("train", "comma.csv", "--decimal-mark", ",", "-m", "nb", "-o", "c.heft")
    refused("predict", "c.heft", "point.csv", says="--decimal-mark . if it has a decimal point")
    put("word.csv", "x;y;c\nlow;1;a\n")
    require("column 'x': 1 cell is no number" in heft("predict", "p.heft", "word.csv").err, "it is missing")


@test
def words_that_are_no_marks():
    """A text with digits is a value: nobody is told to call it missing. One warning for a column."""
    put("ages.csv", "age,code,class\n" + "".join(
        f"{'18-25' if i in (7, 9) else i * 37 % 61 + 18},{'?x' if i % 50 == 0 else i},{'ab'[i % 3 % 2]}\n" for i in range(300)))
    out = heft("check", "ages.csv").out
    require("such as '18-25' are not" in out and "--missing" not in out, out)
    said = warnings(heft("train", "ages.csv", "-o", "m.heft"))
    same([sum(f"'{name}'" in line for line in said) for name in ("age", "code")], [1, 1], "warnings")
    put("few.csv", "age,class\n" + "".join(f"{'18-25' if i == 7 else i % 61 + 18},{'ab'[i % 3 % 2]}\n" for i in range(300)))
    said = "\n".join(warnings(heft("train", "few.csv", "-m", "nb", "-o", "m.heft")))
    require("because of '18-25' (1 cell is not numeric; use --numeric 'age' to make it an error)" in said, said)


@test
def mixed_spellings():
    cells = [(("True", "true", "1", "False")[i % 4], ("Bonn", "bonn ", "Ulm")[i % 3 % 3], "red" if i % 2 else "blue",
              ("Y", "yes", "Yes", "no")[i * 7 % 4]) for i in range(60)]
    put("spelled.csv", "flag,town,colour,class\n" + "".join(",".join(f'"{c}"' for c in row) + "\n" for row in cells))
    found = json.loads(heft("check", "spelled.csv", "--json", "-", "-q").out)["findings"]
    texts = {f["columns"][0]: f["text"] for f in found if f["code"] == "spelling"}
    same(sorted(texts), ["class", "flag", "town"], "columns")
    require("'1' (15), 'True' (15) and 'true' (15) look like one value" in texts["flag"], texts)
    require("'Bonn' (20) and 'bonn ' (20)" in texts["town"], texts)
    require("'Y' (15), 'Yes' (15) and 'yes' (15)" in texts["class"], texts)
    cells = [(("True", "0", "true", "False", "1")[i % 5], ("Y", "N", "yes", "no", "Yes", "No")[i % 6],
              ("Ulm", "Bonn", "ulm", "bonn", "Rome")[i % 5], "ab"[i % 2]) for i in range(60)]
    put("all.csv", "flag,yes,town,class\n" + "".join(",".join(row) + "\n" for row in cells))
    found = json.loads(heft("check", "all.csv", "--json", "-", "-q").out)["findings"]
    texts = {f["columns"][0]: f["text"] for f in found if f["code"] == "spelling"}
    require("'0' (12) and 'False' (12); '1' (12), 'True' (12) and 'true' (12) look like 2 values" in texts["flag"], texts)
    require("'N' (10), 'No' (10) and 'no' (10); 'Y' (10), 'Yes' (10) and 'yes' (10) look" in texts["yes"], texts)
    require("'Bonn' (12) and 'bonn' (12); 'Ulm' (12) and 'ulm' (12) look" in texts["town"], texts)
    put("fine.csv", "size,n,class\n" + "".join(f"{'SML'[i % 3]},{i % 2},{'ab'[i % 5 % 2]}\n" for i in range(60)))
    require("spelling" not in heft("check", "fine.csv", "--nominal", "n", "--json", "-", "-q").out, "none")


@test
def numbers_with_a_few_words():
    put("words.csv", "x,y,class\n" + "".join(
        f"{'nope' if i % 10 == 3 else i * 37 % 101},{i * 31 % 97},{'ab'[i % 3 % 2]}\n" for i in range(100)))
    says = "column 'x': 90 of 100 cells are numbers, but others such as 'nope' are not"
    require(says in heft("check", "words.csv").out, "finding")
    said = warnings(heft("train", "words.csv", "-m", "nb", "-o", "m.heft"))
    require(len(said) == 1 and says in said[0], said)
    require("what looks wrong" not in heft("check", "words.csv", "--missing", "nope").out, "with --missing")


@test
def skipped_lines():
    plain = heft("convert", IRIS, "-o", "-", "--to", "csv").out
    put("skip.csv", "made by hand\n\"two, cells\n" + "".join(LINES))
    same(heft("convert", "skip.csv", "--skip", "2", "-o", "-", "--to", "csv").out, plain, "rows")
    refused("check", "skip.csv", "--skip", "-1", status=2, says=r"--skip takes a whole number \(1 or more\), not '-1'")
    refused("check", "skip.csv", "--skip", "9999", says="--skip 9999: the file has only 153 lines")
    put("bad.csv", "x\n" + "".join(LINES[:3]) + "q,1,1,1,setosa\n")
    refused("check", "bad.csv", "--skip", "1", "--numeric", "1", says="bad.csv:5: column 'sepal_length'")


@test
def latin_1():
    put("l.csv", "gr\xf6\xdfe,class\nM\xfcller,a\nB\xe4r \u20ac,b\n".encode("cp1252"))
    run = heft("convert", "l.csv", "-o", "-", "--to", "csv")
    same(run.out, "\"größe\",class\nMüller,a\nBär €,b\n", "text")
    said, = warnings(run)
    require("l.csv:1: the line is not valid UTF-8; the invalid bytes are read as Latin-1" in said, said)
    put("u.csv", "größe,class\nMüller,a\n")
    same(warnings(heft("convert", "u.csv", "-o", "-", "--to", "csv")), [], "UTF-8")


@test
def arff_under_another_name():
    text = "% a comment\n% another\n\n@relation r\n@attribute a numeric\n@attribute class {x,y}\n@data\n1,x\n2,y\n"
    for name in ("a.csv", "a.data", "a.txt"):
        put(name, text)
        same(heft("convert", name, "-o", "-", "--to", "csv").out, "a,class\n1,x\n2,y\n", name)


@test
def carriage_returns():
    put("mac.csv", "".join(LINES).replace("\n", "\r"))
    same(heft("convert", "mac.csv", "-o", "-", "--to", "csv").out,
         heft("convert", IRIS, "-o", "-", "--to", "csv").out, "rows")


@test
def measured_classes_are_refused():
    """499 prices are no classes: refused with the ways out, whatever the verbosity; grades and ages are."""
    put("price.csv", "a,price\n" + "".join(f"{i * 7 % 13},{10000 + i * 137}\n" for i in range(499)))
    put("price.libsvm", "".join(f"{10000 + i * 137} 1:{i * 7 % 13}\n" for i in range(499)))
    put("names.csv", "a,who\n" + "".join(f"{i * 7 % 13},p{i % 200}\n" for i in range(300)))
    said = "look measured.* no regression .*intervals.*--target.*--nominal "
    for name, column, says in (("price.csv", "price", said), ("price.libsvm", "class", said),
                               ("names.csv", "who", "200 values in 300 rows.*--target.*--nominal who")):
        for command in (["train", name, "-m", "nb", "-o", "m.heft"], ["evaluate", name, "-m", "nb", "--cv", "2"]):
            refused(*command, says=says)
            refused(*command, "-q", says=says)
            require("measured" not in heft(*command, "--nominal", column).err, "as it was asked for")
    put("ages.csv", "a,age\n" + "".join(f"{i * 7 % 13},{i * 11 % 28}\n" for i in range(4000)))
    heft("train", "ages.csv", "-m", "nb", "-o", "m.heft")
    run = heft("evaluate", "ages.csv", "-m", "nb", "--cv", "2")
    require("The figures of 28 classes: --details" in run.out, run.out)
    run = heft("evaluate", "ages.csv", "-m", "nb", "--cv", "2", "--details")
    same(sum(line.split()[:1] == [str(c)] and len(line.split()) == 8 for line in run.out.splitlines() for c in range(28)), 28,
         "every class")
    require("actual  predicted  rows" in run.out, run.out)


@test
def rows_in_the_order_of_the_model():
    heft("train", IRIS, "-m", "nb", "-o", "m.heft")
    row = LINES[1].rsplit(",", 1)[0] + "\n"
    same(heft("predict", "m.heft", "-", "--header", "no", stdin=row.encode()).out, "predicted\nsetosa\n", "one row")
    run = heft("predict", "m.heft", "-", "--header", "no", stdin="".join(LINES[1:]).encode())
    require("of 150 rows correct" in run.err, run.err)
    refused("predict", "m.heft", "-", "--header", "no", stdin=b"1,2,3\n", says="3 columns, and the model takes 4 "
            r"\(sepal_length, sepal_width, petal_length, petal_width\), with or without the class 'class' behind them")
    hint = "--header no takes them in the order of the model"
    put("short.csv", "".join(LINES[1:]))
    refused("predict", "m.heft", "short.csv", says=hint)
    put("numbers.csv", "5.1,3.5,1.4,0.2\n4.9,3,1.4,0.2\n")
    refused("predict", "m.heft", "numbers.csv", "--header", "yes", says=hint)
    put("other.csv", "a,b,c,d\n5.1,3.5,1.4,0.2\n")
    require(hint not in refused("predict", "m.heft", "other.csv", says="needs column").err, "columns with names")
    put("plain.csv", "".join(LINES[1:]))  # a model of c1, c2, ... goes by these names
    heft("train", "plain.csv", "-t", "1", "--nominal", "1", "-m", "nb", "-o", "p.heft")
    require("rows correct" in heft("predict", "p.heft", "plain.csv", "--header", "no").err, "by name")


if __name__ == "__main__":
    raise SystemExit(harness.main())
