#!/usr/bin/env python3
"""Do two builds of heft write the same documents, byte for byte?

    same_documents.py OLD NEW [--all]

OLD trains models of many methods on the tables of examples/ and on small tables made here (many classes, many values,
dates as text, gaps, weights, hostile names). Both programs then write everything that can be written about them: reports
with and without rows, all exports with their options, inspect, explain, check as text, JSON and page, and the page, tables
and figures of an evaluation, which both make from the same results (--json). Two documents that differ are kept in a
folder, and the first difference is printed. --all takes every method on every table.
"""
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOME = {"loans": None, "iris": ["auto", "nb", "lnb", "rnb", "lcwnb", "aode", "swnb"], "odd": None, "many": ["auto", "nb", "tan", "cawnb"],
        "wide": ["auto", "nb", "swnb", "lnb"], "weighted": ["auto", "vwnb", "flexnb", "hnb"]}
OPTIONS = {"iris": ["--cost", "virginica:versicolor=3,setosa:virginica=2"], "odd": ["--threshold", 'a "quoted", name=0.7'], "weighted": ["--weight", "w", "--calibrate", "vector"], "many": ["--unseen", "zero"], "wide": ["--scale", "unit"]}
MORE = {"weighted": {"auto": ["--weight", "w"]}}
EXPORTS = [("c", []), ("c", ["--float", "--with-header"]), ("json", []), ("onnx", []), ("onnx", ["--evidence"]), ("pmml", []), ("sql", ["--table", "t", "--id", "k"])]


def write_tables(folder):
    """The tables of this comparison, as CSV files."""
    rng = random.Random(5)
    tables = {name: (ROOT / f"examples/{name}.csv").read_text(encoding="utf-8") for name in ("loans", "iris")}
    lines = ['"x <b>&","quote""d",π,empty,one,class']
    for i in range(160):
        side = i % 2
        lines.append(f'{rng.gauss(side, 1):.3f},{rng.choice(["<i>", "&amp;", "a b", ""])},{rng.choice("αβγ") if rng.random() < .9 else "?"},,7,'
                     + ('"a ""quoted"", name"' if side else "</script>"))
    tables["odd"] = "\n".join(lines) + "\n"
    lines = ["city,size,when,kind"]
    for i in range(420):
        kind = i % 14
        lines.append(f"c{rng.randrange(60)},{rng.gauss(kind, 2):.2f},{2000 + rng.randrange(9)}-0{1 + rng.randrange(9)}-11,k{kind}")
    tables["many"] = "\n".join(lines) + "\n"
    lines = [",".join([f"a{j}" for j in range(60)] + ["class"])]
    for i in range(90):
        lines.append(",".join([f"{rng.gauss(i % 3 if j < 4 else 0, 1):.2f}" for j in range(60)] + ["uvw"[i % 3]]))
    tables["wide"] = "\n".join(lines) + "\n"
    lines = ["n,m,c,w,class"]
    for i in range(200):
        lines.append(f"{rng.expovariate(1):.4g},{rng.randrange(5)},{'pqr'[rng.randrange(3)]},{1 + rng.randrange(3)},{'yes' if rng.random() < .2 + .5 * (i % 2) else 'no'}")
    tables["weighted"] = "\n".join(lines) + "\n"
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return list(tables)


def run(heft, folder, args):
    """Status, standard output and standard error of a run in a folder."""
    done = subprocess.run([heft, *map(str, args)], cwd=folder, capture_output=True, check=False, timeout=600)
    return b"%d\n" % done.returncode + done.stdout + b"\n--\n" + done.stderr


def methods_of(heft):
    text = subprocess.run([heft, "methods"], capture_output=True, text=True, check=True).stdout.splitlines()[1:]
    return [line.split()[0] for line in text[:text.index("")]]


def jobs_of(table, model, method):
    """(name of the document, arguments); OUT stands for its path."""
    csv, more = f"../{table}.csv", OPTIONS.get(table, [])[:2] if table == "weighted" else []
    stem = f"{table}-{method}"
    yield f"{stem}.html", ["report", model, "-o", "OUT"]
    yield f"{stem}-rows.html", ["report", model, csv, "-o", "OUT", *more]
    yield f"{stem}-cv.html", ["report", model, csv, "--cv", "3", "-o", "OUT", *more]
    for to, options in EXPORTS:
        yield f"{stem}{len(options)}.{to}", ["export", model, "--to", to, "-o", "OUT", *options]
    yield f"{stem}-inspect.txt", ["inspect", model]
    yield f"{stem}-inspect.json", ["inspect", model, "--json", "OUT"]
    for row in (1, 2, 77):
        yield f"{stem}-row{row}.txt", ["explain", model, csv, "--row", str(row)]
    yield f"{stem}-terms.csv", ["explain", model, csv, "--csv", "OUT"]
    yield f"{stem}-reasons.csv", ["predict", model, csv, "-o", "OUT", "--proba", "--reasons", "3"]


def table_jobs(table, results):
    csv = f"../{table}.csv"
    yield f"{table}-check.html", ["check", csv, "-o", "OUT"]
    yield f"{table}-check.json", ["check", csv, "--json", "OUT"]
    yield f"{table}-check.txt", ["check", csv]
    if results:
        for ending in ("report", "latex", "markdown", "csv", "figure", "fold-csv"):
            name = {"report": "html", "latex": "tex", "markdown": "md", "figure": "svg"}.get(ending, "csv")
            yield f"results-{table}-{ending}.{name}", ["evaluate", *results[1:], "--json", "RESULTS", f"--{ending}", "OUT", "--details", "--intervals"]


def write_documents(heft, folder, jobs, results):
    """All documents of one program, by name."""
    folder.mkdir()

    def one(job):
        name, args = job
        if "RESULTS" in args:
            own = folder / f"{name}.results"
            own.write_bytes(results[args[args.index("evaluate") + 1]].read_bytes())
            args = [own.name if a == "RESULTS" else a for a in args]
        log = run(heft, folder, [name if a == "OUT" else a for a in args])
        (folder / f"{name}.log").write_bytes(re.sub(rb"<time>.*?</time>", b"", log))
        if (folder / name).exists():
            text = (folder / name).read_bytes()
            (folder / name).write_bytes(re.sub(rb"<time>.*?</time>", b"", text))
        if "--json" in args and name.startswith("results"):
            (folder / f"{name}.results").unlink()

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(one, jobs))


def first_difference(old, new):
    if not old.exists() or not new.exists():
        return f"only one of the two programs wrote {old.name}"
    a, b = old.read_bytes(), new.read_bytes()
    at = next((k for k, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return f"{old.name}, byte {at}:\n  {a[max(0, at - 80):at + 80]!r}\n  {b[max(0, at - 80):at + 80]!r}"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    old, new = (str(pathlib.Path(a).resolve()) for a in sys.argv[1:3])
    home = pathlib.Path(tempfile.mkdtemp(prefix="same-documents-"))
    every = methods_of(old)
    jobs, results = [], {}
    for table in write_tables(home):
        for method in SOME[table] or every if "--all" not in sys.argv else every:
            more = MORE.get(table, {}).get(method, OPTIONS.get(table, []))
            model = home / f"{table}-{method}.heft"
            run(old, home, ["train", f"{table}.csv", "-m", method, "-o", model, "-q", *more])
            if model.exists():
                jobs += jobs_of(table, f"../{model.name}", method)
        plan = [f"../{table}.csv", "-m", "nb,lnb,auto" if table != "many" else "nb,aode", "--cv", "3", "--repeat", "2"]
        plan += {"iris": ["--noise", "0,0.2"], "wide": ["--learn", "0.5,1"], "loans": ["../odd.csv", "../iris.csv"]}.get(table, [])
        results[f"../{table}.csv"] = home / f"{table}.json"
        (home / "plan").mkdir(exist_ok=True)
        run(old, home / "plan", ["evaluate", *plan, "--json", home / f"{table}.json", "--details", "--intervals", "-q"])
        jobs += table_jobs(table, ["evaluate", *plan])
    for name, heft in (("old", old), ("new", new)):
        write_documents(heft, home / name, jobs, results)
    names = sorted({f.name for part in ("old", "new") for f in (home / part).iterdir()})
    faults = [n for n in names if first_difference_exists(home, n)]
    for name in faults[:20]:
        print(first_difference(home / "old" / name, home / "new" / name))
    n_models = len(list(home.glob("*.heft")))
    failed = sum((home / "old" / n).read_bytes()[:1] != b"0" for n in names if n.endswith(".log") and (home / "old" / n).exists())
    print(f"{n_models} models, {len(names)} documents and logs ({failed} refusals among them), {len(faults)} differ: {home}")
    return bool(faults)


def first_difference_exists(home, name):
    a, b = home / "old" / name, home / "new" / name
    return not (a.exists() and b.exists() and a.read_bytes() == b.read_bytes())


if __name__ == "__main__":
    sys.exit(main())
