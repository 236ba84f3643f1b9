#!/usr/bin/env python3
"""heft merge: models of parts against the model of the whole, tensor by tensor.

    merging.py HEFT [NAME...]
"""
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import harness  # noqa: E402
from harness import ROOT, figures, heft, put, refused, require, same  # noqa: E402
from tensors import tensors  # noqa: E402

test = harness.test
DATA = pathlib.Path(os.environ.get("HEFT_DATA", ROOT.parent / "shared" / "data"))


def near_sums(one, other):
    """Sums of numbers: all but the last of about 32 digits are the same."""
    same((one[0], one[1]), (other[0], other[1]), "shape of suffstats.sum")
    for a, b in zip(struct.iter_unpack("<7d", one[2]), struct.iter_unpack("<7d", other[2])):
        same(a[:3], b[:3], "weights and least values")
        size = Fraction(max(math.sqrt(a[0]) * math.sqrt(max(a[5], 0)), abs(a[3])))
        for k, most in ((3, size), (5, Fraction(a[5]))):
            off = abs(Fraction(a[k]) + Fraction(a[k + 1]) - Fraction(b[k]) - Fraction(b[k + 1]))
            require(off <= most / 10**28, f"sums differ by {float(off)} of {float(most)}")


def equal_models(one, other, given=True):
    """Bit for bit, but for the last digits of the sums that means and spreads are made from; without
    `given` also but for the record of what the caller of the fit gave."""
    a, b = tensors(one), tensors(other)
    if not given:
        a, b = ({k: v for k, v in t.items() if not k.startswith(("setting.given", "setting.value"))}
                for t in (a, b))
    same(sorted(a), sorted(b), "tensors")
    apart = [name for name in a if a[name] != b[name] and name != "suffstats.sum"]
    require(not apart, f"{one} and {other} differ in {apart}")
    if "suffstats.sum" in a:
        near_sums(a["suffstats.sum"], b["suffstats.sum"])


def mixed_rows(n, seed):
    """Numbers, categories of which some are rare, gaps, and classes of which one is rare."""
    r = random.Random(seed)
    rows = []
    for i in range(n):
        c = "rare" if i % 97 == 5 else r.choice("abc")
        shift = ord(c[0]) - 97
        number = f"{r.gauss(shift, 1):.3f}" if r.random() > 0.05 else ""
        big = f"{1e9 + r.gauss(0, 1e-3):.6f}"
        word = r.choice(["x", "y", "z"]) if i % 41 else f"w{i}"
        grade = r.choice("1 2 3 10".split())
        rows.append([number, big, word, grade, c])
    return rows


HEADER = ["number", "big", "word", "grade", "class"]


def csv_file(name, rows, header=HEADER):
    return put(name, "".join(",".join(row) + "\n" for row in [header, *rows]))


def parts_of(rows, n=3, header=HEADER):
    """The whole as one file, and its parts: of unequal size, in order."""
    csv_file("all.csv", rows, header)
    edges = [0, len(rows) // 7, len(rows) // 2, len(rows)][:n] + [len(rows)]
    edges = sorted(set(edges))
    return [csv_file(f"p{k}.csv", rows[a:b], header)
            for k, (a, b) in enumerate(zip(edges, edges[1:]))]


def merged(parts, *options):
    models = []
    for part in parts:
        models.append(part + ".heft")
        heft("train", part, "-o", models[-1], *options)
    heft("merge", *models, "-o", "merged.heft")
    return "merged.heft"


def check(rows, *options, header=HEADER, whole=()):
    parts = parts_of(rows, header=header)
    heft("train", "all.csv", "-o", "all.heft", *options, *whole)
    equal_models("all.heft", merged(parts, *options))


@test
def nb_and_its_relatives_merge_to_the_bit():
    rows = mixed_rows(700, 1)
    for method in ("nb", "gnb", "klnb", "flexnb"):
        scale = ["--scale", "none"] if method == "flexnb" else []
        check(rows, "-m", method, "--nominal", "grade", *scale)
    check(rows, "-m", "klnb", "-p", "bins=mdl", "--nominal", "grade")


@test
def nominal_data_merge_for_every_method_that_counts():
    rows = [[f"v{i * i % 5}", f"u{i % 3}", f"t{(i * 7 + i // 9) % 4}", "abc"[(i + i // 4) % 3]]
            for i in range(400)]
    for i in range(0, 400, 50):
        rows[i][1] = f"new{i}"
    for method in ("nb", "gnb", "flexnb", "klnb", "cfwnb", "dfwnb", "tan", "aode", "waode", "hnb"):
        check(rows, "-m", method, header=["a", "b", "c", "class"])


@test
def parts_like_one_model_share_its_cuts():
    rows = mixed_rows(600, 2)
    parts = parts_of(rows)
    for method in ("aode", "cfwnb", "tan"):
        heft("train", parts[0], "-m", method, "--nominal", "grade", "-o", "base.heft")
        models = []
        for k, part in enumerate(parts):
            models.append(f"m{k}.heft")
            heft("train", part, "--like", "base.heft", "-o", models[-1])
        heft("train", "all.csv", "--like", "base.heft", "-o", "all.heft")
        heft("merge", *models, "-o", "merged.heft")
        equal_models("all.heft", "merged.heft")
        heft("merge", "base.heft", *models[1:], "-o", "again.heft")
        equal_models("merged.heft", "again.heft", given=False)  # one was not trained like another


@test
def learned_preparations_that_differ_are_refused():
    rows = mixed_rows(600, 3)
    parts = parts_of(rows)
    for options, says in ((["--discretize", "mdl"], "different cuts.*--like"),
                          (["--impute", "mean"], "different means.*--like"),
                          (["--scale", "minmax"], "different scales.*--like")):
        for k, part in enumerate(parts):
            heft("train", part, "-m", "nb", "--nominal", "grade", *options, "-o", f"m{k}.heft")
        refused("merge", "m0.heft", "m1.heft", "-o", "out.heft", says=says)
    for k, part in enumerate(parts[:2]):
        heft("train", part, "-m", "nb", "--select", "gain-ratio:2", "-o", f"m{k}.heft")
    refused("merge", "m0.heft", "m1.heft", "-o", "out.heft", says="selected attributes.*--like")


@test
def what_differs_is_named():
    put("a.csv", "x,y,class\nu,1,p\nv,2,q\nu,3,p\nv,4,q\n")
    put("b.csv", "x,z,class\nu,1,p\nv,2,q\n")
    put("c.csv", "x,y,class\n1,1,p\n2,2,q\n")
    put("d.csv", "x,y,kind\nu,1,p\nv,2,q\n")
    heft("train", "a.csv", "-m", "nb", "-o", "a.heft")
    for data, options, says in (
            ("b.csv", [], "b.heft has a column 'z' and a.heft has none"),
            ("c.csv", [], "column 'x' is nominal in a.heft and numeric in b.heft"),
            ("d.csv", [], "class columns differ: 'class' in a.heft, 'kind' in b.heft"),
            ("a.csv", ["-m", "gnb"], "methods differ: 'nb' in a.heft, 'gnb' in b.heft"),
            ("a.csv", ["--smoothing", "paper"], "--smoothing differ: 'laplace'.*'paper'"),
            ("a.csv", ["--prior", "uniform"], "--prior differ: 'smoothed'.*'uniform'.*same settings, or with --like one model"),
            ("a.csv", ["--unseen", "zero"], "--unseen differ: 'missing'.*'zero'")):
        heft("train", data, *(options if "-m" in options else ["-m", "nb", *options]),
             "-o", "b.heft")
        refused("merge", "a.heft", "b.heft", "-o", "out.heft", says=says)
    heft("train", "a.csv", "-m", "klnb", "-o", "a.heft")
    heft("train", "a.csv", "-m", "klnb", "-p", "normalise=sum", "-o", "b.heft")
    refused("merge", "a.heft", "b.heft", "-o", "out.heft",
            says="the parameters differ: 'normalise=mean' in a.heft, 'normalise=sum' in b.heft")


@test
def methods_that_do_not_count_say_so():
    put("a.csv", "x,y,class\n" + "".join(f"{i},{i * i % 7},{'pq'[i % 2]}\n" for i in range(30)))
    for method in ("lnb", "rnb", "lcwnb", "sbc"):
        heft("train", "a.csv", "-m", method, "-o", "a.heft")
        refused("merge", "a.heft", "a.heft", "-o", "out.heft",
                says=f"method {method} learns from the rows themselves.*nb, gnb")
    heft("train", "a.csv", "-m", "cfwnb", "--discretize", "none", "-o", "a.heft")
    refused("merge", "a.heft", "a.heft", "-o", "out.heft", says="'x' is numeric.*--like")


@test
def calibrated_models_are_not_merged():
    for k, part in enumerate(parts_of(mixed_rows(60, 5), 2)):
        heft("train", part, "-m", "nb", "--calibrate", "temperature", "-o", f"c{k}.heft")
    refused("merge", "c0.heft", "c1.heft", "-o", "whole.heft", says="calibrated")


@test
def parts_may_hold_one_class_and_models_keep_more():
    rows = mixed_rows(400, 4)
    rows.sort(key=lambda row: row[-1])
    csv_file("all.csv", rows)
    files = []
    for c in sorted({row[-1] for row in rows}):
        files.append(csv_file(f"{c}.csv", [row for row in rows if row[-1] == c]))
    refused("train", files[0], "-m", "gnb", "-o", "x.heft", says="only one class")
    heft("train", "all.csv", "-m", "gnb", "--part", "--nominal", "grade", "-o", "all.heft")
    equal_models("all.heft", merged(files, "-m", "gnb", "--part", "--nominal", "grade"))


@test
def sparse_parts_of_different_width_merge():
    r = random.Random(5)
    lines = [f"{r.choice('12')} " + " ".join(
        f"{j}:{r.randint(1, 3)}" for j in sorted(r.sample(range(1, 9 if i < 100 else 20), 4)))
        for i in range(300)]
    put("all.libsvm", "\n".join(lines) + "\n")
    put("p0.libsvm", "\n".join(lines[:100]) + "\n")
    put("p1.libsvm", "\n".join(lines[100:]) + "\n")
    for method, more in (("nb", []), ("klnb", []), ("gnb", []),
                         ("nb", ["--discretize", "presence"])):
        heft("train", "all.libsvm", "-m", method, *more, "-o", "all.heft")
        equal_models("all.heft", merged(["p0.libsvm", "p1.libsvm"], "-m", method, *more))


@test
def weights_and_huge_numbers_merge():
    rows = mixed_rows(300, 6)
    header = [*HEADER[:4], "w", "class"]
    whole = [[*row[:4], str(i % 4), row[4]] for i, row in enumerate(rows)]
    check(whole, "-m", "nb", "--weight", "w", "--nominal", "grade", header=header)
    huge = [[*row[:4], f"{(-1) ** i * (i + 1)}e300", row[4]] for i, row in enumerate(rows)]
    check(huge, "-m", "nb", "--nominal", "grade", header=[*HEADER[:4], "huge", "class"])


@test
def merging_is_usable_afterwards():
    rows = mixed_rows(300, 7)
    parts = parts_of(rows)
    heft("train", "all.csv", "-m", "nb", "-o", "all.heft")
    merged(parts, "-m", "nb")
    same(heft("predict", "merged.heft", "all.csv", "--proba").out,
         heft("predict", "all.heft", "all.csv", "--proba").out, "predictions")
    heft("merge", "p0.csv.heft", "p1.csv.heft", "-o", "two.heft")
    heft("merge", "two.heft", "p2.csv.heft", "-o", "three.heft")
    equal_models("three.heft", "merged.heft")
    for command in (["inspect"], ["export"], ["explain", "all.csv"]):
        heft(command[0], "merged.heft", *command[1:])


@test
def bad_merges_are_refused():
    put("a.csv", "x,class\nu,p\nv,q\n")
    heft("train", "a.csv", "-m", "nb", "-o", "a.heft")
    refused("merge", "a.heft", status=2, says="needs -o MODEL")
    refused("merge", status=2, says="needs a file")
    refused("merge", "a.heft", "nothing.heft", "-o", "out.heft", says="nothing.heft")
    refused("merge", "a.heft", "a.csv", "-o", "out.heft", says="a.csv")
    refused("train", "a.csv", "--like", "a.heft", "--discretize", "mdl", "-o", "b.heft",
            status=2, says="--discretize cannot be combined with --like")
    put("b.csv", "x,kind\nu,p\nv,q\n")
    refused("train", "b.csv", "--like", "a.heft", "-t", "kind", "-o", "b.heft",
            says="class column is 'kind'.*'class'")
    put("c.csv", "z,class\nu,p\nv,q\n")
    refused("train", "c.csv", "--like", "a.heft", "-o", "b.heft", says="needs column 'x'")


@test
def like_a_model_of_one_class_against_the_rest():
    """The counts of classes are those of the model's classes, though the table has three."""
    put("three.csv", "x,class\n" + "".join(f"{i % 7},{'aabc'[i % 4]}\n" for i in range(40)))
    for method in ("nb", "rnb"):
        heft("train", "three.csv", "-m", method, "--positive", "b", "-o", "first.heft")
        for options in (["--like", "first.heft"], ["-m", method, "--positive", "b"]):
            run = heft("train", "three.csv", *options, "-o", "second.heft")
            require("class: rest (30), b (10)" in run.err or "class: b (10), rest (30)" in run.err, str(run))


def rewritten(path, out, change):
    """A model file again, with a right checksum; change(name, bytes) gives a tensor's new bytes, None
    leaves it out."""
    raw = pathlib.Path(path).read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + length])
    body, kept, at = b"", {}, 0
    meta = header.pop("__metadata__")
    for name, about in header.items():
        lo, hi = about["data_offsets"]
        data = change(name, raw[8 + length + lo:8 + length + hi])
        if data is None:
            continue
        kept[name] = {**about, "data_offsets": [at, at + len(data)]}
        body += data
        at += len(data)
    meta["checksum"] = checksum(meta, kept, body)
    text = json.dumps({"__metadata__": meta, **kept}).encode()
    text += b" " * (-len(text) % 8)
    pathlib.Path(out).write_bytes(struct.pack("<Q", len(text)) + text + body)


def checksum(meta, header, body):
    """As lib/model/safetensors.h tells it."""
    import zlib
    number = lambda x: struct.pack("<Q", x)  # noqa: E731
    string = lambda t: number(len(t.encode())) + t.encode()  # noqa: E731
    texts = sorted((k, v) for k, v in meta.items() if k != "checksum")
    data = number(len(texts)) + b"".join(string(k) + string(v) for k, v in texts)
    data += number(len(header))
    for name in sorted(header):
        about = header[name]
        lo, hi = about["data_offsets"]
        data += string(name) + string(about["dtype"]) + number(len(about["shape"]))
        data += b"".join(map(number, about["shape"])) + body[lo:hi]
    return f"{zlib.crc32(data):08x}"


@test
def models_without_counts_load_and_are_not_merged():
    put("a.csv", "x,class\nu,p\nv,q\n")
    heft("train", "a.csv", "-m", "nb", "-o", "a.heft")
    rewritten("a.heft", "old.heft", lambda name, data: None if name.startswith("suffstats.") else data)
    same(heft("predict", "old.heft", "a.csv").out, heft("predict", "a.heft", "a.csv").out, "use")
    refused("merge", "a.heft", "old.heft", "-o", "out.heft", says="old.heft does not have")


@test
def counts_that_cannot_be_are_refused():
    rows = mixed_rows(60, 8)
    csv_file("n.csv", rows)
    csv_file("w.csv", [[row[2], row[3] + "g", row[4]] for row in rows], ["a", "b", "class"])
    heft("train", "n.csv", "-m", "klnb", "--nominal", "grade", "-o", "n.heft")
    heft("train", "w.csv", "-m", "tan", "-o", "w.heft")

    def spoil(tensor, place, kind, value):
        size = struct.calcsize(kind)

        def change(name, data):
            if name != tensor:
                return data
            at = place * size if place >= 0 else len(data) + place * size
            return data[:at] + struct.pack(kind, value) + data[at + size:]
        return change

    for path, tensor, place, kind, value in (
            ("n.heft", "suffstats.class", 0, "<d", -1.0), ("n.heft", "suffstats.class", 0, "<d", 1e300),
            ("n.heft", "suffstats.class", 0, "<d", float("nan")),
            ("n.heft", "suffstats.value", 0, "<d", 1e6), ("n.heft", "suffstats.value", -1, "<d", -1.0),
            ("n.heft", "suffstats.sum", 0, "<d", 1e9), ("n.heft", "suffstats.sum", 1, "<d", 0.5),
            ("n.heft", "suffstats.sum", 5, "<d", -1.0), ("n.heft", "suffstats.sum", 3, "<d", float("inf")),
            ("n.heft", "suffstats.scale", 0, "<d", 0.0), ("n.heft", "suffstats.start", 1, "<Q", 2**63),
            ("n.heft", "suffstats.start", 0, "<Q", 1), ("n.heft", "suffstats.start", -1, "<Q", 10**6),
            ("n.heft", "suffstats.point", 1, "<d", -1e30), ("n.heft", "suffstats.weight", 0, "<d", 0.0),
            ("n.heft", "suffstats.weight", 0, "<d", 1e6), ("w.heft", "suffstats.pair", 0, "<d", 1e6),
            ("w.heft", "suffstats.pair", -1, "<d", -1.0)):
        rewritten(path, "bad.heft", spoil(tensor, place, kind, value))
        refused("merge", path, "bad.heft", "-o", "out.heft", says="bad.heft is damaged")
        os.remove("bad.heft")
    for path in ("n.heft", "w.heft"):
        for tensor in [t for t in tensors(path) if t.startswith("suffstats.") and t != "suffstats.class"]:
            rewritten(path, "bad.heft", lambda name, data: None if name == tensor else data)
            run = harness.Run(["merge", path, "bad.heft", "-o", "out.heft"])
            require(run.status == 1 and not os.path.exists("out.heft"), f"without {tensor}: {run}")
            os.remove("bad.heft")


@figures
def public_data_sets_merge():
    if not DATA.is_dir():
        print(f"        skipped: no data in {DATA}")
        return
    for name, methods in (("nursery", ["nb", "cfwnb", "aode"]), ("mushroom", ["nb", "klnb", "hnb"]),
                          ("vehicle", ["nb", "gnb", "klnb"])):
        lines = (DATA / f"{name}.arff").read_text().splitlines()
        at = [line.strip().lower() for line in lines].index("@data") + 1
        rows = [line for line in lines[at:] if line.strip() and not line.startswith("%")]
        head = "\n".join(lines[:at]) + "\n"
        put("all.arff", head + "\n".join(rows) + "\n")
        put("p0.arff", head + "\n".join(rows[:len(rows) // 3]) + "\n")
        put("p1.arff", head + "\n".join(rows[len(rows) // 3:]) + "\n")
        for method in methods:
            more = ["--impute", "none"] if name == "mushroom" and method != "hnb" else []
            if method == "hnb":  # has gaps, filled by what the first part has
                heft("train", "p0.arff", "-m", method, "-o", "base.heft")
                more = ["--like", "base.heft"]
            heft("train", "all.arff", "-m", method, *more, "-o", "all.heft")
            equal_models("all.heft", merged(["p0.arff", "p1.arff"], "-m", method, *more))


def peak(*args):
    """Kilobytes of resident memory."""
    job = subprocess.Popen([harness.HEFT, *args], env={**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=1"})
    _, status, used = os.wait4(job.pid, 0)
    job.returncode = os.waitstatus_to_exitcode(status)
    same(job.returncode, 0, f"status of heft {args[0]}")
    return used.ru_maxrss


@test
def memory_does_not_grow_with_the_models():
    deal = random.Random(3)
    for part in ("a", "b"):
        rows = [",".join(f"c{j}" for j in range(24)) + ",class"]
        rows += [",".join(f"{part if k == j else 'v'}{deal.randrange(25)}" for j in range(24)) + "," +
                 deal.choice("xyz") for k in range(120)]
        put(f"{part}.csv", "\n".join(rows) + "\n")
        heft("train", f"{part}.csv", "-m", "aode", "-o", part)
    size = os.path.getsize("a") // 1024
    few, many = (peak("merge", *["a", "b"] * n, "-o", f"m{n}", "-q") for n in (2, 20))
    require(many < few + 5 * size, f"4 models: {few} KB, 40: {many} KB; a model is {size} KB")


if __name__ == "__main__":
    sys.exit(harness.main())
