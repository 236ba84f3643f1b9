"""heft.evaluate with estimators that are not heft's, and its typed results."""

import numpy as np
import pytest

import heft


class Wrapped:
    """An estimator that heft does not know as its own."""

    def __init__(self, inner=None):
        self.inner = inner or heft.NB()

    def get_params(self, deep=True):
        return {"inner": self.inner}

    def set_params(self, **params):
        self.inner = params["inner"]
        return self

    def fit(self, X, y, sample_weight=None):
        self.inner.fit(X, y, sample_weight=sample_weight)
        self.classes_ = self.inner.classes_[::-1]  # any order will do
        return self

    def predict(self, X):
        return self.inner.predict(X)

    def predict_proba(self, X):
        return self.inner.predict_proba(X)[:, ::-1]


def lines(found):
    return found if isinstance(found, list) else found.to_dict("records")


@pytest.mark.parametrize("how", [{"cv": 5, "repeats": 2}, {"holdout": 0.3, "repeats": 2}, {"cv": "loo"},
                                 {"cv": 4, "sample_weight": np.arange(150) % 3 + 1.0}])
def test_a_foreign_estimator_has_the_figures_of_the_library(iris, how):
    """The same folds, the same measures to the last digits: naive Bayes inside another class."""
    X, y = iris
    own, other = lines(heft.evaluate(["nb", Wrapped()], X, y, predictions=True, random_state=3, **how))
    assert other["method"] == "Wrapped" and list(own) == list(other)
    for name in own:
        if name in ("method", "fit_seconds", "predict_seconds"):
            continue
        if name in ("per_class", "predictions"):
            assert list(own[name]) == list(other[name])
            for column in own[name]:
                a, b = (np.asarray(row[name][column]) for row in (own, other))
                assert (a == b).all() if a.dtype.kind in "OU" else np.allclose(a, b, rtol=0, atol=1e-12, equal_nan=True)
        else:
            assert np.allclose(own[name], other[name], rtol=0, atol=1e-12, equal_nan=True), name


def test_scikit_learn_beside_heft(root):
    """Frames with text go to a pipeline as they are; names are classes, or those that are given."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression, RidgeClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    rng = np.random.default_rng(1)
    X = pandas.DataFrame({"size": rng.normal(size=200), "colour": rng.choice(["red", "blue"], 200)})
    y = np.where(X["size"] + (X["colour"] == "red") > 0.3, "yes", "no")
    words = make_pipeline(make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough"),
                          LogisticRegression())
    found = heft.evaluate(["nb", words, heft.NB(), ("forest", make_pipeline(words[0], RandomForestClassifier(20)))], X, y, cv=4)
    assert list(found["method"]) == ["nb", "Pipeline", "NB()", "forest"]
    assert found["accuracy"][0] == found["accuracy"][2] and (found["accuracy"] > 0.7).all()
    numbers = X[["size"]]
    found = heft.evaluate({"a": heft.NB(), "b": LogisticRegression(), "c": RidgeClassifier()}, numbers, y, cv=4)
    assert [one.method for one in found.results] == ["a", "b", "c"]
    assert np.isnan(found["log_loss"][2]) and found["macro_f1"][2] > 0.5  # it has no probabilities
    twice = heft.evaluate([LogisticRegression(), LogisticRegression(C=0.1)], numbers, y, cv=2)
    assert list(twice["method"]) == ["LogisticRegression", "LogisticRegression 2"]
    with pytest.raises(ValueError, match=r"^LogisticRegression, fold 1 of repeat 1: .*string.*float"):
        heft.evaluate([heft.NB(), LogisticRegression()], X, y, cv=4)
    with pytest.raises(TypeError, match="give the name of a method, or an estimator with fit and predict"):
        heft.evaluate([3], numbers, y)


def test_results_are_typed(iris):
    X, y = iris
    found = heft.evaluate(["nb", heft.LNB(), Wrapped()], X, y, cv=3, intervals=True)
    row, one = lines(found)[0], found.results[0]
    assert isinstance(one, heft.Result) and [r.method for r in found.results] == ["nb", "LNB()", "Wrapped"]
    assert (one.accuracy, one.measures["log_loss"]) == (row["accuracy"], row["log_loss"])
    assert one.per_class[1].label == "versicolor" and one.per_class[1].support == 50
    assert one.intervals["kappa"] == row["intervals"]["kappa"] and found.results[2].intervals is None
    assert "mean_cost" not in one.measures and one.confusion.sum() == 150
    tested = heft.evaluate_models(heft.NB().fit(X, y), X, y).results[0]
    assert tested.method == "NB()" and tested.dataset is None
    assert [r.dataset for r in heft.compare("nb", {"one": (X, y), "two": (X, y)}, cv=3)[0].results] == ["one", "two"]


class Labels(Wrapped):
    """One without probabilities."""

    predict_proba = property()


def test_the_baseline_needs_no_probabilities(iris):
    X, y = iris
    own, other = lines(heft.evaluate(["nb", Labels()], X, y, cv=3))
    assert np.isnan(other["log_loss"]) and own["baseline"] == other["baseline"] > 0.3


def test_what_is_no_estimator_is_named(iris):
    """Nothing at all, and classes in place of their instances."""
    X, y = iris
    for nothing in ([], {}, ()):
        with pytest.raises(ValueError, match="heft.evaluate: no estimators .give the name"):
            heft.evaluate(nothing, X, y)
    for given, name in ((heft.NB, "NB"), ([heft.NB], "NB"), ({"mine": Wrapped}, "Wrapped"), (["nb", ("mine", Wrapped)], "Wrapped")):
        with pytest.raises(TypeError, match=rf"{name} is a class, not an estimator .call it: {name}\(\)."):
            heft.evaluate(given, X, y)


def test_folds_are_a_table_and_can_be_imported(iris, tmp_path):
    """A line for each fold with the columns of --fold-csv; what is imported takes part in ranks and tests."""
    X, y = iris
    sets = {"all": (X, y), "half": (X[::2], y[::2])}
    found, whole = heft.compare(["nb", "cfwnb"], sets, cv=3, repeats=2)
    folds = found.folds if isinstance(found.folds, list) else found.folds.to_dict("records")
    assert list(folds[0]) == ["data", "method", "repeat", "fold", "accuracy", "macro_f1"] and len(folds) == 2 * 2 * 6
    assert [(f["repeat"], f["fold"]) for f in folds[:6]] == [(r, f) for r in (1, 2) for f in range(3)]
    assert np.isclose(np.mean([f["macro_f1"] for f in folds[:6]]), found.results[0].macro_f1_folds)
    path = tmp_path / "other.csv"
    lines = [f"{f['data']},other,{f['repeat']},{f['fold']},{f['accuracy']!r}" for f in folds if f["method"] == "cfwnb"]
    path.write_text("data,method,repeat,fold,accuracy\n" + "\n".join(lines) + "\n", encoding="utf-8")
    again, summary = heft.compare("nb", sets, cv=3, repeats=2, imports=path)
    assert summary["mean_rank"]["other"] == whole["mean_rank"]["cfwnb"]
    assert again.results[1].accuracy == found.results[1].accuracy and again.results[1].per_class == []
    assert np.isnan(again.results[1].measures["auc"]) and np.isnan(again.results[1].fit_seconds)
    with pytest.raises(ValueError, match="other.csv: method 'other' has no accuracy"):
        heft.compare("nb", {**sets, "third": (X, y)}, cv=3, repeats=2, imports=[path])
    single = heft.evaluate(["nb", heft.LCWNB(kappa=3)], X, y, cv=4, repeats=2).folds
    assert len(single) == 16


def test_alternatives_are_chosen(iris):
    """A parameter with alternatives, by name and as an estimator."""
    X, y = iris
    found = heft.evaluate([heft.LCWNB(kappa="3|50"), "lcwnb:kappa=3|50"], X, y, cv=4)
    assert found.results[0].accuracy == found.results[1].accuracy
    with pytest.raises(ValueError, match="'x' is not accepted"):
        heft.LCWNB(kappa="3|x").fit(X, y)
