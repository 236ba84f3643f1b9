#!/usr/bin/env python3
"""Models exported as SQL give what `predict` gives: sql.py HEFT [NAME...].

In SQLite, which Python has; in DuckDB, where its package is installed; in PostgreSQL, where its programs are and a
user can be found who may run them. What is not there is left out with a message.
"""
import atexit
import csv
import glob
import io
import json
import math
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import harness  # noqa: E402
from asked_rows import data_set_models, dependent_models, models_with_rules, tables, three_way_tables  # noqa: E402
from harness import Run, heft, put, refused, require, same, test  # noqa: E402

try:
    import duckdb
except ImportError:
    duckdb = None

UNSEEN = "a value never seen"
METHODS = ("auto", "nb", "gnb", "flexnb", "enb", "dnb", "lnb", "gdnb", "mse", "sbc", "klnb", "treenb", "dfwnb", "cfwnb",
           "wanbia", "cawnb", "rnb", "cwanb", "deawnb", "tcsfsnb", "vwnb", "swnb", "tan", "aode", "waode", "hnb")


# ---- engines ----

def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Sqlite:
    name = "SQLite"

    def rows(self, table, columns, lines, statement):
        db = sqlite3.connect(":memory:")
        db.execute(f"CREATE TABLE {quoted(table)} ({', '.join(f'{quoted(n)} {t}' for n, t in columns)})")
        db.executemany(f"INSERT INTO {quoted(table)} VALUES ({','.join('?' * len(columns))})", lines)
        found = db.execute(statement)
        names = [d[0] for d in found.description]
        rows = found.fetchall()
        db.close()
        return names, rows


class Duckdb:
    name = "DuckDB"

    def rows(self, table, columns, lines, statement):
        db = duckdb.connect(":memory:", config={"threads": 1})
        db.execute(f"CREATE TABLE {quoted(table)} ({', '.join(f'{quoted(n)} {t}' for n, t in columns)})")
        put("lines.csv", as_csv([[n for n, _ in columns], *lines]))
        kinds = "{" + ", ".join(f"{text(n)}: {text(t)}" for n, t in columns) + "}"
        db.execute(f"INSERT INTO {quoted(table)} SELECT * FROM read_csv('lines.csv', columns={kinds}, header=true, "
                   "auto_detect=false, delim=',', quote='\"', escape='\"', nullstr='')")
        found = db.execute(statement)
        names = [d[0] for d in found.description]
        rows = found.fetchall()
        db.close()
        return names, rows


class Postgres:
    """A cluster of its own in a temporary folder, reached through a socket there."""
    name = "PostgreSQL"

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.run("initdb", "-D", f"{folder}/db", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        self.run("pg_ctl", "-D", f"{folder}/db", "-w", "-l", f"{folder}/log", "-o",
                 f"-c listen_addresses='' -k {folder} -c fsync=off -c jit=off", "start")
        atexit.register(self.stop)

    def command(self, program, *args):
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        return [*user, f"{self.programs}/{program}", *args]

    def run(self, program, *args, stdin=b""):
        done = subprocess.run(self.command(program, *args), input=stdin, capture_output=True, check=False,
                              cwd=self.folder, timeout=600)
        require(done.returncode == 0, f"{program}: {done.stderr.decode()[:2000]}")
        return done.stdout.decode()

    def stop(self):
        subprocess.run(self.command("pg_ctl", "-D", f"{self.folder}/db", "-m", "immediate", "stop"),
                       capture_output=True, check=False, cwd="/")
        shutil.rmtree(self.folder, ignore_errors=True)

    def psql(self, script):
        return self.run("psql", "-h", self.folder, "-d", "postgres", "-X", "-q", "-v", "ON_ERROR_STOP=1", "--csv",
                        stdin=script.encode())

    def rows(self, table, columns, lines, statement):
        made = ", ".join(f"{quoted(n)} {t}" for n, t in columns)
        out = self.psql(f"DROP TABLE IF EXISTS {quoted(table)};\nCREATE TABLE {quoted(table)} ({made});\n"
                        f"COPY {quoted(table)} FROM STDIN WITH (FORMAT csv);\n{as_csv(lines)}\\.\n{statement}")
        names, *found = csv.reader(io.StringIO(out))
        return names, [[row[0], row[1], *map(float, row[2:])] for row in found]


def text(x):
    return "'" + x.replace("'", "''") + "'"


def as_csv(lines):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for line in lines:
        writer.writerow(["" if x is None else f"{x:.17g}" if isinstance(x, float) else x for x in line])
    return out.getvalue()


def find_postgres():
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    if not programs:
        return None
    folder = tempfile.mkdtemp()
    if os.geteuid() == 0:
        try:
            shutil.chown(folder, "postgres")
        except LookupError:
            shutil.rmtree(folder)
            return None
    return Postgres(str(pathlib.Path(programs[-1]).parent), folder)


def engines():
    """Those at hand, started once."""
    if not hasattr(engines, "found"):
        engines.found = []
        if sqlite3.sqlite_version_info >= (3, 35):
            engines.found.append(Sqlite())
        if duckdb:
            engines.found.append(Duckdb())
        postgres = find_postgres()
        if postgres:
            engines.found.append(postgres)
        there = [e.name for e in engines.found]
        for name in ("SQLite", "DuckDB", "PostgreSQL"):
            if name not in there:
                print(f"left out: no {name} at hand", flush=True)
    return engines.found


# ---- comparing ----

def kinds_of(model):
    attributes = json.loads(heft("export", model, "--to", "json").out)["score"]["attributes"]
    return [(a["name"], "nominal" if "values" in a else "numeric") for a in attributes]


def compare(rows, model="m.heft", table="data", column_type=None, near=1e-9, only=None):
    """rows: dictionaries of texts, "" for missing. Every engine gives the labels and probabilities of predict."""
    kinds = kinds_of(model)
    names = [name for name, _ in kinds]
    put("ask.csv", as_csv([names, *([row[n] for n in names] for row in rows)]))
    (_, *classes), *expected = csv.reader(io.StringIO(heft("predict", model, "ask.csv", "--proba", "-q").out))
    heft("export", model, "-o", "m.sql", "--table", table, "--id", "row id")
    statement = open("m.sql", encoding="utf-8").read()
    column_type = column_type or (lambda name, kind: "DOUBLE PRECISION" if kind == "numeric" else "TEXT")
    columns = [("row id", "INTEGER"), *((name, column_type(name, kind)) for name, kind in kinds)]
    lines = [[i, *(None if row[n] == "" else float(row[n]) if k == "numeric" else row[n] for n, k in kinds)]
             for i, row in enumerate(rows)]
    for engine in engines():
        if only and engine.name not in only:
            continue
        found_names, found = engine.rows(table, columns, lines, statement)
        same(found_names, ["row id", "predicted", *classes], f"{engine.name}: columns")
        found = {int(row[0]): row[1:] for row in found}
        same(len(found), len(rows), f"{engine.name}: rows")
        for i, (label, *proba) in enumerate(expected):
            got = found[i]
            for c, (p, q) in enumerate(zip(proba, got[1:])):
                require(isinstance(q, float) and math.isclose(float(p), q, rel_tol=0, abs_tol=near),
                        f"{engine.name}, row {i}, {classes[c]}: {q!r}, predict: {p}\n{rows[i]}")
            tie = sum(abs(float(p) - max(map(float, proba))) < 1e-9 for p in proba) > 1
            require(str(got[0]) == label or tie, f"{engine.name}, row {i}: {got[0]!r}, predict: {label}, {proba}")


def rows_of(name, draw, most=150, unseen=True):
    """Rows of a data set, some cells emptied, some nominal ones never seen before."""
    rows = list(csv.DictReader(open(name, encoding="utf-8")))
    rows = draw.sample(rows, min(most, len(rows)))
    kinds = dict(kinds_of("m.heft"))
    for row in rows:
        for column, kind in kinds.items():
            at = draw.random()
            if row[column] in ("?", "") or at < 0.04:
                row[column] = ""
            elif at < 0.07 and unseen and kind == "nominal":
                row[column] = UNSEEN
            elif at < 0.07 and kind == "numeric":
                row[column] = repr(float(row[column]) * 10)
    return rows


SETS = {"credit-a.arff": "auto", "heart-c.arff": "auto", "labor.arff": "auto", "hepatitis.arff": "lnb",
        "anneal.arff": "nb", "autos.arff": "lnb", "colic.arff": "wanbia", "soybean.arff": "nb",
        "glass.arff": "cawnb", "breast-cancer.arff": "vwnb", "diabetes.arff": "gnb", "iris.arff": "flexnb"}
MORE = {"credit-a.arff": "rnb", "heart-c.arff": "rnb", "labor.arff": "aode", "hepatitis.arff": "hnb", "anneal.arff": "tan",
        "autos.arff": "tan", "colic.arff": "rnb", "soybean.arff": "tan", "glass.arff": "waode", "breast-cancer.arff": "hnb",
        "diabetes.arff": "aode", "iris.arff": "hnb"}


@test
def data_sets():
    draw = random.Random(1)
    for _ in data_set_models(SETS, MORE):
        compare(rows_of("set.csv", draw))


@test
def every_method_and_option():
    rows = tables()
    methods = [m for m in METHODS if Run(["train", "train.csv", "-m", m, "-o", "m.heft", "-q"]).status == 0
               and Run(["export", "m.heft", "--to", "sql"]).status == 0]
    require({"auto", "nb", "lnb", "cawnb", "vwnb", "gnb", "flexnb", "enb", "swnb"} <= set(methods), methods)
    for method in methods:
        heft("train", "train.csv", "-m", method, "-o", "m.heft", "-q")
        compare(rows)
    for more in (["-m", "nb", "--prior", "a=0.5,b=0.5"], ["-m", "nb", "--unseen", "zero", "--scale", "unit"],
                 ["-m", "auto", "--unseen", "zero", "--scale", "minmax", "--calibrate", "vector"],
                 ["-m", "auto", "--discretize", "frequency:4", "--scale", "unit"],
                 ["-m", "nb", "--impute", "mean", "--calibrate", "temperature", "--discretize", "width:4"],
                 ["-m", "enb", "--calibrate", "vector"], ["-m", "flexnb", "--scale", "range"]):
        heft("train", "train.csv", "-o", "m.heft", "-q", *more)
        compare(rows)


@test
def several_sums():
    for _, rows in dependent_models():
        compare(rows)


@test
def trees_of_many_values():
    for classes, more in (("ab", []), ("ab", ["--unseen", "zero"]), ("abc", ["-p", "effort=lean"]),
                          ("ab", ["-p", "order=any"])):
        rows = three_way_tables(classes)
        heft("train", "train.csv", "-o", "m.heft", "-q", *more)
        compare(rows)


@test
def five_hundred_attributes():
    draw = random.Random(3)
    header = [f"a{j}" for j in range(500)] + ["class"]
    lines = []
    for i in range(60):
        c = i % 2
        lines.append([*(f"{draw.gauss(c * (j % 50 == 0), 1):.3f}" if j % 2 else draw.choice("xyz")
                        for j in range(500)), "no" if c else "yes"])
    put("train.csv", as_csv([header, *lines]))
    for method in ("nb", "auto"):
        heft("train", "train.csv", "-m", method, "-o", "m.heft", "-q")
        compare([dict(zip(header, line)) for line in lines[:20]])


NAMES = ['say "hi"', "it's", "select", "order by", "a;b--c", "x /* y */", "t.x", "\u00e9t\u00e9 %s", "back\\slash"]


@test
def names_and_values():
    """Quotes, blanks, keywords and comments in the names of columns and tables, in values and classes."""
    draw = random.Random(2)
    lines = []
    for i in range(80):
        c = i % 3
        lines.append([draw.choice([*NAMES[:2 + c], "NULL"]) if j % 2 else f"{draw.gauss(c, 1):.2f}"
                      for j in range(len(NAMES))] + [NAMES[c]])
    put("train.csv", as_csv([[*NAMES, "class"], *lines]))
    rows = [dict(zip(NAMES, line)) for line in lines]
    for method in ("nb", "auto"):
        heft("train", "train.csv", "-m", method, "-o", "m.heft", "-q")
        for table in ('the "best" of; my tables --', "Select"):
            compare(rows, table=table)
    statement = heft("export", "m.heft", "--to", "sql", "--table", 'main."a.b".c').out
    require('FROM "main"."a.b"."c" AS t' in statement, "a qualified name")


@test
def categories_that_look_like_numbers():
    put("train.csv", "size,code,class\n" + "".join(f"{i % 7},{i % 4},{'a' if i % 4 < 2 else 'b'}\n" for i in range(80)))
    heft("train", "train.csv", "-m", "nb", "--nominal", "code", "-o", "m.heft", "-q")
    rows = [{"size": str(i % 7), "code": str(i % 6)} for i in range(12)] + [{"size": "", "code": ""}]
    compare(rows, column_type=lambda name, kind: "INTEGER")
    compare(rows)


@test
def decisions():
    for _, rows in models_with_rules():
        compare(rows)


@test
def scaled_numbers_stay_finite():
    draw = random.Random(3)
    put("train.csv", "x,y,class\n" + "".join(f"{draw.gauss(c, 1) / 1000:.6f},{draw.gauss(c, 1):.3f},{'ab'[c]}\n" for c in [0, 1] * 50))
    heft("train", "train.csv", "-m", "nb", "--scale", "minmax", "--discretize", "none", "-o", "m.heft", "-q")
    statement = heft("export", "m.heft", "--to", "sql").out
    require("1.7976931348623157e308" in statement, "a limit of what is scaled")
    _, rows = Sqlite().rows("data", [("x", "REAL"), ("y", "REAL")], [(1.7e308, 0.5), (-1.7e308, 1.0), (None, None)], statement)
    for row in rows:
        require(abs(sum(row[1:]) - 1) < 1e-12, f"{row}")


@test
def what_is_left_out_is_said():
    rows = tables()
    heft("train", "train.csv", "-m", "lwnb", "-o", "m.heft", "-q")
    refused("export", "m.heft", "-o", "m.sql", says="lwnb.*-m auto")
    put("wide.csv", as_csv([[f"a{j}" for j in range(60)] + ["class"],
                            *([*("xyz"[(i + j) % 3] for j in range(60)), "no" if i % 2 else "yes"] for i in range(20))]))
    heft("train", "wide.csv", "-m", "aode", "-o", "m.heft", "-q")
    columns = 1 + 60 + 60 * 59 // 2 + 2 * (60 + 1)  # a row's number, codes, cells of pairs, sums of two classes
    refused("export", "m.heft", "-o", "m.sql", says=f"aode needs {columns} columns.*-m auto")
    heft("train", "train.csv", "-m", "nb", "-o", "m.heft", "-q")
    refused("export", "m.heft", "-o", "m.sql", "--table", "heft_codes", says="heft_codes")
    refused("export", "m.heft", "-o", "m.json", "--table", "rows", says="--table")
    require(rows and 'FROM "data" AS t' in heft("export", "m.heft", "--to", "sql").out, "the usual table")


if __name__ == "__main__":
    sys.exit(harness.main())
