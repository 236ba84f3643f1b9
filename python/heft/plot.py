"""Plots of what a model learned and why rows got their classes. Each function draws into ``ax``, or
into a new figure if there is none, and returns the ``ax``. matplotlib is imported at the first call.

Importance, shapes and reliability are the data of the page that ``report`` writes (``report_data``), and
classes have the colours of the page.

In figures that they make, no label is cut off: ``ax.figure.savefig("plot.png")``. For figures of your own
``pyplot.subplots(1, 2, layout="constrained")`` leaves the same room for labels.
"""

from __future__ import annotations

import textwrap
from typing import Any, Sequence

import numpy as np

from ._base import HeftClassifier
from ._explain import BAR, INK, ROWS, SOFT, Explanation, class_at, class_colour, log_odds, side_colours, value_name

_QUIET = "#999999"
_STRIP = 0.2  # the part of a plot that a histogram takes


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


def _label(text: Any, width: int = 40) -> str:
    """A name on at most a few lines, with nothing that matplotlib would read as a formula."""
    lines = textwrap.wrap(str(text), width) or [""]
    return "\n".join(lines).replace("$", r"\$")


def _title(ax: Any, text: str) -> None:
    ax.set_title(_label(text, 60), fontsize=11, color=INK)


def _names(ax: Any, names: list[Any]) -> None:
    """Names down the axis, the first on top."""
    ax.set_yticks(range(len(names)), [_label(name) for name in names])
    ax.set_ylim(len(names) - 0.4, -0.6)


def _odds(label: Any, n_classes: int) -> str:
    """What an axis of log odds is called."""
    return _label(f"log odds of {label}" + ("" if n_classes == 2 else " against the mean of the other classes"))


def _histogram(ax: Any, places: Any, shares: Any, widths: Any, across: bool = False) -> None:
    """Bars of how often values occur, in a strip of their own: below what is drawn, or to the right of bars that go
    across. The ticks and the label of the axis stay beside what was drawn before."""
    from matplotlib.ticker import MaxNLocator

    low, high = ax.get_xlim() if across else ax.get_ylim()
    beside = (high - low) * _STRIP / (1 - _STRIP)
    ticks = [t for t in MaxNLocator(6).tick_values(low, high) if low <= t <= high]
    most = max(float(np.max(shares)), 1e-9)
    if across:
        ax.set_xticks(ticks)
        ax.set_xlim(low, high + beside)
        ax.xaxis.label.set_x((1 - _STRIP) / 2)
        strip = ax.inset_axes([1 - 0.9 * _STRIP, 0, 0.9 * _STRIP, 1], sharey=ax)
        strip.barh(places, shares, height=widths, color=ROWS)
        strip.set_xlim(0, most)
        strip.set_xlabel("share of rows", fontsize=8, color=SOFT)
    else:
        ax.set_yticks(ticks)
        ax.set_ylim(low - beside, high)
        ax.yaxis.label.set_y((1 + _STRIP) / 2)
        strip = ax.inset_axes([0, 0, 1, 0.9 * _STRIP], sharex=ax)
        strip.bar(places, shares, width=widths, color=ROWS)
        strip.set_ylim(0, most)
        strip.yaxis.tick_right()
        strip.yaxis.set_label_position("right")
        strip.set_ylabel("share of rows", fontsize=8, color=SOFT)
    (strip.xaxis if across else strip.yaxis).set_ticks([0, most], ["0", f"{most:.0%}" if most >= 0.1 else f"{most:.1%}"])
    (strip.yaxis if across else strip.xaxis).set_visible(False)
    strip.tick_params(length=0, labelsize=8, labelcolor=SOFT)
    strip.patch.set_alpha(0)
    strip.spines[:].set_visible(False)


def importance(estimator: HeftClassifier, X: Any = None, *, top: int = 20, ax: Any = None) -> Any:
    """How much each attribute matters, as on the page of ``report``, the largest first: for ``Auto`` the rise
    of the held-out loss without it, with 95 % intervals, else its mean absolute evidence. Where the score is not a sum over attributes,
    bars are the mean over the rows of X, or without X what each attribute alone tells about the class, in bits."""
    data = estimator.report_data(X)
    if data["importance"]["by"] == "none":
        raise ValueError(f"{type(estimator).__name__} has no importance of attributes for this model")
    shown = [data["attributes"][j] for j in data["order"][:top]]
    names = [attribute["name"] for attribute in shown]
    ax = _axes(ax, names)
    errors = [attribute.get("error") or 0.0 for attribute in shown] if data["importance"]["errors"] else None
    ax.barh(range(len(shown)), [attribute["importance"] for attribute in shown], height=0.7, color=BAR, xerr=errors,
            error_kw={"ecolor": INK, "elinewidth": 1})
    _names(ax, names)
    ax.set_xlabel({"loss": "rise of the held-out loss without it", "evidence": "mean absolute evidence",
                   "bits": "information about the class (bits)"}[data["importance"]["by"]])
    n = data["model"]["n_attributes"]
    _title(ax, "Importance of the attributes" + (f": the first {len(shown)} of {n}" if n > len(shown) else ""))
    return ax


class _Shape:
    """What the values of one attribute say for class number `at`, as log odds."""

    def __init__(self, estimator: HeftClassifier, attribute: Any, X: Any, at: int) -> None:
        self.share: Any = None
        self.discrete = self.step = False
        self.n_values = 0  # of categories, where not all of them are shown
        names, attribute = estimator._fitted().names(), str(attribute)
        data = estimator.report_data(X)
        known = data["attributes"]
        same = names if len(known) == len(names) else [a["name"] for a in known]
        place = same.index(attribute) if attribute in same else None
        found = [s for s in data["shapes"]["list"] if s["attribute"] == place]
        two = len(estimator.classes_) == 2
        if not found or not (two or at in data["shapes"]["classes"]):
            self._learned(estimator, attribute, at)
            return
        shape, n = found[0], len(estimator.classes_)
        series = shape["series"][0 if two else data["shapes"]["classes"].index(at)]
        factor = n / (n - 1) if not two else 1.0 if at == data["model"]["one"] else -1.0  # centred evidence as log odds
        self.height = factor * np.array(series, dtype=float)
        self.share = shape["share"]
        self.categories = known[shape["attribute"]]["kind"] == "values"
        if self.categories:
            self.at: list[Any] = [known[shape["attribute"]]["values"][k] for k in shape["at"]]
            self.n_values = shape["n_values"]
            return
        self.at, self.low, self.high = shape["at"], shape["low"], shape["high"]
        self.discrete, self.step = shape["discrete"], shape["step"] and not shape["discrete"]

    def _learned(self, estimator: HeftClassifier, attribute: str, at: int) -> None:
        """From the model, for what the page leaves out: attributes of no evidence, and rare classes of many."""
        learned, n = estimator.explain_model(), len(estimator.classes_)
        found = learned.shape(attribute)
        self.height = found.iloc[:, at].to_numpy(dtype=float) * n / (n - 1)
        self.at = found.index.tolist()
        self.categories = isinstance(self.at[0], str)
        if not self.categories:
            self.step, self.low, self.high = attribute in learned._stepwise, self.at[0], self.at[-1]
        if self.step:  # a point is the end of its interval; the first has none before it
            self.at = [2 * self.at[0] - self.at[min(1, len(self.at) - 1)], *self.at[:-1]]


def shape(estimator: HeftClassifier, attribute: str, X: Any = None, *, positive: Any = None, ax: Any = None) -> Any:
    """The evidence of one attribute by itself for ``positive`` (the last class), by its values: a line for
    a number, bars for categories; with a histogram of how often the values occur. Values and their shares
    are those of the rows of X, or else what the model has learned of them."""
    classes = estimator.classes_
    at, n = class_at(classes, positive, len(classes) - 1), len(classes)
    found = _Shape(estimator, attribute, X, at)
    if found.categories:
        ax = _axes(ax, found.at)
        ax.barh(range(len(found.at)), found.height, height=0.7, color=_by_sign(found.height, at, n))
        _names(ax, found.at)
        ax.axvline(0, linewidth=0.8, color=_QUIET)
        ax.set_xlabel(_odds(classes[at], n))
        more = found.n_values > len(found.at)
        ax.set_ylabel(_label(f"{attribute} ({len(found.at)} of {found.n_values} values)" if more else attribute))
        if found.share:
            _histogram(ax, range(len(found.at)), found.share, 0.7, across=True)
    else:
        ax = _axes(ax)
        ax.set_xlabel(_label(attribute))
        ax.set_ylabel(_odds(classes[at], n))
        _curve(ax, found, at, n)
    _title(ax, f"{attribute}: evidence for {classes[at]}")
    return ax


def _curve(ax: Any, found: _Shape, at: int, n_classes: int) -> None:
    """The evidence of a number: a line, the area between it and 0 in the colours of the classes."""
    across, height = np.array(found.at, dtype=float), found.height
    if found.step:  # what holds from a point to the next one has two ends, the last one that of the values
        across = np.append(np.repeat(across, 2)[1:], max(found.high, across[-1]))
        height = np.repeat(height, 2)
    ax.axhline(0, linewidth=0.8, color=_QUIET)
    up, down = side_colours(at, n_classes)
    for colour, part in ((up, height >= 0), (down, height <= 0)):
        ax.fill_between(across, 0, height, where=part, interpolate=True, color=colour, alpha=0.22, linewidth=0)
    ax.plot(across, height, color=INK if n_classes == 2 else up, linewidth=1.8)
    if found.discrete:
        ax.scatter(across, height, s=30, color=_by_sign(height, at, n_classes), zorder=3)
        if len(across) <= 12:
            ax.set_xticks(across, [value_name(float(x)) for x in across])
    if found.share:
        if found.discrete:
            gap = np.diff(across).min() if len(across) > 1 else 1.0
            _histogram(ax, across, found.share, 0.6 * max(gap, (across[-1] - across[0]) / 60))
        else:
            wide = (found.high - found.low) / len(found.share) or 1.0
            _histogram(ax, found.low + wide * (np.arange(len(found.share)) + 0.5), found.share, 0.92 * wide)


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
    _title(ax, f"{a} and {b}: evidence of the pair for {classes[at]}")
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
    ax.barh([len(steps)], ends[-1:], height=0.7, color=INK)
    for k in range(len(steps)):
        ax.plot([ends[k]] * 2, [k - 0.35, k + 1.35], linewidth=0.7, color=_QUIET)
    ends_at = np.append(np.maximum(ends, ends - sizes), max(ends[-1], 0.0))
    for k, size in enumerate([*sizes, ends[-1]]):
        ax.annotate(f"{size:+.2f}", (ends_at[k], k), xytext=(3, 0), textcoords="offset points", va="center", fontsize=8)
    _names(ax, [name for name, _ in steps] + ["score"])
    ax.axvline(0, linewidth=0.8, color=_QUIET)
    ax.use_sticky_edges = False  # else bars end at the edge, and their numbers lie outside
    ax.margins(x=0.12)
    ax.set_xlabel(_odds(label, len(explanation.classes)))
    _title(ax, f"row {explanation.rows[row]}: P({label}) = {explanation.proba[row, at]:.4f}")
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
        ax.barh(places, learned[order, k], height=high, color=class_colour(k) if labels else BAR,
                label=None if labels is None else _label(labels[k]))
    _names(ax, [names[j] for j in order])
    if estimator._method != "auto":
        ax.axvline(1, linewidth=0.8, linestyle=":", color=_QUIET)
    ax.set_xlabel("mean absolute evidence" if estimator._method == "auto" else "weight (1: as in naive Bayes)")
    _title(ax, "Weights of the attributes" + (f": the first {len(order)} of {len(names)}" if len(names) > len(order) else ""))
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
    _title(ax, f"How far the attributes move the odds of {classes[at]}")
    return ax


def reliability(estimator: HeftClassifier, X: Any, y: Any, *, positive: Any = None, bins: int | None = None,
                ax: Any = None) -> Any:
    """Predicted probabilities against how often they come true: a calibrated model lies on the diagonal.
    Below is how often each probability was given. As on the page of ``report``, the probability is that of
    ``positive`` (the last one of two classes; of more classes the highest probability), every dot stands for
    about as many rows, and bars are 95 % intervals. With ``bins``, and for one of more than two classes, there
    are this many bins (10) of equal width, and larger dots stand for more rows."""
    classes, known = estimator.classes_, np.asarray(y).ravel()
    proba = estimator.predict_proba(X)
    if len(known) != len(proba):
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: [{len(proba)}, {len(known)}]"
        )
    highest = positive is None and len(classes) > 2
    at = class_at(classes, positive, len(classes) - 1)
    given = proba.max(axis=1) if highest else proba[:, at]
    truth = known == (classes[proba.argmax(axis=1)] if highest else classes[at])
    colour = BAR if highest else class_colour(at)
    ax = _axes(ax)
    ax.plot([0, 1], [0, 1], linewidth=0.8, linestyle=":", color=_QUIET)
    page = estimator.report_data(X, y)["reliability"] if bins is None and (highest or len(classes) == 2) else None
    if page and page["bins"]:
        mean, share, low, high = (np.array([part[key] for part in page["bins"]])
                                  for key in ("predicted", "observed", "low", "high"))
        if page["class"] is not None and page["class"] != at:  # the probability of the other one of two classes
            mean, share, low, high = 1 - mean, 1 - share, 1 - high, 1 - low
        ax.plot(mean, share, linewidth=1.5, color=colour)
        ax.errorbar(mean, share, yerr=np.clip([share - low, high - share], 0, None), fmt="o", markersize=5, elinewidth=1,
                    color=colour, zorder=3)
    else:
        n = 10 if bins is None else bins
        place = np.minimum((given * n).astype(int), n - 1)
        count = np.bincount(place, minlength=n)
        filled = count > 0
        mean = np.bincount(place, given, n)[filled] / count[filled]
        share = np.bincount(place, truth, n)[filled] / count[filled]
        ax.plot(mean, share, linewidth=1.5, color=colour)
        ax.scatter(mean, share, s=15 + 185 * count[filled] / count.max(), color=colour, clip_on=False, zorder=3)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    what = "the highest probability" if highest else f"the probability of {classes[at]}"
    ax.set_xlabel(_label(f"predicted: {what}"))
    ax.set_ylabel("observed: share among these rows")
    _histogram(ax, np.arange(20) / 20 + 0.025, np.histogram(given, 20, (0, 1))[0] / max(len(given), 1), 0.046)
    _title(ax, f"Reliability of {what} on {len(given):,} row{'' if len(given) == 1 else 's'}")
    return ax
