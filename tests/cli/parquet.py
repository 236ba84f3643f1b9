#!/usr/bin/env python3
"""Parquet files give what CSV files with the same cells give: parquet.py HEFT [NAME...].

The first tests use the files of tests/parquet. Those whose name begins with "written" write files of their own; they
need pyarrow, and polars and duckdb for their part, and say so where these are not there.
"""
import csv
import gzip
import io
import itertools
import pathlib
import random
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import harness  # noqa: E402
from harness import ROOT, heft, put, refused, require, same, test  # noqa: E402
from tensors import tensors  # noqa: E402

FILES = ROOT / "tests/parquet"
TABLE = FILES / "table.csv"


def package(name):
    try:
        return __import__(name)
    except ImportError:
        print(f"        skipped: {name} is not there (pip install {name})")
        return None


def same_model(a, b, *options):
    heft("train", a, "-o", "a.heft", "-q", *options)
    heft("train", b, "-o", "b.heft", "-q", *options)
    same(tensors("a.heft"), tensors("b.heft"), f"models of {a} and {b}, {options}")


def same_table(a, b, *options):
    one, other = (heft("convert", path, "-o", "-", "-q", *options).out for path in (a, b))
    if one != other:
        for k, (x, y) in enumerate(zip(one.splitlines(), other.splitlines())):
            same(x, y, f"line {k + 1} of {a} and {b}, {options}")
        same(len(one), len(other), f"lengths of {a} and {b}")


@test
def commands_read_parquet():
    data = FILES / "twice.parquet"
    for method in ("nb", "auto", "rnb"):
        same_model(data, FILES / "twice.csv", "-m", method)
    for threads in ("1", "3"):
        same_model(data, FILES / "twice.csv", "-m", "nb", "--threads", threads, "--drop", "word")
    runs = [["predict", "a.heft", "--proba"], ["explain", "a.heft", "--row", "3"]]
    for args in runs:
        same(heft(*args, data, "-q").out, heft(*args, FILES / "twice.csv", "-q").out, args[0])
    out = [heft("evaluate", path, "-m", "nb", "--cv", "3", "-q").out.split("\n")
           for path in (data, FILES / "twice.csv")]
    same(out[0], out[1], "evaluate")
    require("24 rows" in heft("check", data).out.replace(",", ""), "check")
    heft("report", "a.heft", data, "-o", "r.html")


@test
def columns_can_be_kept():
    heft("train", TABLE, "-m", "nb", "-o", "m.heft", "-q")
    kept = ["predict", "m.heft", "-q", "--keep", "big,word,yes"]
    same(heft(*kept, FILES / "snappy.parquet").out, heft(*kept, TABLE).out, "--keep")
    rows = list(csv.reader(io.StringIO(heft("predict", "m.heft", FILES / "delta.parquet", "-q", "--keep", "all").out)))
    same(rows[0][:-1], "x,short,small,count,big,price,yes,colour,word,class".split(","), "--keep all")
    same([row[5] for row in rows[1:5]], ["1.25", "-0.01", "", "0.00"], "decimals as they are")


@test
def unread_columns_do_not_matter():
    odd = FILES / "odd.parquet"
    heft("convert", odd, "-o", "t.csv", "-q", "--drop", "day,stamp,list,struct,map,time,bytes,fixed")
    heft("train", "t.csv", "-m", "nb", "-o", "m.heft", "-q")
    out = heft("predict", "m.heft", odd, "-q", "--keep", "day,stamp").out.splitlines()
    same([line.rsplit(",", 1)[0] for line in out[:3]],
         ["day,stamp", "1970-01-01,2001-02-03 04:05:06", "2024-02-29,1969-12-31 23:59:59.500000"], "kept dates")
    heft("evaluate", "m.heft", "--test", odd, "-q")
    refused("train", odd, "-o", "n.heft", says="column 'day' holds dates .*--drop 'day'")


@test
def what_cannot_be_read_is_refused():
    data = (FILES / "snappy.parquet").read_bytes()
    refused("train", "-", "-o", "m.heft", "--format", "parquet", stdin=data, says="standard input: .* a pipe does not allow")
    refused("train", "-", "-o", "m.heft", stdin=data, says="standard input: .* a pipe does not allow")
    put("p.parquet.gz", gzip.compress(data))
    refused("check", "p.parquet.gz", says="p.parquet.gz: a Parquet file is compressed inside, .*gunzip")
    refused("convert", TABLE, "-o", "t.parquet", says="heft reads parquet files, but does not write them .*\\.csv")
    refused("convert", TABLE, "-o", "t.dat", "--to", "parquet", status=2, says="csv\\|tsv\\|arff\\|libsvm\\b")
    refused("train", FILES / "lz4.parquet", "-o", "m.heft", says="column 'x' is compressed with LZ4, which heft does not")
    put("half.parquet", data[:len(data) // 2])
    refused("train", "half.parquet", "-o", "m.heft", says="half.parquet: the Parquet file is truncated")


@test
def a_redirected_file_is_no_pipe():
    shutil.copy(FILES / "snappy.parquet", "s.parquet")
    heft("train", TABLE, "-m", "nb", "-o", "m.heft", "-q")
    with open("s.parquet", "rb") as file:
        done = subprocess.run([harness.HEFT, "predict", "m.heft", "-", "-q"], stdin=file, capture_output=True, check=True)
    same(done.stdout.decode(), heft("predict", "m.heft", TABLE, "-q").out, "predict m.heft - < s.parquet")


# ---- files written here ----

WORDS = ["red", "green", "blue", "a longer value", "gr\u00fcn", "x,y", "", "?", "NA", "nan", "1", "2.50", "True"]


def made_up(pa, n, missing, seed):
    rng = random.Random(seed)

    def column(draw, kind):
        return pa.array([None if rng.random() < missing else draw() for _ in range(n)], kind)

    return pa.table({
        "i8": column(lambda: rng.randint(-128, 127), pa.int8()),
        "u16": column(lambda: rng.randint(0, 65535), pa.uint16()),
        "i32": column(lambda: rng.randint(-9, 9), pa.int32()),
        "u32": column(lambda: rng.randint(0, 4294967295), pa.uint32()),
        "i64": column(lambda: rng.randint(-(1 << 62), 1 << 62), pa.int64()),
        "u64": column(lambda: rng.randint(0, (1 << 64) - 1), pa.uint64()),
        "f32": column(lambda: float(rng.randint(-999, 999)) / 8, pa.float32()),
        "f64": column(lambda: rng.gauss(0, 1) * 10 ** rng.randint(-300, 300), pa.float64()),
        "few": column(lambda: rng.choice([0.1, 0.25, 3.0]), pa.float64()),
        "yes": column(lambda: rng.random() < 0.7, pa.bool_()),
        "colour": column(lambda: "v" + rng.choice(WORDS[:6]), pa.string()),
        "marks": column(lambda: rng.choice(WORDS), pa.large_string()),
        "many": column(lambda: f"id {rng.randint(0, n)}{'x' * rng.randint(0, 20)}", pa.string()),
        "class": column(lambda: rng.choice("abc"), pa.string()),
    })


def put_csv(name, table):
    def text(value):
        return "" if value is None else repr(value) if isinstance(value, float) else str(value)

    with open(name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table.column_names)
        writer.writerows([map(text, row.values()) for row in table.to_pylist()])


KINDS = ("--nominal", "marks")  # a CSV file cannot tell texts that look like numbers


@test
def written_by_pyarrow():
    pa = package("pyarrow")
    if not pa:
        return
    import pyarrow.parquet as pq  # noqa: PLC0415
    for missing in (0, 0.05, 0.6):
        table = made_up(pa, 700, missing, 1)
        put_csv("t.csv", table)
        for codec, version, words, group in itertools.product(
                ("none", "snappy", "gzip", "zstd"), ("1.0", "2.0"), (True, False), (700, 37)):
            pq.write_table(table, "t.parquet", compression=codec, data_page_version=version, use_dictionary=words,
                           row_group_size=group, data_page_size=300 if group == 700 else 1 << 20)
            same_table("t.parquet", "t.csv", *KINDS)
        same_model("t.parquet", "t.csv", "-m", "nb", *KINDS)
        same_model("t.parquet", "t.csv", "-m", "auto", *KINDS)
        if missing == 0:
            same_model("t.parquet", "t.csv", "-m", "nb", *KINDS, "--drop", "many", "--weight", "u16", "--target", "i32")


@test
def written_in_every_encoding():
    pa = package("pyarrow")
    if not pa:
        return
    import pyarrow.parquet as pq  # noqa: PLC0415
    texts, whole = ("colour", "marks", "many", "class"), ("i8", "u16", "i32", "u32", "i64", "u64")
    split = {c: "BYTE_STREAM_SPLIT" for c in (*whole, "f32", "f64", "few")}
    ways = [{**{c: "DELTA_BINARY_PACKED" for c in whole}, **{c: "DELTA_LENGTH_BYTE_ARRAY" for c in texts}},
            {**split, **{c: "DELTA_BYTE_ARRAY" for c in texts}}, {**split, "yes": "RLE"}, {}]
    for (k, way), version, missing in itertools.product(enumerate(ways), ("1.0", "2.0"), (0, 0.3)):
        table = made_up(pa, 3000, missing, k)
        put_csv("t.csv", table)
        pq.write_table(table, "t.parquet", use_dictionary=False, column_encoding=way or None,
                       data_page_version=version, data_page_size=2000, write_page_checksum=True)
        same_table("t.parquet", "t.csv", *KINDS)
    pq.write_table(table, "t.parquet", dictionary_pagesize_limit=200, data_page_size=500)  # falls back to PLAIN
    same_table("t.parquet", "t.csv", *KINDS)


@test
def written_by_polars_and_duckdb():
    pa = package("pyarrow")
    if not pa:
        return
    table = made_up(pa, 2500, 0.1, 5)
    put_csv("t.csv", table)
    polars, duckdb = package("polars"), package("duckdb")
    for codec in ("zstd", "snappy", "gzip", "uncompressed") if polars else ():
        polars.from_arrow(table).write_parquet("t.parquet", compression=codec, row_group_size=900)
        same_table("t.parquet", "t.csv", *KINDS)
    for way in ("", ", PARQUET_VERSION v2", ", COMPRESSION gzip", ", COMPRESSION zstd") if duckdb else ():
        link = duckdb.connect()
        link.register("t", table)
        link.execute(f"COPY t TO 't.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048{way})")
        same_table("t.parquet", "t.csv", *KINDS)


@test
def written_large():
    """More rows than are read at once, in blocks for predict, under a limit on memory."""
    pa = package("pyarrow")
    if not pa:
        return
    import pyarrow.parquet as pq  # noqa: PLC0415
    part = made_up(pa, 5000, 0.02, 7).select(["i32", "f64", "few", "yes", "colour", "class"])
    table = pa.concat_tables([part] * 20)
    put_csv("t.csv", table)
    for group in (100000, 33000):
        pq.write_table(table, "t.parquet", row_group_size=group)
        same_model("t.parquet", "t.csv", "-m", "nb")
        same_model("t.parquet", "t.csv", "-m", "nb", "--threads", "4", "--memory", "40M")
        same(heft("predict", "a.heft", "t.parquet", "-q").out, heft("predict", "a.heft", "t.csv", "-q").out, "predict")


if __name__ == "__main__":
    sys.exit(harness.main())
