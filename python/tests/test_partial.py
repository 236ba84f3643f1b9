"""partial_fit and merge: batches against one fit on all rows."""

import pickle

import numpy as np
import pytest

import heft

MERGING = [m.name for m in heft.methods() if m.merges]
NUMERIC = ["nb", "gnb", "flexnb", "klnb"]


def make(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(3)
    y = rng.integers(0, 3, n)
    X[:, 0] += y
    return X, y


def words(X):
    """The same as categories."""
    return np.array([[f"v{int(abs(v) * 2) % 5}" for v in row] for row in X], dtype=object)


def same_model(one, other):
    a, b = one.inspect(), other.inspect()
    for document in (a, b):
        document["training"].pop("seconds")
    assert a == b
    np.testing.assert_array_equal(one.classes_, other.classes_)


@pytest.mark.parametrize("method", MERGING)
def test_batches_equal_one_fit(method):
    X, y = make()
    X = X if method in NUMERIC else words(X)
    cls = heft.BY_METHOD[method]
    options = {"scale": "none"} if method == "flexnb" else {}
    whole = cls(**options).fit(X, y)
    parts = cls(**options)
    for lo, hi in ((0, 50), (50, 51), (51, 300)):
        assert parts.partial_fit(X[lo:hi], y[lo:hi], classes=[0, 1, 2]) is parts
    np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))
    same_model(whole, parts)
    same_model(parts, pickle.loads(pickle.dumps(parts)))


def test_methods_that_do_not_count_have_none():
    assert not hasattr(heft.RNB(), "partial_fit")
    assert set(NUMERIC) < set(MERGING)


@pytest.mark.parametrize("labels", [[2, 10, 30], ["b", "a", "é"], [False, True, True], [2.0, -1.0, 7.0]])
def test_new_classes_and_values_are_taken_in(labels):
    X, y = make()
    X = words(X)
    y = np.array(labels)[y]
    order = np.argsort(y, kind="stable")  # classes come one after the other
    X, y = X[order], y[order]
    X[250:, 2] = "late"
    parts = heft.NB()
    for lo in range(0, 300, 60):
        parts.partial_fit(X[lo:lo + 60], y[lo:lo + 60])
    whole = heft.NB().fit(X, y)
    assert parts.classes_.dtype == y.dtype
    np.testing.assert_array_equal(parts.classes_, np.unique(y))
    np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))
    np.testing.assert_array_equal(parts.predict(X), whole.predict(X))


def test_weights_frames_and_sparse_rows():
    pd, sp = pytest.importorskip("pandas"), pytest.importorskip("scipy.sparse")
    X, y = make()
    w = np.arange(300) % 4
    whole = heft.NB().fit(X, y, sample_weight=w)
    parts = heft.NB().partial_fit(X[:100], y[:100], sample_weight=w[:100])
    parts.partial_fit(X[100:], y[100:], sample_weight=w[100:])
    np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))

    frame = pd.DataFrame({"n": X[:, 0], "t": pd.Categorical(words(X)[:, 1]), "b": X[:, 2] > 0})
    label = pd.Series(y, name="kind")
    whole = heft.NB().fit(frame, label)
    parts = heft.NB().partial_fit(frame[:120], label[:120])
    parts.partial_fit(frame[120:], label[120:].to_numpy())
    np.testing.assert_array_equal(parts.predict_proba(frame), whole.predict_proba(frame))
    with pytest.raises(ValueError, match="feature names"):
        parts.partial_fit(frame.rename(columns={"n": "m"}), label)

    sparse = sp.csr_matrix(np.where(np.abs(X) > 1, X.round(), 0))
    whole = heft.NB().fit(sparse, y)
    parts = heft.NB().partial_fit(sparse[:90], y[:90]).partial_fit(sparse[90:], y[90:])
    np.testing.assert_array_equal(parts.predict_proba(sparse), whole.predict_proba(sparse))


def test_the_first_batch_prepares_for_all():
    X, y = make()
    first = heft.AODE().partial_fit(X[:100], y[:100])
    cuts = [a.get("cuts", a) for a in first.inspect()["attributes"]]
    first.partial_fit(X[100:], y[100:])
    assert [a.get("cuts", a) for a in first.inspect()["attributes"]] == cuts
    assert first.inspect()["training"]["rows"] == 300


def test_wrong_batches_leave_the_model_as_it_was():
    X, y = make()
    model = heft.NB().partial_fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="expecting 4 features"):
        model.partial_fit(X[:, :2], y)
    with pytest.raises(ValueError, match="not among classes"):
        model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="Mix of label"):
        model.partial_fit(X, np.array(["a", "b", "c"])[y])
    with pytest.raises(ValueError, match="inconsistent numbers"):
        model.partial_fit(X, y[:-1])
    with pytest.raises(ValueError, match="smoothing"):
        model.set_params(smoothing="paper").partial_fit(X, y)
    with pytest.raises(ValueError, match="select"):
        heft.NB(select="cfs").partial_fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), before)
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])


def test_fit_forgets_and_partial_fit_goes_on():
    X, y = make()
    model = heft.NB().partial_fit(X[:100], y[:100]).fit(X[100:200], y[100:200])
    same_model(model, heft.NB().fit(X[100:200], y[100:200]))
    model.partial_fit(X[200:], y[200:])
    same_model(model, heft.NB().fit(X[100:], y[100:]))


def test_merging_estimators():
    X, y = make()
    parts = [heft.GNB().partial_fit(X[k::3], y[k::3]) for k in range(3)]
    order = np.concatenate([np.arange(k, 300, 3) for k in range(3)])
    whole = heft.merge(parts)
    same_model(whole, heft.GNB().fit(X[order], y[order]))
    assert parts[0].inspect()["training"]["rows"] == 100
    with pytest.raises(ValueError, match="learns from the rows themselves"):
        heft.merge([heft.RNB().fit(X, y)] * 2)
    with pytest.raises(ValueError, match="of one class, not GNB and NB"):
        heft.merge([parts[0], heft.NB().fit(X, y)])
    with pytest.raises(ValueError, match="no estimator"):
        heft.merge([])
    with pytest.raises(ValueError, match="not fitted"):
        heft.merge([heft.NB()])
