"""Errors and warnings name what a Python user can change, never options of the command line or fields of C."""
import gzip
import re
import warnings

import numpy as np
import pytest

import heft
from heft import _base, _ffi, _input

#: What users of the program write (--drop, -m nb, heft train), and those of C (heft_config.prior, .prior = "uniform").
FOREIGN = re.compile(r"--| -[a-z]\b|\bheft (?:train|methods|inspect|merge|evaluate|predict|check|report|export|explain)\b"
                     r"|\bheft_[a-z]|(?<!\w)\.[a-z_]+ = |HEFT_|[{}]")


@pytest.fixture
def mixed():
    """A number, a category and a number with a missing cell."""
    rng = np.random.default_rng(1)
    y = np.array(["a", "b"] * 30)
    X = np.empty((60, 3), dtype=object)
    X[:, 0], X[:, 1], X[:, 2] = rng.normal(size=60), ["p", "q", "r"] * 20, rng.normal(size=60)
    X[3, 2] = None
    return X, y


def wide(n=30000):
    return np.arange(4 * n, dtype=float).reshape(4, n), [0, 1, 0, 1]


def limited(X, y, memory):
    """heft_fit under a limit on memory, which no estimator has an argument for."""
    config = heft.NB()._config(None, _ffi.Runtime(memory=memory))
    target = _input.read_target(y, len(y), "NB", UserWarning)
    _base.fit_frame(_input.read(X, "NB", True), target, "class", None, config)


WRONG = {
    "a parameter of the wrong kind": lambda X, y: heft.RNB(tol="much").fit(X, y),
    "a parameter out of range": lambda X, y: heft.LCWNB(kappa=-1).fit(X, y),
    "a parameter that is a list": lambda X, y: heft.RNB(bounds=(2, 1)).fit(X, y),
    "discretize": lambda X, y: heft.NB(discretize="thrice").fit(X, y),
    "bins": lambda X, y: heft.NB(discretize="width:0").fit(X, y),
    "scale of mdl": lambda X, y: heft.NB(discretize="mdl:-1").fit(X, y),
    "impute": lambda X, y: heft.NB(impute="guess").fit(X, y),
    "scale": lambda X, y: heft.NB(scale="large").fit(X, y),
    "smoothing": lambda X, y: heft.NB(smoothing="m:0").fit(X, y),
    "smoothing of auto": lambda X, y: heft.Auto(smoothing="m:2").fit(X, y),
    "prior": lambda X, y: heft.NB(prior="fair").fit(X, y),
    "prior of an unknown class": lambda X, y: heft.NB(prior={"a": 0.5, "z": 0.5}).fit(X, y),
    "prior that does not sum to 1": lambda X, y: heft.NB(prior=[0.5, 0.6]).fit(X, y),
    "prior of other classes": lambda X, y: heft.NB(prior=[0.5, 0.3, 0.2]).fit(X, y),
    "select": lambda X, y: heft.NB(select="best").fit(X, y),
    "unseen": lambda X, y: heft.NB(unseen="one").fit(X, y),
    "calibrate": lambda X, y: heft.NB(calibrate="magic").fit(X, y),
    "a time limit of 0": lambda X, y: heft.Auto(time_limit=0).fit(X, y),
    "a time limit that is no number": lambda X, y: heft.Auto(time_limit="1").fit(X, y),
    "a time limit and a calibration": lambda X, y: heft.Auto(time_limit=1, calibrate="vector").fit(X, y),
    "a time limit in an evaluation": lambda X, y: heft.evaluate(heft.Auto(time_limit=1), X, y),
    "numbers that must be cut": lambda X, y: heft.TAN(discretize="none").fit(X, y),
    "missing cells": lambda X, y: heft.LWNB(impute="none").fit(X, y),
    "one class": lambda X, y: heft.NB().fit(X, ["a"] * len(y)),
    "y with NaN": lambda X, y: heft.NB().fit(X, np.where(y == "a", np.nan, 1.0)),
    "y of another length": lambda X, y: heft.NB().fit(X, y[1:]),
    "an infinite number": lambda X, y: heft.NB().fit(np.full((len(y), 1), np.inf), y),
    "another number of features": lambda X, y: heft.NB().fit(X, y).predict(X[:, :2]),
    "memory": lambda X, y: limited(X, y, 1000),
    "too many pairs": lambda X, y: heft.TAN().fit(*wide()),
    "folds": lambda X, y: heft.evaluate("nb", X[:6], y[:6], cv=20),
    "an unknown method": lambda X, y: heft.evaluate("nothing", X, y),
    "an unknown parameter": lambda X, y: heft.evaluate("nb:nothing=1", X, y),
    "a protocol": lambda X, y: heft.evaluate("nb", X, y, protocol="hopeful"),
    "parts that were cut differently": lambda X, y: heft.merge(
        [heft.AODE().fit(X[:30], y[:30]), heft.AODE().fit(X[30:], y[30:])]),
    "parts of calibrated models": lambda X, y: heft.merge(
        [heft.NB(calibrate="vector").fit(X[k:k + 30], y[k:k + 30]) for k in (0, 30)]),
    "cost of an unknown class": lambda X, y: heft.NB(cost={("a", "z"): 1}).fit(X, y),
    "cost below 0": lambda X, y: heft.NB(cost={("a", "b"): -1}).fit(X, y),
    "cost of nothing": lambda X, y: heft.NB(cost={("a", "b"): 0, ("b", "a"): 0}).fit(X, y),
    "cost and threshold": lambda X, y: heft.NB(cost=[[0, 1], [2, 0]], threshold=0.3).fit(X, y),
    "cost in an absent file": lambda X, y: heft.NB(cost="absent.csv").fit(X, y),
    "threshold above 1": lambda X, y: heft.NB(threshold=2.0).fit(X, y),
    "threshold of an unknown class": lambda X, y: heft.NB(threshold={"z": 0.5}).fit(X, y),
    "threshold of three classes": lambda X, y: heft.NB(threshold={"a": 0.5}).fit(X, ["a", "b", "c"] * 20),
    "threshold and tune": lambda X, y: heft.NB(threshold=0.3, tune="f1").fit(X, y),
    "tune": lambda X, y: heft.NB(tune="luck").fit(X, y),
    "tune for costs that are not given": lambda X, y: heft.NB(tune="cost").fit(X, y),
    "tune of three classes": lambda X, y: heft.NB(tune="f1").fit(X, ["a", "b", "c"] * 20),
    "a new rule that is wrong": lambda X, y: heft.NB().fit(X, y).set_decision(threshold={"z": 0.5}),
    "class_weight of an unknown class": lambda X, y: heft.NB(class_weight={"z": 2}).fit(X, y),
    "class_weight below 0": lambda X, y: heft.NB(class_weight={"a": -2}).fit(X, y),
    "class_weight that is a word": lambda X, y: heft.NB(class_weight="fair").fit(X, y),
    "weights below 0": lambda X, y: heft.NB().fit(X, y, sample_weight=[-1] * len(y)),
    "weights of 0": lambda X, y: heft.NB().fit(X, y, sample_weight=[0] * len(y)),
    "select of too many": lambda X, y: heft.NB(select="gain-ratio:0").fit(X, y),
    "frequency": lambda X, y: heft.NB(discretize="frequency:x").fit(X, y),
    "presence of categories": lambda X, y: heft.NB(discretize="presence:2").fit(X, y),
    "effort": lambda X, y: heft.Auto(effort="none").fit(X, y),
    "order": lambda X, y: heft.Auto(order=4).fit(X, y),
    "a word for a number": lambda X, y: heft.LNB(max_iter="many").fit(X, y),
    "two parameters that exclude one another": lambda X, y: heft.NB(floor=0.1, variance="shrunk").fit(X, y),
    "alternatives of one fit": lambda X, y: heft.LCWNB(kappa="5|x").fit(X, y),
    "no rows": lambda X, y: heft.NB().fit(X[:0], y[:0]),
    "an explanation of votes": lambda X, y: heft.LNB(multiclass="ovo").fit(X, ["a", "b", "c"] * 20).explain(X[:1]),
    "terms of a method without": lambda X, y: heft.AODE().fit(X, y).explain(X[:1], terms=True),
    "an export without a format": lambda X, y: heft.NB().fit(X, y).export("model.xyz"),
    "an export in an unknown format": lambda X, y: heft.NB().fit(X, y).export("model", format="xyz"),
    "an export of neighbours": lambda X, y: heft.LWNB().fit(X, y).export("m.c"),
    "an export of neighbours as PMML": lambda X, y: heft.LWNB().fit(X, y).export("m.pmml"),
    "an option of another export": lambda X, y: heft.NB().fit(X, y).export("m.c", table="t"),
    "single precision of another export": lambda X, y: heft.NB().fit(X, y).export("m.onnx", single=True),
    "a table of heft's own": lambda X, y: heft.NB().fit(X, y).export("m.sql", table="heft_rows"),
    "evidence of votes": lambda X, y: heft.AODE().fit(X, y).export("m.onnx", evidence=True),
    "a report without classes": lambda X, y: heft.NB().fit(X, y).report("m.html", X, cv=3),
    "a report with too many folds": lambda X, y: heft.NB().fit(X, y).report("m.html", X, y, cv=500),
    "a holdout": lambda X, y: heft.evaluate("nb", X[:2], y[:2], holdout=0.1),
    "a split": lambda X, y: heft.evaluate("nb", X, y, split="java"),
    "folds of one row": lambda X, y: heft.evaluate("nb", X[:1], y[:1]),
    "one fold": lambda X, y: heft.evaluate("nb", X, y, cv=1),
    "no repeats": lambda X, y: heft.evaluate("nb", X, y, repeats=-1),
    "parts of other columns": lambda X, y: heft.merge([heft.NB().fit(X, y), heft.NB().fit(X[:, :2], y)]),
    "parts with other parameters": lambda X, y: heft.merge(
        [heft.NB(variance=v).fit(X, y) for v in ("class", "shrunk")]),
    "parts with chosen columns": lambda X, y: heft.merge(
        [heft.NB(select="gain-ratio:1").fit(X[k:k + 30], y[k:k + 30]) for k in (0, 30)]),
    "a batch with other columns": lambda X, y: heft.NB().partial_fit(X, y).partial_fit(X[:, :2], y),
    "batches that are calibrated": lambda X, y: heft.NB(calibrate="vector").partial_fit(X, y).partial_fit(X, y),
    "batches that are tuned": lambda X, y: heft.NB(tune="f1").partial_fit(X, y).partial_fit(X, y),
    "batches with balanced classes": lambda X, y: heft.NB(class_weight="balanced").partial_fit(X, y).partial_fit(X, y),
}
CSV = "a,b,class\n1,2,x\n3,4,y\n5,6,x\n"
FILES = {  # the content of a data file, and how it is read
    "an unknown class column": (CSV, {"target": "klass"}),
    "a class column by number": (CSV, {"target": 9}),
    "an unknown column to leave out": (CSV, {"drop": ["z"]}),
    "the class column left out": (CSV, {"target": "class", "drop": ["class"]}),
    "nothing left": (CSV, {"drop": ["a", "b", "class"]}),
    "words as numbers": ("a,class\n1,x\n?!,y\n", {"numeric": ["a"]}),
    "a decimal comma": ("a;class\n1,5;x\n2,5;y\n", {"numeric": ["a"]}),
    "numbers and categories at once": (CSV, {"numeric": ["a"], "nominal": ["a"]}),
    "an unknown positive class": (CSV, {"positive": "z"}),
    "an unknown format": (CSV, {"format": "xml"}),
    "a delimiter that is a letter": (CSV, {"delimiter": "a"}),
    "a quotation mark that is a letter": (CSV, {"quote": "a"}),
    "a quotation mark that delimits": (CSV, {"quote": ";", "delimiter": ";"}),
    "a decimal mark that is a letter": (CSV, {"decimal_mark": "a"}),
    "a decimal mark that delimits": (CSV, {"decimal_mark": ",", "delimiter": ","}),
    "a decimal mark of the file's own": ("a,b,class\n1,2,x\n1,2,y\n", {"decimal_mark": ","}),
    "a weight that is the class": (CSV, {"weight": "class"}),
    "an unknown weight": (CSV, {"weight": "w"}),
    "more lines to skip than there are": (CSV, {"skip": 99}),
    "two columns of one name": ("a,a,class\n1,2,x\n3,4,y\n", {}),
    "rows of other lengths": ("a,b,class\n1,2,x\n3,y\n", {}),
    "an open quotation mark": ('a,class\n"1,x\n2,y\n', {}),
    "text behind a quotation mark": ('a,class\n"1"2,x\n3,y\n', {}),
    "a number that is too large": ("a,class\n1e999,x\n1,y\n", {"numeric": ["a"]}),
    "nothing": ("", {}),
    "binary data": ("\0\1\2" * 99, {}),
    "a Parquet file by name": ("PAR1\0\0\0\0", {"format": "parquet"}),
    "lines of a Parquet file": (CSV, {"format": "parquet", "skip": 1}),
    "a class column of LIBSVM": ("1 1:2\n2 1:3\n", {"format": "libsvm", "target": "y"}),
    "weights of LIBSVM": ("1 1:2\n2 1:3\n", {"format": "libsvm", "weight": "c1"}),
    "categories of LIBSVM": ("1 1:2\n2 1:3\n", {"format": "libsvm", "nominal": ["c1"]}),
    "a quotation mark of LIBSVM": ("1 1:2\n2 1:3\n", {"format": "libsvm", "quote": "'"}),
    "a high index of LIBSVM": ("1 1:2\n2 99999999:3\n", {"format": "libsvm"}),
    "a date of ARFF": ("@relation r\n@attribute d date\n@attribute class {x,y}\n@data\n1,x\n2,y\n", {"format": "arff"}),
    "two kinds of weights": ("@relation r\n@attribute a numeric\n@attribute class {x,y}\n@data\n1,x,{2}\n2,y\n",
                             {"format": "arff", "weight": "a"}),
}


@pytest.mark.parametrize("what", FILES)
def test_errors_of_data_files_name_arguments(what, tmp_path):
    content, how = FILES[what]
    path = tmp_path / "d.txt"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises((ValueError, OSError)) as caught:
        heft.check(path, **how)
    said = str(caught.value).replace(str(path), "")
    assert said and not FOREIGN.search(said.replace("{2}", "")), said


def test_warnings_and_findings_of_data_files(tmp_path):
    """What reading warns of, and what the findings advise."""
    rows = "".join(f"{i},{i % 7},k{i},2020-01-{i % 28 + 1:02},1,{'xy'[i % 2]}\n" for i in range(200))
    path = tmp_path / "odd.csv"
    path.write_text("note\nid,a,key,day,same,class\n" + rows.replace("\n5,5,", "\n5,many,"))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = heft.check(path, top=2)
        (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"a,class\n" + b"1,x\n" * 30_000_000, 9))
        with pytest.raises(ValueError) as caught:
            heft.check(tmp_path / "bomb.csv.gz")
    texts = [str(w.message) for w in said] + [f["text"] for f in found.findings] + [str(caught.value)]
    assert len(said) > 1 and len(found.findings) > 3
    assert not [text for text in texts if FOREIGN.search(text.replace(str(tmp_path), ""))], texts
    assert any("drop='id'" in text for text in texts) and "see top" in str(found) and "top shows more" in found.html


@pytest.mark.parametrize("name", ["--drop", "{drop}", "{advice like}", "-m nb", "%s", ".prior = \"x\""])
def test_what_the_user_gave_is_left_alone(name, mixed, tmp_path):
    """Names and values that look like options or marks are shown as they are."""
    X, y = mixed
    for call in (lambda: heft.NB(prior={name: 1.0}).fit(X, y), lambda: heft.NB(discretize=name).fit(X, y),
                 lambda: heft.NB(class_weight={name: 2}).fit(X, y), lambda: heft.evaluate(name, X, y)):
        with pytest.raises(ValueError) as caught:
            call()
        assert name in str(caught.value)
    path = tmp_path / "d.csv"
    path.write_text('"' + name.replace('"', '""') + '",b,class\n' + "1,2,x\n1,3,y\n" * 9)
    found = heft.check(path)
    assert found.columns[0]["name"] == name
    assert name in next(f["text"] for f in found.findings if f["code"] == "constant")


# What is raised where it is not a ValueError.
OTHERS = {"smoothing of auto": TypeError, "cost in an absent file": OSError, "split: 3 is not a text": TypeError,
          "table: 5 is not a text": TypeError, "estimators: 'a.heft' is not an estimator of heft": TypeError,
          "estimators: 'a.heft' is not a list": TypeError, "n_iter_: the fit of": AttributeError,
          "objective_: the fit of": AttributeError, "converged_: the fit of": AttributeError,
          "n_iter_: this RNB is not fitted yet": AttributeError}


@pytest.mark.parametrize("what", WRONG)
def test_errors_name_arguments(what, mixed):
    with pytest.raises(OTHERS.get(what, ValueError)) as caught:
        WRONG[what](*mixed)
    said = str(caught.value).replace("names that begin with heft_", "").replace("heft_rows", "")
    assert said and not FOREIGN.search(said), said


def test_errors_of_files(tmp_path):
    for name, content in (("empty", b""), ("text", b"a,b\n1,2\n"), ("packed.gz", b"\x1f\x8b\x08\0"),
                          ("other", bytes(range(200)))):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(ValueError) as caught:
            heft.load(path)
        assert not FOREIGN.search(str(caught.value).replace(str(path), "")), str(caught.value)
        assert name == "packed.gz" or "heft.load reads files that save() wrote)" in str(caught.value)


def test_warnings_name_arguments(mixed):
    """Two thousand attributes make many pairs; nothing of noise passes cfs."""
    rng = np.random.default_rng(2)
    noise, y = rng.normal(size=(40, 3)), np.array([0, 1] * 20)
    many = rng.integers(0, 2, size=(12, 4000)).astype(float)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        heft.NB(select="cfs").fit(noise, y)
        heft.CFWNB().fit(many, y[:12])
    assert said and not any(FOREIGN.search(str(w.message)) for w in said), [str(w.message) for w in said]


SAID = {
    "max_iter: '-1' is not": lambda X, y: heft.RNB(max_iter=-1).fit(X, y),
    "lambda_: '-1' is not": lambda X, y: heft.VWNB(lambda_=-1).fit(X, y),
    "(it takes 'count', 'lean' or 'full')": lambda X, y: heft.Auto(effort="much").fit(X, y),
    "prior='smoothed'": lambda X, y: heft.TAN(prior="uniform").fit(X, y),
    "floor needs variance='class'": lambda X, y: heft.NB(floor=0.1, variance="shrunk").fit(X, y),
    "n_jobs: 'a' is not None or a whole number": lambda X, y: heft.NB(n_jobs="a").fit(X, y),
    "n_jobs: 1.5 is not None or a whole number": lambda X, y: heft.evaluate("nb", X, y, n_jobs=1.5),
    "n_jobs: 0 is not None or a whole number other than 0": lambda X, y: heft.NB(n_jobs=0).fit(X, y),
    "y has only one class ('a'), and a classifier needs two": lambda X, y: heft.NB().fit(X, ["a"] * len(y)),
    "class_weight of 'a': 'x' is not a number": lambda X, y: heft.NB(class_weight={"a": "x"}).fit(X, y),
    "prior of 'a': None is not a number": lambda X, y: heft.NB(prior={"a": None, "b": 0.5}).fit(X, y),
    "prior: ['x', 1] does not consist of numbers": lambda X, y: heft.NB(prior=["x", 1]).fit(X, y),
    "threshold of 'b': 'x' is not a number": lambda X, y: heft.NB(threshold={"b": "x"}).fit(X, y),
    "cost of ('a', 'b'): 'x' is not a number": lambda X, y: heft.NB(cost={("a", "b"): "x"}).fit(X, y),
    "holdout: 'x' is not a number": lambda X, y: heft.evaluate("nb", X, y, holdout="x"),
    "cv=5 and holdout=0.3: give one of them": lambda X, y: heft.evaluate("nb", X, y, cv=5, holdout=0.3),
    "cv: 2.5 is not a whole number of at least 2": lambda X, y: heft.evaluate("nb", X, y, cv=2.5),
    "repeats: 0 is not a whole number of at least 1": lambda X, y: heft.evaluate("nb", X, y, repeats=0),
    "split: 3 is not a text": lambda X, y: heft.evaluate("nb", X, y, split=3),
    "cv: 'x' is not a whole number": lambda X, y: heft.NB().fit(X, y).report("m.html", X, y, cv="x"),
    "table: 5 is not a text": lambda X, y: heft.NB().fit(X, y).export("m.sql", table=5),
    "estimators: 'a.heft' is not an estimator of heft": lambda X, y: heft.merge(["a.heft", "b"]),
    "estimators: 'a.heft' is not a list": lambda X, y: heft.merge("a.heft"),
    "n_iter_: the fit of": lambda X, y: heft.NB().fit(X, y).n_iter_,
    "objective_: the fit of": lambda X, y: heft.NB().fit(X, y).objective_,
    "converged_: the fit of": lambda X, y: heft.NB().fit(X, y).converged_,
    "n_iter_: this RNB is not fitted yet": lambda X, y: heft.RNB().n_iter_,
    "merge: the estimators must be of one class, not NB and AODE": lambda X, y: heft.merge(
        [heft.NB().fit(X, y), heft.AODE().fit(X, y)]),
    "the parameters differ: 'variance=class' in model 1": lambda X, y: heft.merge(
        [heft.NB(variance=v, floor=1 if v == "class" else "none").fit(X, y) for v in ("class", "shrunk")]),
    "the settings of discretize differ: 'mdl' in model 1": lambda X, y: heft.merge(
        [heft.NB(discretize="mdl").fit(X, y), heft.NB(discretize="none").fit(X, y)]),
}


@pytest.mark.parametrize("words", SAID)
def test_words_of_errors(words, mixed):
    with pytest.raises(OTHERS.get(words, ValueError)) as caught:
        SAID[words](*mixed)
    assert words in str(caught.value)


def test_unknown_categorical_features():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]})
    for given, said in ((["q"], "X has no column 'q'"), (["q", "r"], "X has no columns 'q', 'r'")):
        with pytest.raises(ValueError, match=f"categorical_features: {said}$"):
            heft.NB(categorical_features=given).fit(X, [0, 1, 0, 1])
