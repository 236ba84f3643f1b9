"""Models that add up: partial_fit, and merging of fitted estimators."""

from __future__ import annotations

import copy
import ctypes
import warnings
from ctypes import byref, c_void_p
from typing import Any, Sequence

import numpy as np

from . import _base, _ffi, _input


def merge_models(models: Sequence[_ffi.Model]) -> _ffi.Model:
    handles = (c_void_p * len(models))(*[model.handle for model in models])
    err, out = _ffi.Error(), c_void_p()
    status = _ffi.lib.heft_model_merge(ctypes.addressof(handles), len(models), byref(out), byref(err))
    _ffi.check(status, err)
    return _ffi.Model(out.value)


def labels_for(model: _ffi.Model, *known: np.ndarray) -> np.ndarray:
    """The classes of a model as labels of their own type, in the model's order."""
    labels = _input.joined_labels(known)
    place = {_input.value_text(label): k for k, label in enumerate(labels.tolist())}
    return labels[[place[name] for name in model.classes()]]


class PartialClassifier(_base.WeightedClassifier):
    """The methods whose models add up."""

    def _batch(self, X: Any) -> _input.Frame:
        """X as columns of the kinds it had at first."""
        name = type(self).__name__
        frame = _input.read(X, name, self._sparse)
        if "_model" not in self.__dict__:
            _input.categorical(frame, self.categorical_features)
            return frame
        return self._agreed(frame)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Learn from more rows: the model is then that of all rows so far, as one ``fit`` on them
        would have given it. ``classes`` may declare labels that come later, but need not: new labels,
        and new values of nominal columns, are taken in as they come.

        What prepares the rows (cuts, means, scales) is learned from the first batch and kept."""
        if self.select is not None and "_model" not in self.__dict__:
            raise ValueError("select: attributes cannot be selected batch by batch")
        if getattr(self, "class_weight", None) == "balanced":
            raise ValueError("class_weight='balanced' needs all rows: give partial_fit the weights, as a dict by class")
        if self.tune is not None:
            raise ValueError("tune: a threshold cannot be chosen batch by batch (use set_decision)")
        model = self.__dict__.get("_model")
        frame = self._batch(X)
        target = _input.read_target(y, frame.n_rows, type(self).__name__, _base.DataConversionWarning)
        if classes is not None:
            target = _input.with_classes(target, classes)
        weights = _input.read_weights(sample_weight, frame.n_rows)
        config = self._config(target)
        config.part = True
        config.cost = config.threshold = None  # of the whole, below
        if model is not None:
            self.set_decision()
            config.like = model.handle
            for setting in _ffi.settings():
                if setting.group in ("SELECT", "PREPARE", "UNSEEN"):  # the model has its preparation
                    setattr(config, setting.field, None)
        name = _base.target_name(frame, y) if model is None else model.target()
        batch, messages = _base.fit_frame(frame, target, name, weights, config)
        if model is None:
            self._keep(batch, frame, target.classes)
        else:
            merged = merge_models([model, batch])
            labels = labels_for(merged, self.classes_, target.classes)
            self._model, self.classes_ = merged, labels
        if len(self.classes_) > 1:
            self.set_decision(cost=self.cost, threshold=self.threshold)
        for text in messages:
            warnings.warn(text, UserWarning, stacklevel=2)
        return self


def merge(estimators: Sequence[Any]) -> Any:
    """Merge estimators that were fitted on parts of the data, in the order of the parts, into the
    one that a fit on all rows would have given. All must be of one class and have the same parameters.
    What they have learned to prepare rows must be the same, too, as it is after ``partial_fit``."""
    if isinstance(estimators, (str, _base.HeftClassifier)) or not hasattr(estimators, "__iter__"):
        raise TypeError(f"estimators: {estimators!r} is not a list of fitted estimators")
    parts = list(estimators)
    if not parts:
        raise ValueError("merge: no estimator given")
    first = parts[0]
    for part in parts:
        if not isinstance(part, _base.HeftClassifier):
            raise TypeError(f"estimators: {part!r} is not an estimator of heft (heft.load reads one from a file)")
        if type(part) is not type(first):
            raise ValueError(
                "merge: the estimators must be of one class, not "
                f"{type(first).__name__} and {type(part).__name__}"
            )
        part._fitted()
        if part._kinds != first._kinds:
            raise ValueError("merge: a column is numeric in one estimator and nominal in another")
        if list(getattr(part, "feature_names_in_", [])) != list(getattr(first, "feature_names_in_", [])):
            raise ValueError("merge: the estimators were fitted with different feature names")
    whole = copy.copy(first)
    whole._model = merge_models([part._fitted() for part in parts])
    whole.classes_ = labels_for(whole._model, *[part.classes_ for part in parts])
    return whole
