"""Frames of other libraries as they are, and arrays in every layout: read where they stand."""

import os
import subprocess
import warnings

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
    with pytest.raises(TypeError, match="column 'd' holds dates or times: the Arrow type 'tdD' is .* cast the column to int64"):
        heft.NB().fit(X.with_columns(d=polars.date(2020, 1, 1)), LABELS)
    days = X.with_columns(d=polars.date(2020, 1, 1) + polars.duration(days=polars.int_range(6)))
    numbers = days.with_columns(polars.col("d").cast(polars.Int64))
    assert heft.NB().fit(numbers, LABELS).n_features_in_ == 5
    with pytest.raises(ValueError, match="2-dimensional container"):
        heft.NB().fit(X["size"], LABELS)
    for bad, words in ((X.slice(0, 0), "0 sample"), (polars.DataFrame(), "0 (sample|feature)")):
        with pytest.raises(ValueError, match=words):
            heft.NB().fit(bad, [])


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


def test_unused_categories_do_not_count(tmp_path):
    """The same cells are the same model: as texts, with categories that no row has, of Arrow and polars,
    and in a file. A frame that was filtered has such categories."""
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    rng = np.random.default_rng(5)
    known = [f"v{k:02d}" for k in rng.permutation(16)]
    texts = pandas.DataFrame({c: rng.choice(known[:3], 120) for c in "abc"})
    texts["code"], texts["flag"] = rng.choice(["10", "9", "200"], 120), np.ones(120, dtype=bool)
    y = np.where((texts["a"] == known[0]) ^ (rng.random(120) < 0.3), "p", "q")
    coded = texts.astype({"code": pandas.CategoricalDtype(["7", "200", "10", "9", "x"])})
    coded = coded.astype({c: pandas.CategoricalDtype(known) for c in "abc"})
    arrow = pyarrow.Table.from_pandas(coded, preserve_index=False)
    enums = polars.from_pandas(texts).with_columns([polars.col(c).cast(polars.Enum(known)) for c in "abc"])
    texts.assign(**{"class": y}).to_csv(tmp_path / "t.csv", index=False)
    for estimator in (heft.TAN, heft.AODE, heft.Auto):
        method = estimator.__name__.lower()
        path = str(tmp_path / method)
        assert heft_main("train", str(tmp_path / "t.csv"), "-q", "-m", method, "--nominal", "code", "-o", path) == 0
        expected = heft.load(path).predict_proba(texts)
        for X in (texts, coded, arrow, enums):
            np.testing.assert_array_equal(estimator().fit(X, y).predict_proba(texts), expected)
    scores = [heft.evaluate(["aode"], X, y, cv=5)["log_loss"].tolist() for X in (texts, coded, arrow)]
    assert scores[0] == scores[1] == scores[2]


def heft_main(*words):
    """The program's status."""
    program = os.environ.get("HEFT_PROGRAM")
    if not program:
        pytest.skip("needs HEFT_PROGRAM")
    return subprocess.run([program, *words], check=False).returncode


def arrow_and_pandas(n=400):
    """Columns of many types, as pyarrow and as pandas have them."""
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, n)
    words = np.array(["low", "mid", "high", "NA", "?"])
    cells = {
        "f64": rng.normal(size=n) + y, "f32": rng.normal(size=n).astype(np.float32), "i8": rng.integers(-9, 9, n, np.int8),
        "u64": rng.integers(0, 2**40, n, np.uint64), "flag": rng.random(n) < 0.3 + 0.3 * y,
        "word": words[rng.integers(0, 5, n)].astype(object),
    }
    X = pandas.DataFrame(cells)
    X["kind"] = pandas.Categorical(words[rng.integers(0, 3, n)], categories=["low", "mid", "high", "never"])
    X.loc[3, "word"], X.loc[5, "kind"], X.loc[7, "f64"] = None, None, np.nan
    return X, pyarrow.Table.from_pandas(X, preserve_index=False), y


def test_arrow_models_are_those_of_pandas(tmp_path):
    """Fit, prediction, explanation, evaluation and checks; kinds that were asked for, or differ at prediction."""
    X, table, y = arrow_and_pandas()
    for options in ({}, {"categorical_features": ["i8", "word"]}, {"categorical_features": [2, 2]}):
        model, other = heft.NB(**options).fit(table, y), heft.NB(**options).fit(X, y)
        assert model.inspect()["attributes"] == other.inspect()["attributes"]
        for given in (X, table, table.slice(0, 50), table.combine_chunks().to_batches(max_chunksize=7)[1]):
            np.testing.assert_array_equal(model.predict_proba(given), other.predict_proba(given))
        assert model.explain(table.slice(0, 8)).to_frame().equals(other.explain(X[:8]).to_frame())
    plain = heft.NB().fit(X.to_numpy()[:, :4].astype(float), y)
    with pytest.warns(UserWarning, match="without feature names"):
        np.testing.assert_array_equal(plain.predict_proba(table.select(["f64", "f32", "i8", "u64"])),
                                      plain.predict_proba(X.to_numpy()[:, :4].astype(float)))
    model = heft.NB().fit(table.select(["flag", "i8", "word"]), y)
    names, text = ["flag", "i8", "word"], {"flag": X["flag"].astype(int), "i8": X["i8"].astype(str), "word": X["word"]}
    pyarrow = pytest.importorskip("pyarrow")
    np.testing.assert_array_equal(model.predict_proba(pyarrow.table(text)), model.predict_proba(X[names]))
    odd = ["x", "NA", None] + text["i8"].tolist()[3:]
    with pytest.warns(UserWarning, match="column 'i8': 1 cell is no number and counts as missing \\(the first is 'x'"):
        found = model.predict_proba(pyarrow.table({**text, "i8": odd}))
    gone = X[names].assign(i8=[np.nan] * 3 + X["i8"].tolist()[3:])
    np.testing.assert_array_equal(found, model.predict_proba(gone))
    np.testing.assert_array_equal(found[3:], model.predict_proba(X[names])[3:])
    assert heft.check(table, y).findings == heft.check(X, y).findings


def test_arrow_memory_is_kept_as_long_as_it_is_used():
    """The table of the library outlives the object that it was made of, and lets go in the end."""
    pyarrow = pytest.importorskip("pyarrow")
    from heft import _input

    before = pyarrow.total_allocated_bytes()
    pool = pyarrow.default_memory_pool()
    cells = np.random.default_rng(0).normal(size=100_000)
    X = pyarrow.table({"x": pyarrow.array(cells, from_pandas=False), "y": pyarrow.compute.add(pyarrow.array(cells), 1.0)})
    held = pool.bytes_allocated()
    frame = _input.read(X, "test", False)
    del X
    assert pool.bytes_allocated() >= held
    np.testing.assert_array_equal(frame.made.cells(1), cells + 1)
    del frame
    assert pyarrow.total_allocated_bytes() <= before


def test_arrow_streams_of_python():
    """A stream that is made while it is read, one that fails, and numbers of DuckDB's decimal type."""
    pyarrow = pytest.importorskip("pyarrow")
    _, table, y = arrow_and_pandas()

    def batches(fail):
        for k, batch in enumerate(table.to_batches(max_chunksize=90)):
            if fail and k == 3:
                raise OSError("the disk is on fire")
            yield batch

    def reader(fail=False):
        return pyarrow.RecordBatchReader.from_batches(table.schema, batches(fail))

    model = heft.NB().fit(reader(), y)
    np.testing.assert_array_equal(model.predict_proba(reader()), heft.NB().fit(table, y).predict_proba(table))
    with pytest.raises(ValueError, match="the Arrow stream failed: .*the disk is on fire"):
        heft.NB().fit(reader(True), y)
    decimal = pyarrow.table({"d": pyarrow.compute.cast(pyarrow.array([1, 2, 3, 4]), pyarrow.decimal128(21, 2)),
                             "e": [0.5, 1.5, None, 2.5]})
    numbers = pyarrow.table({"d": [1.0, 2, 3, 4], "e": [0.5, 1.5, None, 2.5]})
    np.testing.assert_array_equal(heft.NB().fit(decimal, [0, 1, 0, 1]).predict_proba(numbers),
                                  heft.NB().fit(numbers, [0, 1, 0, 1]).predict_proba(decimal))


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


def test_columns_named_by_numbers_keep_their_names(tmp_path):
    """They are no feature names for scikit-learn, but those that people see."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({2019: rng.normal(size=90), 7: rng.choice(["a", "b"], 90), 2021: rng.normal(size=90)})
    y = (X[2021] + rng.normal(size=90) > 0).astype(int)
    model = heft.NB(select="mutual-information:2").fit(X, y)
    assert not hasattr(model, "feature_names_in_") and set(model.explain(X[:2]).features) <= {"2019", "7", "2021"}
    assert model.feature_importances_.shape == (3,)
    auto = heft.Auto().fit(X, y)
    why = auto.explain(X[:2])
    assert why.features == ["2019", "7", "2021"] and why.values[0, 1] == X[7][0]
    assert [a["name"] for a in auto.inspect()["attributes"]] == ["2019", "7", "2021"]
    assert len(auto.explain_model().shape(7)) == 2
    assert [c["name"] for c in heft.check(X, y).columns[:3]] == ["2019", "7", "2021"]
    auto.save(tmp_path / "m.heft")
    numbers = heft.NB().fit(X[[2019, 2021]], y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (heft.load(tmp_path / "m.heft").predict_proba(X) == auto.predict_proba(X)).all()
        assert (numbers.predict_proba(X[[2019, 2021]].to_numpy()) == numbers.predict_proba(X[[2019, 2021]])).all()
    parts = heft.NB().partial_fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
    assert parts.explain(X[:1]).features == ["2019", "7", "2021"]


def test_other_names_that_are_numbers_are_refused(tmp_path):
    """As other names that are texts, also of a model from a file; columns that pandas counted go by position."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    Z = pd.DataFrame({10: rng.normal(size=200) + 4 * y, 20: rng.normal(size=200), 30: rng.normal(size=200) - 4 * y})
    model = heft.NB().fit(Z, y)
    model.save(tmp_path / "m.heft")
    for known in (model, heft.load(tmp_path / "m.heft")):
        for X, words in [(Z[[30, 10, 20]], "same order"), (Z.rename(columns={10: 11}), "unseen at fit time:\n- 11"),
                         (Z[[10, 20]], "now missing:\n- 30"), (Z[[10, 10, 30]], "now missing:\n- 20")]:
            with pytest.raises(ValueError, match=f"The feature names should match.*\n.*{words}"):
                known.predict(X)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = known.predict(Z)
            assert (found == known.predict(Z.set_axis(range(3), axis=1))).all() and (found == y).mean() > 0.9
    assert (model.predict(Z.to_numpy()) == found).all()
    counted = Z.set_axis(range(3), axis=1)
    by_place = heft.NB().fit(counted, y)
    assert (by_place.predict(Z) == found).all() and (heft.NB().fit(Z.to_numpy(), y).predict(Z) == found).all()
    with pytest.raises(ValueError, match="same order"):
        by_place.predict(counted[[2, 0, 1]])


def test_values_that_training_lacks_are_counted():
    """As by `heft predict`; once for each call."""
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"colour": ["red", "blue", "red", "blue"] * 5, "size": [1.0, 2.0, 3.0, 4.0] * 5})
    model = heft.NB().fit(X, [0, 1, 0, 1] * 5)
    with pytest.warns(UserWarning, match="10 cells have a value that is not in the training data .treated as missing.") as said:
        model.predict(X.assign(colour=["red", "mauve"] * 10))
    assert len(said) == 1 and said[0].filename == __file__
    with pytest.warns(UserWarning, match="1 cell has a value .* .treated as a value with count 0."):
        heft.NB(unseen="zero").fit(X, [0, 1, 0, 1] * 5).predict_proba(X[:1].assign(colour="mauve"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X)


def test_marks_of_a_file_are_missing_in_frames(tmp_path):
    """A model that was trained on a file with --missing -999 takes that number for a missing cell."""
    pandas = pytest.importorskip("pandas")
    rows = "".join(f"{x},{c},{'p' if x > 4 else 'q'}\n" for x, c in zip([1, 2, -999, 3, 8, 9, 7, -999], "abababab"))
    (tmp_path / "a.csv").write_text("x,c,class\n" + rows, encoding="ascii")
    program = os.environ.get("HEFT_PROGRAM")
    if not program:
        pytest.skip("HEFT_PROGRAM is not set")
    subprocess.run([program, "train", "a.csv", "-q", "-m", "nb", "--missing", "-999,unknown", "-o", "m.heft"], cwd=tmp_path, check=True)
    model = heft.load(tmp_path / "m.heft")
    marked = pandas.DataFrame({"x": [-999.0, 5.0], "c": ["a", "b"]})
    gap = pandas.DataFrame({"x": [np.nan, 5.0], "c": ["a", "b"]})
    np.testing.assert_array_equal(model.predict_proba(marked), model.predict_proba(gap))
    far = pandas.DataFrame({"x": [-998.0, 5.0], "c": ["a", "b"]})
    assert abs(model.predict_proba(far) - model.predict_proba(gap)).max() > 1e-3


def test_marks_that_are_texts_are_missing_in_frames(tmp_path):
    """In nominal columns they are no unseen value, and in texts that are numbers they need no warning."""
    pandas = pytest.importorskip("pandas")
    program = os.environ.get("HEFT_PROGRAM")
    if not program:
        pytest.skip("HEFT_PROGRAM is not set")
    rows = "".join(f"{x},{c},{'p' if i > 3 else 'q'}\n" for i, (x, c) in enumerate(zip([1, 2, "x y", 3, 8, 9, 7, "unknown"], "aabaabbb")))
    (tmp_path / "a.csv").write_text("x,c,class\n" + rows, encoding="ascii")
    subprocess.run([program, "train", "a.csv", "-q", "-m", "nb", "--unseen", "zero", "--missing", "unknown, x y,-999",
                    "-o", "m.heft"], cwd=tmp_path, check=True)
    model = heft.load(tmp_path / "m.heft")
    marked = pandas.DataFrame({"x": ["unknown", "5", "x y", "-999"], "c": ["a", "x y", "unknown", "-999"]})
    gap = pandas.DataFrame({"x": [np.nan, 5.0, np.nan, np.nan], "c": ["a", None, None, None]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.predict_proba(marked), model.predict_proba(gap))
        np.testing.assert_array_equal(model.predict_proba(marked.astype("category")), model.predict_proba(gap))
    with pytest.warns(UserWarning, match="1 cell is no number"):
        model.predict(marked[:1].assign(x="other"))
    with pytest.warns(UserWarning, match="1 cell has a value"):
        model.predict(gap[:1].assign(c="other"))
