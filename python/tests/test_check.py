"""heft.check: what every column holds, and what looks wrong."""

import inspect
import os

import numpy as np
import pytest

import heft


@pytest.fixture
def odd():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=60), np.ones(60), rng.normal(size=60)])
    X[::3, 2] = np.nan
    return X, np.array(["no", "yes"])[(X[:, 0] > 0).astype(int)]


def test_columns_and_findings(odd):
    """Figures of each column, the class last; findings in words of Python."""
    found = heft.check(*odd)
    assert found.rows == 60 and [c["name"] for c in found.columns] == ["c1", "c2", "c3", "class"]
    assert [c["missing"] for c in found.columns] == [0, 0, 20, 0] and found.columns[1]["distinct"] == 1
    constant = next(f for f in found.findings if f["code"] == "constant")
    assert "'c2'" in constant["text"] and "(leave it out of X)" in constant["text"]
    assert "--" not in constant["text"] and constant["text"] in str(found)
    assert repr(found).startswith("<heft.Check: 60 rows, ")
    assert heft.check(odd[0]).columns[-1]["name"] == "c3"


def test_a_file_is_checked_as_the_program_does(odd, root, tmp_path):
    path = tmp_path / "odd.csv"
    rows = "".join(f"{a},{b},{label}\n" for (a, b, _), label in zip(*odd))
    path.write_text("size,unit,kind\n" + rows)
    found = heft.check(path, target="kind", numeric=["size"])
    assert found.columns[-1]["name"] == "kind"
    assert "drop='unit'" in next(f for f in found.findings if f["code"] == "constant")["text"]
    found.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page == found.html and "<html" in page and "--drop" not in page
    assert found._repr_html_().startswith("<iframe srcdoc=")
    loans = heft.check(os.path.join(root, "examples", "loans.csv"), target="repaid", top=2)
    assert loans.rows == 600 and len(loans.columns) == 9


def test_all_options_are_named():
    """What the reading of a file can be told stands in the signature and in the documentation."""
    ours = {"size", "keep", "like", "more", "max_columns", "max_classes", "max_unpacked", "whole", "no_target", "run",
            "any_classes"}
    for name in {field[0] for field in heft._ffi.Source._fields_} - ours:
        assert name in inspect.signature(heft.check).parameters and name in heft.check.__doc__


def test_wrong_calls(odd, tmp_path):
    for call, kind, words in [
        (lambda: heft.check(tmp_path / "absent.csv"), FileNotFoundError, "absent"),
        (lambda: heft.check("a.csv", odd[1]), TypeError, "target="),
        (lambda: heft.check("a.csv", targets="kind"), TypeError, "unexpected keyword argument 'targets'"),
        (lambda: heft.check(*odd, drop="c1"), TypeError, "'drop' is for files"),
        (lambda: heft.check(odd[0], odd[1][:5]), ValueError, "inconsistent numbers"),
        (lambda: heft.check("a.csv", skip=-1), ValueError, "skip: -1 is not a whole number of at least 0"),
        (lambda: heft.check("a.csv", skip="x"), ValueError, "skip: 'x' is not a whole number"),
        (lambda: heft.check("a.csv", top=-1), ValueError, "top: -1 is not a whole number"),
        (lambda: heft.check("a.csv", quote="xx"), ValueError, "quote: 'xx' is not one character, or 'none'"),
        (lambda: heft.check("a.csv", delimiter=""), ValueError, "delimiter: '' is not one character, or 'tab'"),
        (lambda: heft.check("a.csv", decimal_mark=","), FileNotFoundError, "a.csv"),
        (lambda: heft.check("a.csv", decimal_mark=1), ValueError, "decimal_mark: 1 is not one character"),
        (lambda: heft.check("a.csv", header="no"), ValueError, "header: 'no' is not True, False or None"),
    ]:
        with pytest.raises(kind, match=words):
            call()


def test_how_a_file_is_written(tmp_path):
    path = tmp_path / "d.txt"
    path.write_text("note\n1,5\t'a'\tx\n2,5\t'b'\ty\n")
    found = heft.check(path, skip=1, header=False, delimiter="tab", decimal_mark=",", quote="'")
    assert found.rows == 2 and [c["kind"] for c in found.columns] == ["numeric", "nominal", "nominal"]
    assert "'a'" in str(heft.check(path, skip=1, header=False, delimiter="\t", quote="none"))


def test_a_class_column_of_too_many_values(tmp_path):
    path = tmp_path / "ids.csv"
    path.write_text("x,id\n" + "".join(f"{i % 7},k{i}\n" for i in range(65001)))
    found = heft.check(path)
    assert found.findings[0]["code"] == "many-classes" and "at most 65000 are allowed" in found.findings[0]["text"]
