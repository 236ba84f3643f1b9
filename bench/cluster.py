#!/usr/bin/env python3
"""One model by MPI, Dask and Spark: the seconds, the CPU seconds and the bytes of each engine.

    bench/cluster.py HEFT TABLE.csv mpi:1,2,3,4     the program under mpirun
    bench/cluster.py HEFT TABLE.csv dask:3          a LocalCluster of 3 worker processes
    bench/cluster.py HEFT TABLE.csv spark:3         local[3]

Several engines can be named. In the environment, METHODS are those to fit, "nb lnb auto" unless it is set,
and SPARK_MEMORY is the memory of the Java process, 3g unless it is set (try 8g for 10,000,000 rows).

HEFT is the program built with -Dmpi=enabled, TABLE.csv one of bench/make_table.c. HEFT_LIBRARY and
PYTHONPATH name the library and the package; dask, distributed, pyspark, pyarrow and pandas are
needed for the engines. nb and lnb cut numbers into ten intervals; each rank has one thread.

Dask and Spark first load the table into the memory of the workers. "training" is what the library
measures on rank 0, the fit without the engine; "fit" is what the caller waits for. CPU seconds are
those of all processes below this one; MPI's include the reading of the file. "given" are the bytes
that rank 0 hands to collective calls, "sent" what it sends to the others. A pass is an evaluation of
the objective of lnb, or a tree in the model of auto; bytes are those given. "model" is a checksum of
all that the model contains except for the seconds and the spelling of parameters: it must be the
same for all engines and numbers of ranks.
"""
import hashlib
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
METHODS = os.environ.get("METHODS", "nb lnb auto").split()
CUT = {"discretize": "width:10", "impute": "mean"}
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
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


def settings(method):
    return {} if method == "auto" else CUT


def name_of(method):
    return "Auto" if method == "auto" else method.upper()


def passes(raw):
    """Evaluations, or trees; None for methods that learn in one pass."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "m.heft")
        path.write_bytes(raw)
        said = json.loads(subprocess.run([HEFT, "inspect", path, "--json", "-"], capture_output=True, text=True, check=True).stdout)
    return said["extra"].get("trees") or said["training"].get("evaluations")


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def line(engine, method, ranks, clock, raw, given, sent, peak="-"):
    model, seconds = contents(raw)
    sums = hashlib.sha256()
    for name in sorted(model):
        if not name.startswith("parameter."):
            sums.update(name.encode() + model[name])
    n = passes(raw)
    row(engine, method, ranks, f"{clock.wall:.1f}", f"{seconds:.1f}", f"{clock.cpu:.1f}", peak, given, sent, n or "-",
        round(int(given) / n) if n else "-", sums.hexdigest()[:8])


def mpi(counts):
    from mpi_runs import ENV

    for method in METHODS:
        words = [part for name, word in settings(method).items() for part in ("--" + name, word)]
        for n in counts:
            with tempfile.TemporaryDirectory() as folder, Clock() as clock:
                path = os.path.join(folder, "m.heft")
                start = [] if n == 1 else ["mpirun", "-q", "-n", str(n)]
                job = subprocess.Popen([*start, HEFT, "train", TABLE, "-m", method, "-o", path, *words, "--threads", "1", "-v"],
                                       env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                said = job.stderr.read()
                _, status, used = os.wait4(job.pid, 0)
                job.returncode = os.waitstatus_to_exitcode(status)
                if job.returncode:
                    sys.exit(said)
                raw = pathlib.Path(path).read_bytes()
            found = re.search(r"(\d+) exchanges, (\d+) bytes sent; .* at most (\d+) MB", said)
            line("mpi", method, n, clock, raw, found[2] if found else 0, "-", found[3] if found else used.ru_maxrss // 1024)


def dask_engine(counts):
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
            row("dask", "(loading)", n, f"{load.wall:.1f}", "-", f"{load.cpu:.1f}", *"------")
            X, y = data.drop(columns="class"), data["class"]
            for method in METHODS:
                with Clock() as clock:
                    model = getattr(heft.dask, name_of(method))(n_jobs=1, **settings(method)).fit(X, y)
                line("dask", method, n, clock, model._fitted().to_bytes(), model.ranks_[0]["bytes_given"],
                     model.ranks_[0]["bytes_sent"])


def spark_engine(counts):
    from pyspark.sql import SparkSession

    import heft.spark

    for n in counts:
        spark = SparkSession.builder.master(f"local[{n}]").config("spark.ui.enabled", "false").config(
            "spark.driver.memory", os.environ.get("SPARK_MEMORY", "3g")).config("spark.ui.showConsoleProgress", "false").config(
            "spark.sql.files.maxPartitionBytes", os.path.getsize(TABLE) // n + 1).config(
            "spark.sql.files.openCostInBytes", 0).config("spark.sql.execution.arrow.maxRecordsPerBatch", 100000).config(
            "spark.sql.files.minPartitionNum", n).getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        kinds = ", ".join([f"x{j + 1} double" for j in range(10)] + [f"n{j + 1} string" for j in range(10)] + ["class string"])
        with Clock() as load:
            data = spark.read.csv(TABLE, header=True, schema=kinds).cache()
            data.count()
        row("spark", "(loading)", n, f"{load.wall:.1f}", "-", f"{load.cpu:.1f}", *"------")
        for method in METHODS:
            with Clock() as clock:
                model = getattr(heft.spark, name_of(method))(labelCol="class", n_jobs=1, **settings(method)).fit(data)
            line("spark", method, len(model.ranks), clock, model.local()._fitted().to_bytes(), model.ranks[0]["bytes_given"],
                 model.ranks[0]["bytes_sent"])
        spark.stop()


def main():
    engines = {"mpi": mpi, "dask": dask_engine, "spark": spark_engine}
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    row("engine", "method", "ranks", "fit s", "training s", "CPU s", "peak MB", "given", "sent", "passes", "bytes per pass", "model")
    row("---", "---", *["---:"] * 9, "---")
    for word in sys.argv[3:]:
        name, _, counts = word.partition(":")
        engines[name]([int(n) for n in (counts or "3").split(",")])


if __name__ == "__main__":
    main()
