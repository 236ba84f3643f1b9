"""The estimator every method shares: reading X and y, fitting, predicting, looking inside."""

from __future__ import annotations

import copy
import ctypes
import html
import inspect
import itertools
import json
import os
import re
import threading
import time
import warnings
from ctypes import byref, c_int, c_void_p
from numbers import Real
from typing import Any, Callable, TypeVar

import numpy as np

from . import _explain, _ffi, _input, _joined, _score, ranks
from ._explain import LEAST, Explanation, ModelExplanation

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.exceptions import DataConversionWarning as DataConversionWarning
    from sklearn.exceptions import NotFittedError as NotFittedError
except ImportError:  # scikit-learn is used when present, not needed

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """A method was called that needs a fitted estimator."""

    class DataConversionWarning(UserWarning):  # type: ignore[no-redef]
        """y was reshaped."""

    class BaseEstimator:  # type: ignore[no-redef]
        """get_params, set_params and repr as scikit-learn has them."""

        @classmethod
        def _get_param_names(cls) -> list[str]:
            names = inspect.signature(cls.__init__).parameters
            return sorted(name for name in names if name != "self")

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return {name: getattr(self, name) for name in self._get_param_names()}

        def set_params(self, **params: Any) -> Any:
            known = self._get_param_names()
            for name, value in params.items():
                if name not in known:
                    raise ValueError(
                        f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {known}."
                    )
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            defaults = inspect.signature(type(self).__init__).parameters
            shown = [
                f"{name}={value!r}"
                for name, value in self.get_params().items()
                if value is not defaults[name].default and value != defaults[name].default
            ]
            return f"{type(self).__name__}({', '.join(shown)})"

    class ClassifierMixin:  # type: ignore[no-redef]
        _estimator_type = "classifier"
        predict: Callable[[Any], np.ndarray]

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            right = self.predict(X) == np.asarray(y).ravel()
            return float(np.average(right, weights=sample_weight))


Fitted = TypeVar("Fitted", bound="HeftClassifier")  # what fit is called on, and returns

_TEXTS = {setting.name: setting.field for setting in _ffi.settings() if setting.is_text}


def option_text(value: Any) -> str:
    """A parameter as the command line would have it."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return ",".join(option_text(v) for v in value)
    if isinstance(value, (float, np.floating)):
        return _input.number_text(float(value)) if np.isfinite(value) else repr(float(value))
    return str(value)


class Beside:
    """A call of the library in a thread of its own, so that the main thread, which alone receives signals, can
    stop it. The thread holds all that the call uses: nothing is freed before the call has ended."""

    def __init__(self, call: Callable[[], int], runtime: _ffi.Runtime, flag: c_int) -> None:
        self._call, self._runtime, self._flag = call, runtime, flag
        self._turn = [True]  # for the thread to take when it begins, or for those who stop it before
        self._ended = threading.Event()
        self._found: list[int | BaseException] = []

    def _work(self) -> None:
        try:
            if self._take_turn():
                self._found.append(self._call())
        except BaseException as error:
            self._found.append(error)
        finally:
            self._ended.set()

    def _take_turn(self) -> bool:
        try:
            return self._turn.pop()
        except IndexError:
            return False

    def status(self) -> int:
        """What the call returns. An exception while waiting, such as that of Control-C, ends the call first."""
        try:
            threading.Thread(target=self._work, name="heft").start()
            self._ended.wait()
        except BaseException:
            self._flag.value = 1
            if not self._take_turn():
                self._wait()
            raise
        found = self._found[0]
        if isinstance(found, BaseException):
            raise found
        return found

    def _wait(self) -> None:
        """Until the call has ended, which looks at the flag often; further interrupts do not change that, unless
        it waits for other ranks. An event is waited for, not the thread: in Python before 3.13 a thread whose
        join was interrupted counts as ended."""
        while not self._ended.is_set():
            try:
                self._ended.wait()
            except BaseException:
                if self._runtime.comm:
                    raise


def run(runtime: _ffi.Runtime, call: Callable[[], int]) -> tuple[int, list[str]]:
    """The status of a long call that uses `runtime`, and the warnings it gave. An interrupt ends it. The flag
    is read by C, so that no worker waits for the interpreter. ``runtime.verbose`` says what is printed: 1:
    messages and, once a second, how far the work is; 2: more messages."""
    flag, messages = c_int(0), []
    verbose, told = runtime.verbose, time.monotonic()

    def on_message(user: Any, level: int, text: bytes) -> None:
        if level == 0:
            messages.append(_ffi.sentence(text))
        elif level <= verbose:
            print(_ffi.sentence(text), flush=True)

    def on_progress(user: Any, what: bytes, done: float) -> None:
        nonlocal told
        if time.monotonic() - told >= 1:
            told = time.monotonic()
            print(f"{_ffi.sentence(what)} ({100 * done:.0f}%)", flush=True)

    host = _ffi.Host(log=_ffi.LOG(on_message), cancelled=_ffi.flag_raised, user=ctypes.addressof(flag))
    if verbose:
        host.progress = _ffi.PROGRESS(on_progress)
    runtime.host, runtime.alive = ctypes.pointer(host), (flag, ranks.active())
    if threading.current_thread() is not threading.main_thread():
        return call(), messages
    return Beside(call, runtime, flag).status(), messages


def fitted(call: Any, data: Any, config: _ffi.Config) -> tuple[_ffi.Model, list[str]]:
    """The model that heft_fit or heft_fit_matrix makes of `data`, and the warnings it gave."""
    err, out = _ffi.Error(), c_void_p()
    config.runtime.comm = ranks.current()
    try:
        status, messages = run(config.runtime, lambda: call(data, byref(config), byref(out), byref(err)))
    except BaseException:
        _ffi.lib.heft_model_free(out)
        raise
    _ffi.check(status, err)
    model = _ffi.Model(out.value)
    if config.runtime.comm:  # a model that keeps rows has those of its rank: the estimator is to be whole
        _ffi.check(_ffi.lib.heft_model_gather(model.handle, byref(err)), err)
    return model, messages


def set_target(table: _ffi.Table, target: _input.Target, name: str) -> None:
    table.call(_ffi.lib.heft_table_set_target, _ffi.raw(name), _input.address(target.codes),
               _ffi.strings(target.texts), len(target.texts))


def fit_frame(frame: _input.Frame, target: _input.Target, name: str,
              weights: np.ndarray | None, config: _ffi.Config) -> tuple[_ffi.Model, list[str]]:
    """A model of the columns, the classes and the weights. Numbers are read where they are."""
    if frame.matrix is not None:
        data = _input.matrix_of(frame.matrix, frame.shown())
        data.target, data.codes = _ffi.raw(name), _input.address(target.codes)
        data.classes, data.n_classes = _ffi.strings(target.texts), len(target.texts)
        data.weights = None if weights is None else _input.address(weights)
        data.alive = data.alive, target, weights
        return fitted(_ffi.lib.heft_fit_matrix, byref(data), config)
    table = frame.table()
    set_target(table, target, name)
    if weights is not None:
        table.call(_ffi.lib.heft_table_set_weights, _input.address(weights))
    return fitted(_ffi.lib.heft_fit, table, config)


class HeftClassifier(ClassifierMixin, BaseEstimator):
    """What every estimator of heft can do; use one of the methods' classes."""

    _method = ""
    _sparse = False
    _weights = False
    _missing = False
    #: Texts and numbers that are missing cells: those of --missing, in a model that was trained on a file.
    _marks: tuple[str, ...] = ()
    _explains = False
    _options: dict[str, str] = {}  # parameter here -> option of the library
    _numbers: list[str] | None = None  # names of columns that are whole numbers, as texts
    _selected = False  # read from a file, which does not have the columns that ``select`` left out

    # ---- what scikit-learn asks ----

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        tags.input_tags.allow_nan = self._takes_missing()
        tags.input_tags.categorical = tags.input_tags.string = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {"allow_nan": self._takes_missing(), "X_types": ["2darray", "categorical", "string"]}

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def _takes_missing(self) -> bool:
        """Missing cells are imputed by default where the method cannot use them."""
        return self._missing or self.impute in (None, "mean")

    # ---- fitting ----

    def _config(self, target: _input.Target | None, runtime: _ffi.Runtime | None = None) -> _ffi.Config:
        """The library's configuration, with the estimator's own threads and seed unless given."""
        if runtime is None:
            runtime = _ffi.Runtime(threads=threads_of(self.n_jobs), seed=seed_of(self.random_state))
            runtime.verbose = verbosity_of(self.verbose) if ranks.is_first() else 0
        config = _ffi.Config(runtime, method=self._method.encode())
        words = [
            f"{option}={option_text(getattr(self, name))}" for name, option in self._options.items()
        ]
        config.params = _ffi.strings(words, end=True)
        decision = self._decision(target)
        for name, field in _TEXTS.items():
            # a method has no parameter that it always refuses
            value = decision[name] if name in decision else getattr(self, name, None)
            if name == "prior" and value is not None and not isinstance(value, str):
                value = self._prior_text(value, target)
            if value is not None:
                setattr(config, field, _ffi.raw(option_text(value)))
        limit = getattr(self, "time_limit", None)
        if limit is not None:
            if isinstance(limit, bool) or not isinstance(limit, Real) or not 0 < float(limit) < float("inf"):
                raise ValueError(f"time_limit takes a number of seconds above 0, not {limit!r}")
            config.time_limit = limit
        return config

    def _prior_text(self, prior: Any, target: _input.Target | None) -> str:
        """A mapping of classes, or a sequence in the order of classes_, as CLASS=P,..."""
        classes = target.classes.tolist() if target else []
        if not isinstance(prior, dict):
            given = numbers_of("prior", prior)
            if given.shape != (len(classes),):
                raise ValueError(f"prior: {given.size} probabilities for {len(classes)} classes")
            prior = dict(zip(classes, given.tolist()))
        return by_class("prior", prior)

    def _decision(self, target: _input.Target | None) -> dict[str, str | None]:
        """What decides beside the probabilities, in the library's words."""
        classes = target.classes.tolist() if target else []
        words = {"class_weight": class_weight_text(getattr(self, "class_weight", None)), "tune": self.tune,
                 **rule_text(self.cost, self.threshold, classes)}
        for name, word in words.items():
            if word is not None and not isinstance(word, str):
                raise ValueError(f"{name}: {word!r} is not a text")
        return words

    def _fit(self: Fitted, X: Any, y: Any, sample_weight: Any) -> Fitted:
        for attribute in [a for a in vars(self) if a.endswith("_") and not a.startswith("__")]:
            if attribute not in self.get_params(deep=False):
                delattr(self, attribute)
        self.__dict__.pop("_model", None)
        frame, target, weights = _joined.read(self, X, y, sample_weight)
        config = self._config(target)
        model, messages = fit_frame(frame, target, target_name(frame, y), weights, config)
        self._keep(model, frame, target.classes)
        for text in messages:
            warnings.warn(text, UserWarning, stacklevel=3)
        return self

    def _keep(self, model: _ffi.Model, frame: _input.Frame, classes: np.ndarray) -> None:
        self._model = model
        self._selected = False
        self._kinds = frame.kinds()
        self.classes_ = classes
        self.n_features_in_ = frame.n_cols
        if frame.names:
            self.feature_names_in_ = np.asarray(frame.names, dtype=object)
        whole = frame.names and all(re.fullmatch("-?[0-9]+", name) for name in frame.names)  # a file has texts alone
        self._numbers = frame.names if whole else frame.numbers
        # An array of this many numbers goes to the library without a look at it.
        self._plain = not self._kinds and not frame.shown()

    def fit(self: Fitted, X: Any, y: Any) -> Fitted:
        """Fit to X of shape (n_samples, n_features) and the labels y."""
        return self._fit(X, y, None)

    # ---- predicting ----

    def _fitted(self) -> _ffi.Model:
        try:
            model: _ffi.Model = self.__dict__["_model"]
            return model
        except KeyError:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate "
                "arguments before using this estimator."
            ) from None

    def _table(self, X: Any) -> tuple[_ffi.Table, int]:
        """X as a table for the fitted model, and its number of rows."""
        name = type(self).__name__
        frame = self._agreed(_input.read(X, name, self._sparse))
        return frame.table(), frame.n_rows

    def _agreed(self, frame: _input.Frame) -> _input.Frame:
        """Columns as fit knew them; ValueError, in scikit-learn's words, where they are others."""
        name = type(self).__name__
        known = getattr(self, "feature_names_in_", None)
        if self._selected:
            frame = _input.narrowed(frame, self._shown())
        if self._numbers and frame.given:
            _input.same_numbers(frame.given, self._numbers, name)
        else:
            _input.same_names(frame.names, known, name)
        if frame.n_cols != self.n_features_in_:
            raise ValueError(
                f"X has {frame.n_cols} features, but {name} is expecting {self.n_features_in_} "
                "features as input."
            )
        if frame.names is None and "feature_names_in_" in self.__dict__:
            frame.names = self.feature_names_in_.tolist()
        elif "feature_names_in_" not in self.__dict__:
            frame.names = None
        frame.numbers = self._numbers
        _input.agree(frame, self._kinds, self._marks)
        return frame

    def _scores(self, kind: int, X: Any) -> np.ndarray:
        model = self._fitted()
        if (
            type(X) is np.ndarray
            and X.dtype == np.float64
            and X.ndim == 2
            and X.shape[1] == self.n_features_in_
            and self._plain
            and X.shape[0]
        ):
            runtime = None if self.n_jobs is None else byref(_ffi.Runtime(threads=threads_of(self.n_jobs)))
            return _score.score_matrix(kind, model, X, runtime)
        table, n_rows = self._table(X)
        out, err, told = np.empty((n_rows, model.n_classes)), _ffi.Error(), _ffi.Runtime(threads=threads_of(self.n_jobs))
        status, messages = run(told, lambda: _ffi.lib.heft_predict_scores(
            model.handle, table, kind, byref(told), _input.address(out), byref(err)))
        _ffi.check(status, err)
        for text in messages:  # how many cells have a value that is not in the training data
            warnings.warn(text, UserWarning, stacklevel=3)
        return out

    def predict_proba(self, X: Any) -> np.ndarray:
        """Posterior probabilities, shape (n_samples, n_classes), in the order of ``classes_``."""
        return self._scores(_ffi.PROBABILITY, X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the posterior probabilities; exact where the probability underflows."""
        return self._scores(_ffi.LOG_PROBABILITY, X)

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """The method's own scores, whose softmax is the posterior; for those that are sums over
        attributes w0 log P(c) + sum_j w_j log P(x_j | c)."""
        out = self._scores(_ffi.SCORE, X)
        out[out == LEAST] = -np.inf
        return out

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row: the most probable one, the first in ``classes_`` on a tie; where
        ``cost``, ``threshold`` or ``tune`` is given, by that rule."""
        proba = self._scores(_ffi.PROBABILITY, X)
        codes = np.empty(len(proba), dtype=np.int32)
        self._fitted().call(_ffi.lib.heft_model_decide, _input.address(proba), len(proba),
                            _input.address(codes))
        return np.asarray(self.classes_[codes])

    def set_decision(self: Fitted, *, cost: Any = None, threshold: Any = None) -> Fitted:
        """Give the fitted model another rule, which ``save`` stores with it; without arguments it
        predicts the most probable class. The arguments are those of the constructor."""
        model = self._fitted()
        words = rule_text(cost, threshold, self.classes_.tolist())
        model.call(_ffi.lib.heft_model_set_decision,
                   *(None if words[name] is None else _ffi.raw(words[name]) for name in ("cost", "threshold")))
        model.memo.pop("inspect", None)
        return self

    @property
    def decision_(self) -> dict[str, Any]:
        """The rule that ``predict`` follows, as ``inspect`` shows it: ``{"rule": "threshold", "class": ...,
        "threshold": ...}``, ``{"rule": "cost", "cost": ...}`` or ``{"rule": "most probable"}``."""
        found: dict[str, Any] = self._learned("decision_").inspect().get("decision", {"rule": "most probable"})
        return copy.deepcopy(found)

    def explain(self, X: Any, *, terms: bool = False) -> Explanation:
        """What the prior and each term add to the score of each class, row by row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        terms : bool, default False
            Whether ``contributions`` lists every term instead of every attribute.

        Returns
        -------
        Explanation
        """
        model = self._fitted()
        frame = self._agreed(_input.read(X, type(self).__name__, self._sparse))
        table, names = frame.table(), model.names()
        joint = terms or _ffi.lib.heft_model_terms(model.handle) > 0
        found: list[tuple[str, ...]] = model.terms() if joint else [(name,) for name in names]
        parts = np.empty((frame.n_rows, 1 + len(found), model.n_classes))
        score = np.empty(model.n_classes)
        # the shares that attributes have in a remainder cannot be told from the terms
        shared = np.empty((frame.n_rows, 1 + len(names), model.n_classes)) if () in found and not terms else None
        for i in range(frame.n_rows):
            if joint:
                model.call(_ffi.lib.heft_explain_terms, table.handle, i, _input.address(parts[i]))
            own = shared if joint else parts
            if own is not None:
                model.call(_ffi.lib.heft_explain_row, table.handle, i, _input.address(own[i]), _input.address(score))
        parts[parts == LEAST] = -np.inf
        if shared is not None:
            shared[shared == LEAST] = -np.inf
        cells = _input.cells(frame, self._columns_of(names))
        rows = list(X.index) if _input.is_frame(X) else list(range(frame.n_rows))
        return Explanation(parts[:, 0], names, found, parts[:, 1:], self.classes_, cells, rows, terms,
                           None if shared is None else shared[:, 1:])

    def reasons(self, X: Any, n: int = 3) -> np.ndarray:
        """The ``n`` strongest reasons for the predicted class of each row, as ``heft predict --reasons``
        writes them: ``"income=2100 -0.81"``. The number is what the attribute adds to the log odds of the
        predicted class against the most probable other class, with its share of joint terms, as in
        ``explain(X).contributions``. The largest in size comes first; a negative one speaks against the
        predicted class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        n : int, default 3

        Returns
        -------
        ndarray of shape (n_samples, n), dtype object
            Texts; empty where the model has fewer attributes. A missing cell is a question mark.
        """
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 1 <= n <= 1000:
            raise ValueError(f"n={n!r} is not a whole number from 1 to 1000")
        model = self._fitted()
        frame = self._agreed(_input.read(X, type(self).__name__, self._sparse))
        table, names = frame.table(), model.names()
        found = np.empty((frame.n_rows, int(n)), dtype=[("attribute", np.int64), ("log_odds", np.float64)])
        run = None if self.n_jobs is None else byref(_ffi.Runtime(threads=threads_of(self.n_jobs)))
        model.call(_ffi.lib.heft_predict_reasons, table.handle, int(n), run, _input.address(found))
        used = np.unique(found["attribute"][found["attribute"] >= 0]).tolist()
        cells = _input.cells(frame, self._columns_of([names[j] for j in used]))
        place = {j: k for k, j in enumerate(used)}
        out = np.full(found.shape, "", dtype=object)
        for (i, k), (j, odds) in zip(np.ndindex(found.shape), found.ravel().tolist()):
            if j >= 0:
                out[i, k] = _explain.reason_text(names[j], cells[i, place[j]], odds)
        return out

    def explain_model(self) -> ModelExplanation:
        """What the model learned: importances, shape functions and tables of pairs as DataFrames.

        Returns
        -------
        ModelExplanation
        """
        return ModelExplanation(self._fitted(), self.classes_)

    def _columns_of(self, names: list[str]) -> list[int]:
        """The columns of X that are these attributes of the model, which ``select`` may have chosen."""
        place = {name: j for j, name in enumerate(self._shown())}
        return [place[name] for name in names]

    def _shown(self) -> list[str]:
        """What the columns of X are called: by their names, or c1, c2, ..."""
        given = getattr(self, "feature_names_in_", None)
        if given is not None:
            return [str(name) for name in given]
        return self._numbers or [f"c{j + 1}" for j in range(self.n_features_in_)]

    # ---- what was learned ----

    def _learned(self, name: str) -> _ffi.Model:
        """The model that `name` is a part of; AttributeError where there is none yet."""
        model: _ffi.Model | None = self.__dict__.get("_model")
        if model is None:
            raise AttributeError(f"{name}: this {type(self).__name__} is not fitted yet")
        return model

    def _aligned(self, learned: np.ndarray, axis: int = 0) -> np.ndarray:
        """Numbers by attribute of the model as numbers by column of X: 0 where ``select`` left it out."""
        place = self._columns_of(self._fitted().names())
        if place == list(range(self.n_features_in_)):
            return learned
        out = np.zeros([self.n_features_in_ if k == axis else n for k, n in enumerate(learned.shape)])
        out[(slice(None),) * axis + (place,)] = learned
        return out

    @property
    def attribute_weights_(self) -> np.ndarray:
        """Weights in the order of the columns of X: (n_features,), or (n_features, n_classes) where each
        class has its own, or (n_pairs, n_features) for a one-against-one model (see ``pairs_``). An
        attribute that ``select`` left out has weight 0. Weights of single values are in
        ``value_weights_``."""
        model = self._learned("attribute_weights_")
        weighting = model.weighting()
        if weighting == _ffi.BY_PAIR:
            return self._aligned(np.array([model.pair_weights(a, b) for a, b in pairs_of(model)]), 1)
        if weighting == _ffi.BY_VALUE:
            raise AttributeError("attribute_weights_: this model weighs values (see value_weights_)")
        if weighting == _ffi.BY_CLASS:
            shared = np.array([model.weight(j, model.n_classes) for j in range(model.n_attributes)])
            return self.class_weights_ if np.isnan(shared).any() else self._aligned(shared)  # rnb has both
        return self._aligned(np.array([model.weight(j) for j in range(model.n_attributes)]))

    @property
    def feature_importances_(self) -> np.ndarray:
        """How much each column of X says about the class, shape (n_features,), with sum 1. For ``Auto`` the rise
        of the mean log loss of held-out training rows if what the column says is left out, not below 0 (see
        ``importance_errors_``). For other methods the mean absolute evidence of the attribute (see
        ``explain_model``). Where the score is not a sum of terms, the mean size of its weights;
        AttributeError for methods that have no weights either. An attribute that ``select`` left out has 0."""
        model = self._learned("feature_importances_")
        measured = model.importances()
        if measured is not None:
            sizes = self._aligned(np.maximum(measured[:, 0], 0))
        elif _ffi.lib.heft_model_terms(model.handle) > 0:
            sizes = self._aligned(_explain.importances(model)[: model.n_attributes])
        elif model.weighting() in (_ffi.BY_ATTRIBUTE, _ffi.BY_CLASS, _ffi.BY_PAIR):
            sizes = np.abs(self.attribute_weights_)
            if sizes.ndim == 2:
                sizes = sizes.mean(axis=0 if model.weighting() == _ffi.BY_PAIR else 1)
        else:
            raise AttributeError(f"feature_importances_: {type(self).__name__} has none for this model (use "
                                 "sklearn.inspection.permutation_importance)")
        total = sizes.sum()
        return np.asarray(sizes / total if total > 0 else sizes)

    @property
    def importance_errors_(self) -> np.ndarray:
        """Standard errors of ``feature_importances_``, shape (n_features,). A column whose importance is below
        two of them may be noise. AttributeError where importance is not measured on held-out rows."""
        model = self._learned("importance_errors_")
        measured = model.importances()
        if measured is None:
            raise AttributeError(f"importance_errors_: {type(self).__name__} has none for this model")
        total = np.maximum(measured[:, 0], 0).sum()
        return self._aligned(measured[:, 1] / total if total > 0 else measured[:, 1])

    @property
    def class_weights_(self) -> np.ndarray:
        """Weights by attribute and class, shape (n_features, n_classes)."""
        model = self._learned("class_weights_")
        if model.weighting() != _ffi.BY_CLASS:
            raise AttributeError("class_weights_: this model has no weights by class")
        return self._aligned(np.array([[model.weight(j, c) for c in range(model.n_classes)]
                                       for j in range(model.n_attributes)]))

    @property
    def value_weights_(self) -> dict[str, dict[str, float]]:
        """Weights by attribute and value (the interval of a discretised number, as text)."""
        model = self._learned("value_weights_")
        if model.weighting() != _ffi.BY_VALUE:
            raise AttributeError("value_weights_: this model has no weights by value")
        return {name: {value: model.weight(j, 0, v) for v, value in enumerate(model.values(j))}
                for j, name in enumerate(model.names())}

    @property
    def pairs_(self) -> list[tuple[Any, Any]]:
        """The two classes of each part of a one-against-one model."""
        model = self._learned("pairs_")
        if model.weighting() != _ffi.BY_PAIR:
            raise AttributeError("pairs_: this model is not one-against-one")
        return [(self.classes_[a], self.classes_[b]) for a, b in pairs_of(model)]

    @property
    def class_prior_(self) -> np.ndarray:
        """Prior probabilities in the order of ``classes_``."""
        return self._learned("class_prior_").prior()

    @property
    def n_iter_(self) -> int:
        """Iterations of an iterative fit, at least 1."""
        return max(1, int(self._training("n_iter_", "iterations")))

    @property
    def objective_(self) -> float:
        """What an iterative fit minimised, at its end."""
        return float(self._training("objective_", "objective_final"))

    @property
    def converged_(self) -> bool:
        """The iterative fit ended by its tolerance, not by a limit."""
        return bool(self._training("converged_", "converged"))

    def _training(self, name: str, member: str) -> Any:
        """A member of what inspect() says of the training, for the attribute `name`."""
        value = self._learned(name).inspect()["training"].get(member)
        if value is None:
            raise AttributeError(f"{name}: the fit of this model is not iterative")
        return value

    def inspect(self) -> dict[str, Any]:
        """What the model learned, as a dict: what ``heft inspect --json`` writes."""
        return copy.deepcopy(self._fitted().inspect())

    def describe(self) -> str:
        """What `heft inspect` prints."""
        return self._fitted().describe()

    # ---- files ----

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file that the command line and the C library read. It holds labels and
        names as text; pickle keeps their types too."""
        self._fitted().save(os.fspath(path))

    def export(self, path: str | os.PathLike[str], *, format: str | None = None, table: str | None = None,
               id: str | None = None, with_header: bool = False, single: bool = False,
               evidence: bool = False) -> None:
        """Write the model for use without heft, in the format that the ending of the file names, such
        as ``model.onnx``, or in ``format``. The options are those of ``heft export``: ``table`` and
        ``id`` of SQL; ``with_header`` and ``single`` (``--float``) of C; ``evidence`` of ONNX."""
        to = os.fspath(path)
        for name, given in (("format", format), ("table", table), ("id", id)):
            if given is not None and not isinstance(given, str):
                raise TypeError(f"{name}: {given!r} is not a text")
        texts = {"format": format, "table": table, "id": id,
                 "header": os.path.splitext(to)[0] + ".h" if with_header else None}
        options = _ffi.ExportOptions(single=single, evidence=evidence,
                                     **{k: _ffi.raw(v) for k, v in texts.items() if v is not None})
        self._fitted().export(to, options)

    def _page(self, X: Any, y: Any, cv: int | None, data: bool) -> bytes:
        """The report of the model: the page, or its data as JSON."""
        model = self._fitted()
        table = None
        if cv is not None and y is None:
            raise ValueError("cv needs X and y: the rows to divide into folds")
        if X is not None:
            table, n_rows = self._table(X)
            if y is not None:
                target = _input.read_target(y, n_rows, type(self).__name__, DataConversionWarning, True)
                set_target(table, target, _ffi.text(_ffi.lib.heft_model_target(model.handle)))
        run = _ffi.Runtime(threads=threads_of(self.n_jobs), seed=seed_of(self.random_state))
        folds = 0 if cv is None else whole_of("cv", cv, 2)
        return model.report(table, _ffi.ReportPlan(folds=folds, run=ctypes.pointer(run)), data)

    def report(self, path: str | os.PathLike[str], X: Any = None, y: Any = None, *, cv: int | None = None) -> None:
        """Write what `heft report` writes: one HTML page about the model and, with X and the labels y, how
        good it is on them; with ``cv`` by cross-validation with this many folds."""
        page = self._page(X, y, cv, False)
        with open(path, "wb") as file:
            file.write(page)

    def report_data(self, X: Any = None, y: Any = None, *, cv: int | None = None) -> dict[str, Any]:
        """The data of the page that ``report`` writes, as a dict: measures, curves, importance, shapes and
        all else that the page shows. ``docs/page_data.md`` describes the members."""
        return dict(json.loads(self._page(X, y, cv, True)))

    def show(self, X: Any = None, y: Any = None, *, cv: int | None = None, height: int = 800) -> Page:
        """The page that ``report`` writes, in a frame of a notebook. ``height`` is in pixels."""
        return Page(self._page(X, y, cv, False).decode(), height)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, labels: str = "auto") -> Any:
        """Read a model file, also one that the program wrote. See ``heft.load``."""
        found = load(path, labels=labels)
        if cls is not HeftClassifier and not isinstance(found, cls):
            raise ValueError(f"{os.fspath(path)} is a model of {type(found).__name__}, not {cls.__name__}")
        return found


class Page:
    """A page about a model. A notebook shows it in a frame; ``html`` is its text."""

    def __init__(self, text: str, height: int) -> None:
        self.html = text
        self.height = height

    def _repr_html_(self) -> str:
        frame = html.escape(self.html, quote=True)
        return (f'<iframe srcdoc="{frame}" width="100%" height="{int(self.height)}" style="border:0" '
                'sandbox="allow-scripts" title="Model report"></iframe>')


class WeightedClassifier(HeftClassifier):
    """The methods that take instance weights."""

    _weights = True

    def fit(self: Fitted, X: Any, y: Any, sample_weight: Any = None) -> Fitted:
        """Fit to X of shape (n_samples, n_features) and the labels y; a row of ``sample_weight`` 2
        counts as two rows."""
        return self._fit(X, y, sample_weight)


def by_class(name: str, values: dict[Any, Any]) -> str:
    """Numbers by class, which were given as the argument `name`, as CLASS=NUMBER,..."""
    return ",".join(f"{quoted(c)}={option_text(number_of(f'{name} of {c!r}', x))}" for c, x in values.items())


def number_of(name: str, value: Any) -> float:
    """The number that was given as `name`; ValueError where it is none."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: {value!r} is not a number") from None


def numbers_of(name: str, values: Any) -> np.ndarray:
    """The array of numbers that was given as `name`; ValueError where a value is no number."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: {values!r} does not consist of numbers") from None


def whole_of(name: str, value: Any, least: int) -> int:
    """The whole number, at least `least`, that was given as `name`; ValueError where it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name}: {value!r} is not a whole number of at least {least}")
    return int(value)


def quoted(label: Any) -> str:
    """A class in a list of the library."""
    text = _input.value_text(label)
    return '"' + text.replace('"', '""') + '"'


def class_weight_text(weights: Any) -> Any:
    if isinstance(weights, dict):
        return by_class("class_weight", weights)
    if weights is not None and not isinstance(weights, str):
        raise ValueError(f"class_weight: {weights!r} is not None, 'balanced' or a dict by class")
    return weights


def rule_text(cost: Any, threshold: Any, classes: list[Any]) -> dict[str, Any]:
    """cost and threshold as the library takes them; None where not given."""
    if threshold is not None and isinstance(threshold, Real) and not isinstance(threshold, bool):
        if len(classes) != 2:
            raise ValueError(f"threshold needs two classes, and there are {len(classes)}")
        threshold = {classes[1]: threshold}
    if isinstance(threshold, dict):
        threshold = by_class("threshold", threshold)
    if isinstance(cost, dict):
        for pair in cost:
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise ValueError(f"cost: {pair!r} is not a pair (actual class, predicted class)")
    elif cost is not None and not isinstance(cost, (str, os.PathLike)):
        given = numbers_of("cost", cost)
        if given.shape != (len(classes), len(classes)):
            raise ValueError(f"cost: a matrix of shape {given.shape} for {len(classes)} classes")
        cost = {(a, b): given[i, j] for i, a in enumerate(classes) for j, b in enumerate(classes)}
    if isinstance(cost, dict):
        cost = ",".join(f"{quoted(a)}:{quoted(b)}={option_text(number_of(f'cost of {(a, b)!r}', x))}"
                        for (a, b), x in cost.items())
    return {"cost": os.fspath(cost) if isinstance(cost, os.PathLike) else cost, "threshold": threshold}


def target_name(frame: _input.Frame, y: Any) -> str:
    """The class column's: y's own where it has one that is free."""
    taken = frame.shown() or []
    name = getattr(y, "name", None)
    if not isinstance(name, str) or not name or name in taken:
        name = "class"
    while name in taken:
        name += "_"
    return name


def pairs_of(model: _ffi.Model) -> list[tuple[int, int]]:
    """The classes of each part of a one-against-one model."""
    return list(itertools.combinations(range(model.n_classes), 2))


def threads_of(n_jobs: int | None) -> int:
    """0, the library's word for all cores, for None and negative numbers."""
    if n_jobs is None:
        return 0
    if not isinstance(n_jobs, (int, np.integer)) or isinstance(n_jobs, bool):
        raise ValueError(f"n_jobs: {n_jobs!r} is not None or a whole number")
    if n_jobs == 0:
        raise ValueError("n_jobs: 0 is not None or a whole number other than 0")
    return max(0, int(n_jobs))


def verbosity_of(verbose: Any) -> int:
    if isinstance(verbose, (int, np.integer)) and verbose >= 0:
        return int(verbose)
    raise ValueError(f"verbose: {verbose!r} is not a whole number from 0 on")


def seed_of(random_state: Any) -> int:
    if random_state is None:
        return 0
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state: {random_state} is negative")
        return int(random_state)
    if hasattr(random_state, "randint"):
        return int(random_state.randint(1, 2**31 - 1))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(1, 2**31 - 1))
    raise ValueError(f"random_state: {random_state!r} is not None, a whole number or a generator")


def labels_of(texts: list[str], how: str) -> np.ndarray:
    """Class names of a file as labels: numbers where all are."""
    if how not in ("auto", "text"):
        raise ValueError(f"labels: {how!r} is not 'auto' or 'text'")
    if how == "auto":
        if sorted(texts) == _input.BOOLS:
            return np.array([t == "True" for t in texts])
        for kind in (int, float):
            try:
                found = [kind(t) for t in texts]
            except ValueError:
                continue
            if [_input.value_text(v) for v in found] == texts:
                return np.array(found)
    return np.array(texts, dtype=object)


def load(path: str | os.PathLike[str], *, labels: str = "auto") -> HeftClassifier:
    """Read a model file written by the program, the C library or ``save``, as an estimator of its
    method with its parameters. Class names are text in the file; with ``labels="auto"`` they become
    numbers or bools where all of them read as such, with ``"text"`` they stay text."""
    from . import estimators

    model = _ffi.Model.load(os.fspath(path))
    cls = estimators.BY_METHOD.get(model.method())
    if cls is None:
        raise ValueError(f"{os.fspath(path)}: method '{model.method()}' is unknown to this package")
    given, options = model.config()
    estimator = cls()
    for name, option in cls._options.items():
        if option in options:
            setattr(estimator, name, like(options[option], getattr(estimator, name)))
    for name, field in _TEXTS.items():
        if field in given and hasattr(estimator, name):
            setattr(estimator, name, given[field])
    classes = labels_of(model.classes(), labels)
    if "threshold" in given:
        named, _, probability = given["threshold"].rpartition("=")
        label = named[1:-1].replace('""', '"') if named[:1] == '"' else named
        if label in model.classes():
            estimator.threshold = {classes[model.classes().index(label)]: float(probability)}
    if given["time_limit"] > 0:
        estimator.time_limit = given["time_limit"]
    if given["seed"] > 1:
        estimator.random_state = given["seed"]
    names = model.names()
    frame = _input.Frame(0, len(names))
    if names != [f"c{j + 1}" for j in range(len(names))]:
        frame.names = names
    estimator._keep(model, frame, classes)
    estimator._selected = given.get("select", "none") != "none"
    for j, attribute in enumerate(model.attributes()):
        if attribute.kind == _ffi.NOMINAL:
            estimator._kinds[j] = "text"
    estimator._marks = tuple(mark.strip() for mark in model.missing().split(",") if mark.strip())
    estimator._plain = not estimator._kinds and not frame.names and not estimator._marks
    return estimator


def like(text: str, default: Any) -> Any:
    """An option of a file as a value of its parameter."""
    parts = text.split(",") if isinstance(default, tuple) else [text]
    try:
        found = tuple(int(part) if re.fullmatch("-?[0-9]+", part) else float(part) for part in parts)
    except ValueError:
        return text
    return found if isinstance(default, tuple) else found[0]
