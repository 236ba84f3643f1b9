"""Which class is predicted: class_weight, cost, threshold, tune."""

import pickle

import numpy as np
import pytest

import heft


@pytest.fixture(name="rare")
def rare_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    return X, np.where(X[:, 0] + rng.normal(size=600) > 1.8, 'a,"b":c', "no")


def test_rules_decide_and_leave_probabilities(rare):
    X, y = rare
    proba = heft.NB().fit(X, y).predict_proba(X)
    for how, first in (({"threshold": 0.9}, proba[:, 1] < 0.9),
                       ({"threshold": {'a,"b":c': 0.1}}, proba[:, 0] >= 0.1),
                       ({"cost": [[0, 9], [1, 0]]}, proba[:, 1] <= 9 * proba[:, 0]),
                       ({"cost": {('a,"b":c', "no"): 9}}, proba[:, 1] <= 9 * proba[:, 0])):
        model = heft.NB(**how).fit(X, y)
        np.testing.assert_array_equal(model.predict_proba(X), proba)
        np.testing.assert_array_equal(model.predict(X) == model.classes_[0], first)
        back = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(back.predict(X), model.predict(X))
        model.set_decision()
        np.testing.assert_array_equal(model.predict(X), model.classes_[proba.argmax(axis=1)])
        assert model.decision_ == {"rule": "most probable"}


def test_a_tuned_model_survives_its_file(rare, tmp_path):
    X, y = rare
    for tune in ("balanced-accuracy", "f1", "mcc", "cost"):
        model = heft.NB(tune=tune, cost=[[0, 5], [1, 0]] if tune == "cost" else None).fit(X, y)
        rule = model.decision_
        assert rule["rule"] == "threshold" and rule["class"] == 'a,"b":c' and rule["tuned"] == tune
        model.save(tmp_path / "m.heft")
        back = heft.load(tmp_path / "m.heft")
        np.testing.assert_array_equal(back.predict(X), model.predict(X))
        np.testing.assert_array_equal(back.fit(X, y).predict(X), model.predict(X))


def test_class_weight_multiplies_sample_weight(rare):
    X, y = rare
    weights = np.random.default_rng(1).random(len(y)) + 0.5
    for given in (None, weights):
        own = np.ones(len(y)) if given is None else given
        a = heft.NB(class_weight={"no": 0.25}).fit(X, y, given).predict_proba(X)
        b = heft.NB().fit(X, y, own * np.where(y == "no", 0.25, 1)).predict_proba(X)
        np.testing.assert_array_equal(a, b)
        sums = {c: own[y == c].sum() for c in np.unique(y)}
        factor = np.array([own.sum() / 2 / sums[c] for c in y])
        a = heft.NB(class_weight="balanced").fit(X, y, given).predict_proba(X)
        np.testing.assert_allclose(a, heft.NB().fit(X, y, own * factor).predict_proba(X), atol=1e-12)


def test_batches_decide_as_the_whole(rare):
    X, y = rare
    how = {"threshold": {"no": 0.9}, "class_weight": {"no": 0.5}}
    parts = heft.NB(**how).partial_fit(X[:200], y[:200]).partial_fit(X[200:], y[200:])
    np.testing.assert_array_equal(parts.predict(X), heft.NB(**how).fit(X, y).predict(X))
    for wrong in ({"class_weight": "balanced"}, {"tune": "f1"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            heft.NB(**wrong).partial_fit(X, y)


@pytest.mark.parametrize("how, says", [
    ({"threshold": 2}, "is not CLASS=P with a probability P from 0 to 1"),
    ({"threshold": {"x": 0.5}}, "threshold: there is no class 'x'"),
    ({"cost": [[1, 2, 3]]}, "a matrix of shape"),
    ({"cost": {"a": 1}}, "is not a pair"),
    ({"cost": [[0, -1], [1, 0]]}, "does not end in a cost"),
    ({"tune": "cost"}, "tune='cost' needs the costs"),
    ({"tune": "f1", "cost": [[0, 1], [1, 0]]}, "cost cannot be combined with tune='f1'"),
    ({"tune": "recall"}, "is not one of"),
    ({"class_weight": "even"}, "class_weight: 'even' is not balanced"),
    ({"class_weight": {"x": 1}}, "class_weight: there is no class 'x'"),
    ({"class_weight": 3}, "class_weight: 3 is not None"),
])
def test_what_cannot_be_is_refused(rare, how, says):
    X, y = rare
    with pytest.raises(ValueError, match=says):
        heft.NB(**how).fit(X, y)


def test_a_threshold_needs_two_classes():
    X = np.arange(30.0).reshape(-1, 1)
    y = np.arange(30) % 3
    for how in ({"threshold": 0.5}, {"threshold": {1: 0.5}}, {"tune": "mcc"}):
        with pytest.raises(ValueError, match="two classes, and there are 3"):
            heft.NB(**how).fit(X, y)
