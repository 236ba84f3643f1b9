"""Explanations of rows and models, importances and plots."""

import pathlib
import re

import numpy as np
import pytest

import heft

pandas = pytest.importorskip("pandas")


@pytest.fixture
def loans(root):
    import os

    table = pandas.read_csv(os.path.join(root, "examples", "loans.csv"))
    return table.drop(columns="repaid"), table["repaid"]


def test_terms_sum_to_the_score(loans):
    """bias, attributes, pairs and triples sum to the score; its softmax is the posterior."""
    X, y = loans
    model = heft.Auto().fit(X, y)
    e = model.explain(X[10:15])
    assert list(e.attributes) == X.columns.tolist() and e.pairs and e.triples
    parts = [*e.attributes.values(), *e.pairs.values(), *e.triples.values()]
    assert np.allclose(e.bias + sum(parts), e.score, atol=1e-12)
    assert np.allclose(e.bias + e.contributions.sum(axis=1), e.score, atol=1e-12)
    assert np.allclose(e.proba, model.predict_proba(X[10:15]), atol=1e-12)
    assert e.rows == [10, 11, 12, 13, 14] and e.classes.tolist() == ["no", "yes"]
    assert e.values[0, 3] == X.iloc[10, 3] and e.values.shape == (5, 8)
    assert repr(e) == f"<heft.Explanation: 5 rows, 8 attributes, {len(e.pairs)} pairs, {len(e.triples)} triples, 2 classes>"


def test_the_remainder_of_many_attributes(loans):
    """With no bound on the order, terms of four and more attributes are one term, and sums hold."""
    X, y = loans
    model = heft.Auto(order="any").fit(X, y)
    e = model.explain(X[10:15])
    parts = [*e.attributes.values(), *e.pairs.values(), *e.triples.values(), e.remainder]
    assert np.allclose(e.bias + sum(parts), e.score, atol=1e-9) and e.remainder.any()
    assert np.allclose(e.bias + e.contributions.sum(axis=1), e.score, atol=1e-9)
    assert np.allclose(e.proba, model.predict_proba(X[10:15]), atol=1e-9)
    assert e.contributions.shape == (5, 8, 2) and (e[2:4].contributions == e.contributions[2:4]).all()
    by_term = model.explain(X[10:15], terms=True)
    assert by_term.features[-1] == () and np.allclose(by_term.contributions.sum(axis=1) + e.bias, e.score, atol=1e-9)
    frame = e[0].to_frame()
    assert frame["term"].iloc[-1] == "four and more attributes together" and frame["value"].iloc[-1] is None
    steps, _ = e.steps(0, top=1000)
    assert "four and more attributes together" in [label for label, _ in steps]
    found = model.explain_model().importances.set_index("term").loc["four and more attributes together"]
    assert found["order"] == 4 and found["importance"] > 0
    assert heft.Auto(order=3).fit(X, y).explain(X[:1]).remainder is None


def test_rows_of_an_explanation(loans):
    """An explanation can be cut as an array can."""
    X, y = loans
    e = heft.NB().fit(X, y).explain(X[:6])
    assert len(e) == 6 and len(e[1:3]) == 2 and len(e[-1]) == 1 and not e.pairs
    assert (e[-1].score[0] == e.score[5]).all() and e[-1].rows == [5]
    with pytest.raises(IndexError):
        e[6]


def test_the_frame_has_a_line_for_each_term(loans):
    X, y = loans
    e = heft.Auto().fit(X, y).explain(X[:2])
    frame = e.to_frame()
    assert frame.columns.tolist() == ["row", "term", "value", "no", "yes"]
    assert len(frame) == 2 * (1 + 8 + len(e.pairs) + len(e.triples))
    assert np.allclose(frame.groupby("row")[["no", "yes"]].sum(), e.score, atol=1e-12)
    assert frame["term"][0] == "bias" and "age x income" in set(frame["term"])
    assert frame["value"][1:9].tolist() == e.values[0].tolist()
    named = heft.NB().fit(X, np.where(y == "yes", "term", "row")).explain(X[:1]).to_frame()
    assert named.columns.tolist() == ["row", "term", "value", "evidence(row)", "evidence(term)"]


@pytest.mark.parametrize("name", ["NB", "Auto", "TAN"])
def test_reasons_are_those_of_the_program(loans, root, tmp_path, name):
    """The texts of ``heft predict --reasons``, and the figures of ``explain``."""
    import csv
    import os
    import subprocess

    program = os.environ.get("HEFT_PROGRAM")
    if not program:
        pytest.skip("HEFT_PROGRAM names no program")
    X, y = loans
    model = getattr(heft, name)().fit(X, y)
    model.save(tmp_path / "m.heft")
    done = subprocess.run([program, "predict", tmp_path / "m.heft",
                           os.path.join(root, "examples", "loans.csv"), "-q", "--reasons", "9"],
                          capture_output=True, text=True, check=True)
    head, *rows = csv.reader(done.stdout.splitlines())
    found = model.reasons(X, 9)
    assert head[1] == "reason_1" and found.shape == (600, 9) and (found[:, 8] == "").all()
    assert [row[1:] for row in rows] == found.tolist()
    assert any("=? " in text for text in found[0])
    why, at = model.explain(X[:5]), {"no": 0, "yes": 1}
    for i, label in enumerate(model.predict(X[:5])):
        odds = why.contributions[i, :, at[label]] - why.contributions[i, :, 1 - at[label]]
        best = np.abs(odds).argmax()
        assert found[i, 0].startswith(f"{X.columns[best]}=") and found[i, 0].endswith(f" {odds[best]:+.2f}")
    assert model.set_params(n_jobs=3).reasons(X, 9).tolist() == found.tolist()


def test_reasons_of_arrays_and_refusals():
    """Any X that predict takes; methods that cannot be explained say so."""
    scipy_sparse = pytest.importorskip("scipy.sparse")
    X = np.array([[0.0, 1.5], [2.0, 0.0], [0.0, 2.5], [3.0, 0.0]] * 5)
    y = np.array([0, 1] * 10)
    dense, thin = heft.GNB().fit(X, y).reasons(X, 2), heft.GNB().fit(scipy_sparse.csr_matrix(X), y)
    assert dense.tolist() == thin.reasons(scipy_sparse.csr_matrix(X), 2).tolist()
    assert {text.split(" ")[0] for text in dense[0]} == {"c1=0", "c2=1.5"} and dense.shape == (20, 2)
    assert heft.GNB().fit(X, y).reasons(X[:1]).shape == (1, 3)
    for n in (0, -1, 1001, 2.5, True, "3"):
        with pytest.raises(ValueError, match="is not a whole number from 1 to 1000"):
            heft.GNB().fit(X, y).reasons(X, n)
    with pytest.raises(ValueError, match="not a sum over attributes"):
        heft.AODE().fit(X, y).reasons(X)


def test_a_notebook_shows_bars(loans):
    X, y = loans
    X = X.rename(columns={"late_payments": "<late>"})
    page = heft.Auto().fit(X, y).explain(X[:7])._repr_html_()
    assert page.count("<table") == 5 and "2 more rows" in page
    assert "&lt;late&gt; = 0" in page and "<late>" not in page and "other terms" in page
    bars = re.findall(r">([+-])[\d.]+</td>.*?left:([\d.]+)%;width:([\d.]+)%;background:(#\w+)", page)
    assert {sign for sign, *_ in bars} == {"+", "-"} and len(bars) == page.count("<tr>") - 5
    for sign, left, width, _ in bars:  # all begin at the middle, and point to the side of their sign
        near, far = float(left) + float(width) * (sign == "-"), float(left) + float(width) * (sign == "+")
        assert abs(near - 50) < 0.11 and 0 <= far <= 100.1
    for table in page.split("<table")[1:]:  # evidence for the class in its colour, against it in that of the other class
        label = re.search(r"P\((\w+)\)", table)[1]
        own, other = ("#0063a8", "#b84a00") if label == "no" else ("#b84a00", "#0063a8")
        for sign, colour in re.findall(r">([+-])[\d.]+</td>.*?background:(#\w+)", table):
            assert colour == {"+": own, "-": other}[sign]


def test_sparse_rows_and_selected_columns(iris):
    """Values follow the attributes of the model where select left some out, and in sparse rows."""
    X, y = iris
    model = heft.NB(select="gain-ratio:2").fit(X, y)
    e = model.explain(X[:2])
    assert len(e.features) == 2 and e.values.shape == (2, 2)
    assert e.values[0, 0] == X[0, int(e.features[0][1:]) - 1]
    sparse = pytest.importorskip("scipy.sparse")
    rows = sparse.csr_matrix(np.where(X > 2, X, 0))
    assert heft.NB().fit(rows, y).explain(rows[:3]).values[0].tolist() == rows[0].toarray()[0].tolist()


def test_what_a_model_learned(loans):
    """Shape functions and tables of pairs are the evidence of rows that have these values."""
    X, y = loans
    model = heft.Auto().fit(X, y)
    m = model.explain_model()
    assert m.importances.columns.tolist() == ["term", "order", "importance"]
    assert m.importances["importance"].is_monotonic_decreasing and set(m.importances["order"]) == {1, 2, 3}
    e = model.explain(X)
    work = m.shape("work")
    for i in range(10):
        if e.values[i, 4] is not None:
            centred = e.attributes["work"][i] - e.attributes["work"][i].mean()
            assert np.allclose(work.loc[e.values[i, 4]], centred, atol=1e-12)
    pair = m.pair("work", "housing")
    i = int(np.flatnonzero(X["work"].notna() & X["housing"].notna())[0])
    terms = e.pairs.get(("work", "housing"), e.pairs.get(("housing", "work")))
    assert np.isclose(pair.loc[X["work"][i], X["housing"][i]], terms[i, 1] - terms[i, 0], atol=1e-12)
    assert len(m.pairs) == len(e.pairs) and "ModelExplanation" in repr(m) and "<table" in m._repr_html_()
    for wrong in (lambda: m.shape("wages"), lambda: m.pair("work", "wages"),
                  lambda: m.pair("work", "housing", positive="perhaps"),
                  lambda: heft.NB().fit(X, y).explain_model().pair("work", "housing"),
                  lambda: heft.AODE().fit(X, y).explain_model()):
        with pytest.raises(ValueError):
            wrong()


@pytest.mark.parametrize("method", list(heft.BY_METHOD))
def test_importances_have_one_number_a_column(method, loans):
    """They sum to 1, and a column that select left out has 0, as has its weight."""
    X, y = loans
    model = heft.BY_METHOD[method](select="gain-ratio:3").fit(X, y)
    left_out = ~np.isin(X.columns, [a["name"] for a in model.inspect()["attributes"]])
    assert left_out.sum() == 5
    if hasattr(model, "attribute_weights_"):
        assert model.attribute_weights_.shape[0] == 8 and not model.attribute_weights_[left_out].any()
    if hasattr(model, "feature_importances_"):
        found = model.feature_importances_
        assert found.shape == (8,) and np.isclose(found.sum(), 1) and not found[left_out].any()
        assert (found[~left_out] >= 0).all()
    else:
        assert method in ("tan", "aode", "waode", "hnb", "lwnb", "iclnb", "lcwnb")


def test_importance_is_that_of_rows_held_out(loans):
    """A column of random codes has none within its error; the standard errors have the unit of the importances."""
    X, y = loans
    X = X.assign(code=["c%d" % v for v in np.random.default_rng(1).integers(0, 300, len(X))])
    model = heft.Auto().fit(X, y)
    found, errors = model.feature_importances_, model.importance_errors_
    told = {a["name"]: a for a in model.inspect()["attributes"]}
    positive = sum(max(a["importance"], 0) for a in told.values())
    for name, importance, error in zip(X.columns, found, errors):
        assert np.isclose(importance * positive, max(told[name]["importance"], 0))
        assert np.isclose(error * positive, told[name]["importance_error"])
    assert found[list(X.columns).index("late_payments")] == found.max()
    assert found[-1] <= 2 * errors[-1] + 0.01
    with pytest.raises(AttributeError, match="importance_errors_"):
        heft.NB().fit(X, y).importance_errors_


def test_scikit_learn_selects_by_importance(loans):
    selection = pytest.importorskip("sklearn.feature_selection")
    X, y = loans
    chosen = selection.SelectFromModel(heft.Auto(), max_features=3, threshold=-np.inf).fit(X, y)
    assert "late_payments" in chosen.get_feature_names_out() and chosen.get_support().sum() == 3
    assert not hasattr(heft.Auto(), "feature_importances_")


def test_shap_draws_them(loans, iris):
    """shap's plots accept what to_shap returns."""
    shap = pytest.importorskip("shap")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    X, y = loans
    e = heft.Auto().fit(X, y).explain(X[:20])
    given = e.to_shap()
    assert given.values.shape == (20, 8)
    assert np.allclose(given.base_values + given.values.sum(axis=1), e.score[:, 1] - e.score[:, 0])
    shap.plots.waterfall(given[0], show=False)
    shap.plots.bar(given, show=False)
    three = heft.NB().fit(*iris).explain(iris[0][:20]).to_shap()
    assert three.values.shape == (20, 4, 3)
    shap.plots.beeswarm(three[:, :, 1], show=False)
    pyplot.close("all")


def inside(ax):
    """Whether every text of the figure lies within it."""
    figure = ax.figure
    figure.draw_without_rendering()
    box = ax.get_tightbbox()
    width, height = figure.bbox.width, figure.bbox.height
    return box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1


def style(name):
    """A colour of the pages on light paper."""
    sheet = (pathlib.Path(__file__).parents[2] / "lib/pages/assets/style.css").read_text(encoding="utf-8")
    return re.search(rf"--{name}:(#[0-9a-f]+)", sheet).group(1)


def test_class_colours_do_not_repeat():
    """Thirty colours as on the pages: those of the style sheet, then mixed with ink and with paper in Oklab."""
    from heft import _explain

    drawn = [_explain.class_colour(k) for k in range(32)]
    assert drawn[:10] == [style(f"c{k}") for k in range(10)]
    assert len(set(drawn[:30])) == 30 and drawn[30] == drawn[31] == style("soft")
    others = {"INK": "ink", "PAPER": "bg", "SOFT": "soft", "BAR": "bar", "ROWS": "rows"}
    assert {k: getattr(_explain, k) for k in others} == {k: style(name) for k, name in others.items()}
    assert _explain.mixed("#ffffff", "#000000", 0.5) == "#636363"  # the example of CSS Color 5
    assert _explain.mixed("#0063a8", "#f4f5f7", 1.0) == "#0063a8"


def test_shapes_are_those_of_the_page(loans, iris):
    """Curves and bars have the heights of the document of the page, and their histograms its shares."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from matplotlib.colors import to_hex

    from heft import plot

    X, y = loans
    tables = [(X, y, ["work", "amount", "late_payments"]), (*iris, ["c3"])]
    for method in (heft.Auto, heft.NB):
        for X, y, names in tables:
            model = method().fit(X, y)
            data = model.report_data(X)
            places = {a["name"]: j for j, a in enumerate(data["attributes"])}
            n = len(model.classes_)
            for name in names:
                found = next(s for s in data["shapes"]["list"] if s["attribute"] == places[name])
                for c, label in enumerate(model.classes_):
                    ax = plot.shape(model, name, X, positive=label)
                    assert ax.get_title() == f"{name}: evidence for {label}" and ax.get_xlabel() and ax.get_ylabel()
                    series = np.array(found["series"][0]) * (1 if c else -1) if n == 2 else \
                        np.array(found["series"][c]) * n / (n - 1)
                    assert inside(ax)
                    strip = ax.child_axes[0]
                    if name == "work":
                        drawn, shares = [b.get_width() for b in ax.patches], [b.get_width() for b in strip.patches]
                    else:
                        drawn, shares = ax.lines[1].get_ydata(), [b.get_height() for b in strip.patches]
                    assert np.allclose(drawn, np.repeat(series, 2) if len(drawn) > len(series) else series)
                    assert np.allclose(shares, found["share"]) and 0.9 < sum(shares) < 1.0001
                    assert {to_hex(b.get_facecolor()) for b in strip.patches} == {style("rows")}
                    if name != "work" and not found["discrete"]:
                        ends = [(b.get_x(), b.get_x() + b.get_width()) for b in strip.patches]
                        assert found["low"] <= ends[0][0] and ends[-1][1] <= found["high"]
        pyplot.close("all")


def test_shapes_that_the_page_leaves_out(loans):
    """An attribute of no weight has no shape on the page; its plot is that of explain_model."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from heft import plot

    X, y = loans
    model = heft.CAWNB().fit(X, y)
    data = model.report_data(X)
    left = set(range(len(data["attributes"]))) - {s["attribute"] for s in data["shapes"]["list"]}
    assert left
    for j in left:
        ax = plot.shape(model, X.columns[j], X)
        assert ax.get_title() == f"{X.columns[j]}: evidence for yes" and not ax.child_axes and inside(ax)
    X = X.assign(work=[f"kind {i % 60}" for i in range(len(X))])
    ax = plot.shape(heft.NB().fit(X, y), "work", X)
    assert ax.get_ylabel() == f"work ({len(ax.patches)} of 60 values)" and inside(ax)
    with pytest.raises(ValueError, match="'colour' is not an attribute of the model"):
        plot.shape(model, "colour")
    pyplot.close("all")


def test_importance_and_reliability_are_those_of_the_page(loans, iris, monkeypatch):
    """Bars, dots and intervals are those of the document, for either of two classes and for more."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from heft import plot

    for X, y in (loans, iris):
        for method in (heft.Auto, heft.LNB, heft.TAN):
            model = method().fit(X, y)
            data = model.report_data()
            ax = plot.importance(model, top=3)
            assert [b.get_width() for b in ax.patches] == [data["attributes"][j]["importance"] for j in data["order"][:3]]
            assert [t.get_text() for t in ax.get_yticklabels()] == [data["attributes"][j]["name"] for j in data["order"][:3]]
            assert ax.get_title() == f"Importance of the attributes: the first 3 of {len(data['attributes'])}"
            assert ("bits" in ax.get_xlabel()) == (data["importance"]["by"] == "bits")
            bins = model.report_data(X, y)["reliability"]["bins"]
            two = len(model.classes_) == 2
            for label in (None, *model.classes_[:2 * two]):
                ax = plot.reliability(model, X, y, positive=label)
                mean, share = ax.lines[1].get_data()
                flip = two and label == model.classes_[0]
                assert np.allclose(mean, [1 - b["predicted"] if flip else b["predicted"] for b in bins])
                assert np.allclose(share, [1 - b["observed"] if flip else b["observed"] for b in bins])
                assert np.isclose(sum(b.get_height() for b in ax.child_axes[0].patches), 1)
                assert ax.get_title().startswith("Reliability of the ") and ax.get_ylabel() and inside(ax)
        pyplot.close("all")
    data["importance"]["errors"] = True
    for attribute in data["attributes"]:
        attribute["error"] = 0.125
    monkeypatch.setattr(model, "report_data", lambda X: data)
    bars = plot.importance(model).containers
    ends = bars[0].lines[2][0].get_segments()[0][:, 0]
    assert np.isclose(ends[1] - ends[0], 0.25)
    pyplot.close("all")


def test_colours_are_those_of_the_pages(loans, iris):
    """Evidence for a class has the colour that it has on the pages, whichever class is asked for."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from matplotlib.colors import to_hex

    from heft import plot

    page = [style(f"c{k}") for k in range(10)]
    X, y = loans
    model = heft.Auto().fit(X, y)
    e = model.explain(X[:1])
    for label, up in (("yes", page[1]), ("no", page[0])):
        for bars in (plot.waterfall(e, 0, positive=label).patches[1:-1], plot.shape(model, "work", positive=label).patches):
            found = {(bar.get_width() >= 0, to_hex(bar.get_facecolor())) for bar in bars if bar.get_width() != 0}
            assert found == {(True, up), (False, page[1] if up == page[0] else page[0])}
    assert page[0] in e._repr_html_() and page[1] in e._repr_html_()
    drawn = plot.weights(heft.CAWNB().fit(*iris), top=1).patches
    assert [to_hex(bar.get_facecolor()) for bar in drawn] == page[:3]
    pyplot.close("all")


def test_nothing_is_cut_off(loans, iris):
    """Every plot has labels, all within its figure, also with long names."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from heft import plot

    X, y = loans
    X = X.rename(columns={"amount": "the amount of money that was asked for, in $ of the year and without interest"})
    model, three = heft.Auto().fit(X, y), heft.Auto().fit(*iris)
    e = model.explain(X[:2])
    drawn = [plot.importance(model), plot.shape(model, X.columns[2]), plot.shape(model, "work"),
             plot.pair(model, "work", X.columns[2]), plot.waterfall(e, 1), e.plot(top=30),
             three.explain(iris[0][:1]).plot(), plot.nomogram(model, X), plot.weights(model),
             plot.weights(heft.LNB().fit(*iris)), plot.reliability(model, X, y)]
    for ax in drawn:
        assert ax.get_title() and ax.get_xlabel() and inside(ax)
    assert drawn[4].get_title() == f"row 1: P(yes) = {e.proba[1, 1]:.4f}"
    bars = drawn[4].patches  # bias, terms, the others, the score
    assert np.isclose(bars[-1].get_width(), sum(bar.get_width() for bar in bars[:-1]))
    assert np.isclose(bars[-1].get_width(), e.score[1, 1] - e.score[1, 0])
    with pytest.raises(ValueError, match="positive='perhaps' is not a class of the model"):
        plot.reliability(model, X, y, positive="perhaps")
    pyplot.close("all")
