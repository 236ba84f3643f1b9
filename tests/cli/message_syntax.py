#!/usr/bin/env python3
"""Messages speak the syntax of the reader: no option of the program in C or Python, no field of C in the program.

    message_syntax.py HEFT RENDER [NAME...]

Every literal of lib that has a mark (lib/base/marks.h) is rendered in the three syntaxes by RENDER (tests/render_marks.c)
and examined. Below it a table of commands that fail or warn, in as many ways as possible: what the program says then has
nothing of C or Python. tests/message_syntax_test.c does the same for calls from C.
"""
import pathlib
import re
import subprocess
import sys

RENDER = str(pathlib.Path(sys.argv.pop(2)).resolve()) if len(sys.argv) > 2 else ""

import harness  # noqa: E402 - it reads the arguments
from harness import HEFT, ROOT, require, same, test  # noqa: E402

sys.path.insert(0, str(ROOT / "tests"))
from check_words import MARK, literals  # noqa: E402

OF_PROGRAM = re.compile(r"(?<![\w-])--[a-z]|(?<![\w-])-[mp] [a-z%]|"
                        r"\bheft (?:train|merge|predict|evaluate|inspect|explain|report|methods|convert|export|check)\b")
OF_C = re.compile(r"\bheft_\w+|(?<![\w.])\.[a-z_]+ = ")
OF_PYTHON = re.compile(r"\bheft\.[a-zA-Z]|\b(?!(?:[A-Z]+|kappa|tol|variance|multiclass|method|constant)=)[a-z_]+='|partial_fit|\bout of X\b")
CONVERSION = re.compile(r"%(?:%|[-+0 #]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|h|ll|l|z|j|t)?[a-zA-Z])")


def formats():
    """Where, and the text of literals with marks; escapes such as \\" are resolved."""
    for path in sorted((ROOT / "lib").rglob("*.[ch]")):
        for line, literal in literals(path.read_text(encoding="utf-8")):
            if MARK.search(literal) and "\\\\" not in literal:
                text = literal.replace('\\"', '"').replace("\\n", "\n").replace("\\t", "\t")
                yield f"{path.relative_to(ROOT)}:{line}", text


def rendered():
    found = list(formats())
    done = subprocess.run([RENDER], input="".join(text + "\0" for _, text in found).encode(), stdout=subprocess.PIPE, check=True)
    out = done.stdout.decode().split("\0")[:-1]
    same(len(out), 3 * len(found), "texts rendered")
    for k, (where, text) in enumerate(found):
        yield where, text, out[3 * k:3 * k + 3]


def arguments(text):
    """The letters of the conversions: what is shown nowhere is %.0s or %0q."""
    return [conversion[-1] for conversion in CONVERSION.findall(text) if conversion != "%%"]


@test
def every_literal_is_rendered_in_all_syntaxes():
    n = 0
    for where, text, (program, c, python) in rendered():
        n += 1
        for name, shown, foreign in (("program", program, OF_C), ("C", c, OF_PROGRAM), ("Python", python, OF_PROGRAM),
                                     ("Python", python, OF_C)):
            require(not foreign.search(shown), f"{where}: {name} reads {shown!r}")
        for shown in (program, c, python):
            left = [mark for mark in MARK.finditer(shown) if mark[0] not in ("{values}",)]
            require(not left, f"{where}: a mark stays in {shown!r}")
            same(arguments(shown), arguments(text), f"{where}: conversions of {shown!r}")
            require(len(shown) < 1000, f"{where}: too long")
            require(not re.search(r"(?<!\w)\(\)", shown) and " )" not in shown and "( " not in shown, f"{where}: {shown!r}")
            require(not re.search(r"[;,] ?\)|\((?:or|and) |,\.(?!\.)|  ", shown.replace("\n", "")) or "  " in text, f"{where}: {shown!r}")
    require(n > 150, f"only {n} literals have marks")


ROWS = "x,colour,class\n" + "".join(f"{i % 7}.5,{'rgb'[i % 3]},{'ab'[i // 2 % 2]}\n" for i in range(40))
THREE = "x,y,class\n" + "".join(f"{i % 7},{i % 5},{'abc'[i % 3]}\n" for i in range(60))
FILES = {
    "rows.csv": ROWS, "three.csv": THREE, "one.csv": "x,class\n1,a\n2,a\n", "holes.csv": ROWS.replace("1.5,", ",", 3),
    "bare.csv": "1,2,3\n4,5,6\n", "empty.heft": "", "text.heft": ROWS, "ragged.csv": "a,b\n1,2\n1,2,3\n",
    "quote.csv": 'a,b\n"1,2\n3,4\n', "words.csv": ROWS.replace("3.5,", "many,"), "big.csv": ROWS.replace("3.5,", "1e999,", 1),
    "date.arff": "@relation r\n@attribute d date\n@attribute c {a,b}\n@data\n1,a\n", "bad.svm": "1 0:1\n-1 x\n",
    "ids.csv": "id,x,class\n" + "".join(f"i{i},{i % 3},{'ab'[i % 2]}\n" for i in range(300)),
    "rare.csv": "x,class\n" + "".join(f"{i % 9},{'a' if i % 40 else 'b'}\n" for i in range(400)),
}
TRAIN = ["train", "rows.csv", "-o", "out.heft"]
CASES = [
    *[[*TRAIN, "-m", "nb", f"--{name}", value] for name, value in (
        ("discretize", "cuts"), ("discretize", "width:1"), ("discretize", "mdl:-1"), ("discretize", "width"), ("impute", "mode"),
        ("scale", "log"), ("smoothing", "none"), ("smoothing", "m:0"), ("prior", "2"), ("prior", "z=1"), ("prior", "a=1,a=0"),
        ("prior", "a=0.9,b=0.9"), ("select", "gain-ratio:x"), ("select", "best"), ("unseen", "drop"), ("calibrate", "platt"),
        ("class-weight", "z=1"), ("class-weight", "a"), ("class-weight", "a=1,a=2"), ("cost", "a"), ("cost", "a:z=1"),
        ("cost", "a:b=0,b:a=0"), ("threshold", "a"), ("threshold", "z=0.5"), ("target", "nowhere"), ("drop", "nowhere"),
        ("positive", "z"), ("numeric", "colour"), ("weight", "colour"), ("delimiter", "x"), ("decimal-mark", "1"),
        ("quote", "x"), ("max-columns", "1"), ("max-classes", "1"), ("skip", "100"), ("time-limit", "5"), ("scratch", "/nowhere"))],
    [*TRAIN, "-m", "auto", "--smoothing", "laplace"], [*TRAIN, "-m", "tan", "--prior", "uniform"],
    [*TRAIN, "-m", "tan", "--smoothing", "m:2"], [*TRAIN, "-m", "lwnb", "--class-weight", "balanced"],
    [*TRAIN, "-m", "auto", "--time-limit", "5", "--calibrate", "vector"], [*TRAIN, "-m", "auto", "--time-limit", "5", "--tune", "mcc"],
    [*TRAIN, "-m", "nb", "--tune", "cost"], [*TRAIN, "-m", "nb", "--tune", "mcc", "--cost", "a:b=2"],
    [*TRAIN, "-m", "nb", "--tune", "mcc", "--threshold", "a=0.5"], [*TRAIN, "-m", "nb", "--tune", "mcc", "--part"],
    [*TRAIN, "-m", "nb", "--class-weight", "balanced", "--part"], [*TRAIN, "-m", "nb", "--cost", "a:b=2", "--threshold", "a=0.5"],
    [*TRAIN, "-m", "nb", "-p", "floor=0.1"], [*TRAIN, "-m", "nb", "-p", "tol=1"], [*TRAIN, "-m", "rnb", "-p", "max-iter=-1"],
    [*TRAIN, "-m", "aode", "--discretize", "none"], [*TRAIN, "-m", "lcwnb", "--weight", "x"],
    ["train", "holes.csv", "-m", "rnb", "--impute", "none", "-o", "o"], ["train", "three.csv", "-m", "nb", "--threshold", "a=0.5", "-o", "o"],
    ["train", "three.csv", "-m", "nb", "--tune", "mcc", "-o", "o"], ["train", "one.csv", "-o", "o"],
    ["train", "ids.csv", "-o", "o.heft"], ["train", "rows.csv", "--like", "rows.heft", "--scale", "unit", "-o", "o"],
    ["train", "three.csv", "--like", "rows.heft", "-t", "y", "-o", "o"], ["train", "rows.csv", "--like", "rows.heft", "--positive", "a", "-o", "o"],
    *[["train", name, "-o", "o"] for name in ("bare.csv", "ragged.csv", "quote.csv", "words.csv", "big.csv", "date.arff", "bad.svm", "rows.heft")],
    ["train", "words.csv", "--numeric", "x", "-o", "o"], ["train", "rows.csv", "--numeric", "x", "--nominal", "x", "-o", "o"],
    ["train", "bad.svm", "--quote", "'", "-o", "o"], ["train", "rows.csv", "--drop", "x,colour,class", "-o", "o"],
    *[["inspect", name] for name in ("empty.heft", "text.heft", "nowhere.heft")],
    ["predict", "rows.heft", "bare.csv"], ["predict", "rows.heft", "rows.csv", "--positive", "a"],
    ["predict", "rows.heft", "rows.csv", "--threshold", "z=1"], ["predict", "rows.heft", "rows.csv", "--reasons", "5000"],
    ["predict", "rows.heft", "three.csv", "--actual"], ["predict", "rows.heft", "rows.csv", "--keep", "nowhere"],
    ["merge", "rows.heft", "lnb.heft", "-o", "o"], ["merge", "rows.heft", "cut.heft", "-o", "o"], ["merge", "lnb.heft", "lnb.heft", "-o", "o"],
    ["merge", "rows.heft", "three.heft", "-o", "o"], ["merge", "cfs.heft", "cfs.heft", "-o", "o"],
    ["evaluate", "rows.csv", "--cv", "100"], ["evaluate", "rows.csv", "--holdout", "0.001"], ["evaluate", "rows.csv", "--noise", "x"],
    ["evaluate", "rows.csv", "--learn", "1000"], ["evaluate", "rows.csv", "--dimensions", "9"], ["evaluate", "rare.csv", "-m", "nb"],
    ["evaluate", "rows.csv", "--dimensions", "1", "--select", "cfs"], ["evaluate", "rows.csv", "-m", "nb", "-p", "kappa=5"],
    ["export", "rows.heft", "-o", "model.xyz"], ["export", "rows.heft", "--to", "json", "--table", "t"], ["export", "lwnb.heft", "--to", "sql"],
    ["export", "rows.heft", "--to", "onnx", "--evidence", "-o", "m.onnx"], ["export", "rows.heft", "--to", "sql", "--table", "heft_x"],
    ["convert", "rows.csv", "-o", "x.xyz"], ["convert", "rows.csv", "--select", "cfs", "-t", "nowhere"], ["check", "ids.csv"],
    ["check", "rare.csv"], ["check", "words.csv"], ["check", "big.csv"], ["explain", "rnb.heft", "three.csv"], ["report", "rows.heft", "--cv", "3"],
]


@test
def what_the_program_says_is_its_own_syntax():
    for name, text in FILES.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    for name, *more in (("rows", "rows.csv", "-m", "nb"), ("lnb", "rows.csv", "-m", "lnb"), ("cut", "rows.csv", "-m", "nb", "--discretize", "mdl"),
                        ("cfs", "rows.csv", "-m", "nb", "--select", "cfs"), ("three", "three.csv", "-m", "nb"), ("lwnb", "rows.csv", "-m", "lwnb"),
                        ("rnb", "three.csv", "-m", "rnb")):
        harness.heft("train", *more, "-o", f"{name}.heft", "-q")
    refused = 0
    for args in CASES:
        done = subprocess.run([HEFT, *args], capture_output=True, text=True, timeout=harness.PATIENCE, check=False)
        refused += done.returncode != 0
        said = done.stderr + (done.stdout if args[0] in ("check", "evaluate") else "")
        require(done.returncode in (0, 1, 2), f"{args}: status {done.returncode}")
        for line in said.splitlines():
            line = re.sub(r"'heft_x'|heft_x\b|names that begin with heft_ ", "", line)
            require(not OF_C.search(line) and not OF_PYTHON.search(line) and not MARK.search(line), f"{args}: {line}")
    require(refused > 75, f"only {refused} of {len(CASES)} were refused")


@test
def names_of_users_are_shown_as_they_are():
    """A column named like a mark or an option is no setting."""
    with open("odd.csv", "w", encoding="utf-8") as file:
        file.write("{drop},--drop,class\n" + "".join(f"{i},{i % 3},a\n" for i in range(9)))
    said = subprocess.run([HEFT, "train", "odd.csv", "--numeric", "{drop},{discretize=mdl}", "-o", "o"], capture_output=True, text=True, check=False)
    require("'{discretize=mdl}'" in said.stderr, said.stderr)


if __name__ == "__main__":
    sys.exit(harness.main())
