#!/usr/bin/env python3
"""Every kind of bad file, and every fair oddity.

    inputs.py HEFT [NAME...]       as harness.py says
"""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import harness
from harness import (EXAMPLES, HEFT, SANITIZED, SMALL, Run, heft, model, predictions, put,
                     refused, require, same, test)


# ---- bad input: one line, status 1, nothing left ------------------------------------------------


def bad_data(name, content, says, *more):
    put(name, content)
    refused("train", name, "-o", "out.heft", *more, says=says)
    refused("convert", name, "-o", "out.csv", *more, says=says)


@test
def bad_missing_file():
    for command in (["train"], ["evaluate"], ["convert"]):
        refused(*command, "absent.csv", says="absent.csv.*No such file")
    model()
    refused("predict", "m.heft", "absent.csv", says="absent.csv")
    refused("predict", "absent.heft", "small.csv", says="absent.heft")
    refused("inspect", "absent.heft", says="absent.heft")


@test
def bad_directory():
    os.mkdir("folder.csv")
    refused("train", "folder.csv", says="folder.csv")
    refused("inspect", "folder.csv", says="folder.csv")


@test
def bad_unreadable():
    put("secret.csv", SMALL)
    os.chmod("secret.csv", 0)
    if os.geteuid() != 0:
        refused("train", "secret.csv", says="secret.csv")


@test
def bad_empty_file():
    bad_data("e.csv", "", "e.csv")
    bad_data("e.arff", "", "e.arff")
    bad_data("e.libsvm", "", "e.libsvm")
    refused("train", "-", "-o", "m", stdin=b"")


@test
def bad_header_only():
    bad_data("h.csv", "a,b,class\n", "h.csv", "--header", "yes")
    bad_data("h.arff", "@relation r\n@attribute a numeric\n@attribute class {p,q}\n@data\n", "h.arff")


@test
def header_only_first_file():
    """The first of several files may have no rows, as later ones may: kinds follow from the others."""
    put("head.csv", "size,colour,class\n")
    put("a.csv", "size,colour,class\n1,red,x\n2,blue,y\n")
    put("b.csv", "red,3,x\n".replace("red,3", "3,red") + "4,blue,y\n")
    heft("train", "a.csv", "b.csv", "-m", "nb", "-o", "one", "-q")
    expected = heft("inspect", "one").out
    for files in (("head.csv", "a.csv", "b.csv"), ("head.csv", "head.csv", "a.csv", "b.csv")):
        heft("train", *files, "-m", "nb", "-o", "two", "-q")
        same(unseconds(heft("inspect", "two").out), unseconds(expected), "the same model")
    put("words.csv", "red,round,x\nblue,flat,y\n")
    put("names.csv", "colour,form,class\n")
    heft("train", "names.csv", "words.csv", "-m", "nb", "-o", "m", "-q")
    refused("train", "head.csv", "head.csv", "-o", "m", says="head.csv: the file has no data rows")


@test
def marks_are_remembered():
    """A model stores --missing; a cell that is no number is missing in prediction, and a warning counts it."""
    rows = [f"{k % 7},{k % 3},{'pq'[k % 3 > 0]}" for k in range(60)]
    put("t.csv", "a,b,class\n" + "\n".join(rows) + "\nunknown,-999,p\n")
    heft("train", "t.csv", "-m", "nb", "--missing", "unknown,-999", "-o", "m", "-q")
    put("new.csv", "a,b\n3,1\nunknown,-999\nn/a,-\n")
    put("same.csv", "a,b\n3,1\n,\n,\n")
    found = heft("predict", "m", "new.csv", "--proba")
    same(found.out, heft("predict", "m", "same.csv", "--proba").out, "marks of the model")
    same(found.err, "", "no warning")
    put("odd.csv", "a,b\n3,1\nabc,2\nx,2\n4,oops\n")
    put("gone.csv", "a,b\n3,1\n,2\n,2\n4,\n")
    odd = heft("predict", "m", "odd.csv", "--proba")
    same(odd.out, heft("predict", "m", "gone.csv", "--proba").out, "cells that are no numbers")
    same(odd.err, "heft: warning: odd.csv:3: column 'a': 2 cells are no number and count as missing (the first is 'abc', and "
         "the model takes numbers)\nheft: warning: odd.csv:5: column 'b': 1 cell is no number and counts as missing (the first "
         "is 'oops', and the model takes numbers)\n", "warnings")
    for command in (("explain", "m", "odd.csv", "--row", "2"), ("evaluate", "m", "--test", "test.csv"), ("report", "m", "test.csv", "-o", "r.html")):
        put("test.csv", "a,b,class\n3,1,p\nabc,2,q\nunknown,-999,q\n")
        require("is no number" in heft(*command).err, f"{command[0]} goes on")
    refused("train", "odd.csv", "--numeric", "a", "-o", "x", says="'abc' is not a number")
    heft("merge", "m", "m", "-o", "both", "-q")
    same(heft("predict", "both", "new.csv").err, "", "a merged model has the marks")


@test
def quotes_that_mean_nothing():
    """--quote none reads them as letters, in every command; the error suggests it."""
    text = "class\ttext\n" + "".join(f"{'ham' if k % 2 else 'spam'}\t\"word{k % 3}\" he said {k % 5}\n" for k in range(40))
    put("sms.tsv", text + "ham\t\"open\n")
    refused("train", "sms.tsv", "-t", "class", "-o", "m", says="sms.tsv:2: there is text after .*--quote none")
    heft("train", "sms.tsv", "-t", "class", "--quote", "none", "-m", "nb", "-o", "m", "-q")
    same(len(heft("predict", "m", "sms.tsv", "--quote", "none").out.splitlines()), 42, "rows")
    require('"open' in heft("convert", "sms.tsv", "--quote", "none", "-o", "-", "--to", "tsv").out, "letters")
    put("sep.csv", "sep=;\r\na;b;class\r\n1;2;x\r\n3;4;y\r\n")
    run = heft("convert", "sep.csv", "-o", "-", "--to", "csv")
    same(run.out, "a,b,class\n1,2,x\n3,4,y\n", "the table")
    same(run.err, "heft: warning: sep.csv:1: the line names the delimiter and is left out of the table\n", "told")


def unseconds(text):
    return re.sub(r"(?:less than )?[0-9.]+ s\b", "s", text)


@test
def bad_truncated_gzip():
    packed = gzip.compress(SMALL.encode() * 50)
    bad_data("t.csv.gz", packed[:len(packed) // 2], "t.csv.gz")
    bad_data("j.csv.gz", b"not gzip at all", "j.csv.gz")


@test
def bad_binary_junk():
    junk = bytes((i * 7919 + i * i) % 256 for i in range(4000))
    bad_data("junk.csv", junk, "junk.csv")
    bad_data("junk.arff", junk, "junk.arff")
    bad_data("junk.libsvm", junk, "junk.libsvm")


@test
def bad_ragged_row():
    bad_data("r.csv", "a,b,class\n1,2,p\n1,2\n1,2,q\n", "r.csv:3: ")
    bad_data("r2.csv", "a,b,class\n1,2,p\n1,2,q,9\n", "r2.csv:3: ")
    bad_data("r.arff", "@relation r\n@attribute a numeric\n@attribute class {p,q}\n@data\n1,p\n1\n",
             "r.arff:6: ")


@test
def bad_unterminated_quote():
    bad_data("q.csv", 'a,b,class\n1,2,p\n1,"2,q\n3,4,p\n', "q.csv:3: ")


@test
def bad_number_that_is_not_one():
    bad_data("n.csv", "a,b,class\n1,2,p\nabc,2,q\n", "n.csv:3: .*'a'.*'abc'", "--numeric", "a")
    bad_data("n.arff", "@relation r\n@attribute a numeric\n@attribute class {p,q}\n@data\nabc,p\n",
             "n.arff:5: .*abc")
    bad_data("n.libsvm", "1 1:2\n0 1:abc\n", "n.libsvm:2: ")


@test
def bad_overflowing_number():
    bad_data("o.csv", "a,b,class\n1,2,p\n1e999,2,q\n", "o.csv:3: ", "--numeric", "a")


@test
def bad_nul_bytes():
    bad_data("z.csv", b"a,b,class\n1,2,p\n1,\x00,q\n", "z.csv.*(binary|NUL)")


@test
def bad_utf16():
    bad_data("u.csv", SMALL.encode("utf-16"), "u.csv.*UTF-16")
    bad_data("v.csv", SMALL.encode("utf-16-le"), "v.csv.*UTF-16")  # without a mark at its beginning
    bad_data("p.csv", b"\x7fELF\2\1" + bytes(3000) + b"a,b\n" * 200, "p.csv.*binary data")


@test
def bad_json():
    """JSON in any layout is named; a table with an object in its first cell is none."""
    rows = [{"size": k, "kind": "ab"[k % 2]} for k in range(2000)]
    for text in (json.dumps(rows), json.dumps(rows[:9], indent=1), json.dumps(rows[:9], indent="\t"),
                 "\n".join(json.dumps(row) for row in rows), json.dumps({"rows": rows[:9]}, indent=2),
                 '\ufeff\r\n[\r\n {"a\\"b" : 1},\r\n {"a": 2}]'):
        for name in ("j.csv", "j.json"):
            bad_data(name, text, f"{name}: this is JSON, which heft does not read .convert it to CSV")
    for text, more in (('{"a": 1}\tx\n{"a": 2}\ty\n', ["--delimiter", "tab"]),
                       ('{"a": 1}\t{"b": 1}\n{"a": 2}\t{"b": 2}\n', ["--delimiter", "tab"]),
                       ('{"a": 1}; x\n{"a": 2}; y\n', ["--delimiter", ";"]),
                       ('"{""a"": 1}",x\n"{""a"": 2}",y\n', []),
                       ('{a},b\nx,p\ny,q\n', []), ('[{a}],b\nx,p\ny,q\n', []),
                       ('{"made": "today"}\na,b\nx,p\ny,q\n', ["--skip", "1"])):
        put("t.csv", text)
        heft("convert", "t.csv", "--to", "csv", *more)


@test
def bad_duplicate_columns():
    bad_data("d.csv", "a,a,class\n1,2,p\n1,3,q\n", "d.csv.*'a'", "--header", "yes")


@test
def bad_unknown_columns():
    put("small.csv", SMALL)
    for option in ("--target", "--drop", "--numeric", "--nominal", "--weight"):
        refused("train", "small.csv", option, "absent", says="absent")
    put("commas.csv", '"income, EUR",size,class\n1,2,a\n2,3,b\n')
    refused("train", "commas.csv", "--drop", "income, EUR,size", says="""such a name is quoted: '"income, EUR",""")
    refused("train", "small.csv", "--target", "9", says="9")
    refused("train", "small.csv", "--positive", "pear", says="pear")
    refused("train", "small.csv", "--prior", "pear=1", says="pear")


@test
def bad_one_class_only():
    put("one.csv", "a,b,class\n1,2,p\n3,4,p\n")
    refused("train", "one.csv", "-m", "nb", says="class")


@test
def bad_arff_value():
    bad_data("v.arff", "@relation r\n@attribute a {x,y}\n@attribute class {p,q}\n@data\nx,p\nz,q\n",
             "v.arff:6: .*'z'")


@test
def bad_weights():
    put("w.csv", "a,w,class\n1,1,p\n2,-1,q\n")
    refused("train", "w.csv", "--weight", "w", says="w")


@test
def bad_output_places():
    put("small.csv", SMALL)
    model()
    os.mkdir("folder")
    refused("train", "small.csv", "-o", "folder", says="folder")
    refused("train", "small.csv", "-o", "absent/m.heft", says="absent/m.heft")
    refused("predict", "m.heft", "small.csv", "-o", "absent/p.csv", says="absent/p.csv")
    refused("inspect", "m.heft", "--json", "absent/i.json", says="absent/i.json")
    refused("convert", "small.csv", "-o", "absent/c.csv", says="absent/c.csv")
    refused("convert", "small.csv", "-o", "c.xls", says="c.xls")


@test
def bad_endless_files():
    """A file without an end is refused as soon as a line is longer than any that is right."""
    put("small.csv", SMALL)
    for path in ("/dev/zero", "endless"):
        if path == "endless":
            os.mkfifo(path)
        for args in (["evaluate", "small.csv", "-m", "nb", "--folds", path],
                     ["train", "small.csv", "-m", "tcsfsnb", "-p", f"costs={path}", "-o", "m.heft"]):
            digits = subprocess.Popen(["sh", "-c", f"yes | tr -d '\\n' | tr y 0 >{path}"]) if path == "endless" else None
            refused(*args, says="a line of more than 64 KiB begins here .is it the right file")
            if digits:
                digits.wait()


@test
def bad_full_disk():
    if os.path.exists("/dev/full"):
        model()
        with open("/dev/full", "wb") as full:
            for args in (["predict", "m.heft", "small.csv"], ["methods"], ["--help"],
                         ["inspect", "m.heft"]):
                done = subprocess.run([HEFT, *args], stdout=full, stderr=subprocess.PIPE, check=False)
                same(done.returncode, 1, f"{args}")
                require(done.stderr.startswith(b"heft: error: standard output: "), done.stderr)


@test
def bad_models():
    """A model that is cut short, altered, of another version or no model at all is refused."""
    model()
    good = pathlib.Path("m.heft").read_bytes()
    length = int.from_bytes(good[:8], "little")
    header = json.loads(good[8:8 + length])
    cases = {"cut": good[:-5], "half": good[:len(good) // 2], "stub": good[:6], "empty": b"",
             "longer": good + b"x"}
    for at in (0, 3, 9, 8 + length // 2, 8 + length - 2, 8 + length + 3, len(good) - 9):
        flipped = bytearray(good)
        flipped[at] ^= 0x41
        cases[f"flip{at}"] = bytes(flipped)
    version = next(k for k in header["__metadata__"] if "version" in k.lower() or k == "heft.format")
    header["__metadata__"][version] = "999"
    text = json.dumps(header).encode()
    cases["version"] = len(text).to_bytes(8, "little") + text + good[8 + length:]
    for name, content in cases.items():
        put(name + ".heft", content)
        before = Run(["inspect", "m.heft"]).out
        run = Run(["inspect", name + ".heft"])
        if name.startswith("flip") and run.status == 0:
            same(run.out, before, f"{name}: accepted with other content")
            continue
        refused("predict", name + ".heft", "small.csv", "-o", "p.csv", says=name)
        refused("inspect", name + ".heft", "--json", "i.json", says=name)
    refused("predict", "small.csv", "small.csv", says="small.csv")
    refused("inspect", EXAMPLES / "iris.csv", says="iris.csv")
    refused("inspect", "version.heft", says="999|version")


@test
def bad_prediction_data():
    model()
    put("lacks.csv", "colour,kind\nred,apple\n")
    refused("predict", "m.heft", "lacks.csv", "-o", "p.csv", says="size")


# ---- fair oddities: accepted -----------------------------------------------------------------


def equal_to_small(name, content, *more):
    """Training on this content gives the predictions of the plain file."""
    model()
    rows = predictions("m.heft", "small.csv", "--proba")
    put(name, content)
    heft("train", "-m", "nb", name, "-o", "n.heft", *more)
    same(predictions("n.heft", "small.csv", "--proba"), rows, name)
    same(predictions("m.heft", name, "--proba", *more), rows, name)


@test
def fair_byte_order_mark():
    equal_to_small("b.csv", b"\xef\xbb\xbf" + SMALL.encode())


@test
def fair_crlf():
    equal_to_small("c.csv", SMALL.replace("\n", "\r\n"))


@test
def fair_no_final_newline():
    equal_to_small("n.csv", SMALL.rstrip("\n"))


@test
def fair_quotes():
    equal_to_small("q.csv", "\n".join(",".join(f'"{c}"' for c in line.split(","))
                                      for line in SMALL.splitlines()))


@test
def fair_delimiters():
    for name, mark in (("t.tsv", "\t"), ("s.csv", ";"), ("p.csv", "|")):
        equal_to_small(name, SMALL.replace(",", mark))
    equal_to_small("x.csv", SMALL.replace(",", ":"), "--delimiter", ":")


@test
def fair_packed_and_piped():
    equal_to_small("g.csv.gz", gzip.compress(SMALL.encode()))
    two = gzip.compress(SMALL[:200].encode()) + gzip.compress(SMALL[200:].encode())
    equal_to_small("two.csv.gz", two)
    if shutil.which("zstd"):
        put("plain", SMALL)
        subprocess.run(["zstd", "-q", "plain", "-o", "z.csv.zst"], check=True)
        equal_to_small("z.csv.zst", pathlib.Path("z.csv.zst").read_bytes())
    rows = predictions("m.heft", "small.csv", "--proba")
    heft("train", "-m", "nb", "-", "-o", "p.heft", stdin=SMALL.encode())
    same(predictions("p.heft", "-", "--proba", stdin=SMALL.encode()), rows, "standard input")
    same(predictions("p.heft", "-", "--proba", stdin=gzip.compress(SMALL.encode())), rows,
         "packed standard input")
    heft("train", "-", "-o", "-", stdin=SMALL.encode())


@test
def fair_all_missing_column():
    put("a.csv", "x,y,class\n1,,p\n2,?,p\n8,NA,q\n9,NaN,q\n")
    put("text.csv", "x,y,class\n1,word,p\n2,7,p\n8,,q\n9,?,q\n")
    put("only.csv", "y,class\n,p\n,p\n,q\n")
    for method in "auto", "nb", "gnb", "lnb", "rnb", "sbc", "tan", "lcwnb", "swnb":
        run = heft("train", "a.csv", "-m", method)
        require("column 'y' has no values" in run.err and "2 (numeric), 1 used" in run.err, run)
        for data in "a.csv", "text.csv":
            same([r[0] for r in predictions("a.heft", data)], ["predicted", "p", "p", "q", "q"], data)
        heft("train", "only.csv", "-m", method)
        same([r[0] for r in predictions("only.heft", "text.csv")], ["predicted"] + 4 * ["p"], method)
    heft("train", "a.csv", "--numeric", "y")  # whoever says what it is keeps it
    require("(the first is 'word'" in heft("predict", "a.heft", "text.csv").err, "it is a number")
    heft("train", "a.csv", "--part", "-m", "nb", "-o", "1.heft")  # another part may know more of it
    put("b.csv", "x,y,class\n3,4,p\n7,5,q\n")
    heft("train", "b.csv", "--part", "-m", "nb", "-o", "2.heft")
    heft("merge", "1.heft", "2.heft", "-o", "m.heft")
    same(len(json.loads(heft("inspect", "m.heft", "--json", "-").out)["attributes"]), 2, "attributes")


@test
def fair_one_row_per_class():
    put("o.csv", "x,y,class\n1,a,p\n2,b,q\n3,c,r\n")
    heft("train", "o.csv")
    same([r[0] for r in predictions("o.heft", "o.csv")], ["predicted", "p", "q", "r"], "rows")


@test
def fair_constant_column():
    put("k.csv", "x,y,class\n5,1,p\n5,2,p\n5,8,q\n5,9,q\n")
    heft("train", "k.csv")
    same([r[0] for r in predictions("k.heft", "k.csv")], ["predicted", "p", "p", "q", "q"], "rows")


@test
def fair_hundred_thousand_columns():
    n = 10000 if SANITIZED else 100000
    lines = [",".join(f"v{j}" for j in range(n)) + ",class"]
    for i in range(4):
        lines.append(",".join(str((i * 3 + j) % 7) for j in range(n)) + "," + "pq"[i % 2])
    put("wide.csv", "\n".join(lines) + "\n")
    heft("train", "wide.csv")
    same(len(predictions("wide.heft", "wide.csv")), 5, "lines")


@test
def fair_ten_megabyte_field():
    long = "x" * 10_000_000
    put("long.csv", f"a,b,class\n1,{long},p\n2,short,q\n3,short,q\n1,{long},p\n")
    heft("train", "long.csv")
    same([r[0] for r in predictions("long.heft", "long.csv")], ["predicted", "p", "q", "q", "p"], "")


@test
def fair_unseen_values():
    """A category the model has never heard of is counted in a warning and treated as missing."""
    model()
    put("u.csv", "size,colour\n1.1,violet\n3.2,violet\n1.1,\n3.2,\n")
    run = heft("predict", "m.heft", "u.csv", "--proba")
    rows = run.out.splitlines()[1:]
    same(rows[:2], rows[2:], "like a missing cell")
    require(re.search(r"^heft: warning: u\.csv: 2 cells have a value that is not in the training data", run.err, re.M),
            run.err)
    require("warning" not in heft("predict", "m.heft", "u.csv", "-q").err, "-q")
    put("more.csv", SMALL + "1.2,green,grape\n" * 9)  # classes of unequal size
    heft("train", "more.csv", "-o", "z.heft", "--unseen", "zero")
    other = heft("predict", "z.heft", "u.csv", "--proba").out.splitlines()[1:]
    require(other[0] != other[2], "zero count")


@test
def fair_warnings_name_the_file():
    """A warning begins with the file it is about, and its counts agree with their nouns."""
    lines = SMALL.splitlines()
    put("gaps.csv", "\n".join([*lines[:-1], lines[-1].rsplit(",", 1)[0] + ","]) + "\n")
    says = f"heft: warning: gaps.csv: 1 of {len(lines) - 1} rows has no class and is left out"
    require(says in heft("train", "gaps.csv", "-o", "gaps.heft").err.splitlines(), "train")
    require(says in heft("evaluate", "gaps.csv", "-m", "nb", "--cv", 2).err.splitlines(), "evaluate")
    put("one.csv", "size,colour\n1.1,violet\n")
    says = "heft: warning: one.csv: 1 cell has a value that is not in the training data (treated as missing)"
    require(says in heft("predict", "gaps.heft", "one.csv").err.splitlines(), "predict")


@test
def fair_columns_permuted_and_extra():
    model()
    rows = predictions("m.heft", "small.csv", "--proba")
    cells = [line.split(",") for line in SMALL.splitlines()]
    put("p.csv", "\n".join(f"{k},note{i},{c},{s}" if i else "kind,note,colour,size"
                           for i, (s, c, k) in enumerate(cells)) + "\n")
    same(predictions("m.heft", "p.csv", "--proba"), rows, "columns in another order, one more")


@test
def fair_values_in_another_order():
    head = "@relation r\n@attribute size numeric\n@attribute colour {%s}\n@attribute kind {%s}\n@data\n"
    body = SMALL.split("\n", 1)[1]
    put("a.arff", head % ("green,red", "grape,apple") + body)
    put("b.arff", head % ("red,blue,green", "apple,grape") + body)
    heft("train", "a.arff")
    same(predictions("a.heft", "b.arff", "--proba"), predictions("a.heft", "a.arff", "--proba"), "")


@test
def fair_no_header():
    put("n.csv", SMALL.split("\n", 1)[1])
    heft("train", "n.csv", "--header", "no")
    facts = json.loads(heft("inspect", "n.heft", "--json", "-").out)
    same([a["name"] for a in facts["attributes"]], ["c1", "c2"], "names")
    heft("train", "n.csv", "-t", "3", "-o", "t.heft")


@test
def fair_data_options():
    put("o.csv", "id,size,code,w,class\n1,1.0,7,1,p\n2,1.2,7,2,p\n3,-9,8,1,q\n4,3.0,8,1,r\n")
    heft("train", "o.csv", "-o", "m", "--drop", "id", "--nominal", "code", "--weight", "w",
         "--missing", "-9", "--positive", "p")
    facts = json.loads(heft("inspect", "m", "--json", "-").out)
    same([(a["name"], a["kind"]) for a in facts["attributes"]],
         [("size", "numeric"), ("code", "nominal")], "attributes")
    same(len(facts["classes"]), 2, "classes")
    same(facts["training"]["rows"], 5, "sum of the weights")
    same([r[0] for r in predictions("m", "o.csv", "--missing", "-9")][1:3], ["p", "p"], "prediction")


@test
def fair_rows_of_weight_0_do_not_exist():
    put("w.csv", "x,w,class\na,1,p\nb,2,q\na,1,p\nc,0,new\nb,0,p\n")
    run = heft("train", "w.csv", "-m", "nb", "--weight", "w")
    require("rows        3 from w.csv; skipped: 2 with weight 0\n" in run.err, run)
    require("class       class: p (2), q (1)\n" in run.err, run)
    run = heft("predict", "w.heft", "w.csv", "--weight", "w")
    same(len(run.out.splitlines()), 6, "lines")
    require("accuracy 1.0000 (3 of 3 rows correct)" in run.err, run)
    page = json.loads(heft("report", "w.heft", "w.csv", "--weight", "w", "--json", "-").out)["data"]
    same((page["weighted"], page["with_class"], page["rows"]), (True, 3, 5), "the page of the model")


@test
def fair_preparation_is_stored_in_the_model():
    put("small.csv", SMALL)
    heft("train", "small.csv", "-m", "nb", "-o", "m", "--discretize", "width:4", "--impute", "mean",
         "--smoothing", "m:2", "--prior", "apple=0.7,grape=0.3")
    facts = json.loads(heft("inspect", "m", "--json", "-").out)
    prior = dict(zip(facts["classes"], facts["prior"]))
    require(abs(prior["apple"] - 0.7) < 1e-12, str(prior))
    put("gap.csv", "size,colour\n,green\n,\n")
    same(len(predictions("m", "gap.csv")), 3, "gaps are filled")


if __name__ == "__main__":
    sys.exit(harness.main())
