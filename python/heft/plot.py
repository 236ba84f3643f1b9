"""Plots of what a model learned. Each draws into ``ax`` (a new figure's without one) and returns it;
matplotlib is imported when the first is called."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._base import HeftClassifier


def _axes(ax: Any) -> Any:
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots()[1]
    return ax


def weights(estimator: HeftClassifier, *, top: int = 20, ax: Any = None) -> Any:
    """Attribute weights as bars, the largest first; where classes (or pairs of classes) have their
    own, a bar for each."""
    learned = np.asarray(estimator.attribute_weights_)
    labels = None
    if learned.ndim == 2:
        paired = "pairs" in estimator.inspect()
        labels = [" / ".join(map(str, p)) for p in estimator.pairs_] if paired else list(estimator.classes_)
        learned = learned.T if paired else learned
    else:
        learned = learned[:, None]
    names = [a["name"] for a in estimator.inspect()["attributes"]]
    order = np.argsort(-np.abs(learned).max(axis=1), kind="stable")[:top]
    ax, high = _axes(ax), 0.8 / learned.shape[1]
    for k in range(learned.shape[1]):
        places = np.arange(len(order)) + (k - (learned.shape[1] - 1) / 2) * high
        ax.barh(places, learned[order, k], height=high, label=None if labels is None else str(labels[k]))
    ax.set_yticks(range(len(order)), [names[j] for j in order])
    ax.invert_yaxis()
    ax.axvline(1, linewidth=0.8, linestyle=":", color="gray")
    ax.set_xlabel("weight (1: as in naive Bayes)")
    if labels is not None:
        ax.legend()
    return ax


def nomogram(estimator: HeftClassifier, X: Any, *, positive: Any = None, top: int = 15,
             ax: Any = None) -> Any:
    """How far each attribute moves the log odds of ``positive`` (the last class) against the other
    classes' mean over the rows of X: a line from the least to the greatest contribution, dots at the
    deciles. For methods whose score is a sum over attributes."""
    why = estimator.explain(X)
    classes = estimator.classes_.tolist()
    at = len(classes) - 1 if positive is None else classes.index(positive)
    others = [c for c in range(len(classes)) if c != at]
    moved = why.contributions[:, :, at] - why.contributions[:, :, others].mean(axis=2)
    span = moved.max(axis=0) - moved.min(axis=0)
    order = np.argsort(-span, kind="stable")[:top]
    ax = _axes(ax)
    for place, j in enumerate(order):
        dots = np.quantile(moved[:, j], np.linspace(0, 1, 11))
        ax.plot(dots[[0, -1]], [place, place], linewidth=1.5, color="C0")
        ax.plot(dots, [place] * len(dots), "o", markersize=4, color="C0")
    ax.set_yticks(range(len(order)), [why.features[j] for j in order])
    ax.invert_yaxis()
    ax.axvline(0, linewidth=0.8, color="gray")
    ax.set_xlabel(f"contribution to the log odds of {classes[at]}")
    return ax


def reliability(estimator: HeftClassifier, X: Any, y: Any, *, positive: Any = None, bins: int = 10,
                ax: Any = None) -> Any:
    """Predicted probability of ``positive`` (the last class) against its share among the rows given
    that probability: a calibrated model lies on the diagonal."""
    classes = estimator.classes_.tolist()
    at = len(classes) - 1 if positive is None else classes.index(positive)
    given = estimator.predict_proba(X)[:, at]
    truth = np.asarray(y).ravel() == estimator.classes_[at]
    if len(truth) != len(given):
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: [{len(given)}, {len(truth)}]"
        )
    place = np.minimum((given * bins).astype(int), bins - 1)
    count = np.bincount(place, minlength=bins)
    filled = count > 0
    mean = np.bincount(place, given, bins)[filled] / count[filled]
    share = np.bincount(place, truth, bins)[filled] / count[filled]
    ax = _axes(ax)
    ax.plot([0, 1], [0, 1], linewidth=0.8, linestyle=":", color="gray")
    ax.plot(mean, share, "o-")
    ax.set_xlabel(f"predicted probability of {classes[at]}")
    ax.set_ylabel("share among these rows")
    return ax
