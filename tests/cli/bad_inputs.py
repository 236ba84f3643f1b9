#!/usr/bin/env python3
"""Bad inputs and what heft says to each: the table in docs/reliability.md is what it says now.

    bad_inputs.py HEFT             fail where the table differs, or a refusal is not as it must be
    bad_inputs.py HEFT --write     put the present sentences into docs/reliability.md

A refusal is one line "heft: error: ...", status 1 (2 where the command line is wrong), nothing on
standard output and no file that was not there before.
"""
import difflib
import gzip
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reliability.md"
BEGIN, END = "<!-- bad inputs: begin -->\n", "<!-- bad inputs: end -->\n"

GOOD = "x,colour,class\n" + "".join(f"{i},{'rg'[i % 2]},{'ab'[i // 2 % 2]}\n" for i in range(12))
ARFF = "@relation r\n@attribute x numeric\n@attribute c {a,b}\n@data\n"
ZST = b"\x28\xb5\x2f\xfd\x20\x04\x21\x00\x00a,b\n"
TRAIN = ["train", "DATA", "-o", "out", "-m", "nb"]


def model_with(change):
    """The bytes of the good model after change(header, data)."""
    def make(good):
        n = struct.unpack("<Q", good[:8])[0]
        header, data = change(json.loads(good[8:8 + n]), good[8 + n:])
        text = json.dumps(header).encode()
        return struct.pack("<Q", len(text)) + text + data
    return make


def meta(**texts):
    def change(header, data):
        header["__metadata__"].update(texts)
        return header, data
    return model_with(change)


def first_tensor(**about):
    def change(header, data):
        name = sorted(k for k in header if k != "__metadata__")[0]
        header[name].update(about)
        return header, data
    return model_with(change)


def data(what, name, content, *more):
    return what, {name: content}, [*TRAIN, *more], name


def csv(what, content, *more):
    return data(what, "bad.csv", content, *more)


def arff(what, content, *more):
    return data(what, "bad.arff", content, *more)


def svm(what, content, *more):
    return data(what, "bad.svm", content, *more)


def parquet(what, name, *more, end=None):
    content = (pathlib.Path(__file__).resolve().parents[1] / "parquet" / f"{name}.parquet").read_bytes()
    return data(what, "bad.parquet", content[:-4] + end if end else content, *more)


def model(what, content):
    return what, {"bad.heft": content}, ["predict", "DATA", "good.csv"], "bad.heft"


def words(what, *args):
    return what, {}, list(args), "good.csv"


CASES = [
    ("Files", [
        words("a file that is not there", "train", "absent.csv", "-o", "out"),
        words("a folder", "train", ".", "-o", "out"),
        csv("an empty file", ""),
        csv("a header and nothing else", "x,y,class\n"),
        csv("blank lines only", "\n\n\n"),
        csv("a NUL byte behind the first rows", GOOD * 900 + "1,\0,a\n"),
        csv("binary data", bytes(range(256)) * 8),
        csv("UTF-16", "x,class\n1,a\n2,b\n".encode("utf-16")),
        csv("a spreadsheet", b"PK\3\4" + b"\0" * 60),
        csv("a PDF", "%PDF-1.7\n"),
        csv("JSON", '[{"x": 1, "class": "a"}]\n'),
        csv("compressed with xz", b"\xfd7zXZ\0" + b"\0" * 30),
        data("gzip, cut short", "bad.csv.gz", gzip.compress(GOOD.encode(), mtime=0)[:-9]),
        data("gzip, damaged", "bad.csv.gz", gzip.compress(b"1,2,a\n", mtime=0)[:10] + b"\xff" * 20),
        data("zstd, cut short", "bad.csv.zst", ZST[:-3]),
        data("packed, too large when unpacked", "bad.csv.gz",
             gzip.compress(b"1,2,a\n3,4,b\n" * 90000, mtime=0), "--max-unpacked", "1M"),
    ]),
    ("CSV and TSV", [
        csv("a row with a cell too few", GOOD + "1,r\n"),
        csv("a row with a cell too many", GOOD + "1,r,a,b\n"),
        csv("a quote that never ends", 'x,class\n1,a\n2,"b\n3,a\n'),
        csv("text after a closing quotation mark", 'x,class\n"1"2,a\n3,b\n'),
        csv("text in a column said to be numeric", GOOD + "abc,r,a\n", "--numeric", "x"),
        csv("a number no double holds", GOOD + "1e999,r,a\n", "--numeric", "x"),
        csv("infinity as a number", GOOD + "inf,r,a\n", "--numeric", "x"),
        csv("two columns of one name", "x,x,class\n1,2,a\n3,4,b\n"),
        csv("one class only", "x,class\n1,a\n2,a\n"),
        csv("no row with a class", "x,class\n1,?\n2,\n"),
        csv("a class column that is not there", GOOD, "-t", "kind"),
        csv("a column to drop that is not there", GOOD, "--drop", "size"),
        csv("a column number too high", GOOD, "-t", "9"),
        csv("a short name that is not there", GOOD, "-t", "q"),
        csv("priors that do not sum to 1", GOOD, "--prior", "a=0.6,b=0.8"),
        csv("weights that are not numbers", "x,w,class\n1,1,a\n2,z,b\n", "--weight", "w"),
        csv("a negative weight", "x,w,class\n1,1,a\n2,-1,b\n", "--weight", "w"),
        csv("weights of 0 only", "x,w,class\n1,0,a\n2,0,b\n", "--weight", "w"),
        csv("a positive class that is not there", GOOD, "--positive", "c"),
        csv("a column both numeric and nominal", GOOD, "--numeric", "x", "--nominal", "x"),
        csv("more columns than allowed", GOOD, "--max-columns", "2"),
        csv("more classes than allowed", GOOD, "-t", "x", "--nominal", "x", "--max-classes", "5"),
    ]),
    ("ARFF", [
        arff("no @data", "@relation r\n@attribute x numeric\n"),
        arff("no attribute", "@relation r\n@data\n1\n"),
        arff("a type that is none", "@relation r\n@attribute x complex\n@data\n1\n"),
        arff("a list of values that never ends", "@attribute c {a,b\n@data\na\n"),
        arff("a value that is not declared", ARFF + "1,a\n2,z\n"),
        arff("a value declared twice", "@attribute x numeric\n@attribute c {a,a}\n@data\n1,a\n"),
        arff("text where a number belongs", ARFF + "abc,a\n"),
        arff("a cell too few", ARFF + "1\n"),
        arff("a sparse index too high", ARFF + "{7 1}\n"),
        arff("sparse indices out of order", ARFF + "{1 a,0 1}\n"),
        arff("a quote that never ends", ARFF + "1,'a\n"),
        arff("a date", "@attribute d date\n@attribute c {a,b}\n@data\n2020-01-01,a\n"),
        arff("two attributes of one name", "@attribute x real\n@attribute x real\n@data\n1,2\n"),
        arff("no data", ARFF),
    ]),
    ("LIBSVM", [
        svm("index 0", "1 0:1\n2 1:1\n"),
        svm("indices that do not increase", "1 2:1 1:1\n"),
        svm("an index too high", "1 99999999999:1\n"),
        svm("a value that is not a number", "1 1:abc\n2 1:2\n"),
        svm("no colon", "1 1:2 3\n2 1:1\n"),
        svm("no label", "1:2 2:1\n"),
        svm("ranking data", "1 qid:1 1:2\n"),
        svm("a weight column", "1 1:2\n2 1:3\n", "--weight", "c1"),
        svm("another class column", "1 1:2\n2 1:3\n", "-t", "c1"),
    ]),
    ("Parquet", [
        parquet("cut short", "plain", end=b"----"),
        parquet("encrypted", "plain", end=b"PARE"),
        parquet("a column of dates", "odd"),
        parquet("a column of lists", "odd", "--drop", "day,stamp"),
        parquet("a codec that heft does not read", "brotli"),
        parquet("no rows", "no-rows"),
        parquet("text in a column said to be numeric", "plain", "--numeric", "colour"),
        parquet("lines to skip", "plain", "--skip", "1"),
        words("a Parquet file to write", "convert", "good.csv", "-o", "out.parquet"),
    ]),
    ("Models", [
        model("an empty file", b""),
        model("a data file in place of a model", GOOD.encode()),
        model("random bytes", bytes((i * 89 + 5) % 251 for i in range(400))),
        model("cut in the header", lambda good: good[:100]),
        model("cut in the data", lambda good: good[:-5]),
        model("bytes behind the end", lambda good: good + b"more"),
        model("one byte changed", lambda good: good[:-8] + bytes([good[-8] ^ 1]) + good[-7:]),
        model("a header of 2^63 bytes", lambda good: struct.pack("<Q", 1 << 63) + good[8:]),
        model("a header that is no JSON", lambda good: good[:9] + b"}" + good[10:]),
        model("deeply nested JSON", struct.pack("<Q", 40) + b'{"a":' + b"[" * 30 + b"     " + b"\0" * 8),
        model("another program's safetensors", meta(format="pt")),
        model("a later version", meta(version="2")),
        model("without a checksum", model_with(
            lambda h, d: (h["__metadata__"].pop("checksum") and None) or (h, d))),
        model("a text changed", meta(method="lnb")),
        model("a tensor of a type there is not", first_tensor(dtype="BF16")),
        model("a tensor beyond the end", first_tensor(data_offsets=[0, 1 << 50])),
        model("a tensor whose shape is not its size", first_tensor(shape=[1 << 40])),
        model("a shape whose product overflows", first_tensor(shape=[1 << 32, 1 << 32, 16])),
        model("a negative offset", first_tensor(data_offsets=[-8, 0])),
        model("packed", gzip.compress(b"x" * 50, mtime=0)),
    ]),
    ("Data for a model", [
        words("a column the model needs is not there", "predict", "good.heft", "other.csv"),
        words("model and data in the wrong order", "predict", "good.csv", "good.heft"),
        words("a model in place of data", "predict", "good.heft", "good.heft"),
        words("no such row to explain", "explain", "good.heft", "good.csv", "--row", "99"),
        words("a method that cannot be exported", "export", "lcwnb.heft", "-o", "out.c"),
    ]),
    ("Folds and costs", [
        words("folds: too few lines", "evaluate", "good.csv", "--folds", "few.folds", "-m", "nb"),
        words("folds: too many lines", "evaluate", "good.csv", "--folds", "many.folds", "-m", "nb"),
        words("folds: not a number", "evaluate", "good.csv", "--folds", "word.folds", "-m", "nb"),
        words("folds: a gap", "evaluate", "good.csv", "--folds", "gap.folds", "-m", "nb"),
        words("folds: one fold", "evaluate", "good.csv", "--folds", "one.folds", "-m", "nb"),
        words("folds: lines of different length", "evaluate", "good.csv", "--folds", "rag.folds",
              "-m", "nb"),
        words("more folds than rows", "evaluate", "good.csv", "--cv", "50", "-m", "nb"),
        words("costs: not a number", "train", "good.csv", "-m", "tcsfsnb", "-p", "costs=bad.costs",
              "-o", "out"),
        words("costs: a name twice", "train", "good.csv", "-m", "tcsfsnb", "-p", "costs=twice.costs",
              "-o", "out"),
    ]),
    ("Outputs", [
        words("a folder that is not there", "train", "good.csv", "-o", "no/such/out", "-m", "nb"),
        words("a folder as the output", "train", "good.csv", "-o", ".", "-m", "nb"),
        words("a device that is full", "convert", "good.csv", "-o", "/dev/full"),
        words("an ending that names no format", "convert", "good.csv", "-o", "out.xyz"),
        words("an ending that names no format (export)", "export", "good.heft", "-o", "out.py"),
        words("categories as LIBSVM", "convert", "good.csv", "-o", "out.libsvm"),
        words("a packed output", "convert", "good.csv", "-o", "out.csv.gz"),
    ]),
    ("The command line (status 2)", [
        words("an unknown command", "trian", "good.csv"),
        words("an unknown option", "train", "good.csv", "--tarfet", "x"),
        words("an unknown method", "train", "good.csv", "-m", "nbb"),
        words("an unknown parameter", "train", "good.csv", "-m", "lcwnb", "-p", "kapa=1"),
        words("a parameter out of its range", "train", "good.csv", "-m", "lcwnb", "-p", "kappa=-1"),
        words("a parameter without a value", "train", "good.csv", "-p", "kappa"),
        words("no such preparation", "train", "good.csv", "--discretize", "width:0"),
        words("a prior above 1", "train", "good.csv", "--prior", "2"),
        words("a threshold above 1", "train", "good.csv", "--threshold", "a=1.5"),
        words("a negative cost", "train", "good.csv", "--cost", "a:b=-1"),
        words("tuning by costs that are not given", "train", "good.csv", "--tune", "cost"),
        words("a threshold and costs", "predict", "m", "good.csv", "--threshold", "a=0.5", "--cost", "a:b=2"),
        words("a number where one is needed", "evaluate", "good.csv", "--cv", "ten"),
        words("a letter as delimiter", "train", "good.csv", "--delimiter", "xy"),
        words("a limit of 0", "train", "good.csv", "--max-columns", "0"),
        words("a time limit of 0", "train", "good.csv", "--time-limit", "0"),
        words("a time limit that is not a number", "train", "good.csv", "--time-limit", "nan"),
        words("a time limit for another method", "train", "good.csv", "-m", "nb", "--time-limit", "9"),
        words("a time limit and a calibration", "train", "good.csv", "--time-limit", "9", "--calibrate", "vector"),
        words("an option without its value", "train", "good.csv", "-o"),
        words("an operand too many", "inspect", "good.csv", "a"),
        words("no operand", "train"),
    ]),
]
SIDE = {
    "good.csv": GOOD, "other.csv": "y,class\n1,a\n",
    "few.folds": "0\n1\n", "many.folds": "0\n1\n" * 9, "word.folds": "0\nx\n" * 6,
    "gap.folds": "0\n2\n" * 6, "one.folds": "0\n" * 12, "rag.folds": "0,1\n1\n" * 6,
    "bad.costs": "name,cost\nx,cheap\n", "twice.costs": "x,1\nx,2\n",
}


def run(heft, what, made, args, name, good):
    """The sentence and the status; what is wrong with them."""
    for file, content in made.items():
        content = content(good) if callable(content) else content
        pathlib.Path(file).write_bytes(content.encode() if isinstance(content, str) else content)
    before = sorted(os.listdir())
    done = subprocess.run([heft, *(name if a == "DATA" else a for a in args)], capture_output=True,
                          check=False, timeout=120)
    lines = [line for line in done.stderr.decode("utf-8").splitlines()
             if not line.startswith("heft: warning: ")]
    wrong = ""
    if done.returncode not in (1, 2):
        wrong = f"status {done.returncode}"
    elif len(lines) != 1 or not lines[0].startswith("heft: error: "):
        wrong = f"not one line: {lines}"
    elif done.stdout:
        wrong = "it wrote to standard output"
    elif sorted(os.listdir()) != before:
        wrong = "it left a file"
    for file in made:
        os.remove(file)
    said = lines[0].removeprefix("heft: error: ") if lines else ""
    # sizes that depend on the packer, and on how long training took
    said = re.sub(r"(should have) \d+( bytes and has) \d{3,}", r"\1 N\2 M", said)
    said = re.sub(r"\d+( compressed bytes)", r"N\1", said)
    return said, done.returncode, f"{what}: {wrong}" if wrong else ""


def table(heft):
    text, faults, number = "", [], 0
    with tempfile.TemporaryDirectory() as folder:
        home = os.getcwd()
        os.chdir(folder)
        for file, content in SIDE.items():
            pathlib.Path(file).write_text(content)
        for name in ("nb", "lcwnb"):
            subprocess.run([heft, "train", "good.csv", "-m", name, "-o", f"{name}.heft", "-q"], check=True)
        os.rename("nb.heft", "good.heft")
        good = pathlib.Path("good.heft").read_bytes()
        for title, cases in CASES:
            text += f"\n**{title}**\n\n| input | heft says |\n|---|---|\n"
            status = 2 if "status 2" in title else 1
            for case in cases:
                said, found, wrong = run(heft, *case, good)
                faults += [wrong] if wrong else []
                faults += [f"{case[0]}: status {found}"] if found != status and not wrong else []
                shown = said.replace("|", "\\|").replace("<", "&lt;")
                text += f"| {case[0]} | `{shown}` |\n"
                number += 1
        os.chdir(home)
    return f"{number} bad inputs, each refused with one line and no file written.\n" + text, faults


def main():
    heft, write = str(pathlib.Path(sys.argv[1]).resolve()), "--write" in sys.argv[2:]
    page = PAGE.read_text(encoding="utf-8")
    head, rest = page.split(BEGIN)
    shown, tail = rest.split(END)
    now, faults = table(heft)
    print("\n".join(faults))
    if write:
        PAGE.write_text(head + BEGIN + now + END + tail, encoding="utf-8")
    elif shown != now:
        print("\n".join(difflib.unified_diff(shown.splitlines(), now.splitlines(), "docs/reliability.md",
                                             "heft", lineterm="", n=0)))
        faults.append("the table is not what heft says (bad_inputs.py HEFT --write renews it)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
