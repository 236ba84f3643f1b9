"""scikit-learn's checks and tools, evaluation and plots."""

import html
import itertools
import re
import warnings

import numpy as np
import pytest

import heft


def all_checks(checks, estimator):
    if hasattr(checks, "estimator_checks_generator"):  # scikit-learn 1.6
        return checks.estimator_checks_generator(estimator)
    return checks.check_estimator(estimator, generate_only=True)


# A weight counts rows. The check gives the rows of one class weight 1000, which makes the kernels of flexnb
# narrow, and those of the others 0.0001: then the one row that smoothing adds counts more than all of them.
NEEDS_ROWS = {"flexnb", "hnb"}


# Auto holds rows out during training, and a row of weight 2 is one row there. scikit-learn expects the same
# of its own estimators that cross-validate inside, such as LogisticRegressionCV.
HOLDS_ROWS_OUT = {"auto"}


def name_of(check):
    return getattr(getattr(check, "func", check), "__name__", "")


def waived(method, check):
    return method in NEEDS_ROWS and name_of(check) == "check_class_weight_classifiers"


def expected_to_fail(method, check):
    return method in HOLDS_ROWS_OUT and name_of(check).startswith("check_sample_weight_equivalence")


@pytest.mark.parametrize("method", list(heft.BY_METHOD))
def test_scikit_learn_checks_pass(method):
    """check_estimator, every check of it."""
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    from unittest import SkipTest

    ran = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for estimator, check in all_checks(checks, heft.BY_METHOD[method]()):
            if waived(method, check):
                continue
            try:
                check(estimator)
                ran += 1
            except SkipTest:
                pass
            except AssertionError:
                if not expected_to_fail(method, check):
                    raise
    assert ran > 40


def test_it_is_an_estimator_like_others(iris):
    """Pipelines, grid searches, cross-validation and clones."""
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = iris
    search = GridSearchCV(make_pipeline(StandardScaler(), heft.LCWNB()), {"lcwnb__kappa": [2, 5]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.9
    assert cross_val_score(heft.RNB(), X, y, cv=3).mean() > 0.9
    assert clone(heft.RNB(tol=0.25)).tol == 0.25


def test_a_time_limit_ends_the_fit():
    """A fit that was cut short warns and predicts; a limit that is not reached changes nothing."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 5))
    y = X[:, 0] * X[:, 1] + rng.normal(size=3000) / 4 > 0
    with pytest.warns(UserWarning, match="stopped boosting after 1 of .* the time limit of 0.001 seconds"):
        short = heft.Auto(time_limit=0.001).fit(X, y)
    assert "cut short" in short.inspect()["extra"]
    assert np.allclose(short.predict_proba(X).sum(axis=1), 1)
    plain, limited = heft.Auto().fit(X, y), heft.Auto(time_limit=np.float32(1e6)).fit(X, y)
    assert (plain.predict_proba(X) == limited.predict_proba(X)).all()
    for wrong in (0, -1, float("nan"), float("inf"), "1", True):
        with pytest.raises(ValueError, match="time_limit takes a number of seconds above 0"):
            heft.Auto(time_limit=wrong).fit(X, y)
    with pytest.raises(TypeError):
        heft.NB(time_limit=1)


def test_evaluation_is_the_library_s(iris):
    """One row an estimator on the same folds; a method by name and by estimator agree."""
    X, y = iris
    found = heft.evaluate(["nb", "lcwnb:kappa=3", heft.LCWNB(kappa=3)], X, y, cv=5, repeats=2)
    rows = found if isinstance(found, list) else found.to_dict("records")
    assert [r["method"] for r in rows] == ["nb", "lcwnb:kappa=3", "LCWNB(kappa=3)"]
    assert rows[1]["accuracy"] == rows[2]["accuracy"] > 0.9
    assert len(rows[0]["per_fold"]) == 10
    assert np.isclose(np.mean(rows[0]["per_fold"]), rows[0]["accuracy"])
    with pytest.raises(ValueError, match="nothing"):
        heft.evaluate("nothing", X, y)
    with pytest.raises(ValueError, match="cv: 1 is not a whole number of at least 2"):
        heft.evaluate("nb", X, y, cv=1)


def test_evaluation_tells_everything(iris):
    """Figures of each class, confusion, intervals and predictions agree with one another."""
    X, y = iris
    found = heft.evaluate("nb", X, y, cv=5, repeats=2, intervals=True, predictions=True)
    row = found[0] if isinstance(found, list) else found.to_dict("records")[0]
    told = row["predictions"]
    assert len(told["row"]) == 300 and sorted(told["row"][:150]) == list(range(150))
    assert set(told["repeat"]) == {0, 1} and set(told["fold"]) == set(range(5))
    assert np.array_equal(np.asarray(told["actual"])[:150], np.asarray(y)[told["row"][:150]])
    right = np.mean(np.asarray(told["actual"]) == np.asarray(told["predicted"]))
    assert np.isclose(right, row["accuracy_pooled"])
    assert row["confusion"].sum() == 300 and np.isclose(np.trace(row["confusion"]) / 300, right)
    figures = row["per_class"] if isinstance(row["per_class"], list) else row["per_class"].to_dict("records")
    assert [f["class"] for f in figures] == sorted(set(y))
    assert np.isclose(np.mean([f["recall"] for f in figures]), row["balanced_accuracy"])
    low, high = row["intervals"]["kappa"]
    assert low <= row["kappa"] <= high and "mean_cost" not in row
    one = heft.evaluate("nb", X, y, holdout=0.2, predictions=True)
    one = one[0] if isinstance(one, list) else one.to_dict("records")[0]
    assert len(one["predictions"]["row"]) == 30
    left = heft.evaluate("nb", X, y, cv="loo")
    assert len((left[0] if isinstance(left, list) else left.to_dict("records")[0])["per_fold"]) == 150
    for wrong in ({"holdout": 1.5}, {"cv": "all"}, {"cv": "loo", "repeats": 2}):
        with pytest.raises(ValueError):
            heft.evaluate("nb", X, y, **wrong)


def test_comparison_has_ranks_and_tests(iris):
    X, y = iris
    cells, summary = heft.compare(["nb", "rnb"], {"all": (X, y), "half": (X[::2], y[::2])}, cv=5)
    assert len(cells) == 4
    assert set(summary["mean_rank"]) == {"nb", "rnb"}


def test_plots_are_drawn(iris):
    """Axes come back with what they should hold."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from heft import plot

    X, y = iris
    assert len(plot.weights(heft.WANBIA().fit(X, y)).patches) == 4
    assert len(plot.weights(heft.CAWNB().fit(X, y), top=3).patches) == 9
    assert len(plot.weights(heft.LNB().fit(X, y)).patches) == 12
    model = heft.NB().fit(X, y)
    assert len(plot.nomogram(model, X).get_yticklabels()) == 4
    ax = plot.reliability(model, X, y, positive=y[0])
    assert ax.lines[1].get_ydata()[-1] == 1.0
    pyplot.close("all")


def test_the_page_shows_what_the_example_prints(root):
    """docs/python.md holds examples/scikit-learn/quickstart.py and its output."""
    import os
    import subprocess
    import sys

    pytest.importorskip("pandas")
    script = os.path.join(root, "examples", "scikit-learn", "quickstart.py")
    env = dict(os.environ)
    if "HEFT_LIBRARY" in env:
        env["PYTHONPATH"] = os.path.join(root, "python")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    with open(os.path.join(root, "docs", "python.md"), encoding="utf-8") as file:
        page = file.read()
    with open(script, encoding="utf-8") as file:
        assert file.read().split("\n", 1)[1].strip() in page
    assert done.stdout.strip() in page


def test_report(tmp_path):
    """The page of `heft report`: with rows it names those of the training, with cv it does not."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, "yes", "no")
    clf = heft.Auto().fit(X, y)
    path = tmp_path / "page.html"
    clf.report(path)
    assert "cannot be said without data" in path.read_text(encoding="utf-8")
    clf.report(path, X, y)
    assert 'id="optimistic"' in path.read_text(encoding="utf-8")
    clf.report(path, X[:40], y[:40])
    assert 'id="optimistic"' not in path.read_text(encoding="utf-8")
    clf.report(path, X, y, cv=4)
    assert "4-fold cross-validation" in path.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="cv needs X and y"):
        clf.report(path, cv=4)


def test_report_data_and_show():
    """The data of the page have the figures of the estimator; a notebook shows the page in a frame."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, "<yes>", "no & \"no\"")
    clf = heft.Auto().fit(X, y)
    data = clf.report_data(X, y)
    assert data["page"] == "report" and data["version"] == 1
    assert data["model"]["classes"] == list(clf.classes_)
    assert data["headline"]["accuracy"] == pytest.approx(clf.score(X, y), abs=1e-6)
    assert clf.report_data()["source"] is None
    assert clf.report_data(X, y, cv=4)["source"] == {**clf.report_data(X, y, cv=4)["source"], "kind": "folds", "folds": 4}
    page = clf.show(X, y, height=500)
    frame = page._repr_html_()
    assert frame.count("<") == 2 and 'height="500"' in frame
    source = re.search('srcdoc="([^"]*)"', frame).group(1)
    assert html.unescape(source) == page.html and page.html.startswith("<!DOCTYPE html>")
    with pytest.raises(ValueError, match="cv needs X and y"):
        clf.show(X, cv=4)


def test_fitted_models_are_tested_on_new_rows(iris, tmp_path):
    """A model and its file agree; the figures are those of its predictions; unknown labels count as wrong."""
    X, y = iris
    model = heft.NB().fit(X[::2], y[::2])
    model.save(tmp_path / "m.heft")
    found = heft.evaluate_models([model, tmp_path / "m.heft"], X[1::2], y[1::2], predictions=True, intervals=True)
    rows = found if isinstance(found, list) else found.to_dict("records")
    assert [row["method"] for row in rows] == ["NB()", str(tmp_path / "m.heft")]
    assert rows[0]["accuracy"] == rows[1]["accuracy"] == model.score(X[1::2], y[1::2])
    assert (np.asarray(rows[0]["predictions"]["predicted"]) == model.predict(X[1::2])).all()
    assert rows[0]["intervals"]["accuracy"][0] <= rows[0]["accuracy"]
    strange = np.where(np.arange(75) < 5, "rose", y[1::2])
    with pytest.warns(UserWarning, match="5 of 75 rows have a class that the model does not know"):
        found = heft.evaluate_models(model, X[1::2], strange)
    row = found[0] if isinstance(found, list) else found.to_dict("records")[0]
    assert row["accuracy"] == np.mean(model.predict(X[1::2]) == strange)
    with pytest.raises(heft.NotFittedError):
        heft.evaluate_models(heft.NB(), X, y)
    with pytest.raises(ValueError, match="no models"):
        heft.evaluate_models([], X, y)


def test_fit_prints_what_verbose_asks_for(monkeypatch, capsys):
    """Nothing by default; messages and progress with 1; more messages with 2."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    clock = itertools.count(0, 2)
    monkeypatch.setattr(heft._base.time, "monotonic", lambda: next(clock))  # a second has always passed
    said = []
    for verbose in range(3):
        heft.Auto(verbose=verbose).fit(X, y)
        said.append(capsys.readouterr().out)
    assert said[0] == "" and "method auto: " in said[1]
    assert "leave-one-out loss: " in said[2] and "leave-one-out loss: " not in said[1]
    assert re.search(r"^learning.* \(\d+%\)$", said[1], re.M)
    for wrong in (-1, "yes", None):
        with pytest.raises(ValueError, match="verbose: .* is not a whole number from 0 on"):
            heft.NB(verbose=wrong).fit(X, y)


def test_plots_are_there_at_once():
    """heft.plot needs no import of its own, and imports matplotlib at the first plot only."""
    import os
    import subprocess
    import sys

    script = ("import sys, heft; assert not [m for m in sys.modules if m.startswith(('matplotlib', 'heft.plot'))]; heft.plot.shape; "
              "assert 'matplotlib' not in sys.modules; sys.modules['matplotlib'] = None; "
              "clf = heft.NB().fit([[1.0], [2.0], [1.5], [3.0]], [0, 1, 0, 1]); heft.plot.importance(clf)")
    env = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(heft.__file__))}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env)
    assert done.stderr.endswith("ImportError: plots need the package matplotlib (pip install matplotlib)\n"), done.stderr
    with pytest.raises(AttributeError, match="module 'heft' has no attribute 'plots'"):
        heft.plots
