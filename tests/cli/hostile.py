#!/usr/bin/env python3
"""Names made to harm, through every command: hostile.py HEFT [NAME...].

What goes to a terminal holds no control character; pages hold no tag, exported C no code and JSON
nothing but JSON that a name brought along; CSV and ARFF keep every byte.
"""
import codecs
import csv
import gzip
import html.parser
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import harness  # noqa: E402
from harness import Run, files, heft, method_names, put, require, same, test  # noqa: E402


NAMES = [
    b'plain "quoted" name', b"it's", b"comma, semicolon; bar|", b"two\nlines", b"cr\rhere",
    b"tab\there", b"\x1b[31mred\x1b[0m", b"\x1b]0;title\x07", b"bell\x07 back\x08space", b"\x9b31m",
    b"\xc2\x9b31m c1", b"del\x7f", b"<script>alert(1)</script>", b"</svg></table><img src=x onerror=y>",
    b"a&amp;b&lt;", b"*/ int owned(void) { return 1; } /*", b"??/", b"??/\n#error owned",
    b"ends with \\", b"\\\n continued", b'"; system("true"); //', b"%s%n%d%%", b"=cmd|' /C calc'!A0",
    b"+1+1", b"-2+3", b"@SUM(A1)", b"$(touch owned)", b"`touch owned`", b"; touch owned",
    b"\\input{/etc/passwd}", b"$x_1$ & 50% #1 {~^}", b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80",
    b"caf\xe8", b"caf\xc3\xa9", "right\u202eto left".encode(), "\u2066isolate".encode(),
    "line\u2028sep".encode(), b"../../etc/passwd", b"-o", b"--help", b"{}{{}}", b"0x41", b"1e5",
    b"true", b"\\u0000", b"x" * 3000, b"#include <owned.h>", b"]]><!--", b"javascript:alert(1)",
    b"{% raw %}", b"' OR 1=1 --",
]


def quoted(cell):
    return b'"' + cell.replace(b'"', b'""') + b'"'


def hostile_table(path="h.csv"):
    """Every name as a column, a value and a class."""
    rows = [b",".join([quoted(b"n " + NAMES[0])] + [quoted(n) for n in NAMES] + [b"class"])]
    for i in range(2 * len(NAMES)):
        name = NAMES[i % len(NAMES)]
        cells = [str(i % 7 / 3).encode()]
        cells += [quoted(NAMES[(i * 5 + j) % len(NAMES)]) if j % 3 else str(i % (j + 2)).encode()
                  for j in range(len(NAMES))]
        rows.append(b",".join(cells + [quoted(name)]))
    return put(path, b"\n".join(rows) + b"\n")


def check_terminal(raw, what):
    text = raw.decode("utf-8")  # raises where it is not
    bad = re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text)
    require(not bad, f"{what}: a terminal would get {sorted(set(bad))!r}")


def terminal(*args):
    """A run whose output people read: nothing in it may steer the terminal."""
    done = subprocess.run([harness.HEFT, *args], capture_output=True, check=False,
                          timeout=harness.PATIENCE)
    require(done.returncode == 0, f"{args}: {done.stderr!r}")
    check_terminal(done.stdout, f"{args}: standard output")
    check_terminal(done.stderr, f"{args}: standard error")
    return done.stdout


class Page(html.parser.HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.events = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.events += [a for a, v in attrs if a.startswith("on") or (a != "title" and "javascript:" in (v or ""))]
        self.events += [v for a, v in attrs if a in ("src", "href") and v and v[0] != "#"
                        and v != "data:,"]  # the empty icon of every page


def check_page(raw, plain, what):
    """No tag and no attribute that a harmless model's page does not have."""
    text = raw.decode("utf-8")
    page = Page(text)
    require(page.tags <= plain.tags | {"title"}, f"{what}: tags {page.tags - plain.tags}")
    require(not page.events, f"{what}: {page.events}")
    bad = re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
    require(not bad, f"{what}: {sorted(set(bad))!r}")


@test
def names_in_terminals():
    hostile_table()
    for method in ("nb", "treenb"):
        terminal("train", "h.csv", "-o", "m.heft", "-m", method, "-vv")
        terminal("inspect", "m.heft", "--top", "1000000")
    terminal("train", "h.csv", "-o", "m.heft", "-m", "nb")
    for row in range(1, 5):
        terminal("explain", "m.heft", "h.csv", "--row", str(row))
    terminal("evaluate", "h.csv", "-m", "nb,gnb", "--cv", "2", "-vv")


@test
def names_of_files_in_messages():
    for k, name in enumerate(NAMES):
        if b"/" in name or len(name) > 200:
            continue
        ways = (["train", b"./" + name], ["predict", b"./" + name, "x"], ["inspect", b"./" + name],
                ["train", "x", b"--" + name], ["train", "x", "-m", name], [name],
                ["evaluate", "x", "--folds", name], ["train", "x", "-p", name],
                ["train", "x", "--prior", name], ["train", "x", "--discretize", name])
        for args in (ways[k % 5], ways[5 + k % 5], ways[(k * 3 + 1) % 10]):
            done = subprocess.run([harness.HEFT, *args], capture_output=True, check=False,
                                  timeout=harness.PATIENCE)
            if done.returncode == 0 and name == b"--help":
                continue
            require(done.returncode in (1, 2), f"{args}: {done}")
            check_terminal(done.stderr, f"{args}")
            same(done.stderr.count(b"\n"), 1, f"{args}: lines of {done.stderr!r}")
    same(files(), [], "files")


@test
def names_in_json():
    hostile_table()
    heft("train", "h.csv", "-o", "m.heft", "-m", "nb")
    for args in (["inspect", "m.heft", "--json", "o"], ["export", "m.heft", "--to", "json", "-o", "o"],
                 ["evaluate", "h.csv", "-m", "nb", "--cv", "2", "--json", "o"]):
        heft(*args)
        text = pathlib.Path("o").read_bytes().decode("utf-8")
        require(isinstance(json.loads(text), dict), f"{args}")
        os.remove("o")
    heft("inspect", "m.heft", "--json", "o")
    told = [a["name"] for a in json.loads(pathlib.Path("o").read_text("utf-8"))["attributes"]]
    for name in NAMES:
        try:
            wanted = name.decode("utf-8")
        except UnicodeDecodeError:
            continue  # taken as Latin-1, of which the test above says that it is text
        require(wanted in told, f"inspect --json lost {name!r}")


NO_PROGRAMS = {"SHELL": "/bin/false", "EDITOR": "/bin/false", "PAGER": "/bin/false"}


@test
def names_in_pages():
    put("small.csv", harness.SMALL)
    heft("train", "small.csv", "-o", "p.heft", "-m", "nb")
    heft("report", "p.heft", "small.csv", "-o", "p.html")
    heft("train", harness.EXAMPLES / "iris.csv", "-o", "i.heft")
    heft("report", "i.heft", harness.EXAMPLES / "iris.csv", "-o", "i.html")
    heft("evaluate", "small.csv", "-m", "nb,gnb", "--cv", "2", "--report", "q.html")
    plain = Page(pathlib.Path("p.html").read_text("utf-8"))
    for other in ("i.html", "q.html"):
        plain.tags |= Page(pathlib.Path(other).read_text("utf-8")).tags
    hostile_table()
    files_before = files()
    for method in ("vwnb", "auto")[:1 if harness.SANITIZED else 2]:
        heft("train", "h.csv", "-o", "m.heft", "-m", method, env=NO_PROGRAMS)
        heft("report", "m.heft", "h.csv", "-o", "h.html", env=NO_PROGRAMS)
        check_page(pathlib.Path("h.html").read_bytes(), plain, method)
    same(files(), sorted([*files_before, "m.heft", "h.html"]), "files: nothing is run")
    names = ["<script>x<.csv", "\\input{x}%_$&#~^.csv", "\x1b[31m\\write18{x}.csv"]
    for name in names:
        shutil.copy("h.csv", name)
    heft("evaluate", *names, "-m", "nb,gnb", "--cv", "2", "--report", "e.html", "--markdown", "e.md",
         "--csv", "e.csv", "--latex", "e.tex")
    check_page(pathlib.Path("e.html").read_bytes(), plain, "results")
    check_terminal(pathlib.Path("e.md").read_bytes(), "markdown")
    text = pathlib.Path("e.tex").read_bytes()
    check_terminal(text, "LaTeX")
    require(b"\\input" not in text and b"\\write" not in text, "LaTeX: a command came through")


@test
def names_in_exported_c():
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not compiler:
        print("skipped: no C compiler")
        return
    hostile_table()
    heft("train", "h.csv", "-o", "m.heft", "-m", "nb")
    heft("export", "m.heft", "--to", "c", "-o", "m.c")
    code = pathlib.Path("m.c").read_bytes()
    bad = re.findall(rb"[\x00-\x09\x0b-\x1f\x7f-\xff]", code)
    require(not bad, f"exported C: bytes {set(bad)!r}")
    require(b"??/" not in code, "a trigraph")
    for extra in ([], ["-trigraphs"]):
        done = subprocess.run([compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", *extra, "-c", "m.c",
                               "-o", "m.o"], capture_output=True, check=False)
        require(done.returncode == 0, done.stderr.decode("utf-8", "replace")[:2000])
        symbols = subprocess.run(["nm", "m.o"], capture_output=True, text=True, check=True).stdout
        require("owned" not in symbols and "system" not in symbols, symbols)


def as_read(data):
    """Text as heft reads it: UTF-8, and what is not as Windows-1252."""
    def one(error):
        return "".join(bytes([b]).decode("cp1252", "ignore") or chr(b)
                       for b in error.object[error.start:error.end]), error.end
    codecs.register_error("windows", one)
    return data.decode("utf-8", "windows")


@test
def names_in_tables_are_kept():
    hostile_table()
    before = list(csv.reader(io.StringIO(as_read(pathlib.Path("h.csv").read_bytes()),
                                         newline="")))
    heft("convert", "h.csv", "-o", "a.arff")
    heft("convert", "a.arff", "-o", "b.csv")
    after = list(csv.reader(io.StringIO(pathlib.Path("b.csv").read_bytes().decode(),
                                        newline="")))
    same(after[0], before[0], "names")
    for i, (a, b) in enumerate(zip(after[1:], before[1:])):
        for x, y in zip(a[1:], b[1:]):
            require(x == y or float(x) == float(y), f"row {i}: {x[:50]!r} for {y[:50]!r}")
    heft("train", "h.csv", "-o", "m.heft", "-m", "nb")
    out = csv.reader(io.StringIO(heft("predict", "m.heft", "h.csv", "--proba").raw.decode(),
                                 newline=""))
    header = next(out)
    same(sorted(header[1:]), sorted("P(" + as_read(n) + ")" for n in NAMES), "classes")
    require({row[0] for row in out} <= {as_read(n) for n in NAMES}, "labels")


@test
def nothing_is_run():
    """Of the names in a table and of a file; names_in_pages looks for what the default method leaves."""
    hostile_table()
    heft("train", "h.csv", "-o", "m.heft", "-m", "nb", env=NO_PROGRAMS)
    heft("report", "m.heft", "-o", "r.html", env=NO_PROGRAMS)
    same(files(), ["h.csv", "m.heft", "r.html"], "files")
    require(Run(["train", "$(touch owned).csv"]).status == 1 and not os.path.exists("owned"), "shell")


def limited(megabytes):
    """The start of a command under a limit on its address space; None where heft cannot run so."""
    limit = ["bash", "-c", f'ulimit -v {megabytes * 1000}; exec "$@"', "limit", harness.HEFT]
    if subprocess.run([*limit, "--version"], capture_output=True, check=False).returncode:
        print("skipped: this build does not start under a limit of memory")
        return None
    return limit


@test
def a_small_file_takes_little_memory():
    """Every method learns from it, or refuses it with a sentence that names an option."""
    limit = limited(1500)
    if not limit:
        return
    rows = range(20000)
    put("high.svm", "+1 1:1 16777216:1\n-1 2:1\n")
    put("wide.svm", "+1 1:1 100000:1\n-1 2:1\n+1 3:1\n-1 5:1\n")
    put("classes.csv", "a,class\n" + "".join(f"v{i},c{i}\n" for i in rows))
    put("numbers.csv", "a,class\n" + "".join(f"{i},c{i}\n" for i in rows))
    put("mixed.csv", "a,b,class\n" + "".join(f"v{i % 200},{i % 7},c{i}\n" for i in rows))
    methods = method_names()
    few = {"high.svm": ["nb", "auto"], "numbers.csv": ["nb", "auto", "flexnb", "sbc", "lnb", "lcwnb"]}
    require(len(methods) > 20, f"{methods}")
    for name in ("high.svm", "wide.svm", "classes.csv", "numbers.csv", "mixed.csv"):
        for method in few.get(name, methods):
            done = subprocess.run([*limit, "train", name, "-m", method, "-o", "m.heft", "-q", "--threads", "1"],
                                  capture_output=True, check=False, timeout=harness.PATIENCE)
            require(done.returncode == 0 or (done.returncode == 1 and done.stderr.count(b"\n") == 1
                                             and b"not enough memory" not in done.stderr),
                    f"{name} {method}: {done.returncode} {done.stderr!r}")


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def struct(**fields):
    """A struct of Thrift's compact protocol: f3=5 is field 3. Numbers, bytes, and lists of such structs."""
    out, before = b"", 0
    for name, value in fields.items():
        number = int(name[1:])
        kind = 6 if isinstance(value, int) else 9 if isinstance(value, list) else 12 if name[0] == "s" else 8
        out += bytes([(number - before) << 4 | kind])
        if kind == 6:
            out += varint(2 * value)
        elif kind == 9:
            out += b"\xfc" + varint(len(value)) + b"".join(value)
        else:
            out += value if kind == 12 else varint(len(value)) + value
        before = number
    return out + b"\0"


def parquet(pages, n_columns=1, n_rows=4, codec=0, kind=1, schema=None, groups=None):
    """A Parquet file of columns that all have the same chunk, made of these pages."""
    chunk = struct(s3=struct(f1=kind, f4=codec, f5=n_rows, f7=len(pages), f9=4 + len(pages), f11=4))
    columns = [struct(f1=kind, f3=0, f4=b"c%d" % k) for k in range(n_columns)]
    root = struct(f4=b"r", f5=len(schema or columns))
    group = struct(f1=[chunk] * n_columns, f3=n_rows)
    footer = struct(f1=1, f2=[root, *(schema or columns)], f3=n_rows, f4=[group] if groups is None else groups)
    return b"PAR1" + pages + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def pages(n_values, values, n_rows=4, codec=0):
    """A dictionary, and a page of rows that all have its first value."""
    packed = gzip.compress(values) if codec else values
    codes = b"\1" + varint(2 * n_rows) + b"\0"
    small = gzip.compress(codes) if codec else codes
    return (struct(f1=2, f2=len(values), f3=len(packed), s7=struct(f1=n_values, f2=0)) + packed
            + struct(f1=0, f2=len(codes), f3=len(small), s5=struct(f1=n_rows, f2=8, f3=3, f4=3)) + small)


@test
def a_small_parquet_file_takes_little_memory():
    """Dictionaries that no row needs, pages that many columns share, and columns of nothing are refused before
    they take more than what docs/formats.md allows. Values that no row has are otherwise no matter."""
    put("unused.parquet", parquet(pages(1000, b"".join(k.to_bytes(4, "little") for k in range(1000)))))
    heft("convert", "unused.parquet", "-o", "unused.csv", "--nominal", "1")
    same(open("unused.csv").read(), "c0\n" + "0\n" * 4, "unused values")
    limit = limited(800)
    if not limit:
        return
    n, damaged, fills = 1 << 24, "is damaged: ", "(allow more with --max-unpacked)"
    columns = [struct(f1=1, f4=b"%d" % k) for k in range(300_000)]
    for name, content, why in (
            ("values", parquet(pages(n, bytes(4 * n), codec=2), codec=2), fills),
            ("packed", parquet(pages(n >> 4, bytes(n >> 2), codec=2), n_columns=200, codec=2), fills),
            ("shared", parquet(pages(1 << 16, b"\1\0\0\0a" * (1 << 16)), n_columns=2000, kind=6), fills),
            ("columns", parquet(b"", schema=[b"\0"] * 6_000_000), damaged + "its list of columns is broken"),
            ("nameless", parquet(b"", schema=[struct(f1=1)] * 2_000_000), damaged + "its list of columns is broken"),
            ("childless", parquet(b"", schema=[struct(f4=b"c")] * 2_000_000), damaged + "its list of columns is broken"),
            ("chunks", parquet(b"", schema=columns, groups=[struct(f1=[b"\0"] * len(columns), f3=4)]),
             damaged + "its list of row groups is broken"),
            ("groups", parquet(b"", schema=columns, groups=[struct(f3=4)] * 2_000_000),
             damaged + "a row group does not have all columns")):
        put(f"{name}.parquet", content)
        done = subprocess.run([*limit, "convert", f"{name}.parquet", "-o", "o.csv", "--threads", "1", "--nominal", "1"],
                              capture_output=True, text=True, check=False, timeout=harness.PATIENCE)
        require(done.returncode == 1 and why in done.stderr and done.stderr.count("\n") == 1, f"{name}: {done.stderr}")


@test
def many_classes_take_little_memory_and_time():
    """Every command does its work, or refuses the file with one sentence."""
    limit = limited(1000)
    if not limit:
        return
    limit[2] = "ulimit -t 60; " + limit[2]
    put("wide.arff", "@relation r\n" + "".join(f"@attribute a{j} numeric\n" for j in range(20000))
        + "@attribute class {" + ",".join(f"c{k}" for k in range(3002)) + "}\n@data\n"
        + "".join(f"{{{7 * k} {k + 1}, 20000 c{k}}}\n" for k in range(200)))
    put("classes.csv", "a,b,class\n" + "".join(f"{k},{k % 7},c{k}\n" for k in range(20000)))
    put("more.csv", "a,b,class\n" + "".join(f"{k},{k % 7},c{k}\n" for k in range(64000)))
    put("few.csv", "a,b,class\n" + "".join(f"{k},{k % 7},c{k}\n" for k in range(300)))

    def run(*args, refused=b""):
        done = subprocess.run([*limit, *args], capture_output=True, check=False, timeout=harness.PATIENCE)
        require(done.returncode == 1 and refused in done.stderr and done.stderr.count(b"\n") == 1 if refused
                else done.returncode == 0, f"{args}: {done.returncode} {done.stderr!r}")
        return done.stdout.decode()

    out = ["-o", "m.heft", "-q", "--threads", "1"]
    for method in ("nb", "lnb", "swnb"):
        run("train", "wide.arff", "-m", method, *out, refused=b"sums by class would take")
    for method in ("tan", "hnb"):
        run("train", "wide.arff", "-m", method, *out, refused=b"counts by value and class would take")
    run("evaluate", "-q", "wide.arff", "-m", "nb", "--cv", "2", refused=b"sums by class would take")
    run("train", "wide.arff", "-m", "auto", *out)
    run("train", "more.csv", "--nominal", "class", "-m", "auto", *out, refused=b"tables of evidence would take")
    run("evaluate", "-q", "classes.csv", "--nominal", "class", "-m", "nb", "--cv", "2", refused=b"a probability for each of 20000 rows")
    for data, method in (("classes.csv", "tan"), ("more.csv", "swnb"), ("classes.csv", "nb")):
        run("train", data, "--nominal", "class", "-m", method, *out)
        run("predict", "m.heft", "few.csv", "-o", "p.csv")
    require("(19970 more classes)" in run("inspect", "m.heft"), "inspect")
    run("report", "m.heft", "few.csv", "-o", "r.html")
    run("report", "m.heft", "classes.csv", "-o", "r.html", refused=b"a probability for each of 20000 rows")


@test
def a_memory_limit_is_an_error():
    """What is asked for at once and cannot be had is refused with a sentence."""
    put("wide.svm", "1 1:1 16000000:1\n2 2:1\n")
    limit = limited(900)
    if not limit:
        return
    allow = ["--max-columns", "16000000"]
    for args in (["train", "wide.svm", "-o", "m.heft", *allow], ["convert", "wide.svm", "-o", "o.csv", *allow]):
        done = subprocess.run([*limit, *args], capture_output=True, check=False, timeout=harness.PATIENCE)
        same(done.returncode, 1, f"{args}: {done.stderr!r}")
        require(done.stderr.startswith(b"heft: error: ") and b"memory" in done.stderr, f"{done.stderr!r}")
        same(done.stderr.count(b"\n"), 1, "lines")
        same(files(), ["wide.svm"], "files")


if __name__ == "__main__":
    sys.exit(harness.main())
