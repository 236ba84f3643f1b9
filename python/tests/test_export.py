"""Models written for use without heft."""

import json

import numpy as np
import pytest

import heft


def rows():
    rng = np.random.default_rng(3)
    y = np.array(["no", "yes"])[np.arange(120) % 2]
    x = rng.normal(size=(120, 3)) + (y == "yes")[:, None]
    x[::7, 1] = np.nan
    return x, y


def test_the_ending_names_the_format(tmp_path):
    x, y = rows()
    clf = heft.Auto().fit(x, y)
    clf.export(tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text())["classes"] == ["no", "yes"]
    clf.export(tmp_path / "m.c", with_header=True, single=True)
    assert "m_predict_row" in (tmp_path / "m.h").read_text()
    clf.export(tmp_path / "any", format="onnx")
    assert b"ai.onnx.ml" in (tmp_path / "any").read_bytes()
    with pytest.raises(ValueError, match="unknown format 'f77'"):
        clf.export(tmp_path / "m", format="f77")
    with pytest.raises(ValueError, match=r"does not name a format \(use \.c, .* or \.sql, or set format\)"):
        clf.export(tmp_path / "m.py")
    with pytest.raises(ValueError, match="evidence is not for format json"):
        clf.export(tmp_path / "m.json", evidence=True)


def test_methods_that_keep_their_rows_are_refused(tmp_path):
    with pytest.raises(ValueError, match="lcwnb keep their training rows.*heft.Auto, heft.NB or heft.LNB"):
        heft.LCWNB().fit(*rows()).export(tmp_path / "m.onnx")


def test_onnxruntime_agrees(tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    x, y = rows()
    for clf in (heft.Auto(), heft.NB(), heft.LNB(), heft.RNB(alpha=0.5), heft.TAN(), heft.AODE(), heft.WAODE(), heft.HNB()):
        clf.fit(x, y).export(tmp_path / "m.onnx")
        run = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"])
        label, proba = run.run(None, {i.name: x[:, [j]] for j, i in enumerate(run.get_inputs())})
        assert np.abs(proba - clf.predict_proba(x)).max() < 1e-12
        assert (label == clf.predict(x)).all()
