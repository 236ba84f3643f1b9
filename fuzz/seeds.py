#!/usr/bin/env python3
"""The first inputs of the fuzz targets, made on the spot: seeds.py HEFT FOLDER.

FOLDER gets one folder for each target. Models are trained by the program given, so that they are of
the present format; fuzz/corpus holds what fuzzing added and every input that once found a fault.
"""
import gzip
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]

CSV = "x,colour,wt,class\n1,red,1,a\n2.5,green,0.5,b\n?,red,2,a\n-1e-3,blue,1,c\n"
ARFF = ("% comment\n@relation 'r s'\n@attribute x numeric\n@attribute 'c d' {p,'q r',\"s\"}\n"
        "@attribute class {a,b}\n@data\n1,p,a\n?,'q r',b\n1e5,s,a,{0.5}\n")
SPARSE = "@relation s\n@attribute x numeric\n@attribute y {u,v}\n@attribute class {a,b}\n@data\n{0 1.5,2 b}\n{1 v}\n{0 ?},{2}\n"
LIBSVM = "+1 1:0.5 3:-2e3 # c\n-1 2:1\n1 3:?\n2.0 1:1 2:1 3:1\n"

READ = {
    "csv": ["\n" + CSV, "w=wt\n" + CSV, "t=1|d=2|p=1\n" + CSV, "n=x|c=colour,wt|m=red,9\n" + CSV,
            "h=-1\n1,2,3\n4,5,6\n", "s=;\na;b\n1;2\n", "\na b c\n1 2 x\n3 4 y\n",
            "\n\"a,\"\"b\",c\n\"1\n2\",x\n", "h=1\r\na\rb\r\nc\r\n", "\n\xef\xbb\xbfa,b\n1e308,x\n",
            "t=-1\na,a,b\n1,2,x\n", "d=1-2\na,b,c,d\n1,2,3,x\n",
            "\nsep=;\r\na;b\r\n1;x\r\n2;y\r\n", "\n\"sep=|\"\nTitle||\na|b|c\n1|2|x\n3|4|y\n",
            "\nExport CRM 4.2;;;\n\n2024;;;\nid;b;c;d\n1;2;r;x\n2;3;s;y\n", "\n# one\n# two\na,b\n1,x\n",
            "q=n\na,b\n\"so\" he,x\n\"open,y\n", "q='\na,b\n'1,\n5',\"x\n'it''s',y\n",
            "\nx,s,c\n-,-,a\nNone,None,b\n#N/A,<NA>,a\n1,NULL,b\n"],
    "tsv": ["\na\tb\n1\tx\n2\ty\n", "h=1\n\"a\tb\"\tc\n1\t\n", "q=n\na\tb\n\"1\tx\n\"\"\ty\n"],
    "arff": ["\n" + ARFF, "\n" + SPARSE, "t=x\n" + ARFF, "p=a|c=x\n" + ARFF,
             "\n@attribute a string\n@attribute b {x}\n@data\nhello,x\n'wor\\'ld',x\n"],
    "libsvm": ["\n" + LIBSVM, "d=2\n" + LIBSVM, "m=1\n" + LIBSVM, "\n1 qid:3 1:1\n"],
    "detect": ["\n" + CSV, "\n" + ARFF, "\n" + SPARSE, "\n" + LIBSVM, "\n%c\n\n#d\n1 1:2\n"],
}
CONFIG = ["m=nb\nd=mdl:2\ni=mean\ns=minmax\no=m:0.5\nr=no=0.2,yes=0.3,x=0.5\ne=cfs\nu=zero\n",
          "m=auto\n", "m=rnb\np=tol=1e-5\n", "m=lcwnb\np=kappa=auto\n", "m=swnb\np=tau=7\n",
          "m=vwnb\np=lambda=2\nd=frequency:4\n", "m=deawnb\n", "m=treenb\ne=gain-ratio:2\n",
          "v=nb\nv=lcwnb:kappa=5\nv=rnb:tol=1e-3\n", "m=nb\nd=width:3\no=paper\nr=uniform\n",
          "m=lwnb\n", "m=aode\n", "m=flexnb\ns=unit\n", "m=iclnb\n", "m=nb\nd=presence\n",
          "m=auto\nt=1e-9\n", "m=auto\nt=0.01\n", "m=auto\nt=nan\n", "m=nb\nt=1\n"]
FOLDS = ["\x04" + "0\n1\n0\n1\n", "\x03" + "0,1\n1,0\n2,1\n", "\x02" + " 0 ,\t1\r\n1,0", "\x02a\n"]
COSTS = ["name,cost\na,1\nb c,2\n\"d,e\",0.5\n", "a,0\nother,3\n", "\xef\xbb\xbfa , 1e3\r\n", "a\n", "a,-1\n"]


RESUME = [b"\0" + b'{"heft": "0.1.0", "datasets": []}', b"\0" + b'{"heft": 1}', b"\0[]", b"\0",
        b"\1\x80\0" + b'"accuracy": 2', b"\1\0\1" + b"null", b"\1\0\2" + b"-1", b"\1\x40\1" + b"1e999"]


def put(folder, number, data):
    folder.mkdir(parents=True, exist_ok=True)
    data = data.encode("latin-1") if isinstance(data, str) else data
    (folder / f"seed-{number:02}").write_bytes(data)


def parquet(out):
    for k, path in enumerate(sorted((ROOT / "tests/parquet").glob("*.parquet"))):
        options = ("", "d=list,struct,map,time,bytes,fixed|c=day,stamp", "t=yes|n=class", "w=count|m=5")[k % 4]
        put(out / "parquet", k, options.encode() + b"\n" + path.read_bytes())
        put(out / "parquet", 50 + k, b"\n" + path.read_bytes())


def packed(out):
    text = (CSV * 3).encode()
    try:
        zst = subprocess.run(["zstd", "-qc"], input=text, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        zst = b"\x28\xb5\x2f\xfd\x20\x04\x21\x00\x00a,b\n"
    raw = {"gzip": [gzip.compress(text, mtime=0), gzip.compress(b"a\n1\n", mtime=0) * 2 + b"\0\0",
                    gzip.compress(b"1,2\n" * 400000, mtime=0)],
           "zstd": [zst, zst * 2, b"\x50\x2a\x4d\x18\x02\0\0\0ab" + zst]}
    for target, list_ in raw.items():
        for k, data in enumerate(list_):
            put(out / target, k, b"\0\0" + data)
        put(out / target, len(list_), b"\1\x0f" + text)
        put(out / target, len(list_) + 1, b"\2\0" + text)


def models(heft, out):
    rows = "".join(f"{i * 0.3 + i % 2},{'pqr'[i * 7 % 3]},{'uv'[i // 2 % 2]},{'ab'[i % 2]}\n"
                   for i in range(14))
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "t.csv"
        table.write_text("x,y,z,class\n" + rows)
        listed = subprocess.run([heft, "methods"], capture_output=True, check=True, text=True)
        names = [line.split()[0] for line in listed.stdout.split("\n\n")[0].splitlines()[1:]]
        number = 0
        ways = [[name] for name in names]
        ways += [["nb", "--calibrate", "temperature"], ["rnb", "--calibrate", "vector"], ["nb", "--part"],
                 ["nb", "--scale", "minmax", "--impute", "mean"], ["nb", "--select", "gain-ratio:2"]]
        for way in ways:
            model = pathlib.Path(folder) / "m.heft"
            done = subprocess.run([heft, "train", table, "-m", *way, "-o", model, "-q"],
                                  capture_output=True, check=False)
            if done.returncode == 0:
                put(out / "model", number, model.read_bytes())
                number += 1
        return number


def main():
    heft, out = sys.argv[1], pathlib.Path(sys.argv[2])
    for target, inputs in {**READ, "config": CONFIG, "folds": FOLDS, "costs": COSTS, "resume": RESUME}.items():
        for k, data in enumerate(inputs):
            put(out / target, k, data)
    packed(out)
    parquet(out)
    if models(heft, out) < 20:
        sys.exit("seeds: fewer than 20 methods could be trained")


if __name__ == "__main__":
    main()
