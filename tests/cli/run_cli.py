#!/usr/bin/env python3
"""The program as a user meets it: every command.

    run_cli.py HEFT [NAME...]      as harness.py says
"""
import csv
import gzip
import io
import json
import math
import os
import pathlib
import re
import subprocess
import sys

import harness
from harness import (EXAMPLES, HEFT, PATIENCE, ROOT, SMALL, Run, files, heft, method_names, model,
                     predictions, put, refused, require, same, test)

# ---- the face ---------------------------------------------------------------------------------

def commands():
    """As the program lists them."""
    listed = heft("--help").out.split("Commands:\n")[1].split("\n\n")[0]
    names = re.findall(r"^  ([a-z]+) ", listed, re.M)
    require("train" in names and "merge" in names, f"{names}")
    return names


@test
def every_command_is_listed_everywhere():
    """The program, its sources, the manual pages, their list and what is installed name the same commands."""
    names = sorted(commands())
    same(sorted(p.stem[4:] for p in (ROOT / "cli").glob("cmd_*.c")), names, "sources")
    same(sorted(p.stem[5:] for p in (ROOT / "man").glob("heft-*.1")), names, "manual pages")
    for where in ("man/heft.1", "meson.build"):
        text = (ROOT / where).read_text(encoding="utf-8")
        same(sorted(set(re.findall(r"heft-([a-z]+)(?: 1|\.1)", text))), names, where)
    for args in (["-h"], ["help"]):
        same(heft(*args).out, heft("--help").out, f"{args}")


@test
def help_of_every_command_with_examples():
    for name in commands():
        for args in ([name, "--help"], [name, "-h"], ["help", name], ["-h", name]):
            text = heft(*args).out
            require(text.startswith(f"Usage: heft {name} ") and "Examples:" in text, text)


@test
def examples_in_help_parse():
    """Every example command names options that exist: none is refused as wrong usage."""
    for name in commands():
        text = heft(name, "--help").out.split("Examples:")[1]
        for line in text.splitlines():
            words = re.split(r"\||&&|>", re.sub(r"<\((.*)\)", r"| \1", line.split("#")[0]))
            for part in words:
                part = part.split()
                if part[:1] == ["heft"]:
                    run = Run(part[1:])
                    require(run.status != 2, str(run))
    for name in ("check", "convert"):  # those on files that come with heft work
        for line in heft(name, "--help").out.split("Examples:")[1].splitlines():
            part = line.split("#")[0].split("|")[0].split()
            if len(part) > 2 and (EXAMPLES / part[2]).exists():
                heft(*part[1:2], EXAMPLES / part[2], *part[3:])


@test
def documents_name_every_format():
    formats = re.search(r"--format ([a-z|]+)", heft("train", "--help").out)[1].split("|")
    require("csv" in formats, str(formats))
    for name in formats:
        require(f"`.{name}`" in (ROOT / "docs/formats.md").read_text(), f"docs/formats.md: .{name}")


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
        (["predict", "a", "b", "c"], "unexpected argument 'c'"),
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
        (["train", "small.csv", "--format", "xls"], "csv|tsv|arff|libsvm|parquet"),
        (["train", "small.csv", "-p", "x"], "NAME=VALUE"),
        (["train", "small.csv", "-m", "nbb"], "unknown method 'nbb'; did you mean nb"),
        (["train", "small.csv", "-m", "NB"], r"unknown method 'NB'; did you mean nb\?"),
        (["train", "small.csv", "-m", "nb,lnb"], r"train takes one method, not 'nb,lnb' \(heft evaluate compares several"),
        (["evaluate", "small.csv", "-m", "nb,AODE"], r"unknown method 'AODE'; did you mean aode\?"),
        (["TRAIN", "small.csv"], r"unknown command 'TRAIN'; did you mean train\?"),
        (["train", "small.csv", "--Target", "x"], "did you mean --target"),
        (["train", "small.csv", "-p", "zzz=1"], "zzz"),
        (["train", "small.csv", "--discretize", "sometimes"], "sometimes"),
        (["train", "small.csv", "--discretize", "width:0"], "width:0"),
        (["train", "small.csv", "--impute", "magic"], "magic"),
        (["train", "small.csv", "--scale", "big"], "big"),
        (["train", "small.csv", "--smoothing", "m:-1"], "m:-1"),
        (["train", "small.csv", "--prior", "odd"], "odd"),
        (["train", "small.csv", "--unseen", "odd"], "odd"),
        (["train", "-"], "needs -o"),
        (["predict", "m.heft"], "needs DATA"),
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
        (["convert", "small.csv", "--like", "m.heft", "--scale", "minmax"], "--like cannot be combined"),
        (["repair", "m.heft"], "unknown command"),
    ]:
        refused(*args, status=2, says=says)


@test
def processes_that_cannot_work_together_are_refused():
    """Started by mpirun or srun, in a program built without MPI: all would write the same model."""
    put("small.csv", SMALL)
    model()
    several = [{"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}, {"PMI_SIZE": "4", "PMI_RANK": "3"},
               {"MPI_LOCALNRANKS": "2"}, {"PMIX_RANK": "1"}, {"PMIX_RANK": "0", "SLURM_STEP_NUM_TASKS": "2"}]
    if b"MPI_Init_thread" in pathlib.Path(HEFT).read_bytes():
        print("        (this program was built with MPI: not tried)")
        return
    for env in several:
        refused("train", "small.csv", "-o", "n.heft", env=env, status=2,
                says="without MPI.*meson setup build-mpi -Dmpi=enabled")
    refused("predict", "m.heft", "small.csv", env=several[0], status=2, says="without MPI")
    refused("evaluate", "small.csv", "-m", "nb", env=several[0], status=2, says="without MPI")
    heft("inspect", "m.heft", env=several[0])
    heft("train", "--help", env=several[0])
    for alone in ({"OMPI_COMM_WORLD_SIZE": "1"}, {"PMIX_RANK": "0"}, {"SLURM_STEP_NUM_TASKS": "2"},
                  {"OMPI_COMM_WORLD_SIZE": "1", "PMIX_RANK": "0", "SLURM_STEP_NUM_TASKS": "2"}):
        heft("predict", "m.heft", "small.csv", env=alone)


@test
def values_in_the_help_are_accepted():
    """Every value that the help names for a preparation or an estimate."""
    put("small.csv", SMALL)
    help_text = heft("train", "--help").out
    for option in ("discretize", "impute", "scale", "select", "smoothing", "unseen", "calibrate"):
        values = re.search(rf"--{option} (\S+)", help_text)[1]
        for value in values.split("|"):
            for word in (value.split("[")[0], re.sub(r"[\[\]]", "", value)):
                heft("train", "small.csv", "-m", "nb", f"--{option}", re.sub(r":[A-Z]+", ":2", word))


@test
def parameter_out_of_range_is_status_2():
    """Whatever numeric parameter a method has, a value outside its range is refused by name."""
    put("small.csv", SMALL)
    tried = 0
    for name in method_names():
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
    require(heft("train", "small.csv").err.count("\n") == 4, "four lines by default")
    same(heft("train", "small.csv", "-q").err, "", "quiet")
    same(heft("-q", "train", "small.csv").err, "", "quiet before the command")


@test
def verbose_says_more():
    put("small.csv", SMALL)
    model("small.csv", "m.heft")
    model("small.csv", "n.heft")
    said = {
        "train small.csv -m rnb -o r.heft": [
            r"small.csv: read 20 rows \(csv\): 2 attributes, 1 of them nominal, 2 classes, in",
            r"prepared 2 attributes: 1 cut into \d+ intervals?",
            r"method rnb: \d+ iterations? in [\d.]+ s, objective [-+.\de]+ to [-+.\de]+; \w+",
            r"r.heft: wrote \d+ bytes"],
        "train small.csv -m nb --select gain-ratio:1 -o s.heft": [
            r"selected 1 of 2 attributes \(gain-ratio:1\)", "method nb: fitted in"],
        "predict m.heft small.csv -o p.csv": [
            "m.heft: loaded a model of method nb, 2 attributes, 2 classes, in", "small.csv: read 20 rows",
            "small.csv: predicted 20 rows in", r"p.csv: wrote \d+ bytes"],
        "evaluate small.csv -m nb,gnb --cv 2 --csv e.csv": [
            "small.csv: read 20 rows", "evaluated 1 data set with 2 methods in", r"e.csv: wrote \d+ bytes"],
        "inspect m.heft": ["m.heft: loaded a model"],
        "explain m.heft small.csv --row 1": ["m.heft: loaded a model", "small.csv: read 20 rows"],
        "report m.heft small.csv -o p.html": ["m.heft: loaded", "small.csv: read 20", r"p.html: wrote \d+ bytes"],
        "export m.heft -o m.c": ["m.heft: loaded a model", r"m.c: wrote \d+ bytes"],
        "convert small.csv -o small.arff": ["small.csv: read 20 rows", r"small.arff: wrote \d+ bytes"],
        "convert small.csv --discretize width:3 -o cut.arff": ["prepared 2 attributes: 1 cut into 3 intervals"],
        "merge m.heft n.heft -o both.heft": [r"both.heft: wrote \d+ bytes"],
    }
    for command, lines in said.items():
        runs = [heft(*command.split(), *more).err.splitlines() for more in ([], ["-v"], ["-vv"])]
        require(len(runs[0]) < len(runs[1]) < len(runs[2]), f"{command}: {[len(r) for r in runs]} lines")
        for line in lines:
            require(any(re.search(line, r) for r in runs[1]), f"{command} -v: no {line!r} in {runs[1]}")


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
def train_reports_rows_class_attributes_and_model():
    run = heft("train", EXAMPLES / "iris.csv", "-o", "m")
    same(re.sub(r"[\d.]+ s$", "TIME s", run.err.strip()).splitlines(), [
        f"heft: rows        150 from {EXAMPLES}/iris.csv",
        "heft: class       class: setosa (50), versicolor (50), virginica (50)",
        "heft: attributes  4 (numeric)",
        "heft: model       m: auto, trained in TIME s"], "report")
    same(run.out, "", "standard output")


@test
def train_reports_skipped_rows_and_selected_attributes():
    put("w.csv", "size,w,colour,kind\n1,1,red,b\n2,0,red,a\n3,1,blue,a\n4,2,red,\n5,1,red,b\n6,0,red,?\n")
    run = heft("train", "w.csv", "--weight", "w", "-m", "nb", "--select", "gain-ratio:1", "-t", "kind")
    for line in ("rows        3 from w.csv; skipped: 2 without a class, 1 with weight 0",
                 "class       kind: a (1), b (2)",
                 "attributes  2 (1 numeric, 1 nominal), 1 kept by --select gain-ratio:1"):
        require(f"heft: {line}\n" in run.err, run.err)
    put("many.csv", "x,class\n" + "".join(f"{i},c{i % 9}\n" for i in range(27)))
    run = heft("train", "many.csv", "many.csv", "-m", "nb")
    require("rows        54 from many.csv and 1 other file\n" in run.err, run.err)
    require("class       class: 9 classes, c0 (6), c1 (6), c2 (6), c3 (6), c4 (6), c5 (6), ...\n" in run.err,
            run.err)


@test
def train_reports_no_attributes_as_none():
    put("bare.csv", "class\n" + "a\nb\n" * 9)
    run = heft("train", "bare.csv", "-m", "nb")
    require("heft: attributes  0\n" in run.err, run.err)


@test
def what_a_method_cannot_use_comes_with_another_method():
    for n_class, method, most in ((5000, "wanbia", 4096), (3000, "rnb", 2048)):
        put("many.csv", "x,class\n" + "".join(f"{i % 3},c{i % n_class}\n" for i in range(2 * n_class)))
        refused("train", "many.csv", "-m", method,
                says=f"for {n_class} classes, and at most {most} are supported .use -m nb or -m aode, or choose .*--target")
    put("w.csv", "x,w,class\n1,1,a\n2,3,b\n1,2,a\n")
    refused("train", "w.csv", "--weight", "w", "-m", "lwnb", "--discretize", "width:2",
            says="method lwnb cannot use instance weights .leave out --weight, or use another method, such as -m nb")
    put("wide.svm", "".join(f"{i % 2} {i + 1}:1 200000:1\n" for i in range(700)))
    refused("train", "wide.svm", "-m", "lnb", "--max-columns", "200000",
            says="cannot use sparse rows.*use -m nb or -m swnb, or fewer attributes")


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
def inspect_shows_which_attributes_depend_on_which():
    """The tree of tan has no circle and one root; the parents of hnb weigh 1 in all; waode's weights are in the text."""
    loans = EXAMPLES / "loans.csv"
    shown = {}
    for name in ("tan", "hnb", "waode", "nb"):
        heft("train", loans, "-m", name, "-o", "m.heft")
        shown[name] = heft("inspect", "m.heft").out, json.loads(heft("inspect", "m.heft", "--json", "-").out)
    text, facts = shown["tan"]
    parent = {a["attribute"]: a["parent"] for a in facts["arcs"]}
    names = [a["name"] for a in facts["attributes"]]
    same(len(parent), len(names) - 1, "one root")
    for name in names:
        steps = 0
        while name in parent:
            name, steps = parent[name], steps + 1
            require(steps < len(names), "a circle of parents")
    for child, of in parent.items():
        require(re.search(rf"^{child} +{of}$", text, re.M), text)
    text, facts = shown["hnb"]
    for name in names:
        weights = [a["weight"] for a in facts["arcs"] if a["attribute"] == name]
        same(len(weights), len(names) - 1, "parents")
        require(abs(sum(weights) - 1) < 1e-12 and weights == sorted(weights, reverse=True), f"{name}: {weights}")
    require("Parents" in text, text)
    text, facts = shown["waode"]
    for attribute in facts["attributes"]:
        require(re.search(rf"^{attribute['name']} +\w+ +{attribute['weight']:.4g} ", text, re.M), text)
    require("Parents" not in shown["nb"][0] and "arcs" not in shown["nb"][1], "naive Bayes has none")


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
def inspect_shows_what_was_learned_first():
    """Before the preparation, the parameters and the facts of the fit."""
    for method in ("nb", "lnb", "auto"):
        heft("train", EXAMPLES / "loans.csv", "-q", "-m", method, "--threshold", "no=0.3", "-o", "l.heft")
        text = heft("inspect", "l.heft").out
        parts = ["\ntarget ", "\ndecision ", "\ntrained on ", "\nclass ", "\nattribute ", "\nlate_payments ",
                 "\nHow the model was made:\n", "\nsource ", "\nsettings "]
        places = [text.find(part) for part in parts]
        require(-1 not in places and places == sorted(places), f"{method}: {places}\n{text}")
        for internal in ("\nparameters ", "\nfit ", "\nheld-out loss "):
            require(text.find(internal) in (-1, *range(places[-3], len(text))), f"{method}: {internal}")


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
    refused("explain", "m.heft", "small.csv", "--row", "21", says="no row 21 .the file has 20 rows.")


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
        result = json.loads(heft("evaluate", EXAMPLES / "loans.csv", "-m", "nb", "--json", "-", *more).out)
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
    require("Which to use:" in shown, "advice")
    lines = shown.split("\n\n")[0].splitlines()
    require(lines[0].split() == ["name", "alias", "family", "explain", "export", "title"], lines[0])
    names = [line.split()[0] for line in lines[1:] if line and not line.startswith("heft methods")]
    require("nb" in names and len(names) >= 3, str(names))
    for name in names:
        text = heft("methods", name).out
        for word in (f"{name}: ", "Source:", "Preparation:", "Explanation:", "Export:", f"-m {name}"):
            require(word in text, text)
        for option, value in re.findall(r" -p (\S+)=(\S+)", text.split("Example:")[1]):
            usual, known = re.search(rf"^  {option} +(\S+)  +(\S+)", text, re.M).groups()
            require(value != usual and value in known.split("|"), text)
    for name, setting in (("auto", " -p effort=count"), ("nb", " -p variance=class"), ("lnb", "")):
        require(heft("methods", name).out.endswith(f"  heft train data.csv -m {name}{setting}\n"), name)


@test
def settings_are_refused_before_the_data_are_read():
    """What a method cannot use whatever the data are is found first: no file is opened."""
    names = method_names()
    put("small.csv", SMALL)
    refusing = {}
    for name in names:
        for option in (["--smoothing", "paper"], ["--smoothing", "m:2"], ["--prior", "uniform"], ["--prior", "frequency"], ["--prior", "apple=0.7,grape=0.3"],
                       ["--class-weight", "balanced"], ["--class-weight", "apple=2"], ["--time-limit", "9"]):
            run = Run(["train", "small.csv", "-o", "m.heft", "-q", "-m", name, *option])
            if run.status == 0:
                continue
            early = refused("train", "absent.csv", "-o", "n.heft", "-m", name, *option, status=2,
                            says=f"method {name} .*leave .*out")
            same(early.err, run.err, f"{name} {option}")
            if option[0] != "--time-limit":
                same(refused("evaluate", "absent.csv", "-m", name, *option, status=2).err, run.err, f"evaluate {name} {option}")
            refusing.setdefault(option[0], set()).add(name)
    same(refusing["--smoothing"], {"auto", "lcwnb", "lwnb", "iclnb", "tan", "aode", "waode", "hnb"}, "--smoothing")
    same(refusing["--prior"], refusing["--smoothing"] - {"auto"}, "--prior")
    same(refusing["--class-weight"], {"lcwnb", "lwnb", "iclnb"}, "--class-weight")
    same(refusing["--time-limit"], set(names) - {"auto"}, "--time-limit")
    for value in ("laplace", "paper"):  # whatever it is set to
        refused("train", "absent.csv", "--smoothing", value, status=2, says="method auto has its own smoothing")
    heft("train", "small.csv", "-o", "auto.heft")
    heft("train", "small.csv", "--like", "auto.heft", "-o", "again.heft")
    heft("train", "small.csv", "-m", "aode", "--smoothing", "laplace")  # which is what it does
    refused("train", "absent.csv", "-m", "nb", "-p", "floor=1", status=2, says="'floor' needs variance=class")


@test
def methods_list_the_formats_that_write_their_models():
    """Every format that a method lists is written, every other one is refused, whatever the method."""
    put("small.csv", SMALL)
    names = method_names()
    formats = re.search(r"^ +--to (\S+)", heft("export", "--help").out, re.M).group(1).split("|")
    unlike = set()
    for name in names:
        listed = re.search(r"^Export: +(.*?)(?: \(heft export\))?$", heft("methods", name).out, re.M).group(1)
        listed = [] if listed == "not possible" else listed.split(", ")
        require(set(listed) <= set(formats), f"{name}: {listed}")
        heft("train", "small.csv", "-o", "m.heft", "-m", name, "-q")
        for to in formats:
            if to in listed:
                require(heft("export", "m.heft", "--to", to).raw, f"{name}, {to}: empty")
            else:
                refused("export", "m.heft", "--to", to, says=f"method {name}")
        unlike.add(tuple(listed))
    same(unlike, {(), tuple(formats)}, "formats of methods")


@test
def methods_say_which_models_can_be_explained():
    """What the list and the record of a method promise for three classes holds."""
    put("three.csv", "x,class\n" + "".join(f"{i % 7 + i % 3},{'abc'[i % 3]}\n" for i in range(60)))
    list_ = heft("methods").out.split("\n\n")[0].splitlines()
    at = list_[0].index("explain")
    for line in list_[1:]:
        name, promise = line.split()[0], line[at:].split("  ")[0].strip()
        record = heft("methods", name).out
        heft("train", "three.csv", "-q", "-m", name, "-o", "m")
        require(("multiclass=direct" in record.split("Explanation:")[1].splitlines()[0]) == (promise == "2 classes"), record)
        same(Run(["explain", "m", "three.csv", "--row", "1"]).status, 0 if promise == "yes" else 1, f"{name}: {promise!r}")


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


# ---- signals, speed -----------------------------------------------------------------------------

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
    require('id="measures"' in page and '"confusion":{' in page and "<script src" not in page and "https:" not in page,
            "its figures, and nothing from outside")
    require('id="measures"' not in heft("report", "m.heft", "-o", "-").out, "no data, no figures")
    refused("report", "m.heft", "absent.csv", says="absent.csv")
    refused("report", "small.csv", says="small.csv")
    heft("evaluate", "small.csv", "-m", "nb,gnb", "--cv", "3", "--report", "c.html")
    require('id="results"' in open("c.html", encoding="utf-8").read(), "the table")
    refused("evaluate", "small.csv", "--report", "-", "--json", "-", status=2, says="standard output")


@test
def export_writes_c_and_json():
    model()
    require("model_predict" in heft("export", "m.heft").out, "C by default")
    written = heft("export", "m.heft", "--to", "json").out
    score = json.loads(written)["score"]
    heft("export", "m.heft", "-o", "m.json")
    same(open("m.json", encoding="utf-8").read(), written, "the ending names JSON")
    for args, word in ((["-o", "m.c"], "model_predict"), (["-o", "M.C"], "model_predict"),
                       (["-o", "m.txt", "--to", "c"], "model_predict"), (["-o", "M.JSON"], '"nodes"'),
                       (["-o", "n.json", "--to", "c"], "model_predict"), (["-o", "n.c", "--to", "json"], '"nodes"')):
        heft("export", "m.heft", *args)
        require(word in open(args[1], encoding="utf-8").read(), f"{args}: no {word}")
    same([a["name"] for a in score["attributes"]], ["size", "colour"], "attributes")
    same(score["terms"], [["size"], ["colour"]], "terms")
    heft("train", "small.csv", "-m", "lwnb", "-o", "a.heft")
    refused("export", "a.heft", says="lwnb.*-m auto")
    refused("export", "m.heft", "--to", "java", status=2, says="java")
    for name in "m.py", "m.xyz", "m", "x.c/../m":
        refused("export", "m.heft", "-o", name, says=r"does not name a format \(use \.c, .*\.sql, or .*--to\)")


@test
def binary_output_is_not_written_to_a_terminal():
    model()
    terminal, end = os.openpty()
    for args in (["export", "m.heft", "--to", "onnx"], ["train", "small.csv", "-o", "-"],
                 ["merge", "m.heft", "m.heft", "-o", "-"]):
        done = subprocess.run([HEFT, *args], stdin=subprocess.DEVNULL, stdout=end, stderr=subprocess.PIPE,
                              timeout=PATIENCE, check=False)
        require(done.returncode == 2 and b"to a terminal; name a file with -o" in done.stderr, f"{args}: {done}")
    os.close(end)
    os.close(terminal)
    require(heft("export", "m.heft", "--to", "onnx").raw, "a pipe gets it")


@test
def no_leftovers_beside_outputs():
    put("small.csv", SMALL)
    heft("train", "small.csv", "-o", "m")
    heft("predict", "m", "small.csv", "-o", "p")
    heft("inspect", "m", "--json", "i")
    heft("convert", "small.csv", "-o", "c.arff")
    same(files(), ["c.arff", "i", "m", "p", "small.csv"], "files")


if __name__ == "__main__":
    sys.exit(harness.main())
