"""heft - weighted naive Bayes classification: scikit-learn estimators over libheft.

    >>> from heft import Auto
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> clf = Auto().fit(X, y)
    >>> clf.predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    >>> clf.explain([[1.2, 3]])
    <heft.Explanation: 1 row, 2 attributes, 1 pair, 2 classes>

An explanation has ``to_frame()`` and ``plot()``; ``clf.save("model.heft")`` writes a model file. One class for each method (``heft.methods()`` lists them); ``heft.load`` reads model files, also those
of the command line; ``heft.merge`` makes one model of models of parts; ``heft.evaluate`` and
``heft.compare`` cross-validate; ``heft.evaluate_models`` tests fitted models on new rows; ``heft.check`` looks at data before training.
``heft.plot`` draws (with matplotlib); ``heft.dask`` and ``heft.spark`` fit on clusters.
"""

import importlib
from typing import TYPE_CHECKING, Any

from . import _ffi, ranks
from ._base import HeftClassifier, NotFittedError, load
from ._check import Check, check
from ._explain import Explanation, ModelExplanation
from ._evaluate import compare, evaluate, evaluate_models
from ._ffi import methods
from ._results import ClassResult, Evaluation, Result
from ._partial import merge

from .estimators import *  # noqa: F401,F403
from .estimators import BY_METHOD, __all__ as _estimators

if TYPE_CHECKING:
    from . import plot as plot


def __getattr__(name: str) -> Any:
    """``heft.plot``, at its first use."""
    if name == "plot":
        return importlib.import_module(".plot", __name__)
    raise AttributeError(f"module 'heft' has no attribute {name!r}")


__version__ = _ffi.text(_ffi.lib.heft_version())
__all__ = ["Check", "ClassResult", "Evaluation", "Result", "Explanation", "HeftClassifier", "ModelExplanation", "NotFittedError", "BY_METHOD", "check", "compare", "evaluate"]
__all__ += ["evaluate_models"]
__all__ += ["load", "merge", "methods", "ranks"]
__all__ += _estimators
