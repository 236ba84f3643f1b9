"""The examples in docstrings print what they say."""

import doctest
import importlib
import os

import pytest

import heft

pytest.importorskip("pandas")  # an example prints a DataFrame
HERE = os.path.dirname(heft.__file__)
NEEDS = {"heft.dask": "distributed", "heft.spark": "pyspark"}
MODULES = sorted("heft." + name[:-3] for name in os.listdir(HERE) if name.endswith(".py") and name[:2] != "__")


@pytest.mark.parametrize("name", ["heft", *MODULES])
def test_examples_print_what_they_say(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_every_estimator_has_an_example():
    """And the sections of numpydoc."""
    for estimator in heft.BY_METHOD.values():
        page = estimator.__doc__
        for section in ("Parameters\n    ------", "Attributes\n    ------", "Examples\n    ------"):
            assert section in page, estimator
        assert f">>> from heft import {estimator.__name__}\n" in page
