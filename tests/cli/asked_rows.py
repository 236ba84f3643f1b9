"""Training rows, and rows to be scored that hold what training rows do not: for tests of exported models."""
import csv
import io
import os
import random

from harness import heft, put, require


def tables():
    """Training rows with missing values and numbers that are equal in a class; asked rows with unseen values too."""
    rng = random.Random(4)
    for name, n, strange in (("train.csv", 150, 0), ("ask.csv", 60, 0.15)):
        out = io.StringIO()
        write = csv.writer(out)
        write.writerow(["num", "same", "word", "flag", "class"])
        for i in range(n):
            c = "abc"[i % 3]
            same = {"a": "2.5", "b": f"{rng.gauss(1, 2):.2f}", "c": "1"}[c]
            row = [f"{rng.gauss('abc'.index(c), 1):.2f}", same, rng.choice(["u", "v", c]), rng.choice("yn")]
            row = ["" if rng.random() < 0.1 else cell for cell in row]
            if rng.random() < strange:
                row[2] = "never seen"
            write.writerow([*row, c])
        put(name, out.getvalue())
    return list(csv.DictReader(open("ask.csv", newline="")))


def three_way_tables(classes):
    """Classes by several attributes together: a number that is often missing, words, a number of few values, a flag.

    The first 400 words are rare, so that the codes of those that trees can use are large. Asked rows have words that
    were never seen.
    """
    rng = random.Random(5)
    for name, n in (("train.csv", 1500), ("ask.csv", 100)):
        out = io.StringIO()
        write = csv.writer(out)
        write.writerow(["x", "word", "y", "two", "class"])
        for i in range(n):
            x = None if rng.random() < 0.3 else round(rng.gauss(0, 1), 3)
            word = i if i < 400 < n else 400 + rng.randrange(12)
            y, two = rng.randrange(-3, 4), rng.choice("pq")
            c = ((x is None or x < 0.4) + (word % 3 == 0) + (y > 0) * (two == "p")) % len(classes)
            if rng.random() < 0.1:
                c = rng.randrange(len(classes))
            if name == "ask.csv" and rng.random() < 0.15:
                word = "never"
            write.writerow(["" if x is None else x, "" if rng.random() < 0.1 else f"w{word}",
                            "" if rng.random() < 0.05 else y, two, classes[c]])
        put(name, out.getvalue())
    return list(csv.DictReader(open("ask.csv", newline="")))


def data_set_models(methods, more):
    """m.heft of public data sets and set.csv with their rows, by two dictionaries of file and method; yields the file."""
    folder = os.environ.get("HEFT_DATA", "")
    if not os.path.isdir(folder):
        print("left out: no data sets in $HEFT_DATA", flush=True)
        return
    for name, method in [*methods.items(), *more.items()]:
        heft("convert", f"{folder}/{name}", "-o", "set.csv", "-q")
        heft("train", f"{folder}/{name}", "-m", method, "-o", "m.heft", "-q")
        yield name


DEPENDENT = ("tan", "aode", "waode", "hnb")


def dependent_models():
    """m.heft of methods that combine several sums or look at pairs; yields what, and the rows of ask.csv.

    In some of the rows no value is one that training rows have, in others all cells are empty; one column is empty in all
    training rows.
    """
    rng = random.Random(6)
    for name, n, strange in (("train.csv", 120, 0), ("ask.csv", 60, 0.4)):
        out = io.StringIO()
        write = csv.writer(out)
        write.writerow(["p", "q", "r", "gone", "class"])
        for i in range(n):
            c = i % 3
            row = [rng.choice(["u", "v", "uvw"[c]]), rng.choice(["s", "st"[c % 2]]), rng.choice("klmno"[c:c + 2]), ""]
            row[3] = rng.choice(["", "2"]) if strange else ""
            luck = rng.random() / strange if strange else 1
            row = ["new"] * 3 + row[3:] if luck < 0.3 else [""] * 4 if luck < 0.5 else \
                [rng.choice(["new", "", cell]) for cell in row[:3]] + row[3:] if luck < 1 else row
            write.writerow([*row, "abc"[c]])
        put(name, out.getvalue())
    rows = list(csv.DictReader(open("ask.csv", newline="")))
    for method in DEPENDENT:
        for more in ([], ["--unseen", "zero"], ["--unseen", "zero", "--calibrate", "vector"], ["--cost", "a:b=3,c:a=7"]):
            heft("train", "train.csv", "-o", "m.heft", "-m", method, "-q", *more)
            yield f"{method} {more}", rows
    put("train.csv", "p,class\nu,a\nu,b\nu,a\n")
    put("ask.csv", "p\nu\n\"\"\nnew\n")
    for method in DEPENDENT:
        heft("train", "train.csv", "-o", "m.heft", "-m", method, "-q", "--unseen", "zero")
        yield f"{method} of one value", [{"p": "u"}, {"p": ""}, {"p": "new"}]
    rows = tables()
    for more in ([], ["--discretize", "none"], ["--discretize", "none", "--scale", "unit", "--impute", "mean"],
                 ["--prior", "a=0.5,b=0.5,c=0"], ["--calibrate", "vector"], ["--unseen", "zero", "--cost", "a:b=3,c:a=7"]):
        heft("train", "train.csv", "-o", "m.heft", "-m", "rnb", "-p", "alpha=0.3", "-q", *more)
        yield f"rnb {more}", rows


def models_with_rules(methods=("nb",)):
    """m.heft with one rule of decision after another, each of which changes some prediction; yields what, and the rows."""
    for classes, rules in (("no", [["--threshold", "n=0.8"], ["--threshold", "o=0.9"], ["--cost", "n:o=7,o:n=1"]]),
                           ("abcd", [["--cost", "a:b=5,b:a=1,c:d=20,d:a=3"]])):
        rows = three_way_tables(classes)
        for method in methods:
            heft("train", "train.csv", "-o", "m.heft", "-m", method, "-q")
            plain = heft("predict", "m.heft", "ask.csv", "-q").out
            for rule in rules:
                heft("train", "train.csv", "-o", "m.heft", "-m", method, "-q", *rule)
                require(heft("predict", "m.heft", "ask.csv", "-q").out != plain, f"{method}: {rule} changes nothing")
                yield f"{method} {rule}", rows
