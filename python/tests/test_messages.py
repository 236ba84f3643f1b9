"""Errors and warnings name what a Python user can change, never options of the command line."""
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import heft
from heft import _base, _ffi, _input
from heft._words import translated

OPTION = re.compile(r"--| -[a-z]\b|\bheft (?:train|methods|inspect|merge|evaluate|predict)\b")
OPTION_IN_SOURCE = re.compile(r"--[a-z]| -[mp] [a-z]")


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
}


@pytest.mark.parametrize("what", WRONG)
def test_errors_name_arguments(what, mixed):
    with pytest.raises((ValueError, MemoryError, TypeError)) as caught:
        WRONG[what](*mixed)
    assert str(caught.value) and not OPTION.search(str(caught.value)), str(caught.value)


def test_errors_of_files(tmp_path):
    for name, content in (("empty", b""), ("text", b"a,b\n1,2\n"), ("packed.gz", b"\x1f\x8b\x08\0"),
                          ("other", bytes(range(200)))):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(ValueError) as caught:
            heft.load(path)
        assert not OPTION.search(str(caught.value).replace(str(path), "")), str(caught.value)
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
    assert said and not any(OPTION.search(str(w.message)) for w in said), [str(w.message) for w in said]


def test_words():
    same = {
        "x (use --discretize width:10)": "x (use discretize='width:10')",
        "lower -p kappa=5": "lower kappa=5",
        "lower -p lambda=2": "lower lambda_=2",
        "-p effort=full": "effort='full'",
        "another method, such as -m nb": "another method, such as heft.NB",
        "2 rows cannot make 20 folds (use --cv 2 or less)": "2 rows cannot make 20 folds (use cv=2 or less)",
        "no class (name one with --target)": "no class",
        "x (use fewer intervals, or leave it out with --drop)":
            "x (use fewer intervals, or leave the column out of X)",
        "--prior: there is no class '--a (b)'": "prior: there is no class '--a (b)'",
        "x (methods that can: heft methods; as it is: heft inspect --json)":
            "x (methods that can: heft.methods; as it is: inspect)",
        "x (or take -m nb)": "x (or take heft.NB)",
        "not a model (make one with: heft train iris.csv -o MODEL)":
            "not a model (heft.load reads files that save() wrote)",
        "F is not a heft model (it looks like a text data file; train one with: heft train F -o M)":
            "F is not a heft model (it looks like a text data file; heft.load reads files that save() wrote)",
        "method rnb, parameter max-iter: '-1' is not accepted (it takes a whole number from 0 to 10)":
            "max_iter: '-1' is not accepted (it takes a whole number from 0 to 10)",
        "method vwnb, parameter lambda: 'x' is not accepted (it takes a number from 0)":
            "lambda_: 'x' is not accepted (it takes a number from 0)",
        "method auto, parameter effort: 'x' is not accepted (it takes count|lean|full)":
            "effort: 'x' is not accepted (it takes 'count', 'lean' or 'full')",
        "method rnb, parameter bounds: 'x' is not accepted (it takes LOW,HIGH, or none)":
            "bounds: 'x' is not accepted (it takes (LOW, HIGH) or 'none')",
        "method tan does not use --prior (leave it out, set it to smoothed, or use another method)":
            "method tan does not use prior (leave it out, set prior='smoothed', or use another method)",
        "method nb: parameter 'floor' needs variance=class (shrunk variances are above 0)":
            "floor needs variance='class' (shrunk variances are above 0)",
        "the class column is 'a', but that of the --like model is 'b' (choose it with --target)":
            "the class column is 'a', but that of the batches before is 'b'",
        "train all parts with the same settings, or with --like":
            "train all parts with the same settings, or use partial_fit",
        "x (train the parts on the same columns, or with --like one model)":
            "x (train the parts on the same columns, or use partial_fit)",
        "x (use --select for one part, and train the other parts with --like that model)":
            "x (choose the columns of X beforehand, without select)",
        "the preparations differ: '--impute none --discretize mdl' in a, '--impute mean' in b":
            "the preparations differ: impute='none', discretize='mdl' in a, impute='mean' in b",
        "the table: column 'k' has only one class ('a'), and a classifier needs two (with --target)":
            "y has only one class ('a'), and a classifier needs two",
        "out of memory: 9 bytes (use fewer rows or attributes, or --memory SIZE to keep data in a scratch file)":
            "out of memory: 9 bytes (use fewer rows or attributes)",
        "5000 classes (use -m nb or -m aode, or choose another class column with --target)":
            "5000 classes (use heft.NB or heft.AODE)",
        "method lwnb cannot use instance weights (leave out --weight, or use another method, such as -m nb)":
            "method lwnb cannot use instance weights (leave out sample_weight, or use another method, such as heft.NB)",
        "x. Leave out columns of many values with --drop, or choose another class column with --target":
            "x. Leave columns of many values out of X",
    }
    assert {text: translated(text) for text in same} == same


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
    "n_iter_: the fit of": lambda X, y: heft.NB().fit(X, y).n_iter_,
    "objective_: the fit of": lambda X, y: heft.NB().fit(X, y).objective_,
    "converged_: the fit of": lambda X, y: heft.NB().fit(X, y).converged_,
    "n_iter_: this RNB is not fitted yet": lambda X, y: heft.RNB().n_iter_,
    "merge: the estimators must be of one class, not NB and AODE": lambda X, y: heft.merge(
        [heft.NB().fit(X, y), heft.AODE().fit(X, y)]),
    "impute='none', discretize='mdl'": lambda X, y: heft.merge(
        [heft.NB(discretize="mdl").fit(X, y), heft.NB(discretize="none").fit(X, y)]),
}


@pytest.mark.parametrize("words", SAID)
def test_words_of_errors(words, mixed):
    with pytest.raises((ValueError, AttributeError)) as caught:
        SAID[words](*mixed)
    assert words in str(caught.value)


def test_unknown_categorical_features():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]})
    for given, said in ((["q"], "X has no column 'q'"), (["q", "r"], "X has no columns 'q', 'r'")):
        with pytest.raises(ValueError, match=f"categorical_features: {said}$"):
            heft.NB(categorical_features=given).fit(X, [0, 1, 0, 1])


def test_every_message_of_the_sources(root):
    """Whatever literal of the library names an option, no option is left of it."""
    literal = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\\n]|\\.)*")*')
    found = []
    for path in sorted(Path(root, "lib").rglob("*.c")):
        for text in literal.findall(path.read_text(encoding="utf-8")):
            text = re.sub(r'"\s*(?:PRI\w+\s*)?"', "", text)[1:-1]
            if re.search(OPTION_IN_SOURCE, text):
                found.append(translated(text))
    if not found:
        pytest.skip("there are no sources")
    assert not [text for text in found if re.search(OPTION_IN_SOURCE, text)]
