import os
import sys

import numpy as np
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
if "HEFT_LIBRARY" in os.environ:  # the sources, with that library
    sys.path.insert(0, os.path.dirname(HERE))

os.environ.setdefault("MPLBACKEND", "Agg")


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def iris():
    """The example table: four numbers and the class."""
    with open(os.path.join(ROOT, "examples", "iris.csv"), encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(",") for line in file]
    X = np.array([[float(v) for v in line[:-1]] for line in lines[1:]])
    return X, np.array([line[-1] for line in lines[1:]])
