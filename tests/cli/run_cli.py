#!/usr/bin/env python3
"""The program as a user meets it: every command, every kind of bad file, every fair oddity.

    run_cli.py HEFT [NAME...]      HEFT: the program; NAME: only tests whose name holds one of these

Each test gets an empty folder of its own. A refusal must be one line "heft: error: ..." on standard
error, the right exit status, and no file that was not there before.
"""
import csv
import gzip
import io
import json
import math
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
HEFT = str(pathlib.Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else ""
TESTS = []
PATIENCE = 120  # seconds, under a sanitizer on a busy machine

SMALL = "size,colour,kind\n" + "".join(
    f"{1 + i % 5 / 10},green,grape\n{3 + i % 7 / 10},{'red' if i % 3 else 'green'},apple\n"
    for i in range(10))


class Wrong(Exception):
    pass


def test(function):
    TESTS.append(function)
    return function


def require(condition, message):
    if not condition:
        raise Wrong(message)


def same(found, expected, what):
    require(found == expected, f"{what}: {found!r}, expected {expected!r}")


class Run:
    def __init__(self, args, stdin=b"", env=None):
        done = subprocess.run([HEFT, *map(str, args)], input=stdin, capture_output=True,
                              timeout=PATIENCE, env={**os.environ, **(env or {})}, check=False)
        self.args = args
        self.status = done.returncode
        self.raw = done.stdout
        self.out = done.stdout.decode("utf-8", "replace")
        self.err = done.stderr.decode("utf-8", "replace")

    def __str__(self):
        return (f"heft {' '.join(map(str, self.args))[:200]}: status {self.status}\n"
                f"stdout: {self.out[:600]}\nstderr: {self.err[:1500]}")


def files():
    return sorted(str(p) for p in pathlib.Path(".").rglob("*"))


def heft(*args, stdin=b"", env=None):
    """A run that must succeed."""
    run = Run(args, stdin, env)
    require(run.status == 0, str(run))
    return run


def refused(*args, status=1, says="", stdin=b""):
    """A run that must be refused: one line, the status, nothing written."""
    before = files()
    run = Run(args, stdin)
    require(run.status == status, f"expected status {status}\n{run}")
    errors = [line for line in run.err.splitlines() if not line.startswith("heft: warning: ")]
    require(len(errors) == 1 and errors[0].startswith("heft: error: "), f"not one line\n{run}")
    require(re.search(says, errors[0]), f"does not say {says!r}\n{run}")
    require(run.out == "", f"wrote to standard output\n{run}")
    same(files(), before, "files")
    return run


def put(name, content):
    data = content if isinstance(content, bytes) else content.encode()
    pathlib.Path(name).write_bytes(data)
    return name


def model(data="small.csv", name="m.heft", *more):
    if data == "small.csv" and not os.path.exists(data):
        put(data, SMALL)
    heft("train", data, "-m", "nb", "-o", name, *more)
    return name


def predictions(*args, stdin=b""):
    return list(csv.reader(io.StringIO(heft("predict", *args, stdin=stdin).out)))


# ---- the face ---------------------------------------------------------------------------------

COMMANDS = ["train", "predict", "evaluate", "inspect", "explain", "methods", "convert",
            "report", "export"]


@test
def help_of_the_program():
    for args in (["--help"], ["-h"], ["help"]):
        text = heft(*args).out
        for name in COMMANDS:
            require(re.search(rf"^  {name} ", text, re.M), f"{args}: {name} is not listed")


@test
def help_of_every_command_with_examples():
    for name in COMMANDS:
        for args in ([name, "--help"], [name, "-h"], ["help", name], ["-h", name]):
            text = heft(*args).out
            require(text.startswith(f"Usage: heft {name} ") and "Examples:" in text, text)


@test
def examples_in_help_parse():
    """Every example command names options that exist: none is refused as wrong usage."""
    for name in COMMANDS:
        text = heft(name, "--help").out.split("Examples:")[1]
        for line in text.splitlines():
            words = re.split(r"\||&&", line.split("#")[0])
            for part in words:
                part = part.split()
                if part[:1] == ["heft"]:
                    run = Run(part[1:])
                    require(run.status != 2, str(run))


@test
def manual_names_every_option():
    common = (ROOT / "man/heft.1").read_text()
    for name in COMMANDS:
        page = (ROOT / f"man/heft-{name}.1").read_text() + common
        for option in re.findall(r"^  (?:-., |    )--([a-z-]+)", heft(name, "--help").out, re.M):
            require(f"Fl -{option}" in page or f", -{option}" in page, f"{name}: --{option}")


@test
def version():
    require(re.fullmatch(r"heft \d+\.\d+\.\d+\n", heft("--version").out), "format")
    same(heft("train", "--version").out, heft("--version").out, "version")


@test
def wrong_usage_is_status_2():
    put("small.csv", SMALL)
    model()
    for args, says in [
        ([], "no command"),
        (["trian", "small.csv"], "unknown command 'trian'; did you mean train"),
        (["--foo"], "unknown option '--foo'"),
        (["train"], "needs a file"),
        (["predict", "a", "b", "c"], "'c' is one word too many"),
        (["train", "small.csv", "--foo"], r"unknown option '--foo' for train.*see heft train --help"),
        (["train", "small.csv", "--tagret", "x"], "did you mean --target"),
        (["train", "small.csv", "--targ", "kind"], "unknown option '--targ'"),
        (["train", "small.csv", "-z"], "unknown option '-z'"),
        (["train", "small.csv", "--target"], "--target needs a value"),
        (["train", "small.csv", "-t"], "-t needs a value"),
        (["train", "small.csv", "--quiet=yes"], "takes no value"),
        (["train", "small.csv", "--seed", "x"], "--seed takes"),
        (["train", "small.csv", "--seed", "99999999999999999999"], "--seed takes"),
        (["train", "small.csv", "--threads", "-1"], "--threads takes"),
        (["train", "small.csv", "--header", "maybe"], "yes or no"),
        (["train", "small.csv", "--delimiter", "ab"], "one character"),
        (["train", "small.csv", "--format", "xls"], "csv|tsv|arff|libsvm"),
        (["train", "small.csv", "-p", "x"], "NAME=VALUE"),
        (["train", "small.csv", "-m", "nbb"], "unknown method 'nbb'; did you mean nb"),
        (["train", "small.csv", "-p", "zzz=1"], "zzz"),
        (["train", "small.csv", "--discretize", "sometimes"], "sometimes"),
        (["train", "small.csv", "--discretize", "width:0"], "width:0"),
        (["train", "small.csv", "--impute", "magic"], "magic"),
        (["train", "small.csv", "--scale", "big"], "big"),
        (["train", "small.csv", "--smoothing", "m:-1"], "m:-1"),
        (["train", "small.csv", "--prior", "odd"], "odd"),
        (["train", "small.csv", "--unseen", "odd"], "odd"),
        (["train", "-"], "need -o"),
        (["predict", "m.heft"], "one file more"),
        (["evaluate", "small.csv", "-m", "nb,xx"], "unknown method 'xx'"),
        (["evaluate", "small.csv", "-m", "nb:zzz=1"], "zzz"),
        (["evaluate", "small.csv", "-p", "zzz=1", "-m", "nb,gnb"], "zzz"),
        (["evaluate", "small.csv", "--cv", "1"], "2 or more"),
        (["evaluate", "small.csv", "--cv", "ten"], "--cv takes"),
        (["evaluate", "small.csv", "--protocol", "odd"], r"honest\|whole"),
        (["evaluate", "small.csv", "--split", "odd"], r"heft\|weka"),
        (["evaluate", "small.csv", "--test", "small.csv", "--cv", "5"], "--test"),
        (["evaluate", "small.csv", "--folds", "f", "--cv", "5"], "--folds"),
        (["evaluate", "small.csv", "--json", "-", "--csv", "-"], "only one"),
        (["explain", "m.heft", "small.csv", "--row", "0"], "1 or more"),
        (["methods", "nbb"], "unknown method 'nbb'"),
        (["convert", "small.csv", "--to", "xls"], r"csv\|tsv\|arff\|libsvm"),
        (["convert", "small.csv", "--like", "m.heft", "--scale", "minmax"], "one or the other"),
        (["repair", "m.heft"], "unknown command"),
    ]:
        refused(*args, status=2, says=says)


@test
def parameter_out_of_range_is_status_2():
    """Whatever numeric parameter a method has, a value outside its range is refused by name."""
    put("small.csv", SMALL)
    tried = 0
    for name in [line.split()[0] for line in heft("methods").out.split("\n\n")[0].splitlines()[1:]]:
        for option in re.findall(r"^  (\S+)  .*a (?:whole )?number (?:from|above) 0", heft(
                "methods", name).out, re.M):
            refused("train", "small.csv", "-m", name, "-p", f"{option}=-1", status=2, says=option)
            tried += 1
    print(f"    {tried} parameters")


@test
def wrong_words_are_found_before_the_data_are_read():
    refused("train", "absent.csv", "-p", "zzz=1", status=2, says="zzz")
    refused("train", "absent.csv", "--discretize", "odd", status=2, says="odd")


@test
def options_in_any_order_and_form():
    put("small.csv", SMALL)
    for args in (["-o", "a.heft", "small.csv", "-m", "nb", "-t", "kind"],
                 ["small.csv", "-oa.heft", "-mnb", "-tkind"],
                 ["--output=a.heft", "--method=nb", "--target=kind", "small.csv"],
                 ["-qvoa.heft", "--", "small.csv"]):
        heft("train", *args)
        os.remove("a.heft")
    put("-odd.csv", SMALL)
    heft("train", "-o", "a.heft", "--", "-odd.csv")
    heft("-q", "--threads", "1", "train", "small.csv")


@test
def quiet_and_verbose():
    put("small.csv", SMALL)
    require(heft("train", "small.csv").err.count("\n") == 1, "one line by default")
    same(heft("train", "small.csv", "-q").err, "", "quiet")
    same(heft("-q", "train", "small.csv").err, "", "quiet before the command")
    require(len(heft("train", "small.csv", "-vv").err) >= len(heft("train", "small.csv").err), "-vv")


def on_terminal(*args, env=None):
    """Standard error of a run whose standard error is a terminal."""
    master, slave = pty.openpty()
    with subprocess.Popen([HEFT, *args], stdout=subprocess.DEVNULL, stderr=slave,
                          env={**os.environ, "TERM": "xterm", **(env or {})}) as process:
        os.close(slave)
        text = b""
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:
                break
            if not piece:
                break
            text += piece
        process.wait(PATIENCE)
    os.close(master)
    return text


@test
def colour_on_terminals_only():
    plain = {k: "" for k in ("NO_COLOR",)}
    require(b"\x1b[" in on_terminal("train", "absent.csv", env=plain), "coloured on a terminal")
    require(b"\x1b[" not in on_terminal("train", "absent.csv", env={"NO_COLOR": "1"}), "NO_COLOR")
    require(b"\x1b[" not in on_terminal("train", "absent.csv", env={"TERM": "dumb"}), "dumb")
    require("\x1b" not in Run(["train", "absent.csv"]).err, "plain in a pipe")


@test
def messages_are_one_line_whatever_the_name():
    run = refused("train", "a\nb\x1b[31m.csv")
    require("\x1b" not in run.err, "control characters reach the terminal")


# ---- commands ---------------------------------------------------------------------------------

@test
def train_names_the_model_after_the_data():
    os.mkdir("folder")
    put("folder/small.csv", SMALL)
    run = heft("train", "folder/small.csv")
    require(os.path.exists("small.heft") and "small.heft" in run.err, str(run))
    with gzip.open("zipped.csv.gz", "wb") as file:
        file.write(SMALL.encode())
    heft("train", "zipped.csv.gz")
    require(os.path.exists("zipped.heft"), "endings of packing and format are dropped")


@test
def train_says_what_it_learned():
    run = heft("train", EXAMPLES / "iris.csv", "-o", "m")
    for part in ("150 rows", "4 attributes", "3 classes", "auto"):
        require(part in run.err, str(run))
    same(run.out, "", "standard output")


@test
def training_twice_gives_the_same_predictions_for_any_threads():
    outs = set()
    for threads in ("1", "2", "3"):
        heft("train", EXAMPLES / "loans.csv", "-o", "m", "--threads", threads)
        outs.add(heft("predict", "m", EXAMPLES / "loans.csv", "--proba", "--threads", threads).out)
    same(len(outs), 1, "different outputs")


@test
def predict_writes_a_line_per_row():
    heft("train", EXAMPLES / "iris.csv", "-o", "m")
    run = heft("predict", "m", EXAMPLES / "iris.csv")
    rows = list(csv.reader(io.StringIO(run.out)))
    same(rows[0], ["predicted"], "header")
    same(len(rows), 151, "lines")
    same({r[0] for r in rows[1:]}, {"setosa", "versicolor", "virginica"}, "classes")
    accuracy = float(re.search(r"accuracy (\d\.\d+)", run.err).group(1))
    require(accuracy > 0.9, run.err)
    truth = [r[-1] for r in csv.reader(open(EXAMPLES / "iris.csv", encoding="utf-8"))][1:]
    right = sum(a == b[0] for a, b in zip(truth, rows[1:]))
    require(abs(accuracy - right / 150) < 1e-4 and f"{right} of 150" in run.err, run.err)


@test
def predict_probabilities():
    heft("train", EXAMPLES / "loans.csv", "-o", "m")
    rows = predictions("m", EXAMPLES / "loans.csv", "--proba")
    same(rows[0][0], "predicted", "first column")
    same(sorted(rows[0][1:]), ["P(no)", "P(yes)"], "probability columns")
    names = [name[2:-1] for name in rows[0][1:]]
    for row in rows[1:]:
        proba = [float(x) for x in row[1:]]
        require(abs(math.fsum(proba) - 1) < 1e-12, f"sum {row}")
        same(row[0], names[proba.index(max(proba))], "the most probable class")
    heft("predict", "m", EXAMPLES / "loans.csv", "--proba", "-o", "out.csv")
    same(list(csv.reader(open("out.csv", encoding="utf-8"))), rows, "-o file")


@test
def predict_without_the_class_column():
    model()
    rows = predictions("m.heft", "small.csv")
    put("bare.csv", "\n".join(line.rsplit(",", 1)[0] for line in SMALL.splitlines()) + "\n")
    run = heft("predict", "m.heft", "bare.csv")
    same(list(csv.reader(io.StringIO(run.out))), rows, "predictions")
    require("accuracy" not in run.err, run.err)


@test
def inspect_text_and_json():
    model()
    text = heft("inspect", "m.heft").out
    for word in ("size", "colour", "grape", "apple", "nb"):
        require(word in text, text)
    facts = json.loads(heft("inspect", "m.heft", "--json", "-").out)
    same(facts["method"], "nb", "method")
    same(sorted(facts["classes"]), ["apple", "grape"], "classes")
    require(abs(sum(facts["prior"]) - 1) < 1e-12, "prior")
    same([(a["name"], a["kind"]) for a in facts["attributes"]],
         [("size", "numeric"), ("colour", "nominal")], "attributes")
    same(facts["training"]["rows"], 20, "rows")
    heft("inspect", "m.heft", "--json", "i.json")
    same(json.load(open("i.json", encoding="utf-8")), facts, "--json FILE")
    short = heft("inspect", "m.heft", "--top", "1").out
    require(("size" in short) != ("colour" in short), short)


@test
def explain_rows():
    model()
    text = heft("explain", "m.heft", "small.csv", "--row", "2").out
    for word in ("size", "colour", "apple", "grape"):
        require(word in text, text)
    all_rows = json.loads(heft("explain", "m.heft", "small.csv", "--json", "-").out)
    same(len(all_rows), 20, "rows")
    same(json.loads(heft("explain", "m.heft", "small.csv", "--row", "2", "--json", "-").out),
         all_rows[1], "row 2 is the second")
    require(len(heft("explain", "m.heft", "small.csv").out) > 10 * len(text), "every row")
    refused("explain", "m.heft", "small.csv", "--row", "21", says="no row 21; it has 20")


@test
def evaluate_table_and_json():
    run = heft("evaluate", EXAMPLES / "iris.csv", EXAMPLES / "wine.csv", "-m", "nb,gnb", "--cv", "5",
               "--repeat", "2", "--seed", "7", "--json", "r.json", "--csv", "r.csv",
               "--markdown", "r.md")
    for word in ("iris", "wine", "nb", "gnb"):
        require(word in run.out, run.out)
    result = json.load(open("r.json", encoding="utf-8"))
    same((result["folds"], result["repeats"], result["seed"], result["protocol"]),
         (5, 2, 7, "honest"), "settings")
    same([d["name"] for d in result["datasets"]], ["iris", "wine"], "data sets")
    same((result["datasets"][0]["rows"], result["datasets"][0]["attributes"],
          result["datasets"][0]["classes"]), (150, 4, 3), "iris")
    for data in result["datasets"]:
        same([m["method"] for m in data["methods"]], ["nb", "gnb"], "methods")
        for cell in data["methods"]:
            fold = cell["per_fold"]
            same(len(fold), 10, "per_fold")
            mean = math.fsum(fold) / 10
            sd = math.sqrt(math.fsum((x - mean) ** 2 for x in fold) / 9)
            require(abs(cell["accuracy"] - mean) < 1e-12, "mean of the folds")
            require(abs(cell["accuracy_sd"] - sd) < 1e-12, "sample standard deviation")
            require(cell["accuracy"] > 0.9, "accuracy")
            for name in ("micro_f1", "macro_f1", "log_loss", "brier", "auc", "fit_seconds",
                         "predict_seconds", "accuracy_pooled"):
                require(math.isfinite(cell[name]), name)
    for name in ("mean_accuracy", "mean_rank", "tests"):
        require(name in result["summary"], name)
    require("iris" in open("r.csv", encoding="utf-8").read(), "csv")
    require("|" in open("r.md", encoding="utf-8").read(), "markdown")
    only = heft("evaluate", EXAMPLES / "iris.csv", "--json", "-").out
    same(json.loads(only)["folds"], 10, "JSON alone on standard output, ten folds by default")


@test
def evaluate_same_seed_same_figures():
    def figures(*more):
        result = json.loads(heft("evaluate", EXAMPLES / "loans.csv", "--json", "-", *more).out)
        return result["datasets"][0]["methods"][0]["per_fold"]
    same(figures("--threads", "1"), figures("--threads", "2"), "threads")
    require(figures("--seed", "1") != figures("--seed", "2"), "another seed, other folds")
    require(figures("--split", "weka") != figures(), "Weka's deal")


@test
def evaluate_folds_from_a_file():
    put("small.csv", SMALL)
    put("folds", "".join(f"{i % 4},{i // 5}\n" for i in range(20)))
    result = json.loads(heft("evaluate", "small.csv", "--folds", "folds", "--json", "-").out)
    same(len(result["datasets"][0]["methods"][0]["per_fold"]), 8, "4 folds, 2 repeats")
    put("short", "0\n1\n")
    refused("evaluate", "small.csv", "--folds", "short", says="short")
    put("odd", "x\n" * 20)
    refused("evaluate", "small.csv", "--folds", "odd", says="odd")
    refused("evaluate", "small.csv", "--folds", "absent", says="absent")


@test
def evaluate_on_a_test_file():
    put("small.csv", SMALL)
    put("new.csv", "kind,colour,size\napple,red,3.1\ngrape,green,1.0\ngrape,blue,1.2\napple,,1.1\n")
    result = json.loads(heft("evaluate", "small.csv", "--test", "new.csv", "--json", "-").out)
    same(result["datasets"][0]["methods"][0]["accuracy"], 0.75, "three of four right")


@test
def methods_list_and_records():
    shown = heft("methods").out
    require("Which when:" in shown, "advice")
    lines = shown.split("\n\n")[0].splitlines()
    require(lines[0].split() == ["name", "alias", "family", "title"], lines[0])
    names = [line.split()[0] for line in lines[1:] if line and not line.startswith("heft methods")]
    require("nb" in names and len(names) >= 3, str(names))
    for name in names:
        text = heft("methods", name).out
        for word in (f"{name}: ", "Source:", "Preparation:", f"-m {name}"):
            require(word in text, text)


@test
def convert_round_trip():
    model()
    rows = predictions("m.heft", "small.csv", "--proba")
    for name in ("a.arff", "a.tsv", "a.csv"):
        heft("convert", "small.csv", "-o", name)
        heft("train", "-m", "nb", name, "-o", "n.heft")
        same(predictions("n.heft", "small.csv", "--proba"), rows, name)
    heft("convert", EXAMPLES / "iris.csv", "-o", "iris.libsvm")
    require(len(open("iris.libsvm", encoding="utf-8").read().splitlines()) == 150, "libsvm lines")
    heft("train", "-m", "nb", "iris.libsvm", "-o", "l.heft")
    same(heft("convert", "small.csv").out.splitlines()[0], "size,colour,kind", "csv by default")
    require("@relation" in heft("convert", "small.csv", "--to", "arff").out.lower(), "--to")


@test
def convert_prepared():
    put("gaps.csv", "x,c,class\n1,a,p\n2,a,p\n,b,q\n9,,q\n")
    filled = list(csv.reader(io.StringIO(heft("convert", "gaps.csv", "--impute", "mean").out)))
    same((float(filled[3][0]), filled[4][1]), (4.0, "a"), "mean and mode")
    cut = heft("convert", EXAMPLES / "iris.csv", "--discretize", "width:3").out
    require("inf" in cut, cut[:200])
    heft("train", EXAMPLES / "iris.csv", "-o", "m", "--discretize", "width:3")
    same(heft("convert", EXAMPLES / "iris.csv", "--like", "m").out, cut, "--like a model")


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


@test
def bad_duplicate_columns():
    bad_data("d.csv", "a,a,class\n1,2,p\n1,3,q\n", "d.csv.*'a'", "--header", "yes")


@test
def bad_unknown_columns():
    put("small.csv", SMALL)
    for option in ("--target", "--drop", "--numeric", "--nominal", "--weight"):
        refused("train", "small.csv", option, "absent", says="absent")
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
def bad_full_disk():
    if os.path.exists("/dev/full"):
        model()
        with open("/dev/full", "wb") as full:
            for args in (["predict", "m.heft", "small.csv"], ["methods"], ["--help"],
                         ["inspect", "m.heft"]):
                done = subprocess.run([HEFT, *args], stdout=full, stderr=subprocess.PIPE, check=False)
                same(done.returncode, 1, f"{args}")
                require(done.stderr.startswith(b"heft: error: "), done.stderr)


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
    put("text.csv", "size,colour\nbig,red\n")
    refused("predict", "m.heft", "text.csv", "-o", "p.csv", says="text.csv:2: .*big")


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
    heft("train", "a.csv")
    same([r[0] for r in predictions("a.heft", "a.csv")], ["predicted", "p", "p", "q", "q"], "rows")


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
    n = 100000
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
    require(re.search(r"^heft: warning: .*2 ", run.err, re.M), run.err)
    require("warning" not in heft("predict", "m.heft", "u.csv", "-q").err, "-q")
    put("more.csv", SMALL + "1.2,green,grape\n" * 9)  # classes of unequal size
    heft("train", "more.csv", "-o", "z.heft", "--unseen", "zero")
    other = heft("predict", "z.heft", "u.csv", "--proba").out.splitlines()[1:]
    require(other[0] != other[2], "zero count")


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
def fair_preparation_is_stored_in_the_model():
    put("small.csv", SMALL)
    heft("train", "small.csv", "-m", "nb", "-o", "m", "--discretize", "width:4", "--impute", "mean",
         "--smoothing", "m:2", "--prior", "apple=0.7,grape=0.3")
    facts = json.loads(heft("inspect", "m", "--json", "-").out)
    prior = dict(zip(facts["classes"], facts["prior"]))
    require(abs(prior["apple"] - 0.7) < 1e-12, str(prior))
    put("gap.csv", "size,colour\n,green\n,\n")
    same(len(predictions("m", "gap.csv")), 3, "gaps are filled")


# ---- signals, speed -----------------------------------------------------------------------------

@test
def signals_end_it_quickly_without_output():
    lines = ["a,b,c,class"] + [f"{i % 97},{i % 89},{i % 83},{'pq'[i % 2]}" for i in range(60000)]
    put("big.csv", "\n".join(lines) + "\n")
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        with subprocess.Popen([HEFT, "evaluate", "big.csv", "--cv", "100", "--repeat", "100",
                               "--json", "r.json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            time.sleep(1.0)
            require(process.poll() is None, "it ended before the signal")
            process.send_signal(number)
            began = time.monotonic()
            out, err = process.communicate(timeout=PATIENCE)
            took = time.monotonic() - began
        same(process.returncode, status, f"status; {err!r}")
        require(took < 5, f"{took:.1f} s to stop")
        require(out == b"" and err.count(b"\n") == 1, f"{out!r} {err!r}")
        same(files(), ["big.csv"], "files")


@test
def a_signal_leaves_all_or_nothing():
    """Whenever it comes: status 0 and the whole output, or stopped and no file, not even a temporary."""
    lines = ["a,b,c,class"] + [f"{i % 97},{i % 89},v{i % 83},{'pq'[i % 2]}" for i in range(200000)]
    put("big.csv", "\n".join(lines) + "\n")
    heft("train", "big.csv", "-o", "m.heft")
    stopped = 0
    for args in (["train", "big.csv", "-o", "out"], ["convert", "big.csv", "-o", "out", "--to", "arff"],
                 ["predict", "m.heft", "big.csv", "--proba", "-o", "out"]):
        began = time.monotonic()
        heft(*args)
        whole, took = os.path.getsize("out"), time.monotonic() - began
        os.remove("out")
        for share in (0.1, 0.4, 0.7, 0.9):
            with subprocess.Popen([HEFT, *args], stderr=subprocess.PIPE) as process:
                time.sleep(took * share)
                process.send_signal(signal.SIGTERM)
                err = process.communicate(timeout=PATIENCE)[1]
            left = [name for name in files() if name not in ("big.csv", "m.heft")]
            same(left, ["out"] if process.returncode == 0 else [], f"{args}, {err!r}")
            if process.returncode == 0:
                if args[0] == "train":  # its size depends on the seconds it tells
                    heft("inspect", "out")
                else:
                    same(os.path.getsize("out"), whole, f"{args}: size")
                os.remove("out")
            else:  # before main has begun the signal itself ends the process
                require(process.returncode in (143, -signal.SIGTERM), f"{args}, {err!r}")
                stopped += process.returncode == 143
    require(stopped > 0, "no run was stopped in time")


@test
def progress_on_terminals_only():
    lines = ["a,b,c,class"] + [f"{i % 97},{i % 89},{i % 83},{'pq'[i % 2]}" for i in range(20000)]
    put("big.csv", "\n".join(lines) + "\n")
    args = ["evaluate", "big.csv", "--cv", "10", "--repeat"]
    repeats = 2
    while True:  # a machine may be fast: look for work that lasts longer than two seconds
        began = time.monotonic()
        run = heft(*args, repeats)
        if time.monotonic() - began > 2:
            break
        repeats *= 2
    same(run.err, "", "standard error in a pipe")
    text = on_terminal(*args, str(repeats))
    require(b"%" in text and b"left" in text, f"no bar: {text[:300]!r}")
    require(text.endswith(b"\r\x1b[K"), f"not erased at the end: {text[-60:]!r}")
    require(b"%" not in on_terminal(*args, str(repeats), "-q"), "-q")


@test
def closed_pipe_is_quiet():
    model(str(EXAMPLES / "loans.csv"))
    data = (EXAMPLES / "loans.csv").read_text().splitlines(keepends=True)
    put("big.csv", data[0] + "".join(data[1:]) * 100)
    with subprocess.Popen([HEFT, "-q", "predict", "m.heft", "big.csv", "--proba"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        process.wait(PATIENCE)
    same(err, b"", "standard error")


@test
def report_writes_a_page():
    model()
    heft("report", "m.heft", "small.csv")
    page = open("m.html", encoding="utf-8").read()
    require(page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n"), "a whole page")
    require('id="confusion"' in page and "<script" not in page, "its plots, and no script")
    require('id="confusion"' not in heft("report", "m.heft", "-o", "-").out, "no data, no confusion")
    refused("report", "m.heft", "absent.csv", says="absent.csv")
    refused("report", "small.csv", says="small.csv")
    heft("evaluate", "small.csv", "-m", "nb,gnb", "--cv", "3", "--report", "c.html")
    require('id="results"' in open("c.html", encoding="utf-8").read(), "the table")
    refused("evaluate", "small.csv", "--report", "-", "--json", "-", status=2, says="standard output")


@test
def export_writes_c_and_json():
    model()
    require("model_predict" in heft("export", "m.heft").out, "C by default")
    terms = json.loads(heft("export", "m.heft", "--to", "json").out)["score"]["terms"]
    same([t["name"] for t in terms], ["size", "colour"], "terms")
    heft("train", "small.csv", "-m", "aode", "-o", "a.heft")
    refused("export", "a.heft", says="aode")
    refused("export", "m.heft", "--to", "java", status=2, says="java")


@test
def no_leftovers_beside_outputs():
    put("small.csv", SMALL)
    heft("train", "small.csv", "-o", "m")
    heft("predict", "m", "small.csv", "-o", "p")
    heft("inspect", "m", "--json", "i")
    heft("convert", "small.csv", "-o", "c.arff")
    same(files(), ["c.arff", "i", "m", "p", "small.csv"], "files")


def main():
    wanted = sys.argv[2:]
    passed = failed = 0
    home = os.getcwd()
    for function in TESTS:
        name = function.__name__
        if wanted and not any(word in name for word in wanted):
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                function()
                passed += 1
                print(f"ok      {name}", flush=True)
            except Wrong as wrong:
                failed += 1
                print(f"FAILED  {name}\n    " + str(wrong).replace("\n", "\n    "), flush=True)
            except Exception:  # a test that stumbles has failed
                failed += 1
                print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
            finally:
                os.chdir(home)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
