"""Frames of other libraries as they are, and arrays in every layout: read where they stand."""

import numpy as np
import pytest

import heft

COLUMNS = {
    "size": [1.0, 2.0, None, 4.0, 5.0, 6.5],
    "count": [1, None, 3, 4, 5, 5],
    "word": ["x", "y", "x", None, "y", "y"],
    "flag": [True, False, True, True, None, False],
}
LABELS = ["no", "yes", "no", "no", "yes", "yes"]


def by_pandas():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({
        "size": pandas.array(COLUMNS["size"], dtype="Float64"),
        "count": pandas.array(COLUMNS["count"], dtype="Int32"),
        "word": pandas.array(COLUMNS["word"], dtype="string"),
        "flag": pandas.array(COLUMNS["flag"], dtype="boolean"),
    })


def check(X, part):
    """The same model and the same probabilities as for the same cells in pandas."""
    pandas = by_pandas()
    expected = heft.NB().fit(pandas, LABELS)
    model = heft.NB().fit(X, LABELS)
    assert model.feature_names_in_.tolist() == list(COLUMNS)
    p = expected.predict_proba(pandas)
    np.testing.assert_array_equal(model.predict_proba(X), p)
    np.testing.assert_array_equal(expected.predict_proba(X), p)
    np.testing.assert_array_equal(model.predict_proba(part), p[2:5])


def test_polars_frames():
    polars = pytest.importorskip("polars")
    X = polars.DataFrame(COLUMNS)
    check(X, X.slice(2, 3))
    coded = X.with_columns(polars.col("word").cast(polars.Categorical),
                           polars.col("count").cast(polars.UInt8))
    model = heft.NB().fit(X, LABELS)
    np.testing.assert_array_equal(model.predict_proba(coded), model.predict_proba(X))
    chunked = polars.concat([X.slice(0, 2), X.slice(2)], rechunk=False)
    np.testing.assert_array_equal(model.predict_proba(chunked), model.predict_proba(X))
    with pytest.raises(ValueError, match="same order"):
        model.predict(X.select(X.columns[::-1]))
    with pytest.raises(TypeError, match="Arrow type"):
        heft.NB().fit(X.with_columns(d=polars.date(2020, 1, 1)), LABELS)


def test_duckdb_relations():
    duckdb = pytest.importorskip("duckdb")
    db = duckdb.connect()
    db.execute("create table t (i integer, size double, count smallint, word varchar, flag boolean)")
    for i in range(6):
        db.execute("insert into t values (?, ?, ?, ?, ?)", [i, *[c[i] for c in COLUMNS.values()]])
    X = db.sql("select size, count, word, flag from t order by i")
    if not hasattr(X, "__arrow_c_stream__"):
        pytest.skip("this DuckDB has no Arrow streams")
    check(X, db.sql("select size, count, word, flag from t where i between 2 and 4 order by i"))


def test_pyarrow_tables():
    pyarrow = pytest.importorskip("pyarrow")
    X = pyarrow.table(COLUMNS)
    check(X, X.slice(2, 3))
    check(X.to_batches()[0], X.slice(2, 3))


@pytest.mark.parametrize("method", ["nb", "gnb", "lnb", "aode"])
def test_layouts_give_one_model(method):
    """Rows first, columns first, strided, reversed, read-only, 32 bits: the same model."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 6)).round(2), rng.integers(0, 3, 500)
    X[:, 0] += y
    X[5, 3] = np.nan
    cls = heft.BY_METHOD[method]
    options = {"impute": "mean"} if method in ("lnb", "aode") else {}
    p = cls(**options).fit(X, y).predict_proba(X)
    wide = np.zeros((1000, 12))
    wide[::2, ::2] = X
    frozen = X.copy()
    frozen.flags.writeable = False
    odd = np.zeros((500, 6 * 8 + 3), dtype=np.uint8)  # rows that are not whole doubles apart
    packed = np.ndarray((500, 6), dtype=np.float64, buffer=odd, strides=(51, 8))
    packed[...] = X
    for form in (np.asfortranarray(X), wide[::2, ::2], X[::-1, ::-1][::-1, ::-1], frozen, packed):
        np.testing.assert_array_equal(cls(**options).fit(form, y).predict_proba(X), p)


def test_a_fitted_model_does_not_lean_on_the_array():
    X = np.asfortranarray(np.random.default_rng(0).normal(size=(300, 4)))
    y = (X[:, 0] > 0).astype(int)
    for method in ("nb", "lwnb", "flexnb"):
        model = heft.BY_METHOD[method]().fit(X, y)
        query = X[:10].copy()
        p = model.predict_proba(query)
        before = X.copy()
        X[...] = 1e9
        np.testing.assert_array_equal(model.predict_proba(query), p)
        X[...] = before


def test_numbers_fitted_where_they_stand_are_those_of_a_table():
    """The way without a table (nb) and the way with one give the same bytes."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(9000, 5)) * [1, 1e-9, 1e6, 1, 1e200] + [0, 1, 1e9, 0, 0], rng.integers(0, 3, 9000)
    X[::7, 1] = np.nan
    w = rng.integers(1, 4, 9000).astype(float)
    for weight in (None, w, w / 3):
        direct = heft.NB().fit(X, y, weight)
        frame = pandas.DataFrame(X, columns=[f"c{j + 1}" for j in range(5)])
        frame["text"] = "a"  # makes it a table
        table = heft.NB().fit(frame, y, weight)
        a, b = direct.inspect()["attributes"], table.inspect()["attributes"][:5]
        assert a == b
    narrow = X[:, [0, 2, 3]]
    calibrated = heft.NB(calibrate="temperature").fit(narrow, y)
    assert "calibration" in calibrated.inspect()["extra"]
    assert (calibrated.predict_proba(narrow) != heft.NB().fit(narrow, y).predict_proba(narrow)).any()
    for k, bad in enumerate((np.inf, -np.inf)):
        Z = X.copy()
        Z[8123, 2 + k] = bad
        with pytest.raises(ValueError, match=f"infinity.*'c{3 + k}', row 8124"):
            heft.NB().fit(Z, y)


def test_bad_inputs_of_every_kind():
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    mixed = X.astype(object)
    mixed[3, 1] = "text"
    infinite = X.astype(object)
    infinite[0, 0] = np.inf
    holder = X.astype(object)
    holder[2, 2] = {"a": 1}
    for call, kind, words in [
        (lambda: heft.NB().fit(mixed, y), ValueError, "column 'c2' mixes"),
        (lambda: heft.NB().fit(infinite, y), ValueError, "infinity"),
        (lambda: heft.NB().fit(holder, y), TypeError, "'dict'"),
        (lambda: heft.NB().fit(X, y, [1, 2]), ValueError, "expected"),
        (lambda: heft.NB().fit(X, y, np.full(40, np.inf)), ValueError, "infinity"),
        (lambda: heft.AODE().fit(sparse.csr_matrix(X), y), TypeError, "dense data is required"),
        (lambda: heft.NB().fit(sparse.csr_matrix(X), y).predict(sparse.csr_matrix(X[:, :2])),
         ValueError, "expecting 3 features"),
        (lambda: heft.NB().fit([[1, 2], [3]], [0, 1]), ValueError, "inhomogeneous"),
        (lambda: heft.NB().partial_fit(X[:, 0], y), ValueError, "Expected 2D"),
        (lambda: heft.NB(discretize="rubbish").fit(X, y), ValueError, "discretize"),
        (lambda: heft.KLNB(bins=1).fit(X, y), ValueError, "bins"),
        (lambda: heft.NB(random_state=-1).fit(X, y), ValueError, "negative"),
    ]:
        with pytest.raises(kind, match=words):
            call()
