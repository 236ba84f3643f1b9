#!/usr/bin/env python3
"""Write the small Parquet files of this folder: make.py (needs pyarrow, polars and duckdb).

Made-up rows, written by three programs in every encoding and codec. Beside them are CSV files with the same cells:
tests/read_parquet_test.c compares the tables. fuzz/seeds.py takes the files as first inputs.
"""
import datetime
import decimal
import pathlib

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq

HERE = pathlib.Path(__file__).resolve().parent
D = decimal.Decimal

x = [1.5, None, -2.25, 1e300, 0.1, 7.0, None, 5e-324, 3.0, 3.0, -0.0, 12345678.875]
short = [0.5, 1.5, None, 2.0, 2.0, 2.0, 2.0, -3.25, 0.0, 1024.0, None, 1.0]
small = [1, 2, 3, 4, 5, 6, 7, None, -128, 127, 0, 0]
count = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 4294967295]
big = [None, 1 << 40, -(1 << 40), 5, 5, 5, 5, 5, 5, 5, 9007199254740991, -9007199254740991]
price = ["1.25", "-0.01", None, "0.00", "99999.99", "1.20", "1.20", "1.20", "3.00", "-7.35", "2.50", "0.10"]
yes = [True, False, None, True, True, True, False, False, True, None, False, True]
colour = ["red", "blue", "a longer colour", "red", None, "gr\u00fcn", "red", "red", "blue", "blues", "", "?"]
word = ["alpha", "alphabet", "alps", "beta", "beta max", "beta", "gamma", "gamma ray", "x,y", 'say "no"', "two\nlines", "z"]
label = ["a", "b", "a", "c", "a", "b", "b", "a", "c", "a", "a", "b"]

COLUMNS = {
    "x": pa.array(x, pa.float64()),
    "short": pa.array(short, pa.float32()),
    "small": pa.array(small, pa.int8()),
    "count": pa.array(count, pa.uint32()),
    "big": pa.array(big, pa.int64()),
    "price": pa.array([None if p is None else D(p) for p in price], pa.decimal128(9, 2)),
    "yes": pa.array(yes, pa.bool_()),
    "colour": pa.array(colour, pa.string()),
    "word": pa.array(word, pa.string()),
    "class": pa.array(label, pa.string()),
}
TABLE = pa.table(COLUMNS)


def cell(value):
    if value is None:
        return ""
    text = repr(value) if isinstance(value, float) else str(value)
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text


def put_csv(name, table):
    rows = [",".join(table.column_names)] + [",".join(map(cell, row.values())) for row in table.to_pylist()]
    (HERE / name).write_text("\n".join(rows) + "\n", encoding="utf-8")


def write(name, table=TABLE, **options):
    pq.write_table(table, HERE / f"{name}.parquet", store_schema=False, **options)


def by_pyarrow():
    plain = {"use_dictionary": False, "write_statistics": False}
    write("snappy")
    write("plain", compression="none", **plain)
    write("gzip-v2", compression="gzip", data_page_version="2.0", row_group_size=5)
    write("zstd-pages", compression="zstd", data_page_size=1, write_batch_size=3, row_group_size=7, **plain)
    write("checksum", compression="none", write_page_checksum=True, data_page_version="2.0")
    write("overflow", dictionary_pagesize_limit=1, write_batch_size=2, data_page_size=16)
    delta = {"small": "DELTA_BINARY_PACKED", "count": "DELTA_BINARY_PACKED", "big": "DELTA_BINARY_PACKED",
             "x": "BYTE_STREAM_SPLIT", "short": "BYTE_STREAM_SPLIT", "price": "BYTE_STREAM_SPLIT"}
    write("delta", column_encoding={**delta, "colour": "DELTA_LENGTH_BYTE_ARRAY", "word": "DELTA_BYTE_ARRAY",
                                    "class": "DELTA_LENGTH_BYTE_ARRAY"}, compression="none", **plain)
    write("delta-v2", column_encoding={**delta, "colour": "DELTA_BYTE_ARRAY", "word": "DELTA_LENGTH_BYTE_ARRAY",
                                       "price": "DELTA_BYTE_ARRAY", "class": "PLAIN", "yes": "RLE"},
          data_page_version="2.0", data_page_size=64, write_batch_size=5, **plain)
    write("decimal-int", store_decimal_as_integer=True)
    known = [n for n in COLUMNS if TABLE[n].null_count == 0]
    required = pa.schema([pa.field(n, COLUMNS[n].type, nullable=n not in known) for n in COLUMNS])
    write("required", TABLE.cast(required), compression="zstd")
    write("twice", pa.concat_tables([TABLE, TABLE]), row_group_size=9)
    put_csv("table.csv", TABLE)
    put_csv("twice.csv", pa.concat_tables([TABLE, TABLE]))


def odd_types():
    day, at = datetime.date, datetime.datetime
    odd = pa.table({
        "id": pa.array([1, 9007199254740993, 3], pa.uint64()),
        "day": pa.array([day(1970, 1, 1), day(2024, 2, 29), day(1899, 12, 31)], pa.date32()),
        "stamp": pa.array([at(2001, 2, 3, 4, 5, 6), at(1969, 12, 31, 23, 59, 59, 500000), None], pa.timestamp("us")),
        "list": pa.array([[1, 2], [], None], pa.list_(pa.int64())),
        "struct": pa.array([{"a": 1, "b": "x"}] * 3),
        "map": pa.array([[("k", 1)], [], []], pa.map_(pa.string(), pa.int64())),
        "time": pa.array([1, 2, 3], pa.time32("ms")),
        "bytes": pa.array([b"ab", b"cd", b"\xff\x00"], pa.binary()),
        "fixed": pa.array([b"ab", b"cd", b"ef"], pa.binary(2)),
        "half": pa.array([0.5, None, -65504.0], pa.float16()),
        "huge": pa.array([D("12345678901234567890.123"), D("-0.001"), None], pa.decimal128(38, 3)),
        "none": pa.nulls(3),
        "class": pa.array(["a", "b", "a"]),
    })
    write("odd", odd, compression="none", write_statistics=False)
    write("int96", odd.select(["id", "stamp", "class"]), use_deprecated_int96_timestamps=True, compression="none")
    for codec in ("lz4", "brotli"):
        write(codec, TABLE.select(["x", "class"]), compression=codec)
    write("no-rows", TABLE.slice(0, 0).select(["x", "class"]))
    write("no-columns", pa.table({}))
    index = pa.array(range(len(label)), pa.int64())  # as pandas stores it
    write("index", TABLE.append_column("__index_level_0__", index))


def by_polars():
    table = polars.from_arrow(TABLE)
    table.write_parquet(HERE / "polars.parquet")
    table.write_parquet(HERE / "polars-snappy.parquet", compression="snappy", row_group_size=5)


def by_duckdb():
    link = duckdb.connect()
    link.register("t", TABLE)
    link.execute(f"COPY t TO '{HERE}/duckdb.parquet' (FORMAT parquet)")
    link.execute(f"COPY t TO '{HERE}/duckdb-v2.parquet' (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd)")


if __name__ == "__main__":
    by_pyarrow()
    odd_types()
    by_polars()
    by_duckdb()
