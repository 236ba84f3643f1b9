#!/usr/bin/env python3
"""What the peers do in bench/run, one job in one process: peer_jobs.py JOB ARGUMENTS. A job prints its CPU seconds without
the import of packages as JSON. `make` writes the tables that both sides read."""
import json
import pickle
import resource
import sys

import numpy as np
import pandas as pd


def cpu():
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime + use.ru_stime


def read(path):
    return pd.read_parquet(path) if str(path).endswith(".parquet") else pd.read_csv(path)


def split(table):
    numeric = [c for c in table.columns[:-1] if c.startswith("x")]
    return numeric, [c for c in table.columns[:-1] if not c.startswith("x")], table["class"]


# ---- naive Bayes: GaussianNB and CategoricalNB, their scores added ----

def train_nb(data, model, *imports):
    from sklearn.naive_bayes import CategoricalNB, GaussianNB
    from sklearn.preprocessing import OrdinalEncoder
    began = 0 if imports else cpu()
    table = read(data)
    numeric, nominal, y = split(table)
    encoder = OrdinalEncoder()
    codes = encoder.fit_transform(table[nominal])
    gaussian = GaussianNB().fit(table[numeric], y)
    sizes = [len(c) for c in encoder.categories_]
    categorical = CategoricalNB(min_categories=sizes).fit(codes, y)
    with open(model, "wb") as file:
        pickle.dump((encoder, gaussian, categorical), file)
    return {"cpu": cpu() - began}


def predict_nb(data, model, out):
    import sklearn.naive_bayes  # noqa: F401: its time is not counted
    began = cpu()
    table = read(data)
    numeric, nominal, _ = split(table)
    with open(model, "rb") as file:
        encoder, gaussian, categorical = pickle.load(file)
    score = (gaussian.predict_joint_log_proba(table[numeric])
             + categorical.predict_joint_log_proba(encoder.transform(table[nominal]))
             - categorical.class_log_prior_)
    score -= score.max(axis=1, keepdims=True)
    proba = np.exp(score)
    proba /= proba.sum(axis=1, keepdims=True)
    names = gaussian.classes_
    result = pd.DataFrame(proba, columns=[f"P({c})" for c in names])
    result.insert(0, "predicted", names[proba.argmax(axis=1)])
    result.to_csv(out, index=False)
    return {"cpu": cpu() - began}


def agree(ours, theirs):
    a, b = pd.read_csv(ours), pd.read_csv(theirs)
    columns = [c for c in b.columns if c != "predicted"]
    return {"same": float((a["predicted"] == b["predicted"]).mean()),
            "differ": float((a[columns] - b[columns]).abs().to_numpy().max())}


# ---- learned weights and trees ----

def train_logistic(data):
    """The logistic regression that lnb is: one weight for each attribute's log ratio (two classes)."""
    from sklearn.linear_model import LogisticRegression
    began = cpu()
    table = read(data)
    _, nominal, y = split(table)
    second = (y == sorted(y.unique())[1]).to_numpy()
    ratios = np.empty((len(table), len(nominal)))
    for j, name in enumerate(nominal):
        codes, values = pd.factorize(table[name])
        first, other = (np.bincount(codes[second == c], minlength=len(values)) + 1.0 for c in (False, True))
        ratios[:, j] = (np.log(first / first.sum()) - np.log(other / other.sum()))[codes]
    LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-6, max_iter=10000).fit(ratios, second)
    return {"cpu": cpu() - began}


def train_lightgbm(data, test):
    from lightgbm import LGBMClassifier
    began = cpu()
    table = read(data)
    _, nominal, y = split(table)
    X = table.drop(columns="class").astype(dict.fromkeys(nominal, "category"))
    model = LGBMClassifier(n_jobs=1, verbose=-1).fit(X, y)
    spent = cpu() - began
    other = read(test)
    kinds = {c: X[c].dtype for c in nominal}
    proba = model.predict_proba(other.drop(columns="class").astype(kinds))
    at = np.searchsorted(model.classes_, other["class"])
    return {"cpu": spent, "log_loss": -np.log(proba[np.arange(len(at)), at].clip(1e-15)).mean()}


def train_forest(data):
    from sklearn.ensemble import RandomForestClassifier
    began = cpu()
    table = read(data)
    RandomForestClassifier(100, n_jobs=1, random_state=1).fit(table.iloc[:, :-1], table.iloc[:, -1])
    return {"cpu": cpu() - began}


# ---- tables ----

def nominal_table(path, n, m):
    """Two classes of equal size; nominal attributes of 2 to 8 values, correlated in fours."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], [n // 2, n - n // 2])
    rng.shuffle(y)
    shared = rng.random((n, (m + 3) // 4))
    table = {}
    for j, size in enumerate(rng.integers(2, 9, m)):
        p = rng.dirichlet(np.full(size, 2.0), 2)
        p = 0.75 * p.mean(0) + 0.25 * p
        u = np.where(rng.random(n) < 0.5, shared[:, j // 4], rng.random(n))
        column = np.empty(n, np.int32)
        for c in (0, 1):
            column[y == c] = np.minimum(np.searchsorted(np.cumsum(p[c]), u[y == c], side="right"), size - 1)
        table[f"n{j}"] = np.array([f"v{k}" for k in range(size)])[column]
    table["class"] = np.array(["a", "b"])[y]
    pd.DataFrame(table).to_csv(path, index=False)


def grown_table(path, n, m, classes, values):
    """Half numbers, half categories; each tells a little about the class."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, classes, n)
    table = {}
    for j in range(m):
        if j % 2:
            table[f"x{j}"] = (rng.normal(size=n) + 0.3 * rng.normal(size=classes)[y]).round(3)
        else:
            p = rng.dirichlet(np.full(values, 3.0), classes).cumsum(axis=1)
            codes = (rng.random(n)[:, None] > p[y]).sum(axis=1).clip(0, values - 1)
            table[f"n{j}"] = np.array([f"v{k}" for k in range(values)])[codes]
    table["class"] = np.array([f"c{k}" for k in range(classes)])[y]
    pd.DataFrame(table).to_csv(path, index=False)


def parquet_table(path, rows):
    pd.read_csv(path.replace("parquet-", "").replace(".parquet", ".csv")).to_parquet(path)
    return rows


def make(kind, path, *numbers):
    {"nominal": nominal_table, "grown": grown_table, "parquet": parquet_table}[kind](path, *map(int, numbers))
    return {"cpu": 0.0}


JOBS = {"train-nb": train_nb, "predict-nb": predict_nb, "agree": agree, "train-logistic": train_logistic,
        "train-lightgbm": train_lightgbm, "train-forest": train_forest, "make": make}

if __name__ == "__main__":
    print(json.dumps(JOBS[sys.argv[1]](*sys.argv[2:])))
