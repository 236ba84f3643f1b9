"""heft - weighted naive Bayes classification: scikit-learn estimators over libheft.

    >>> from heft import RNB
    >>> model = RNB().fit(X, y)
    >>> model.predict_proba(X); model.attribute_weights_; model.explain(X[:1]); model.save("m.heft")

One class for each method (``heft.methods()`` lists them); ``heft.load`` reads model files, also those
of the command line; ``heft.merge`` makes one model of models of parts; ``heft.evaluate`` and
``heft.compare`` cross-validate; ``heft.check`` looks at data before training.
"""

from . import _ffi, ranks
from ._base import HeftClassifier, NotFittedError, load
from ._check import Check, check
from ._explain import Explanation, ModelExplanation
from ._evaluate import compare, evaluate
from ._ffi import methods
from ._partial import merge

try:
    from .estimators import *  # noqa: F401,F403
    from .estimators import BY_METHOD, __all__ as _estimators
except ImportError:  # generate.py is about to write it
    BY_METHOD, _estimators = {}, []

__version__ = _ffi.text(_ffi.lib.heft_version())
__all__ = ["Check", "Explanation", "HeftClassifier", "ModelExplanation", "NotFittedError", "BY_METHOD", "check", "compare", "evaluate"]
__all__ += ["load", "merge", "methods", "ranks"]
__all__ += _estimators
