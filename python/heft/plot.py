"""Plots of what a model learned and why rows got their classes. Each function draws into ``ax``, or
into a new figure if there is none, and returns the ``ax``. matplotlib is imported at the first call.

In figures that they make, no label is cut off: ``ax.figure.savefig("plot.png")``.
"""

from __future__ import annotations

import textwrap
from typing import Any, Sequence

import numpy as np

from ._base import HeftClassifier
from ._explain import Explanation, class_at, class_colour, log_odds, side_colours, value_name

_TOTAL, _QUIET, _SIZE = "#1c2430", "#999999", "#5c6675"


def _by_sign(sizes: Any, at: int, n_classes: int) -> list[str]:
    """Evidence for a class in its colour."""
    up, down = side_colours(at, n_classes)
    return [up if size >= 0 else down for size in sizes]


def _axes(ax: Any, names: Sequence[Any] | None = None, bars: int = 1) -> Any:
    """The axes to draw into, with the look that all plots share; names down the axis have the height that
    their lines need, or that of `bars` bars each."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError("plots need the package matplotlib (pip install matplotlib)") from None
        high = 4.5
        if names is not None:
            lines = max((_label(name).count("\n") + 1 for name in names), default=1)
            high = max(2.5, 1.2 + len(names) * (0.16 + 0.18 * max(lines, bars / 2)))
        ax = pyplot.subplots(figsize=(7.0, high), layout="constrained")[1]
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.tick_params(length=3, labelsize=9)
    ax.set_axisbelow(True)
    return ax


def _label(text: Any) -> str:
    """A name on at most a few lines, with nothing that matplotlib would read as a formula."""
    lines = textwrap.wrap(str(text), 40) or [""]
    return "\n".join(lines).replace("$", r"\$")


def _names(ax: Any, names: list[Any]) -> None:
    """Names down the axis, the first on top."""
    ax.set_yticks(range(len(names)), [_label(name) for name in names])
    ax.set_ylim(len(names) - 0.4, -0.6)


def _odds(label: Any, n_classes: int) -> str:
    """What an axis of log odds is called."""
    return _label(f"log odds of {label}" + ("" if n_classes == 2 else " against the mean of the other classes"))


def importance(estimator: HeftClassifier, *, top: int = 20, ax: Any = None) -> Any:
    """``feature_importances_`` as bars, the largest first."""
    sizes = estimator.feature_importances_
    names = estimator._shown()
    order = np.argsort(-sizes, kind="stable")[:top]
    ax = _axes(ax, [names[j] for j in order])
    ax.barh(range(len(order)), sizes[order], height=0.7, color=_SIZE)
    _names(ax, [names[j] for j in order])
    ax.set_xlabel("importance (share of the mean absolute evidence)")
    return ax


def shape(estimator: HeftClassifier, attribute: str, *, positive: Any = None, ax: Any = None) -> Any:
    """The evidence of one attribute by itself for ``positive`` (the last class), by its values: a line for
    a number, bars for categories."""
    learned = estimator.explain_model()
    found = learned.shape(attribute)
    classes = estimator.classes_
    at = class_at(classes, positive, len(classes) - 1)
    n = len(classes)
    height = found.iloc[:, at].to_numpy(dtype=float) * n / (n - 1)  # centred evidence as log odds
    cells = found.index.tolist()
    if isinstance(cells[0], str):
        ax = _axes(ax, cells)
        ax.barh(range(len(cells)), height, height=0.7, color=_by_sign(height, at, n))
        _names(ax, cells)
        ax.axvline(0, linewidth=0.8, color=_QUIET)
        ax.set_xlabel(_odds(classes[at], n))
        ax.set_ylabel(_label(attribute))
        return ax
    ax = _axes(ax)
    ax.axhline(0, linewidth=0.8, color=_QUIET)
    if attribute in learned._stepwise:  # a point is the end of its interval; the first has none before it
        cells, height = [2 * cells[0] - cells[min(1, len(cells) - 1)], *cells], np.append(height[0], height)
        ax.step(cells, height, where="pre", color=class_colour(at), linewidth=1.8)
    else:
        ax.plot(cells, height, color=class_colour(at), linewidth=1.8)
    ax.set_xlabel(_label(attribute))
    ax.set_ylabel(_odds(classes[at], n))
    return ax


def pair(estimator: HeftClassifier, a: str, b: str, *, positive: Any = None, ax: Any = None) -> Any:
    """What two attributes tell together beyond what each tells alone, for ``positive`` (the last class):
    a heat map with the values of ``a`` down and those of ``b`` across. For ``Auto``."""
    classes = estimator.classes_
    at = class_at(classes, positive, len(classes) - 1)
    table = estimator.explain_model().pair(a, b, positive=classes[at])
    ax = _axes(ax, [value_name(v) for v in table.index] + [""] * 6)
    cells = table.to_numpy()
    most = float(np.abs(cells).max()) or 1.0
    from matplotlib.colors import LinearSegmentedColormap

    up, down = side_colours(at, len(classes))
    colours = LinearSegmentedColormap.from_list("evidence", [down, "#ffffff", up])
    drawn = ax.imshow(cells, cmap=colours, vmin=-most, vmax=most, aspect="auto")
    ax.set_yticks(range(len(table)), [_label(value_name(v)) for v in table.index])
    ax.set_xticks(range(table.shape[1]), [_label(value_name(v)) for v in table.columns], rotation=45, ha="right",
                  rotation_mode="anchor")
    ax.set_ylabel(_label(a))
    ax.set_xlabel(_label(b))
    ax.figure.colorbar(drawn, ax=ax, label=_odds(classes[at], len(classes)))
    return ax


def waterfall(explanation: Explanation, row: int = 0, *, positive: Any = None, top: int = 12, ax: Any = None) -> Any:
    """How one row got its score: from the bias over the ``top`` largest terms and the sum of the others to
    the log odds of ``positive`` (the second of two classes, else the most probable one)."""
    steps, label = explanation.steps(row, positive=positive, top=top)
    sizes = np.array([size for _, size in steps])
    ends = np.cumsum(sizes)
    ax = _axes(ax, [name for name, _ in steps] + ["score"])
    at = explanation.classes.tolist().index(label)
    colours = [_QUIET, *_by_sign(sizes[1:], at, len(explanation.classes))]
    ax.barh(range(len(steps)), sizes, left=ends - sizes, height=0.7, color=colours)
    ax.barh([len(steps)], ends[-1:], height=0.7, color=_TOTAL)
    for k in range(len(steps)):
        ax.plot([ends[k]] * 2, [k - 0.35, k + 1.35], linewidth=0.7, color=_QUIET)
    ends_at = np.append(np.maximum(ends, ends - sizes), max(ends[-1], 0.0))
    for k, size in enumerate([*sizes, ends[-1]]):
        ax.annotate(f"{size:+.2f}", (ends_at[k], k), xytext=(3, 0), textcoords="offset points", va="center", fontsize=8)
    _names(ax, [name for name, _ in steps] + ["score"])
    ax.axvline(0, linewidth=0.8, color=_QUIET)
    ax.margins(x=0.12)
    ax.set_xlabel(_odds(label, len(explanation.classes)))
    ax.set_title(_label(f"row {explanation.rows[row]}: P({label}) = {explanation.proba[row, at]:.4f}"), fontsize=10)
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
    names = estimator._shown()
    order = np.argsort(-np.abs(learned).max(axis=1), kind="stable")[:top]
    ax, high = _axes(ax, [names[j] for j in order], learned.shape[1]), 0.8 / learned.shape[1]
    for k in range(learned.shape[1]):
        places = np.arange(len(order)) + (k - (learned.shape[1] - 1) / 2) * high
        ax.barh(places, learned[order, k], height=high, color=class_colour(k) if labels else _SIZE,
                label=None if labels is None else _label(labels[k]))
    _names(ax, [names[j] for j in order])
    if estimator._method != "auto":
        ax.axvline(1, linewidth=0.8, linestyle=":", color=_QUIET)
    ax.set_xlabel("mean absolute evidence" if estimator._method == "auto" else "weight (1: as in naive Bayes)")
    if labels is not None:
        ax.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def nomogram(estimator: HeftClassifier, X: Any, *, positive: Any = None, top: int = 15,
             ax: Any = None) -> Any:
    """How far each attribute moves the log odds of ``positive`` (the last class) against the other
    classes' mean over the rows of X: a line from the least to the greatest contribution, dots at the
    deciles. For methods whose score is a sum over attributes."""
    why = estimator.explain(X)
    classes = estimator.classes_
    at = class_at(classes, positive, len(classes) - 1)
    moved = log_odds(why.contributions, at)
    span = moved.max(axis=0) - moved.min(axis=0)
    order = np.argsort(-span, kind="stable")[:top]
    ax = _axes(ax, [why.features[j] for j in order])
    for place, j in enumerate(order):
        dots = np.quantile(moved[:, j], np.linspace(0, 1, 11))
        ax.plot(dots[[0, -1]], [place, place], linewidth=1.5, color=_QUIET)
        ax.scatter(dots, [place] * len(dots), s=16, color=_by_sign(dots, at, len(classes)), zorder=3)
    _names(ax, [why.features[j] for j in order])
    ax.axvline(0, linewidth=0.8, color=_QUIET)
    ax.set_xlabel("contribution to the " + _odds(classes[at], len(classes)))
    return ax


def reliability(estimator: HeftClassifier, X: Any, y: Any, *, positive: Any = None, bins: int = 10,
                ax: Any = None) -> Any:
    """Predicted probability of ``positive`` (the last class) against its share among the rows given
    that probability: a calibrated model lies on the diagonal. Larger dots stand for more rows."""
    classes = estimator.classes_
    at = class_at(classes, positive, len(classes) - 1)
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
    ax.plot([0, 1], [0, 1], linewidth=0.8, linestyle=":", color=_QUIET)
    ax.plot(mean, share, linewidth=1.5, color=class_colour(at))
    ax.scatter(mean, share, s=15 + 185 * count[filled] / count.max(), color=class_colour(at), clip_on=False, zorder=3)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel(_label(f"predicted probability of {classes[at]}"))
    ax.set_ylabel("share among these rows")
    return ax
