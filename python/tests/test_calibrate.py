"""Probabilities brought in line with held-out rows."""
import numpy as np
import pytest

import heft


def loss(model, X, y):
    proba = model.predict_proba(X)
    own = proba[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    return -np.log(np.clip(own, 1e-15, 1)).mean()


@pytest.fixture
def repeated():
    """One number five times over, with a little noise: naive Bayes is far too sure."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 600)
    x = y + rng.normal(size=600)
    return np.column_stack([x + 0.1 * rng.normal(size=600) for _ in range(5)]), y


@pytest.mark.parametrize("how", ["temperature", "vector"])
def test_over_confidence_goes(repeated, how):
    X, y = repeated
    plain = heft.NB().fit(X[:400], y[:400])
    model = heft.NB(calibrate=how).fit(X[:400], y[:400])
    assert loss(model, X[400:], y[400:]) < loss(plain, X[400:], y[400:]) - 0.1
    if how == "temperature":
        assert (model.predict(X) == plain.predict(X)).all()


def test_kept_in_the_file(repeated, tmp_path):
    X, y = repeated
    model = heft.NB(calibrate="vector").fit(X, y)
    model.save(tmp_path / "m.heft")
    again = heft.load(tmp_path / "m.heft")
    assert again.calibrate == "vector"
    assert (again.predict_proba(X) == model.predict_proba(X)).all()


def test_unknown_word(repeated):
    with pytest.raises(ValueError, match="magic"):
        heft.NB(calibrate="magic").fit(*repeated)
