#!/usr/bin/env python3
"""heft's default beside forests, boosted trees, EBM and Khiops: accuracy, log loss, Brier score, CPU time, memory.

    bench/auto_versus.py [--large FOLDER] [--first 0] [--small FOLDER] [--tables NAME,...] [--only NAME,...]
        [--leave NAME,...] [--cache FILE] [--limit SECONDS] [--iterations 300] [--heft build/cli/heft]
        [--methods auto,auto:effort=count] [--each] [--slow]

--large: every table *.csv.gz of the folder. Every fourth row is a test row, the others train. --first is the first test row,
counted from 0.
--small: the 36 tables of `bench/tables.py`, by stratified 10-fold cross-validation on heft's folds (seed 1).

The peers come from PyPI (scikit-learn, xgboost, lightgbm, catboost, interpret-core, khiops); one that is not installed is
left out. They keep their defaults but for the number of trees: 100 of the forest, XGBoost (hist) and LightGBM, --iterations
of CatBoost (300). All programs run on one thread and see the same kinds of columns. Missing cells and categories are handed
over in each peer's own way: pandas categories and NaN for XGBoost and LightGBM; cat_features for CatBoost, missing as a
category of its own; nominal columns of strings for EBM and Khiops. The forest gets one indicator per category, missing
included and at most 100 per column (the rarest share one), and NaN for missing numbers.

Accuracy is the mean over the folds, log loss (floor 1e-15) and Brier score are means over the rows. CPU seconds are those
of all fits, with what each fit does to its table in memory, and of all predictions. heft is its program: the seconds are
those `heft evaluate` tells; "process" is all that the program used, reading included. Memory is the peak: of the whole
process for heft, and above what Python and the table had taken before for the others.

--slow adds LightGBM and XGBoost that are tuned for up to 120 CPU seconds on each table, and AutoGluon (medium_quality, 60
seconds), see bench/tuned.py.

--cache keeps the results. Peers in it are not run again; heft always is, unless --only leaves it out. --only runs these
programs (forest, xgboost, lightgbm, catboost, ebm, khiops, heft; "none") and takes the others from the cache; --leave drops
programs. --limit gives up on a peer that needs more CPU seconds than that for one table; where a peer lacks tables, the
others are summarised again on the tables it has. The output is Markdown; progress goes to standard error.
"""
import argparse
import importlib.metadata
import json
import multiprocessing
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import warnings

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "KHIOPS_PROC_NUMBER"):
    os.environ[variable] = "1"

# pylint: disable=wrong-import-position,import-outside-toplevel
import numpy as np
import pandas as pd

import tuned
from tables import ROOT, SETS, better_equal_worse, folds, read, test_folds

TEN = """adult covtype-20k electricity satimage california_binary diamonds_cut avila jungle_chess online_shoppers
    pol""".split()  # large tables of mixed kinds, given apart


# ---- the peers: a model with fit and predict_proba, and the attributes as it wants them ----

def as_text(X, nominal, missing=None):
    X = X.copy()
    for c in nominal:
        X[c] = X[c].astype(object).where(X[c].notna(), missing)
    return X


def forest(X, numeric, nominal, _):
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    words = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=100, sparse_output=False, dtype=np.float32)
    prepare = make_column_transformer(("passthrough", numeric), (words, nominal))
    return make_pipeline(prepare, RandomForestClassifier(100, n_jobs=1, random_state=1)), as_text(X, nominal, "(missing)")


def xgboost(X, *_):
    from xgboost import XGBClassifier
    model = XGBClassifier(n_estimators=100, tree_method="hist", enable_categorical=True, n_jobs=1, random_state=1)
    return model, X.dropna(axis=1, how="all")  # it refuses columns without a category


def lightgbm(X, *_):
    from lightgbm import LGBMClassifier
    return LGBMClassifier(n_estimators=100, n_jobs=1, random_state=1, verbose=-1), X


def catboost(X, _, nominal, asked):
    from catboost import CatBoostClassifier
    return CatBoostClassifier(iterations=asked.iterations, cat_features=nominal, thread_count=1, random_seed=1,
                              verbose=False, allow_writing_files=False), as_text(X, nominal, "(missing)")


def ebm(X, numeric, nominal, _):
    from interpret.glassbox import ExplainableBoostingClassifier
    kinds = ["continuous"] * len(numeric) + ["nominal"] * len(nominal)
    return ExplainableBoostingClassifier(feature_types=kinds, n_jobs=1, random_state=1), as_text(X, nominal)


def khiops(X, _, nominal, __):
    os.environ["PATH"] = os.path.join(sys.prefix, "bin") + os.pathsep + os.environ["PATH"]
    from khiops.sklearn import KhiopsClassifier
    return KhiopsClassifier(), as_text(X, nominal, "")


def tuned_lightgbm(X, *_):
    return tuned.TunedLightGBM(120), X


def tuned_xgboost(X, *_):
    return tuned.TunedXGBoost(120), X.dropna(axis=1, how="all")


def autogluon(X, *_):
    return tuned.AutoGluon(60), X


PEERS = {"forest": (forest, "scikit-learn", "random forest"), "xgboost": (xgboost, "xgboost", "XGBoost"),
         "lightgbm": (lightgbm, "lightgbm", "LightGBM"), "catboost": (catboost, "catboost", "CatBoost"),
         "ebm": (ebm, "interpret-core", "EBM"), "khiops": (khiops, "khiops", "Khiops")}
SLOW = {"tuned_lightgbm": (tuned_lightgbm, "lightgbm", "LightGBM, tuned"),
        "tuned_xgboost": (tuned_xgboost, "xgboost", "XGBoost, tuned"),
        "autogluon": (autogluon, "autogluon.tabular", "AutoGluon")}


# ---- one program on one table ----

def peak_mb():
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024


def measure(make, table, fold, tested, asked):
    """Figures of a peer that is trained without, and tested on, each of the folds in `tested`."""
    X = table.attributes().set_axis([f"c{j}" for j in range(len(table.numeric + table.nominal))], axis=1)
    numeric, nominal = list(X.columns[:len(table.numeric)]), list(X.columns[len(table.numeric):])
    make(X[:2], numeric, nominal, asked)  # imports are not counted
    before = peak_mb()
    found = test_folds(lambda: make(X, numeric, nominal, asked), table.y, table.n_class, fold, tested)
    return {**found, "memory": peak_mb() - before}


def in_child(limit, work, *given):
    """work(*given) in a process of its own, or why there is no result."""
    def child(pipe):
        if limit:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        warnings.filterwarnings("ignore")  # classes of few rows
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            pipe.send(work(*given))
        except Exception as error:  # pylint: disable=broad-except
            pipe.send({"error": f"{type(error).__name__}: {error}".splitlines()[0]})

    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=child, args=(theirs,))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        process.join()
        return {"limit": f"more than {limit} CPU seconds"} if limit else {"error": f"status {process.exitcode}"}


# A process counts the memory of the one that started it, so a small one starts heft.
METER = """import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=sys.stderr)
sys.exit(status)"""


def run_heft(asked, method, paths):
    """Figures of a method of heft on (training file, test file) or (table, folds)."""
    option = "--test" if paths[1].suffix == ".csv" else "--folds"
    command = [asked.heft, "evaluate", paths[0], option, paths[1], "-m", method, "--threads", "1", "--json", "-", "-q"]
    done = subprocess.run([sys.executable, "-S", "-c", METER, *map(str, command)], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        sys.exit(f"auto_versus.py: {paths[0]}: {done.stderr}")
    used, peak = map(float, done.stderr.split())
    figures = json.loads(done.stdout)["datasets"][0]["methods"][0]
    return {"accuracy": figures["accuracy"], "log_loss": figures["log_loss"], "brier": figures["brier"],
            "fit": figures["fit_seconds"], "predict": figures["predict_seconds"], "process": used, "memory": peak}


# ---- all programs on all tables ----

class Cache:
    """Results by program with version and parameters, table and split; kept in a file where one is given."""

    def __init__(self, path):
        self.path = path
        self.results = json.loads(path.read_text()) if path and path.exists() else {}

    def put(self, key, result):
        self.results[key] = result
        if self.path:
            fresh = self.path.with_suffix(".new")
            fresh.write_text(json.dumps(self.results, indent=1, default=float))
            fresh.replace(self.path)


def version_of(package):
    """The version of an installed package; XGBoost also comes as xgboost-cpu."""
    for name in (package, f"{package}-cpu"):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    return None


def programs(asked):
    """{name: (label, peer's function or heft's method)} of the programs to show, heft first."""
    left = asked.leave.split(",")
    shown = {f"heft {m}": (f"heft {m}", m) for m in asked.methods.split(",")} if "heft" not in left else {}
    for name, (make, package, label) in (PEERS | SLOW if asked.slow else PEERS).items():
        version = version_of(package)
        if not version:
            print(f"{package} is not installed; {label} is left out", file=sys.stderr)
            continue
        if name not in left:
            trees = f" ({asked.iterations} trees)" if name == "catboost" else ""
            shown[f"{name} {version}{trees}"] = (f"{label} {version}{trees}", make)
    return shown


def compute(asked, cache, split, path, shown):
    """Brings the results of one table up to date."""
    name = path.name.split(".csv")[0].removesuffix(".arff")
    only = asked.only.split(",") if asked.only else None
    missing = [p for p in shown if (only is None or p.split()[0] in only) and (
        p.startswith("heft ") or "error" in cache.results.get(f"{p} | {name} | {split}", "error"))]
    if not missing:
        return name
    table = read(asked.heft, path)
    tested = range(10) if split == "small" else [asked.first]
    fold = folds(table.y, 10, 1) if split == "small" else np.arange(len(table.y)) % 4
    with tempfile.TemporaryDirectory() as room:
        if split == "small":
            paths = [path, pathlib.Path(room, "folds")]
            paths[1].write_text("".join(f"{f}\n" for f in fold), encoding="ascii")
        else:
            paths = [pathlib.Path(room, part) for part in ("train.csv", "test.csv")]
            table.cells[fold != asked.first].to_csv(paths[0], index=False)
            table.cells[fold == asked.first].to_csv(paths[1], index=False)
        for program in missing:
            _, what = shown[program]
            if isinstance(what, str):
                result = run_heft(asked, what, paths)
            else:
                result = in_child(asked.limit, measure, what, table, fold, tested, asked)
            cache.put(f"{program} | {name} | {split}", result)
            print(name, program, *(f"{k} {v:.4g}" if isinstance(v, float) else v for k, v in result.items()),
                  file=sys.stderr, flush=True)
    return name


# ---- what is printed ----

def heading(first, *columns):
    print(f"\n| {first} | " + " | ".join(columns) + " |\n|---|" + "---:|" * len(columns))


def ranks(values, own):
    """Mean rank of each column; of heft's columns (own) only one takes part at a time."""
    others = [j for j in range(values.shape[1]) if j not in own]
    found = np.zeros(values.shape[1])
    for j in [*own[:0:-1], *own[:1]] or [None]:  # heft's first line ranks the peers
        columns = [*others, *([] if j is None else [j])]
        found[columns] = pd.DataFrame(values[:, columns]).rank(axis=1).mean()
    return found


def summary(title, results, shown):
    """results: {table: {program: figures}}. A program without a result on some table gets a summary of its own."""
    whole = [p for p in shown if all("fit" in r.get(p, {}) for r in results.values())]
    if not whole:
        return
    own = [j for j, p in enumerate(whole) if p.startswith("heft ")]
    get = {k: np.array([[r[p][k] for p in whole] for r in results.values()])
           for k in ("accuracy", "log_loss", "brier", "fit", "predict", "memory")}
    accuracy, loss = get["accuracy"].round(6), get["log_loss"].round(6)
    place = ranks(-accuracy, own), ranks(loss, own)
    spent = np.exp(np.log(np.maximum(get["fit"], 1e-3)).mean(axis=0))
    base = [next((spent[j] for j, p in enumerate(whole) if p.startswith(peer)), np.nan) for peer in ("lightgbm", "forest")]
    heading(title, "accuracy", "rank", "log loss", "rank", "Brier", "fit: CPU s", "of LightGBM's", "of the forest's",
            "predict: CPU s", "memory MB")
    for j, p in enumerate(whole):
        print(f"| {shown[p][0]} | {100 * accuracy[:, j].mean():.2f} | {place[0][j]:.2f} | {loss[:, j].mean():.4f} "
              f"| {place[1][j]:.2f} | {get['brier'][:, j].mean():.4f} | {spent[j]:.2f} | {spent[j] / base[0]:.2f} "
              f"| {spent[j] / base[1]:.2f} | {get['predict'][:, j].mean():.2f} | {get['memory'][:, j].max():.0f} |")
    if own:
        heading(f"{shown[whole[0]][0]} beside", "accuracy: better / equal / worse", "log loss: better / equal / worse")
    for j, p in enumerate(whole):
        if own and j not in own:
            print(f"| {shown[p][0]} | {better_equal_worse(accuracy[:, 0] - accuracy[:, j])} "
                  f"| {better_equal_worse(loss[:, j] - loss[:, 0])} |")
    for p in shown:
        has = [r for r in results.values() if "fit" in r.get(p, {})]
        if p not in whole and has:
            summary(f"{title}: {len(has)} with {shown[p][0]}", {t: r for t, r in results.items() if r in has},
                    {q: shown[q] for q in (*whole, p)})


def each(results, shown):
    heading("accuracy / log loss / CPU s", *(label for label, _ in shown.values()))
    for table, found in results.items():
        print(f"| {table} | " + " | ".join(
            f"{100 * r['accuracy']:.2f} / {r['log_loss']:.4f} / {r['fit']:.2f}" if "fit" in r else " ".join(r.values())
            for r in (found.get(p, {}) for p in shown)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", type=pathlib.Path)
    parser.add_argument("--first", type=int, choices=range(4), default=0)
    parser.add_argument("--small", type=pathlib.Path)
    parser.add_argument("--tables", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--leave", default="")
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--heft", default=ROOT / "build/cli/heft")
    parser.add_argument("--methods", default="auto,auto:effort=count")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--slow", action="store_true")
    asked = parser.parse_args()
    if not asked.large and not asked.small:
        parser.error("name a folder: --large or --small")
    cache, shown = Cache(asked.cache), programs(asked)
    paths = {f"large {asked.first}": asked.large.glob("*.csv.gz") if asked.large else [],
             "small": [asked.small / f"{name}.arff" for name in SETS] if asked.small else []}
    for split, files in paths.items():
        if asked.tables:
            files = [f for f in files if any(f.name.startswith(t + ".") for t in asked.tables.split(","))]
        names = [compute(asked, cache, split, path, shown) for path in sorted(files, key=os.path.getsize)]
        results = {name: {p: cache.results.get(f"{p} | {name} | {split}", {}) for p in shown} for name in sorted(names)}
        if not results:
            continue
        found = {p: what for p, what in shown.items() if any(r[p] for r in results.values())}
        summary(f"{len(results)} {split.split()[0]} tables", results, found)
        if set(TEN) < set(results):
            summary("ten of them", {name: results[name] for name in TEN}, found)
        if asked.each:
            each(results, found)


if __name__ == "__main__":
    main()
