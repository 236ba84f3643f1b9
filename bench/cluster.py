#!/usr/bin/env python3
"""One model by MPI, Dask and Spark: the seconds, the CPU seconds and the bytes of each engine.

    bench/cluster.py HEFT TABLE.csv [ENGINE[:RANKS]...]      engines: mpi dask spark; spark:1,3

By default all engines with 1, 2 and 3 ranks.

HEFT is the program built with -Dmpi=enabled, TABLE.csv one of bench/make_table.c. HEFT_LIBRARY and
PYTHONPATH name the library and the package; dask, distributed, pyspark, pyarrow and pandas are
needed for the engines. nb and lnb are fitted with one thread on each rank.

Dask and Spark first load the table into the memory of the workers. "training" is what the library
measures on rank 0, the fit without the engine; "fit" is what the caller waits for. CPU seconds are
those of all processes below this one; MPI's include the reading of the file. "given" are the bytes
that rank 0 hands to collective calls, "sent" what it sends to the others. The last column says
whether the model has the bits of the first one; the program and Python spell defaults differently.
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "cli"))
HEFT, TABLE = (str(pathlib.Path(name).resolve()) for name in sys.argv[1:3])
METHODS = ("nb", "lnb")
CUT = {"discretize": "width:10", "impute": "mean", "n_jobs": 1}
TICK = os.sysconf("SC_CLK_TCK")


def cpu():
    """CPU seconds of this process and all below it, also of those that have ended."""
    about, below = {}, {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                field = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            about[int(entry.name)] = sum(map(int, field[11:15])) / TICK
            below.setdefault(int(field[1]), []).append(int(entry.name))
    todo, total = [os.getpid()], 0.0
    while todo:
        pid = todo.pop()
        total += about.get(pid, 0)
        todo += below.get(pid, [])
    return total


class Clock:
    def __enter__(self):
        self.wall, self.cpu = time.monotonic(), cpu()
        return self

    def __exit__(self, *_):
        self.wall, self.cpu = time.monotonic() - self.wall, cpu() - self.cpu


def contents(raw):
    """The tensors of a model but the seconds of its training, and those seconds."""
    length = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + length])
    header.pop("__metadata__")
    out = {name: raw[8 + length + t["data_offsets"][0]:8 + length + t["data_offsets"][1]] for name, t in header.items()}
    return out, struct.unpack("<d", out.pop("training.seconds"))[0]


def line(engine, method, ranks, clock, raw, given, sent, one):
    model, seconds = contents(raw)
    one.setdefault(method, model)
    unlike = sorted(name for name in model if model[name] != one[method].get(name) and not name.startswith("parameter."))
    print(f"{engine:6} {method:6} {ranks:5} {clock.wall:9.2f} {seconds:9.2f} {clock.cpu:9.2f} {given:>10} {sent:>10}  "
          f"{'same bits' if not unlike else 'unlike: ' + ' '.join(unlike)}", flush=True)


def mpi(one, counts):
    from mpi_runs import ENV

    for method in METHODS:
        for n in counts:
            with tempfile.TemporaryDirectory() as folder, Clock() as clock:
                path = os.path.join(folder, "m.heft")
                start = [] if n == 1 else ["mpirun", "-q", "-n", str(n)]
                done = subprocess.run([*start, HEFT, "train", TABLE, "-m", method, "-o", path, "--discretize", "width:10",
                                       "--impute", "mean", "--threads", "1", "-v"], env=ENV, capture_output=True,
                                      text=True, check=True)
                raw = pathlib.Path(path).read_bytes()
            found = re.search(r"(\d+) exchanges, (\d+) bytes sent", done.stderr)
            line("mpi", method, n, clock, raw, found[2] if found else 0, "-", one)


def dask_engine(one, counts):
    import dask.dataframe as dd
    import distributed

    import heft.dask

    for n in counts:
        with distributed.LocalCluster(n_workers=n, threads_per_worker=1, dashboard_address=None,
                                      memory_limit=None) as cluster, distributed.Client(cluster) as client:
            client.run(__import__, "heft.dask")
            with Clock() as load:
                kinds = {f"n{j + 1}": "category" for j in range(10)}
                whole = dd.read_csv(TABLE, dtype=kinds, blocksize=os.path.getsize(TABLE) // n)
                parts = [client.persist(whole.partitions[k], workers=[worker])
                         for k, worker in enumerate(sorted(client.ncores()))]  # a partition for each worker
                distributed.wait(parts)
                data = dd.concat(parts)
            print(f"dask   load   {n:5} {load.wall:9.2f} {'-':>9} {load.cpu:9.2f}", flush=True)
            X, y = data.drop(columns="class"), data["class"]
            for method in METHODS:
                with Clock() as clock:
                    model = getattr(heft.dask, method.upper())(**CUT).fit(X, y)
                line("dask", method, n, clock, model._fitted().to_bytes(), model.ranks_[0]["bytes_given"],
                     model.ranks_[0]["bytes_sent"], one)


def spark_engine(one, counts):
    from pyspark.sql import SparkSession

    import heft.spark

    for n in counts:
        spark = SparkSession.builder.master(f"local[{n}]").config("spark.ui.enabled", "false").config(
            "spark.driver.memory", "3g").config("spark.ui.showConsoleProgress", "false").config(
            "spark.sql.files.maxPartitionBytes", os.path.getsize(TABLE) // n + 1).config(
            "spark.sql.files.openCostInBytes", 0).config("spark.sql.execution.arrow.maxRecordsPerBatch", 100000).config(
            "spark.sql.files.minPartitionNum", n).getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        kinds = ", ".join([f"x{j + 1} double" for j in range(10)] + [f"n{j + 1} string" for j in range(10)] + ["class string"])
        with Clock() as load:
            data = spark.read.csv(TABLE, header=True, schema=kinds).cache()
            data.count()
        print(f"spark  load   {n:5} {load.wall:9.2f} {'-':>9} {load.cpu:9.2f}", flush=True)
        for method in METHODS:
            with Clock() as clock:
                model = getattr(heft.spark, method.upper())(labelCol="class", **CUT).fit(data)
            line("spark", method, len(model.ranks), clock, model.local()._fitted().to_bytes(), model.ranks[0]["bytes_given"],
                 model.ranks[0]["bytes_sent"], one)
        spark.stop()


def main():
    engines = {"mpi": mpi, "dask": dask_engine, "spark": spark_engine}
    print(f"{'engine':6} {'method':6} {'ranks':>5} {'fit s':>9} {'training':>9} {'CPU s':>9} {'given':>10} {'sent':>10}")
    one = {}  # by method: the model of the first engine with one rank
    for word in sys.argv[3:] or engines:
        name, _, counts = word.partition(":")
        engines[name](one, [int(n) for n in (counts or "1,2,3").split(",")])


if __name__ == "__main__":
    main()
