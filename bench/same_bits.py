#!/usr/bin/env python3
"""Compare two builds of the program: does every method predict the same bits?

    bench/same_bits.py /old/build/cli/heft build/cli/heft               # tables made here, examples/*.csv
    bench/same_bits.py OLD NEW my.csv iris.arff       # these instead; files of $HEFT_DATA need no path
    bench/same_bits.py OLD NEW --methods nb,auto --evaluate

Every method that `heft methods` lists is trained by both programs on every table, with the same seed
and one thread, and the output of `predict --proba` is compared byte for byte. A method that refuses a
table must refuse it with the same message. The tables made here (seeded, small, in a temporary
folder) cover nominal, numeric and mixed columns, missing values, sparse rows, instance weights, many
classes, constant columns, and the preparations and estimates that options choose; they are predicted
on rows that contain values never seen in training; a model of a part is merged with another one.
With --evaluate a 3-fold cross-validation is
compared as well, its seconds left out.

Prints one line per table: how many methods gave the same bits, how many were refused alike, and each
method that differs with the largest difference; with --table all results. The exit status is 1
when anything differs.
"""
import argparse
import concurrent.futures
import csv
import io
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


# ---- the tables made here ----------------------------------------------------------------------

def cell(rng, kind, c, gaps, unseen):
    """One cell of a column; the class c moves numbers and makes some categories likelier."""
    if rng.random() < gaps:
        return ""
    if kind == "constant":
        return "1"
    if kind == "number":
        return repr(round(rng.gauss(1.5 * c, 1 + 0.3 * c), 3))
    if kind == "integer":
        return str(rng.randrange(3 + c))
    if unseen and rng.random() < 0.1:
        return "new"
    return "v" + str(min(rng.randrange(kind) + (rng.random() < 0.4) * c, kind - 1))


def rows_of(rng, kinds, n, n_class, gaps=0.0, weights=False, unseen=False):
    for _ in range(n):
        c = min(rng.randrange(n_class), rng.randrange(n_class))
        row = [cell(rng, kind, c, gaps, unseen) for kind in kinds]
        if weights:
            row.append(repr(round(rng.uniform(0.2, 3), 2)))
        yield row + [f"c{c}"]


def write_csv(path, kinds, rows, weights):
    head = [f"a{j}" for j in range(len(kinds))] + ["w"] * weights + ["class"]
    with open(path, "w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([head, *rows])


def sparse_rows(rng, n, n_attr, n_class):
    """(class, {attribute: count}) with about one attribute in ten present."""
    for _ in range(n):
        c = rng.randrange(n_class)
        yield c, {j: rng.randrange(1, 6) for j in range(n_attr)
                  if rng.random() < (0.25 if j % n_class == c else 0.07)}


def write_libsvm(path, rows):
    with open(path, "w") as out:
        for c, present in rows:
            print(c, *(f"{j + 1}:{v}" for j, v in sorted(present.items())), file=out)


def write_sparse_arff(path, rows, n_attr, n_class):
    with open(path, "w") as out:
        print("@relation words", file=out)
        for j in range(n_attr):
            print(f"@attribute w{j} numeric", file=out)
        names = ",".join(f"c{c}" for c in range(n_class))
        print(f"@attribute class {{{names}}}\n@data", file=out)
        for c, present in rows:
            cells = [f"{j} {v}" for j, v in sorted(present.items())] + [f"{n_attr} c{c}"]
            print("{" + ", ".join(cells) + "}", file=out)


NUMBERS, WORDS = ["number"] * 6, [2, 3, 4, 6, 3, 2, 5]
MIXED = ["number", 3, "integer", 4, "number", 2, "constant", 5]
# name, kinds of columns, rows, classes, share of missing cells, weighted, options of training
MADE = [
    ("nominal", WORDS, 160, 2, 0, False, []),
    ("nominal-many-classes", WORDS, 200, 7, 0, False, []),
    ("numeric", NUMBERS, 150, 3, 0, False, []),
    ("mixed", MIXED, 160, 3, 0, False, []),
    ("nominal-missing", WORDS, 150, 3, 0.15, False, []),
    ("mixed-missing", MIXED, 180, 2, 0.1, False, []),
    ("weighted", MIXED, 150, 2, 0.05, True, ["--weight", "w"]),
    ("few-rows", MIXED, 12, 2, 0.1, False, []),
    ("imputed", MIXED, 150, 2, 0.2, False, ["--impute", "mean"]),
    ("intervals-mdl", MIXED, 150, 3, 0.1, False, ["--discretize", "mdl", "--impute", "mean"]),
    ("intervals-width", MIXED, 120, 2, 0, False, ["--discretize", "width:5", "--unseen", "zero"]),
    ("intervals-frequency", NUMBERS, 120, 2, 0.05, False, ["--discretize", "frequency:4"]),
    ("scaled", NUMBERS, 120, 2, 0, False, ["--scale", "minmax"]),
    ("selected", MIXED, 150, 2, 0.05, False, ["--select", "cfs"]),
    ("selected-gain", WORDS, 150, 3, 0, False, ["--select", "gain-ratio:3"]),
    ("smoothed", MIXED, 120, 3, 0.05, False, ["--smoothing", "m:1", "--prior", "uniform"]),
    ("paper", WORDS, 120, 3, 0.05, False, ["--smoothing", "paper", "--prior", "frequency"]),
    ("calibrated", MIXED, 150, 3, 0.05, False, ["--calibrate", "vector"]),
    ("calibrated-temperature", WORDS, 150, 2, 0, False, ["--calibrate", "temperature"]),
    ("part", MIXED, 120, 2, 0.05, False, ["--part"]),
    ("scratch", MIXED, 2500, 3, 0.05, False, ["--memory", "32M"]),
]


def made_tables(folder):
    """(name, file to train on, file to predict, options of training) of every table made here."""
    for name, kinds, n, n_class, gaps, weights, options in MADE:
        rng = random.Random(name)
        train, test = folder / f"{name}.csv", folder / f"{name}-test.csv"
        write_csv(train, kinds, rows_of(rng, kinds, n, n_class, gaps, weights), weights)
        write_csv(test, kinds, rows_of(rng, kinds, 60, n_class, max(gaps, 0.05), weights, True), weights)
        yield name, train, test, options
    rng = random.Random("sparse")
    train, test = folder / "sparse.libsvm", folder / "sparse-test.libsvm"
    write_libsvm(train, sparse_rows(rng, 90, 60, 3))
    write_libsvm(test, sparse_rows(rng, 40, 60, 3))
    yield "sparse", train, test, []
    yield "sparse-presence", train, test, ["--discretize", "presence"]
    train, test = folder / "words.arff", folder / "words-test.arff"
    write_sparse_arff(train, sparse_rows(rng, 90, 40, 2), 40, 2)
    write_sparse_arff(test, sparse_rows(rng, 40, 40, 2), 40, 2)
    yield "sparse-arff", train, test, []
    yield "sparse-arff-unit", train, test, ["--scale", "unit"]


def named_tables(names):
    """The data sets named on the command line: paths, or files in $HEFT_DATA or ../shared/data."""
    places = [pathlib.Path()] + [pathlib.Path(p) for p in (os.environ.get("HEFT_DATA"),) if p]
    places.append(ROOT.parent / "shared" / "data")
    for name in names:
        found = next((p / name for p in places if (p / name).is_file()), None)
        if not found:
            raise SystemExit(f"{name}: no such file here, in $HEFT_DATA or in ../shared/data")
        yield found.name, found.resolve(), found.resolve(), []


# ---- one comparison ----------------------------------------------------------------------------

class Runs:
    """Runs a program in a folder of its own, so that both programs see the same file names."""

    def __init__(self, folder, limit):
        self.folder, self.limit = folder, limit

    def run(self, *args):
        try:
            done = subprocess.run([*map(str, args), "-q", "--threads", "1"], cwd=self.folder,
                                  capture_output=True, timeout=self.limit)
        except subprocess.TimeoutExpired:
            return None, b"", f"took more than {self.limit} s"
        return done.returncode, done.stdout, done.stderr.decode(errors="replace").strip()


def without_seconds(text):
    """The table that `evaluate --csv` wrote, without the columns of seconds."""
    rows = list(csv.reader(io.StringIO(text.decode())))
    kept = [k for k, name in enumerate(rows[0]) if not name.endswith("_seconds")] if rows else []
    return "\n".join(",".join(row[k] for k in kept if k < len(row)) for row in rows).encode()


def merged(runs, heft, method, data):
    """Merge the model with one of the other rows, trained alike, and predict with the result."""
    answer = b""
    for args in (["train", data, "-m", method, "--part", "--like", "m.heft", "-o", "n.heft"],
                 ["merge", "m.heft", "n.heft", "-o", "both.heft"],
                 ["predict", "both.heft", data, "--proba"]):
        code, answer, said = runs.run(heft, *args)
        if code != 0:
            return f"{args[0]} {code}: {said}".encode()
    return answer


def outcome(heft, folder, limit, method, table, evaluate):
    """What one program makes of a table: ("refused", message) or ("predicted", bytes)."""
    _, train, test, options = table
    runs = Runs(folder, limit)
    code, _, said = runs.run(heft, "train", train, "-m", method, "-o", "m.heft", "--seed", "7", *options)
    if code is None:
        return "late", said
    if code:
        return "refused", f"status {code}: {said}"
    reading = options[options.index("--weight"):][:2] if "--weight" in options else []
    code, answer, said = runs.run(heft, "predict", "m.heft", test, "--proba", *reading)
    if code:
        return "refused", f"predict, status {code}: {said}"
    if "--part" in options:
        answer += merged(runs, heft, method, test)
    if evaluate and "--part" not in options:
        code, table_text, said = runs.run(heft, "evaluate", train, "-m", method, "--cv", "3", "--seed",
                                          "7", "--csv", "-", *options)
        answer += without_seconds(table_text) if code == 0 else f"evaluate {code}: {said}".encode()
    return "predicted", answer


def largest_difference(one, two):
    """The largest difference of two numbers in the same place, or None where texts differ."""
    largest = 0.0
    a, b = (list(csv.reader(io.StringIO(t.decode(errors="replace")))) for t in (one, two))
    if len(a) != len(b) or any(len(x) != len(y) for x, y in zip(a, b)):
        return None
    for x, y in zip(sum(a, []), sum(b, [])):
        if x != y:
            try:
                largest = max(largest, abs(float(x) - float(y)))
            except ValueError:
                pass
    return largest


def compare(programs, place, limit, method, table, evaluate):
    """(verdict, detail) of one method on one table."""
    results = []
    for k, heft in enumerate(programs):
        with tempfile.TemporaryDirectory(dir=place, prefix=f"run{k}-") as folder:
            results.append(outcome(heft, folder, limit, method, table, evaluate))
    (kind_a, a), (kind_b, b) = results
    if "late" in (kind_a, kind_b):
        return ("late", a) if kind_a == kind_b else ("DIFFERS", f"only one finished in {limit} s")
    if kind_a != kind_b:
        return "DIFFERS", f"old {kind_a}, new {kind_b}: {a if kind_a == 'refused' else b}"
    if a == b:
        return ("same", "") if kind_a == "predicted" else ("refused", a)
    if kind_a == "refused":
        return "DIFFERS", f"refused otherwise: {a!r} and {b!r}"
    by = largest_difference(a, b)
    return "DIFFERS", "the shape of the output" if by is None else f"by {by:.3g} at most"


def methods_of(heft):
    """The names in the first column of `heft methods`, up to the first empty line."""
    text = subprocess.run([heft, "methods"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in text.split("\n\n")[0].splitlines()[1:]]


# ---- the whole ---------------------------------------------------------------------------------

def report(results, tables, methods, full):
    """Print the results by table; return how many differ."""
    differ = 0
    for name, _, _, options in tables:
        found = {m: results[name, m] for m in methods}
        count = {k: sum(v == k for v, _ in found.values()) for k in ("same", "refused", "late")}
        line = f"{name + ' ' + ' '.join(options):42} same {count['same']:2}"
        line += f"  refused alike {count['refused']:2}" + f"  too slow {count['late']}" * (count["late"] > 0)
        wrong = [(m, detail) for m, (verdict, detail) in found.items() if verdict == "DIFFERS"]
        print(line + f"  DIFFERS {len(wrong)}" * bool(wrong))
        for m, detail in wrong:
            print(f"    {m}: DIFFERS, {detail}")
        if full:
            for m, (verdict, detail) in found.items():
                print(f"    {m:8} {verdict} {detail}")
        differ += len(wrong)
    return differ


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("new", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("data", nargs="*", help="data sets instead of the tables made here")
    parser.add_argument("--methods", help="only these, separated by commas")
    parser.add_argument("--made", action="store_true", help="the tables made here besides DATA")
    parser.add_argument("--evaluate", action="store_true", help="compare a cross-validation too")
    parser.add_argument("--limit", type=float, default=20, help="seconds per run (default: 20)")
    parser.add_argument("--jobs", type=int, default=2, help="comparisons at a time (default: 2)")
    parser.add_argument("--table", action="store_true", help="print every result")
    args = parser.parse_intermixed_args()
    methods = args.methods.split(",") if args.methods else methods_of(args.new)
    if not args.methods and methods != methods_of(args.old):
        print("the programs list different methods; those of the new one are compared")

    with tempfile.TemporaryDirectory(prefix="heft-same-bits-") as place:
        folder = pathlib.Path(place)
        tables = list(named_tables(args.data))
        if args.made or not args.data:
            tables += made_tables(folder)
            tables += [(p.name, p, p, []) for p in sorted((ROOT / "examples").glob("*.csv"))]
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            tasks = {(t[0], m): pool.submit(compare, (args.old, args.new), place, args.limit, m, t,
                                            args.evaluate) for t in tables for m in methods}
            results = {key: task.result() for key, task in tasks.items()}
    differ = report(results, tables, methods, args.table)
    kinds = [verdict for verdict, _ in results.values()]
    print(f"{len(tables)} tables, {len(methods)} methods: {kinds.count('same')} the same, "
          f"{kinds.count('refused')} refused alike, {kinds.count('late')} too slow, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
