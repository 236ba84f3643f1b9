"""What can be passed as X, and that it does not matter how."""

import numpy as np
import pytest

import heft


@pytest.mark.parametrize("form", [
    np.ascontiguousarray, np.asfortranarray, lambda X: X.astype(np.float64)[::1],
    lambda X: np.repeat(X, 2, axis=1)[:, ::2], lambda X: X[::-1][::-1], lambda X: X.tolist(),
    lambda X: X.astype(object), lambda X: X.astype(">f8"),
])
def test_layouts_of_an_array_are_one(form, iris):
    """Order, strides, lists, objects and byte order change nothing."""
    X, y = iris
    expected = heft.NB().fit(X, y).predict_proba(X)
    assert (heft.NB().fit(form(X), y).predict_proba(form(X)) == expected).all()
    frozen = X.copy()
    frozen.flags.writeable = False
    assert (heft.NB().fit(frozen, y).predict_proba(frozen) == expected).all()


def test_text_is_nominal():
    """Columns of text are counted; a value never seen is passed over, missing cells too."""
    X = np.array([["a", "u"], ["a", "v"], ["b", "u"], ["b", "v"], ["b", "v"]])
    y = [0, 0, 1, 1, 1]
    model = heft.NB().fit(X, y)
    p = (1 + 2) / (2 + 2) * (1 + 1) / (2 + 2) * 3 / 7, (0 + 1) / 5 * (1 + 1) / 5 * 4 / 7
    assert np.allclose(model.predict_proba([["a", "u"]]), np.array([p]) / sum(p))
    alone = model.predict_proba(np.array([["a", None]], dtype=object))
    assert np.allclose(model.predict_proba([["a", "never"]]), alone)


def test_columns_can_be_made_nominal():
    """categorical_features by index, mask and at prediction alike."""
    X = np.array([[1, 0.5], [1, 0.6], [2, 1.5], [2, 1.7], [3, 1.9]])
    y = [0, 0, 1, 1, 1]
    expected = heft.NB(categorical_features=[0]).fit(X, y)
    assert expected.inspect()["attributes"][0]["kind"] == "nominal"
    masked = heft.NB(categorical_features=[True, False]).fit(X, y)
    assert (masked.predict_proba(X) == expected.predict_proba(X)).all()
    texts = np.array([[str(int(a)), b] for a, b in X], dtype=object)
    told = heft.NB().fit(texts, y)
    assert (told.predict_proba(texts) == expected.predict_proba(X)).all()
    assert (told.predict_proba(X) == expected.predict_proba(X)).all()
    for wrong in ([2], [True], ["a"]):
        with pytest.raises(ValueError, match="categorical_features"):
            heft.NB(categorical_features=wrong).fit(X, y)


@pytest.mark.parametrize("column, kind, words", [
    ([1, "a", 2, 3], ValueError, "mixes"),
    ([1, {}, 2, 3], TypeError, "argument must be a string or a real number"),
    ([1, 2j, 3, 4], ValueError, "Complex"),
])
def test_mixed_columns_are_refused(column, kind, words):
    """Objects that are neither all numbers nor all text."""
    X = np.empty((4, 1), dtype=object)
    X[:, 0] = column
    with pytest.raises(kind, match=words):
        heft.NB().fit(X, [0, 1, 0, 1])


def advice(call):
    """The line in parentheses that a TypeError about dates ends with."""
    with pytest.raises(TypeError, match="holds dates or times") as refused:
        call()
    return str(refused.value).split("numbers: ")[1][:-1]


def test_dates_are_refused():
    """With a line that makes numbers of them, missing ones included."""
    dates = np.array([["2020-01-01"], ["2021-01-01"], ["NaT"]], dtype="datetime64[D]")
    for X in (dates, dates - dates[0]):
        given = {"X": X, "numpy": np}
        exec(advice(lambda: heft.NB().fit(X, [0, 1, 0])), given)
        assert heft.NB().fit(given["X"], [0, 1, 0]) and np.isnan(given["X"][2, 0])


def test_dates_of_pandas_are_refused():
    pandas = pytest.importorskip("pandas")
    days = pandas.date_range("2020-01-01", periods=4)
    for column in (days, days.tz_localize("Europe/Berlin"), days - days[0], days.to_period("D"),
                   pandas.Series([day.date() for day in days]),
                   pandas.Series(days.to_pydatetime(), dtype=object)):
        X = pandas.DataFrame({"d": column, "x": [1, 2, 1, 2]})
        exec(advice(lambda: heft.NB().fit(X, [0, 1, 0, 1])), {"X": X, "pandas": pandas})
        assert heft.NB().fit(X, [0, 1, 0, 1])


def test_one_column_needs_two_dimensions():
    """A Series gets scikit-learn's advice."""
    for package in ("pandas", "polars"):
        series = pytest.importorskip(package).Series([1.0, 2.0, 3.0, 4.0])
        with pytest.raises(ValueError, match="Pass a DataFrame containing a single row"):
            heft.NB().fit(series, [0, 1, 0, 1])


def test_tags_tell_what_columns_may_hold():
    pytest.importorskip("sklearn", minversion="1.6")
    tags = heft.Auto().__sklearn_tags__().input_tags
    assert tags.categorical and tags.string and tags.allow_nan and not tags.sparse


def test_a_missing_library_is_named(monkeypatch):
    """One that libheft needs, or libheft itself."""
    from heft import _ffi

    for said, words in (("libjansson.so.4: cannot open shared object file: No such file or directory",
                         "libheft needs libjansson.so.4, which was not found"),
                        ("/usr/lib/libheft.so.1: cannot open shared object file: No such file or directory",
                         "libheft was not found: install it.*/usr/lib/libheft.so.1")):
        def refuse(place):
            raise OSError(said)

        monkeypatch.setattr(_ffi.ctypes, "CDLL", refuse)
        with pytest.raises(ImportError, match=words):
            _ffi._open()


def frame():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({
        "size": [1.0, 2.0, None, 4.0, 5.0, 6.5],
        "count": pandas.array([1, None, 3, 4, 5, 5], dtype="Int64"),
        "word": ["x", "y", "x", None, "y", "y"],
        "kind": pandas.Categorical(["b", "a", "b", "b", "a", None], categories=["b", "a", "c"]),
        "flag": [True, False, True, True, False, False],
        "maybe": pandas.array([True, None, True, False, False, False], dtype="boolean"),
        "string": pandas.array(["p", "q", None, "p", "q", "q"], dtype="string"),
    }), ["no", "yes", "no", "no", "yes", "yes"]


def test_frames_of_every_kind():
    """Numbers, text, category, bool, nullable and missing cells; names are kept and compared."""
    X, y = frame()
    model = heft.NB().fit(X, y)
    kinds = [a["kind"] for a in model.inspect()["attributes"]]
    assert kinds == ["numeric"] * 2 + ["nominal"] * 5
    assert model.feature_names_in_.tolist() == list(X.columns)
    p = model.predict_proba(X)
    assert np.isfinite(p).all() and model.score(X, y) == 1
    assert (model.predict_proba(X.iloc[[3]]) == p[3]).all()
    with pytest.raises(ValueError, match="same order"):
        model.predict(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- other"):
        model.predict(X.rename(columns={"size": "other"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert (model.predict_proba(X.to_numpy(dtype=object)) == p).all()
    with pytest.warns(UserWarning, match="has feature names"):
        heft.NB().fit(X[["size"]].to_numpy(), y).predict(X[["size"]])
    with pytest.raises(TypeError, match="string names"):
        heft.NB().fit(X.rename(columns={"size": 1}), y)


def test_frames_and_files(tmp_path):
    """A model of a frame comes back with its names and takes the frame."""
    X, y = frame()
    model = heft.NB().fit(X, y)
    model.save(tmp_path / "m.heft")
    back = heft.load(tmp_path / "m.heft")
    assert (back.predict_proba(X) == model.predict_proba(X)).all()
    assert back.feature_names_in_.tolist() == list(X.columns)


def test_arrow_streams_are_frames():
    """Anything with __arrow_c_stream__, in chunks and slices, as the same pandas frame."""
    pyarrow = pytest.importorskip("pyarrow")
    X, y = frame()
    model = heft.NB().fit(X, y)
    p = model.predict_proba(X)
    table = pyarrow.table({
        "size": pyarrow.array([1.0, 2.0, None, 4.0, 5.0, 6.5]),
        "count": pyarrow.array([1, None, 3, 4, 5, 5], type=pyarrow.int16()),
        "word": pyarrow.array(["x", "y", "x", None, "y", "y"]),
        "kind": pyarrow.array(["b", "a", "b", "b", "a", None]).dictionary_encode(),
        "flag": [True, False, True, True, False, False],
        "maybe": [True, None, True, False, False, False],
        "string": pyarrow.array(["p", "q", None, "p", "q", "q"], type=pyarrow.large_string()),
    })
    assert (model.predict_proba(table) == p).all()
    assert (model.predict_proba(table.slice(2, 3)) == p[2:5]).all()
    chunks = pyarrow.concat_tables([table.slice(0, 2), table.slice(2)])
    assert np.allclose(heft.NB().fit(chunks, y).predict_proba(chunks)[:, 0] > 0.5, p[:, 0] > 0.5)
    if hasattr(pyarrow, "string_view"):
        k = table.schema.get_field_index("word")
        long = ["x" * 40, "y", "x" * 40, None, "y", "y"]
        viewed = table.set_column(k, "word", pyarrow.array(long, type=pyarrow.string_view()))
        plain = table.set_column(k, "word", pyarrow.array(long))
        assert (heft.NB().fit(viewed, y).predict_proba(plain.slice(1)) ==
                heft.NB().fit(plain, y).predict_proba(viewed.slice(1))).all()
    dates = pyarrow.table({"d": pyarrow.array([1, 2], type=pyarrow.date32())})
    with pytest.raises(TypeError, match="cast the column to int64"):
        heft.NB().fit(dates, [0, 1])


@pytest.mark.parametrize("method", [m.name for m in heft.methods()])
def test_sparse_rows(method):
    """Sparse methods give what the dense table gives, the others refuse."""
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(1)
    X = rng.poisson(0.5, size=(80, 6)).astype(float)
    y = (X[:, 0] + rng.normal(size=80) > 0.5).astype(int)
    if method == "klnb":  # weighs the presence of sparse entries
        X = np.minimum(X, 1)
    cls = heft.BY_METHOD[method]
    if not cls._sparse:
        with pytest.raises(TypeError, match="[Ss]parse data was passed"):
            cls().fit(sparse.csr_matrix(X), y)
        return
    dense = cls().fit(X, y).predict_proba(X)
    for form in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix):
        model = cls().fit(form(X), y)
        assert np.allclose(model.predict_proba(form(X)), dense, atol=1e-9)
    unsorted = sparse.csr_matrix(X)
    order = unsorted.indices.copy()
    unsorted.indices[:2] = order[:2][::-1]
    unsorted.has_sorted_indices = False
    given = unsorted.indices.copy()
    cls().fit(unsorted, y)
    assert (unsorted.indices == given).all()


def test_missing_cells(iris):
    """NaN is a missing cell for every method."""
    X, y = iris[0].copy(), iris[1]
    X[::7, 1] = np.nan
    for method, cls in heft.BY_METHOD.items():
        assert cls().fit(X, y).score(X, y) > 0.85, method
