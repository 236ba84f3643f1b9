"""Every estimator: what it predicts, keeps, saves and refuses."""

import copy
import importlib.util
import inspect
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import heft
from heft._base import option_text

METHODS = list(heft.BY_METHOD)


def test_reference_is_up_to_date(root):
    """docs/python-reference.md follows the docstrings."""
    if "HEFT_LIBRARY" not in os.environ:
        pytest.skip("needs HEFT_LIBRARY")
    done = subprocess.run([sys.executable, os.path.join(root, "python", "reference.py"), "--check"], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def generate(root, *arguments):
    """generate.py without any installed package, as the build runs it."""
    return subprocess.run([sys.executable, "-I", "-S", os.path.join(root, "python", "generate.py"), *map(str, arguments)],
                          capture_output=True, text=True)


def test_made_file_has_a_class_for_each_method(root, tmp_path):
    """The file that a wheel has: one class per method, whose parameters are the options with their defaults and the shared
    ones, all described, and the same as those of the package in use."""
    if not os.path.exists(os.path.join(root, "python", "generate.py")):
        pytest.skip("there are no sources")
    path = tmp_path / "estimators.py"
    done = generate(root, heft._ffi.lib._name, path)
    assert done.returncode == 0, done.stderr
    spec = importlib.util.spec_from_file_location("heft._made", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert sorted(made.BY_METHOD) == sorted(method.name for method in heft.methods())
    assert [made.BY_METHOD[m.name].__name__ for m in heft.methods()] == made.__all__
    for method in heft.methods():
        cls = made.BY_METHOD[method.name]
        defaults = {p.name: p.default for p in inspect.signature(cls).parameters.values()}
        assert {option.replace("_", "-").rstrip("-") for option in cls._options} == {o.name for o in method.options}
        for option in method.options:
            name = next(name for name, known in cls._options.items() if known == option.name)
            assert option_text(defaults.pop(name)) == option_text(like_number(option.fallback)), (method.name, name)
        assert defaults.pop("verbose") == 0 and set(defaults.values()) == {None}
        assert {"discretize", "prior", "cost", "n_jobs", "random_state"} <= set(defaults)
        assert ("class_weight" in defaults) == method.weights and ("time_limit" in defaults) == method.stops
        assert all(f"\n    {name} : " in cls.__doc__ for name in inspect.signature(cls).parameters)
        said = " ".join(cls.__doc__.split())
        for setting in heft._ffi.settings():
            assert setting.name not in defaults or setting.help.split(" (default")[0] in said, setting
        mine = heft.BY_METHOD[method.name]
        assert cls.__doc__ == mine.__doc__ and str(inspect.signature(cls)) == str(inspect.signature(mine))
        assert cls.__mro__[1:] == mine.__mro__[1:] and cls().get_params() == mine().get_params()


def like_number(text):
    """An option's default: a number, a pair of numbers or a word."""
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        return text
    return found if len(found) > 1 else found[0]


def test_generate_writes_only_when_told(root, tmp_path):
    """Wrong arguments print the usage, and a library that is not there is a sentence."""
    path = tmp_path / "estimators.py"
    asked, unknown, absent = generate(root, "--help"), generate(root, path), generate(root, tmp_path / "absent.so", path)
    assert asked.returncode == 0 and asked.stdout.startswith("generate.py - write") and not asked.stderr
    assert unknown.returncode == 2 and unknown.stderr == asked.stdout
    assert absent.returncode == 1 and absent.stderr.startswith("generate.py: ") and absent.stderr.count("\n") == 1
    assert not path.exists()


@pytest.mark.parametrize("method", METHODS)
def test_fit_predict_and_copies(method, iris):
    """Probabilities sum to 1, log and joint agree with them, copies and files give the same bits."""
    X, y = iris
    model = heft.BY_METHOD[method]()
    assert model.fit(X, y) is model
    p = model.predict_proba(X)
    assert p.shape == (150, 3) and np.allclose(p.sum(axis=1), 1, atol=1e-12)
    with np.errstate(divide="ignore"):
        assert np.allclose(np.exp(model.predict_log_proba(X)), p, atol=1e-12)
    joint = model.predict_joint_log_proba(X)
    shifted = np.exp(joint - joint.max(axis=1, keepdims=True))
    assert np.allclose(shifted / shifted.sum(axis=1, keepdims=True), p, atol=1e-12)
    assert (model.predict(X) == model.classes_[p.argmax(axis=1)]).all()
    assert model.score(X, y) > 0.9
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert (other.predict_proba(X) == p).all()
        assert other.get_params() == model.get_params()


@pytest.mark.parametrize("method", METHODS)
def test_files_are_those_of_the_command(method, iris, tmp_path):
    """A saved model comes back with its parameters and its bits."""
    X, y = iris
    model = heft.BY_METHOD[method](discretize="width:7").fit(X, y)
    path = tmp_path / "m.heft"
    model.save(path)
    back = heft.load(path)
    assert type(back) is type(model)
    assert (back.predict_proba(X) == model.predict_proba(X)).all()
    assert back.classes_.tolist() == model.classes_.tolist()
    again = type(back)(**back.get_params()).fit(X, y)
    assert np.allclose(again.predict_proba(X), model.predict_proba(X), atol=1e-12)


def test_the_command_line_agrees_bit_for_bit(iris, root, tmp_path):
    """The program and the package predict the same doubles from the same table."""
    program = os.environ.get("HEFT_PROGRAM")
    if not program:
        pytest.skip("needs HEFT_PROGRAM")
    X, y = iris
    data, file = os.path.join(root, "examples", "iris.csv"), str(tmp_path / "m.heft")
    for method in ("nb", "rnb", "lnb", "lcwnb", "aode"):
        subprocess.run([program, "train", data, "-m", method, "-o", file, "-q"], check=True)
        out = subprocess.run([program, "predict", file, data, "--proba", "-q"], check=True,
                             capture_output=True, text=True).stdout.splitlines()[1:]
        said = np.array([[float(v) for v in line.split(",")[1:]] for line in out])
        model = heft.BY_METHOD[method]().fit(X, y)
        assert (model.predict_proba(X) == said).all(), method
        loaded = heft.load(file)
        with pytest.warns(UserWarning, match="valid feature names"):
            assert (loaded.predict_proba(X) == said).all(), method


@pytest.mark.parametrize("labels", [
    np.array([0, 1, 2]), np.array([-1.0, 0.0, 3.0]), np.array(["b", "a", "c"]),
    np.array(["b", "a", "c"], dtype=object), np.array([10, 7, 9], dtype=np.uint8),
])
def test_labels_keep_their_type(labels, iris):
    """classes_ and predictions are of y's dtype, in the order of np.unique."""
    X, y = iris
    mine = labels[np.unique(y, return_inverse=True)[1]]
    model = heft.NB().fit(X, mine)
    assert model.classes_.dtype == mine.dtype
    assert model.classes_.tolist() == sorted(labels.tolist())
    assert model.predict(X).dtype == mine.dtype
    assert (model.predict(X) == mine).mean() > 0.9


@pytest.mark.parametrize("labels, dtype", [
    ([-128, 127, 0], np.int8), ([255, 0, 7], np.uint8), ([2**64 - 1, 2**64 - 9], np.uint64),
    ([-(2**63), -(2**63) + 4], np.int64), ([-(2**40), 2**40], np.int64),
])
def test_whole_numbers_at_the_ends_of_their_range(labels, dtype):
    """Labels survive whatever arithmetic finds them."""
    y = np.array(labels * 5, dtype=dtype)
    X = np.arange(len(y), dtype=float)[:, None] % len(labels)
    model = heft.NB(categorical_features=[0]).fit(X, y)
    assert model.classes_.dtype == dtype and model.classes_.tolist() == sorted(labels)
    assert (model.predict(X) == y).all()


def test_bool_labels_survive_a_file(iris, tmp_path):
    """Bools and numbers come back from the text of a model file."""
    X, y = iris
    model = heft.NB().fit(X, y == y[0])
    assert model.classes_.dtype == bool
    model.save(tmp_path / "m.heft")
    assert heft.load(tmp_path / "m.heft").classes_.tolist() == [False, True]
    assert heft.load(tmp_path / "m.heft", labels="text").classes_.tolist() == ["False", "True"]


@pytest.mark.parametrize("method", [m.name for m in heft.methods() if m.weights and m.name != "auto"])
def test_a_weight_of_two_is_two_rows(method, iris):
    """Weights equal repetition, except in auto, where a weighted row is one row."""
    X, y = iris
    weight = 1 + np.arange(150) % 3
    kept = heft.BY_METHOD[method]().fit(X, y, sample_weight=weight)
    rows = np.repeat(np.arange(150), weight)
    told = heft.BY_METHOD[method]().fit(X[rows], y[rows])
    assert np.allclose(kept.predict_proba(X), told.predict_proba(X), atol=1e-4)


def test_types_are_documented():
    """Words are listed as the values that they are, numbers are int or float."""
    for words in ("effort : {'count', 'lean', 'full'}, default 'lean'", "order : {'auto', 1, 2, 3, 'any'}, default 'auto'"):
        assert words in heft.Auto.__doc__
    assert "max_iter : int, default 1000" in heft.LNB.__doc__
    assert "bound : float or 'none', default 'none'" in heft.LNB.__doc__
    assert "bounds : tuple of two floats or 'none', default (0, 1)" in heft.RNB.__doc__


@pytest.mark.parametrize("method", [m.name for m in heft.methods() if m.explains])
def test_explanations_add_up(method, iris):
    """Prior and contributions sum to the score, whose softmax is the posterior."""
    X, y = iris
    if next(m.votes for m in heft.methods() if m.name == method):
        X, y = X[:100], y[:100]
    model = heft.BY_METHOD[method]().fit(X, y)
    why = model.explain(X[::20])
    assert np.allclose(why.prior + why.contributions.sum(axis=1), why.score)
    e = np.exp(why.score - why.score.max(axis=1, keepdims=True))
    assert np.allclose(e / e.sum(axis=1, keepdims=True), model.predict_proba(X[::20]))
    assert why.features == ["c1", "c2", "c3", "c4"]


def test_terms_add_up(iris):
    """Attributes alone, pairs and triples sum to the same score; shares of them are the contributions."""
    X, y = iris
    model = heft.Auto().fit(X, y)
    why, apart = model.explain(X[::20]), model.explain(X[::20], terms=True)
    assert np.allclose(apart.prior + apart.contributions.sum(axis=1), why.score, atol=1e-9)
    assert np.allclose(apart.prior, why.prior) and np.allclose(apart.score, why.score, atol=1e-9)
    assert {len(term) for term in apart.features} == {1, 2, 3}
    shared = np.zeros_like(why.contributions)
    for t, term in enumerate(apart.features):
        for name in term:
            shared[:, why.features.index(name)] += apart.contributions[:, t] / len(term)
    assert np.allclose(shared, why.contributions, atol=1e-9)
    plain = heft.NB().fit(X, y)
    assert plain.explain(X[:2], terms=True).features == [("c1",), ("c2",), ("c3",), ("c4",)]
    with pytest.raises(ValueError, match="not a sum of terms"):
        heft.AODE().fit(X, y).explain(X[:2], terms=True)


def test_weights_have_the_shape_they_were_learned_in(iris):
    """By attribute, class, value and pair; the other shapes are absent."""
    X, y = iris
    rnb, cawnb = heft.WANBIA().fit(X, y), heft.CAWNB().fit(X, y)
    assert rnb.attribute_weights_.shape == (4,) and not hasattr(rnb, "class_weights_")
    assert cawnb.attribute_weights_.shape == cawnb.class_weights_.shape == (4, 3)
    pairs = heft.LNB().fit(X, y)
    assert pairs.attribute_weights_.shape == (3, 4)
    assert pairs.pairs_[0] == (pairs.classes_[0], pairs.classes_[1])
    values = heft.VWNB().fit(X, y)
    assert not hasattr(values, "attribute_weights_")
    assert set(values.value_weights_) == {"c1", "c2", "c3", "c4"}
    assert rnb.n_iter_ >= 1 and rnb.objective_ > 0 and rnb.converged_ is True
    assert not hasattr(heft.NB().fit(X, y), "n_iter_") and not hasattr(heft.NB(), "n_iter_")
    assert np.allclose(heft.NB().fit(X, y).class_prior_, 1 / 3)


def test_parameters_reach_the_library(iris):
    """A parameter changes the fit, a wrong one is refused with the library's sentence."""
    X, y = iris
    assert heft.RNB(max_iter=0).fit(X, y).attribute_weights_.tolist() == [1, 1, 1, 1]
    assert heft.RNB(bounds=(0.5, 0.6)).fit(X, y).attribute_weights_.max() <= 0.6
    told = heft.NB(prior={"setosa": 0.2, "versicolor": 0.3, "virginica": 0.5}).fit(X, y)
    assert np.allclose(told.class_prior_, [0.2, 0.3, 0.5])
    assert np.allclose(heft.NB(prior=[0.2, 0.3, 0.5]).fit(X, y).class_prior_, [0.2, 0.3, 0.5])
    with pytest.raises(ValueError, match="tol"):
        heft.RNB(tol="much").fit(X, y)
    with pytest.raises(ValueError, match="discretize"):
        heft.NB(discretize="thrice").fit(X, y)
    with pytest.raises(ValueError, match="discretize='mdl'"):
        heft.TAN(discretize="none").fit(X, y)
    with pytest.raises(ValueError, match="[Ii]nvalid parameter"):
        heft.NB().set_params(nothing=1)
    assert heft.RNB(tol=0.5).get_params()["tol"] == 0.5
    assert repr(heft.RNB(tol=0.5)) == "RNB(tol=0.5)"


def test_wrong_calls_are_refused(iris, tmp_path):
    """The errors a user of scikit-learn expects."""
    X, y = iris
    bad = X.copy()
    bad[3, 2] = np.inf
    model = heft.NB().fit(X, y)
    for call, kind, words in [
        (lambda: heft.NB().predict(X), heft.NotFittedError, "not fitted"),
        (lambda: heft.NB().fit(X[:, 0], y), ValueError, "Expected 2D array, got 1D"),
        (lambda: heft.NB().fit(X[None], y), ValueError, "dim 3"),
        (lambda: heft.NB().fit(X[:0], y[:0]), ValueError, "0 sample"),
        (lambda: heft.NB().fit(X[:, :0], y), ValueError, "0 feature"),
        (lambda: heft.NB().fit(X, y[:5]), ValueError, "inconsistent numbers"),
        (lambda: heft.NB().fit(X, None), ValueError, "requires y"),
        (lambda: heft.NB().fit(X, y[:, None].repeat(2, 1)), ValueError, "1d array"),
        (lambda: heft.NB().fit(X, X[:, 0]), ValueError, "Unknown label type: continuous"),
        (lambda: heft.NB().fit(X, np.where(y == y[0], np.nan, 1)), ValueError, "y contains NaN"),
        (lambda: heft.NB().fit(X, np.zeros(150)), ValueError, "one class"),
        (lambda: heft.NB().fit(bad, y), ValueError, "infinity.*'c3', row 4"),
        (lambda: model.predict(bad), ValueError, "infinity"),
        (lambda: heft.NB().fit(X + 1j, y), ValueError, "Complex"),
        (lambda: heft.NB().fit(X, y, -np.ones(150)), ValueError, "Negative"),
        (lambda: heft.NB().fit(X, y, np.full(150, np.nan)), ValueError, "NaN"),
        (lambda: heft.NB().fit(X, y, np.ones(3)), ValueError, "expected"),
        (lambda: heft.NB().fit(X, y, np.zeros(150)), ValueError, "zero"),
        (lambda: heft.LWNB().fit(X, y, np.ones(150)), TypeError, "argument"),
        (lambda: model.predict(X[:, :2]), ValueError, "X has 2 features, but NB is expecting 4"),
        (lambda: heft.AODE().fit(X, y).explain(X), ValueError, "sum over attributes"),
        (lambda: model.save(tmp_path / "no" / "m.heft"), FileNotFoundError, "m.heft"),
        (lambda: heft.load(tmp_path / "absent.heft"), FileNotFoundError, "absent"),
        (lambda: heft.load(__file__), ValueError, "test_estimators"),
    ]:
        with pytest.raises(kind, match=words):
            call()


def test_measured_numbers_are_no_classes(iris):
    """Floats that are prices are refused, as by the program; whole numbers of an integer type are classes."""
    X, y = np.arange(1000.0).reshape(500, 2), np.arange(500) * 137.0
    for fit in (lambda: heft.NB().fit(X, y), lambda: heft.evaluate("nb", X, y, cv=2)):
        with pytest.raises(ValueError, match="continuous. y has 500 different numbers .* no regression .*numpy.digitize"):
            fit()
    few = np.tile(np.arange(25.0), 20)  # ages: no gaps, and at least as many rows of each as the program asks for
    many = np.tile(np.arange(25.0), 40)
    assert heft.NB().fit(np.arange(1000.0).reshape(-1, 1), many).classes_.tolist() == list(range(25))
    assert heft.NB().fit(X, few.astype(int)).classes_.tolist() == list(range(25))
    assert len(heft.NB().fit(X, np.arange(500) % 250 * 137).classes_) == 250
    assert heft.NB().fit(X, many[:500] % 3).predict(X).dtype == float


def test_values_of_single_rows_are_no_classes():
    """Fewer than two rows for each of at least 20 values are refused, as by the program, unless they are declared."""
    X, y = np.arange(400.0).reshape(200, 2), np.arange(200)
    texts = y.astype(str)
    for labels in (y, texts, texts.astype(object), np.arange(200) % 101):
        for fit in (lambda: heft.Auto().fit(X, labels), lambda: heft.evaluate("nb", X, labels, cv=2)):
            with pytest.raises(ValueError, match=r"y has (200|101) values in 200 rows, too few of each to learn from .join values"):
                fit()
    assert len(heft.NB().fit(X, y % 100).classes_) == 100
    assert len(heft.NB().fit(X[:19], y[:19]).classes_) == 19
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="y has 200 values in 200 rows"):
        heft.NB().fit(X, pandas.Series(texts, dtype="string"))
    for declared in (y, texts, y * 137.0):
        assert len(heft.NB().fit(X, pandas.Series(declared, dtype="category")).classes_) == 200


def test_a_failed_fit_leaves_nothing(iris):
    """After an error the estimator is as if it had not been fitted."""
    X, y = iris
    model = heft.NB().fit(X, y)
    with pytest.raises(ValueError):
        model.fit(X, np.zeros(150))
    with pytest.raises(heft.NotFittedError):
        model.predict(X)
    assert not hasattr(model, "classes_")


def test_an_interrupt_ends_a_fit():
    """KeyboardInterrupt comes soon and leaves the estimator unfitted."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20000, 40)), rng.integers(0, 2, 20000)
    model = heft.DEAWNB(generations=100000, discretize="width:10")
    timer = threading.Timer(0.5, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job
    timer.start()
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - began < 20
    with pytest.raises(heft.NotFittedError):
        model.predict(X)


def test_threads_share_a_model(iris):
    """Many threads may predict with one model and fit at once."""
    X, y = iris
    model, found = heft.NB().fit(X, y), []
    expected = model.predict_proba(X)

    def work():
        for _ in range(20):
            assert (heft.NB().fit(X, y).predict_proba(X) == expected).all()
            found.append((model.predict_proba(X) == expected).all())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80 and all(found)


@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_forked_child_works(iris):
    """After a fork the child fits and predicts as the parent does."""
    X, y = np.repeat(iris[0], 200, axis=0), np.repeat(iris[1], 200)
    expected = heft.NB().fit(X, y).predict_proba(X)
    child = os.fork()
    if child == 0:
        same = (heft.NB().fit(X, y).predict_proba(X) == expected).all()
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("method", METHODS)
def test_a_loaded_model_shows_what_was_set(method, iris, tmp_path):
    """Not what the method does by default."""
    X, y = iris
    words = np.where(X > X.mean(axis=0), "high", "low")
    given = {"unseen": "zero"} if method != "auto" else {"effort": "count", "prior": "uniform"}
    for data, params in ((X, {}), (words, {}), (words, given)):
        model = heft.BY_METHOD[method](**params).fit(data, y)
        model.save(tmp_path / "m.heft")
        assert repr(heft.load(tmp_path / "m.heft")) == repr(model)


def test_a_loaded_model_finds_the_columns_that_select_chose(iris, tmp_path):
    """A file has the names of the selected columns alone; X may have all columns or these."""
    sparse = pytest.importorskip("scipy.sparse")
    pandas = pytest.importorskip("pandas")
    X, y = iris
    X = X[:, [3, 0, 2, 1]]  # the best two, 0 and 2, are not the first
    named = pandas.DataFrame(X, columns=["w", "x", "y", "z"])
    mixed = named.assign(x=named["x"].map(lambda v: f"v{v:.0f}"), w=named["w"].map(lambda v: f"v{v:.0f}"))
    for table in (X, named, mixed, pandas.DataFrame(X), sparse.csr_matrix(X)):
        fitted = heft.NB(select="gain-ratio:2").fit(table, y)
        fitted.save(tmp_path / "m.heft")
        loaded = heft.load(tmp_path / "m.heft")
        assert loaded.n_features_in_ == 2 and loaded.attribute_weights_.shape == (2,)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.array_equal(loaded.predict_proba(table), fitted.predict_proba(table))
            assert np.array_equal(loaded.explain(table[:3]).contributions, fitted.explain(table[:3]).contributions)
    for table in (named[["z", "w", "y", "x"]], named[["w", "y"]]):
        heft.NB(select="gain-ratio:2").fit(named, y).save(tmp_path / "m.heft")
        assert (heft.load(tmp_path / "m.heft").predict(table) == y).mean() > 0.9
    with pytest.raises(ValueError, match="yet now missing:\n- w"):
        heft.load(tmp_path / "m.heft").predict(named[["x", "y", "z"]])


def test_a_loaded_model_has_its_configuration(iris, tmp_path):
    """Every kind of parameter, also of files that the program wrote; a fit with them gives the model again."""
    X, y = iris
    two = np.where(y == y[0], "a b", 'c"d')
    for model in (
        heft.RNB(tol=1e-5, bounds=(0, 2), alpha=0.5, discretize="width:5", prior={y[0]: 0.5}, class_weight="balanced"),
        heft.Auto(effort="count", order=2, random_state=7, time_limit=1000),
        heft.LCWNB(kappa="auto", select="gain-ratio:2"), heft.VWNB(lambda_=2),
    ):
        model.fit(X, y).save(tmp_path / "m.heft")
        back = heft.load(tmp_path / "m.heft")
        plain = {k: v for k, v in model.get_params().items() if k not in ("prior", "n_jobs")}
        assert {k: back.get_params()[k] for k in plain} == plain
        assert (back.fit(X, y).predict_proba(X) == model.predict_proba(X)).all()
    model = heft.NB(threshold={'c"d': 0.9}, class_weight={"a b": 3}).fit(X, two)
    model.save(tmp_path / "m.heft")
    back = heft.load(tmp_path / "m.heft")
    assert back.threshold == {'c"d': 0.9} and (back.fit(X, two).predict(X) == model.predict(X)).all()
    model = heft.NB(cost={("a b", 'c"d'): 7}).fit(X, two)
    model.save(tmp_path / "m.heft")
    assert (heft.load(tmp_path / "m.heft").fit(X, two).predict(X) == model.predict(X)).all()


def test_no_method_has_a_parameter_that_it_always_refuses(iris):
    X, y = iris
    with pytest.raises(TypeError, match="smoothing"):
        heft.Auto(smoothing="laplace")
    values = {"discretize": ["width:5", "none"], "impute": ["mean"], "scale": ["minmax", "none"], "unseen": ["missing"],
              "smoothing": ["laplace", "paper"], "prior": ["uniform", "smoothed"], "select": ["gain-ratio:3"]}
    for method, cls in heft.BY_METHOD.items():
        for name in set(values) & set(cls().get_params()):
            refused = 0
            for value in values[name]:
                try:
                    cls(**{name: value}).fit(X, y)
                except ValueError:
                    refused += 1
            assert refused < len(values[name]), (method, name)
