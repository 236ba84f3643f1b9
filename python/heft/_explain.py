"""Why rows got their classes, and what a model learned: the objects that explain and explain_model return."""

from __future__ import annotations

import html
import itertools
import json
from ctypes import byref, c_size_t, c_void_p, string_at
from typing import Any

import numpy as np

from . import _ffi

LEAST = -np.finfo(np.float64).max  # the library's word for log 0
REMAINDER = "four and more attributes together"
_FARTHEST = 50.0  # log odds beyond this are drawn as this


def log_odds(evidence: np.ndarray, at: int) -> np.ndarray:
    """Evidence by class (the last axis) for class `at` against the mean of the other classes."""
    finite = np.nan_to_num(evidence, neginf=-_FARTHEST)
    others = np.delete(finite, at, axis=-1).mean(axis=-1)
    return np.asarray(np.clip(finite[..., at] - others, -_FARTHEST, _FARTHEST))


# The colours of lib/pages/assets/style.css on light paper: of the classes, and of what belongs to no class.
_CLASSES = ("#0063a8", "#b84a00", "#00755e", "#8e3a86", "#8a6100",
            "#00727d", "#b0223a", "#5a56c4", "#5c6b12", "#6b5d53")
INK, PAPER, SOFT, BAR, ROWS = "#18202b", "#f4f5f7", "#586273", "#3d5a80", "#c3cad4"

# sRGB without its gamma to the cone responses of Oklab, and their cube roots to Oklab
_CONES = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                   [0.0883024619, 0.2817188376, 0.6299787005]])
_OKLAB = np.array([[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
                   [0.0259040371, 0.7827717662, -0.8086757660]])


def mixed(a: str, b: str, share: float) -> str:
    """`share` of colour a with colour b for the rest, as color-mix(in oklab, ...) of CSS gives it."""
    def lab(colour: str) -> np.ndarray:
        rgb = np.array([int(colour[k:k + 2], 16) / 255 for k in (1, 3, 5)])
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        return np.asarray(_OKLAB @ np.cbrt(_CONES @ linear))

    cones = np.linalg.solve(_OKLAB, share * lab(a) + (1 - share) * lab(b)) ** 3
    linear = np.clip(np.linalg.solve(_CONES, cones), 0, 1)
    rgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * x):02x}" for x in rgb)


def class_colour(k: int) -> str:
    """The colour of class k, the same in every plot and on every page: 30 that differ, then that of plain text."""
    own = _CLASSES[k % len(_CLASSES)]
    return [own, mixed(own, INK, 0.5), mixed(own, PAPER, 0.55), SOFT][min(k // len(_CLASSES), 3)]


def side_colours(at: int, n_classes: int) -> tuple[str, str]:
    """The colours of evidence for class `at` and against it: of two classes that of the other one."""
    return class_colour(at), class_colour(1 - at) if n_classes == 2 else "#999999"


def class_at(classes: np.ndarray, positive: Any, fallback: int) -> int:
    """The place of a class; ValueError, with the classes there are, where it is none of them."""
    if positive is None:
        return fallback
    known = classes.tolist()
    if positive not in known:
        raise ValueError(f"positive={positive!r} is not a class of the model (it has {', '.join(map(repr, known))})")
    return int(known.index(positive))


def term_name(term: Any) -> str:
    """An attribute's name, or the names of a joint term with 'x' between them; the remainder has no names."""
    return term if isinstance(term, str) else " x ".join(term) or REMAINDER


def value_name(value: Any) -> str:
    """A cell for people: numbers with six digits, 'missing' where there is none."""
    if value is None or isinstance(value, float) and value != value:
        return "missing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def reason_text(name: str, value: Any, odds: float) -> str:
    """A reason as ``heft predict --reasons`` writes it: the cell in full, '?' where it is missing."""
    if isinstance(value, float):
        value = repr(value).removesuffix(".0")
    return f"{name}={'?' if value is None else value} {odds:{'+.2f' if abs(odds) < 1e7 else '+.4g'}}"


def class_columns(classes: np.ndarray, taken: Any) -> list[Any]:
    """The names of columns for the classes: their labels, unless the frame has such a column."""
    labels = classes.tolist()
    return [f"evidence({label})" for label in labels] if set(labels) & set(taken) else labels


def counted(counts: dict[str, int]) -> str:
    """Numbers of things in words, those there are."""
    return ", ".join(f"{n} {thing}{'' if n == 1 else 's'}" for thing, n in counts.items() if n)


class Explanation:
    """Why rows got their classes: what each term adds to the score of each class.

    ``bias`` plus the evidence in ``attributes``, ``pairs`` and ``triples``, and the ``remainder`` where
    there is one, is ``score``, and the softmax of a row of ``score`` is its posterior. ``len(e)`` is the
    number of rows; ``e[2]`` and ``e[:5]`` are explanations of some of them.

    Attributes
    ----------
    bias : ndarray of shape (n_rows, n_classes)
        The start of the score: the prior. ``prior`` is another name for it.
    attributes : dict of str to ndarray of shape (n_rows, n_classes)
        The evidence of each attribute by itself.
    pairs, triples : dict of tuple of str to ndarray of shape (n_rows, n_classes)
        The evidence of terms of two and three attributes; empty for methods other than ``Auto``.
    remainder : ndarray of shape (n_rows, n_classes) or None
        The evidence of four and more attributes together, of ``Auto(order="any")``; of more than 4,096
        pairs or triples also that of the weaker ones. None: there is none.
    contributions : ndarray of shape (n_rows, n_features, n_classes)
        The evidence of each attribute with its share of its joint terms: half of a pair's, a third of
        a triple's, and so on. With ``explain(X, terms=True)`` that of each term.
    features : list
        The names along the second axis of ``contributions``; with ``terms=True`` tuples of them.
    values : ndarray of shape (n_rows, n_attributes), dtype object
        The cells of X, in the order of ``attributes``; None is missing.
    score, proba : ndarray of shape (n_rows, n_classes)
    classes : ndarray of shape (n_classes,)
    rows : list
        The labels of the rows: the index of a DataFrame, or 0, 1, ...
    """

    def __init__(self, bias: np.ndarray, names: list[str], terms: list[tuple[str, ...]], evidence: np.ndarray,
                 classes: np.ndarray, values: np.ndarray, rows: list[Any], by_term: bool = False,
                 shared: np.ndarray | None = None) -> None:
        self.bias, self.classes, self.values, self.rows, self._given = bias, classes, values, rows, shared
        self._names, self._terms, self._evidence, self._by_term = names, terms, evidence, by_term
        self.attributes = {names[0]: evidence[:, t] for t, names in enumerate(terms) if len(names) == 1}
        self.pairs = {names: evidence[:, t] for t, names in enumerate(terms) if len(names) == 2}
        self.triples = {names: evidence[:, t] for t, names in enumerate(terms) if len(names) == 3}
        self.remainder = next((evidence[:, t] for t, names in enumerate(terms) if not names), None)
        self.features: list[Any] = list(terms) if by_term else list(names)
        self.contributions = evidence if by_term else self._shared()
        self.score = bias + evidence.sum(axis=1)

    def _shared(self) -> np.ndarray:
        """The evidence of each attribute with its share of joint terms."""
        if self._given is not None:
            return self._given
        if len(self._terms) == len(self._names):
            return self._evidence
        place = {name: j for j, name in enumerate(self._names)}
        shared = np.zeros((len(self.bias), len(self._names), len(self.classes)))
        for t, term in enumerate(self._terms):
            for name in term:
                shared[:, place[name]] += self._evidence[:, t] / len(term)
        return shared

    @property
    def prior(self) -> np.ndarray:
        """Another name for ``bias``."""
        return self.bias

    @property
    def proba(self) -> np.ndarray:
        """The posterior probabilities, shape (n_rows, n_classes)."""
        e = np.exp(self.score - self.score.max(axis=1, keepdims=True))
        return np.asarray(e / e.sum(axis=1, keepdims=True))

    def __len__(self) -> int:
        return len(self.bias)

    def __getitem__(self, rows: Any) -> Explanation:
        if isinstance(rows, (int, np.integer)):
            rows = [range(len(self))[rows]]
        which = np.arange(len(self))[rows]
        return Explanation(self.bias[which], self._names, self._terms, self._evidence[which], self.classes,
                           self.values[which], [self.rows[i] for i in which], self._by_term,
                           None if self._given is None else self._given[which])

    def __repr__(self) -> str:
        counts = {"row": len(self), "attribute": len(self._names), "pair": len(self.pairs), "triple": len(self.triples)}
        return f"<heft.Explanation: {counted(counts)}, {len(self.classes)} classes>"

    def _value(self, i: int, term: tuple[str, ...]) -> Any:
        cells = [self.values[i, self._names.index(name)] for name in term]
        if not cells:
            return None
        return cells[0] if len(cells) == 1 else ", ".join(map(value_name, cells))

    def _lines(self, i: int) -> list[tuple[str, Any, np.ndarray]]:
        """The terms of row i: name, value, evidence by class."""
        found: list[tuple[str, Any, np.ndarray]] = [("bias", None, self.bias[i])]
        found += [(term_name(term), self._value(i, term), self._evidence[i, t]) for t, term in enumerate(self._terms)]
        return found

    def to_frame(self) -> Any:
        """One line for each row and term, the bias first: ``row``, ``term``, ``value`` and the evidence
        for each class in a column named like it (``evidence(LABEL)`` where a class is named like a
        column here).

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        terms = ["bias", *map(term_name, self._terms)]
        cells = np.empty((len(self), len(terms)), dtype=object)
        shown = np.array([[value_name(cell) for cell in row] for row in self.values], dtype=object)
        for t, term in enumerate(self._terms, 1):
            at = [self._names.index(name) for name in term]
            if at:
                cells[:, t] = self.values[:, at[0]] if len(at) == 1 else [", ".join(row) for row in shown[:, at]]
        rows = [label for label in self.rows for _ in terms]
        frame = pandas.DataFrame({"row": rows, "term": terms * len(self), "value": cells.ravel()})
        evidence = np.concatenate([self.bias[:, None], self._evidence], axis=1).reshape(-1, len(self.classes))
        for c, name in enumerate(class_columns(self.classes, frame.columns)):
            frame[name] = evidence[:, c]
        return frame

    def _at(self, i: int, positive: Any) -> int:
        """The class whose evidence is shown: `positive`, else the second of two, else the most probable one."""
        return class_at(self.classes, positive, 1 if len(self.classes) == 2 else int(self.score[i].argmax()))

    def steps(self, row: int = 0, *, positive: Any = None, top: int = 12) -> tuple[list[tuple[str, float]], Any]:
        """From the bias to the score of one row, as log odds of a class: (label, step) for the bias, the
        ``top`` largest terms and the sum of the others; and the class."""
        at = self._at(row, positive)
        lines = self._lines(row)
        sizes = log_odds(np.array([evidence for _, _, evidence in lines]), at)
        order = 1 + np.argsort(-np.abs(sizes[1:]), kind="stable")
        shown = [("bias", float(sizes[0]))]
        for k in order[:top]:
            name, value, _ = lines[k]
            shown.append((name if not self._terms[k - 1] else f"{name} = {value_name(value)}", float(sizes[k])))
        if len(order) > top:
            shown.append((f"{len(order) - top} other terms", float(sizes[order[top:]].sum())))
        return shown, self.classes[at]

    def plot(self, row: int = 0, *, positive: Any = None, top: int = 12, ax: Any = None) -> Any:
        """Draw row number ``row`` as a waterfall; see :func:`heft.plot.waterfall`."""
        from . import plot

        return plot.waterfall(self, row, positive=positive, top=top, ax=ax)

    def _repr_html_(self) -> str:
        """What a notebook shows: the first five rows, the largest terms as bars."""
        out = []
        for i in range(min(5, len(self))):
            shown, label = self.steps(i, top=8)
            widest = max(abs(step) for _, step in shown) or 1.0
            at = self.classes.tolist().index(label)
            title = f"row {self.rows[i]}: P({label}) = {self.proba[i, at]:.4f}"
            colours = side_colours(at, len(self.classes))
            lines = "".join(_bar(text, step, widest, colours[step < 0]) for text, step in shown)
            out.append(f'<table style="border-collapse:collapse"><caption style="text-align:left;font-weight:bold">'
                       f"{html.escape(title)}</caption><tr><th>term</th><th>log odds</th><th></th></tr>{lines}</table>")
        if len(self) > 5:
            out.append(f"<p>{len(self) - 5} more rows</p>")
        return "".join(out)

    def to_shap(self, positive: Any = None) -> Any:
        """For the plots of the package shap, which must be installed: ``contributions`` as its values.
        Of two classes the log odds of the second, or of ``positive``, so that values are of shape
        (n_rows, n_features); of more classes all, (n_rows, n_features, n_classes), unless ``positive``
        names one.

        Returns
        -------
        shap.Explanation
        """
        try:
            import shap
        except ImportError:
            raise ImportError("to_shap needs the package shap (pip install shap)") from None
        if positive is None and len(self.classes) > 2:
            parts, base = (np.nan_to_num(x, neginf=-_FARTHEST) for x in (self.contributions, self.bias))
        else:
            at = class_at(self.classes, positive, len(self.classes) - 1)
            parts, base = log_odds(self.contributions, at), log_odds(self.bias, at)
        data = self.values
        if self._by_term:
            data = np.array([[self._value(i, term) for term in self._terms] for i in range(len(self))], dtype=object)
        names = [term_name(feature) for feature in self.features]
        outputs = [str(c) for c in self.classes] if parts.ndim == 3 else None
        return shap.Explanation(values=parts, base_values=base, data=data, feature_names=names, output_names=outputs)


def _bar(text: str, step: float, widest: float, colour: str) -> str:
    """A line of the table in a notebook. Bars begin at the middle of their cell, where a line is: to the right
    what speaks for the class, to the left what speaks against it."""
    wide = 50 * abs(step) / widest
    bar = f"position:absolute;top:15%;height:70%;left:{50 - wide if step < 0 else 50:.1f}%;width:{wide:.1f}%;background:{colour}"
    return (f'<tr><td style="text-align:left">{html.escape(text)}</td><td style="text-align:right">{step:+.3f}</td>'
            f'<td style="padding:0"><div style="position:relative;width:240px;height:1.4em">'
            f'<div style="{bar}"></div><div style="position:absolute;left:50%;height:100%;border-left:1px solid #999"></div>'
            f"</div></td></tr>")


class ModelExplanation:
    """What a model learned, for models whose score is a sum of terms.

    Attributes
    ----------
    importances : pandas.DataFrame
        ``term``, ``order`` (how many attributes it has; 4: all terms of four and more together) and
        ``importance``, the mean absolute evidence,
        the largest first. For ``Auto`` over training rows, where an attribute's includes its share of
        joint terms; for other methods over the distribution that the model has learned.
    shapes : pandas.DataFrame
        The evidence of each attribute by itself: ``attribute``, ``value`` and one column for each class.
        Evidence is centred: its mean over the classes is 0. A number stands for the interval that ends
        with it.
    pairs : list of tuple of str
        The terms of two attributes, the most important first; :meth:`pair` has their tables.
    classes : ndarray of shape (n_classes,)
    """

    def __init__(self, model: _ffi.Model, classes: np.ndarray) -> None:
        self._model, self.classes, self._names = model, classes, model.names()
        infos, sizes = term_infos(model), importances(model)
        score = exported_score(model)
        self._points = points(model, score)
        self._stepwise = {self._names[j] for j in exported_cuts(score)}
        found = [(term_name(term), len(term) or 4, size)
                 for (term, _), size in zip(infos, sizes)]
        import pandas

        frame = pandas.DataFrame(found, columns=["term", "order", "importance"])
        self.importances = frame.sort_values("importance", ascending=False, kind="stable", ignore_index=True)
        joint = sorted((t for t, (term, _) in enumerate(infos) if len(term) == 2), key=lambda t: -sizes[t])
        self.pairs: list[tuple[str, ...]] = [infos[t][0] for t in joint]
        self._places = {term: t for t, (term, _) in enumerate(infos)}
        self.shapes = self._shapes()

    def __repr__(self) -> str:
        counts = {"attribute": len(self._names), "term": len(self.importances)}
        return f"<heft.ModelExplanation: {counted(counts)}, {len(self.classes)} classes>"

    def _repr_html_(self) -> str:
        shown: str = self.importances.head(20).to_html(index=False, float_format="%.4f")
        return shown

    def _shapes(self) -> Any:
        import pandas

        parts = []
        for name, (cells, evidence) in zip(self._names, shapes(self._model, self._points)):
            part = pandas.DataFrame({"attribute": [name] * len(cells), "value": pandas.Series(cells, dtype=object)})
            for c, label in enumerate(class_columns(self.classes, part.columns)):
                part[label] = evidence[:, c]
            parts.append(part)
        return pandas.concat(parts, ignore_index=True)

    def shape(self, attribute: str | int) -> Any:
        """The lines of ``shapes`` for one attribute, indexed by its values: a DataFrame."""
        attribute = self._names[self._known(attribute)]
        found = self.shapes[self.shapes["attribute"] == attribute].drop(columns="attribute").set_index("value")
        return found if found.index.map(type).nunique() > 1 else found.set_axis(found.index.infer_objects(), axis=0)

    def _known(self, name: str | int) -> int:
        name = str(name)  # a column whose name is a number has it as text
        if name not in self._names:
            raise ValueError(f"{name!r} is not an attribute of the model (it has {', '.join(map(repr, self._names))})")
        return self._names.index(name)

    def pair(self, a: str | int, b: str | int, *, positive: Any = None, most: int = 20) -> Any:
        """What attributes ``a`` and ``b`` tell together beyond what each tells alone, as log odds of
        ``positive`` (the last class) against the mean of the other classes: a DataFrame with the values
        of ``a`` down and those of ``b`` across, at most ``most`` of each number's points."""
        i, j = self._known(a), self._known(b)
        a, b = self._names[i], self._names[j]
        t = self._places.get((a, b), self._places.get((b, a)))
        if t is None:
            raise ValueError(f"the model has no evidence of {a!r} and {b!r} together (see pairs)")
        import pandas

        at = class_at(self.classes, positive, len(self.classes) - 1)
        down, across = thinned(*self._points[i], most), thinned(*self._points[j], most)
        table = np.empty((len(down[0]), len(across[0]), len(self.classes)))
        row = np.full(len(self._names), np.nan)
        for (u, x), (v, y) in itertools.product(enumerate(down[1]), enumerate(across[1])):
            row[[i, j]] = x, y
            table[u, v] = evidence_of(self._model, row)[1 + t]
        return pandas.DataFrame(log_odds(table, at), index=pandas.Index(down[0], name=a),
                                columns=pandas.Index(across[0], name=b))


def thinned(cells: list[Any], given: np.ndarray, most: int) -> tuple[list[Any], np.ndarray]:
    """At most `most` points of a number; all values of a category."""
    if len(cells) <= most or isinstance(cells[0], str):
        return cells, given
    at = np.unique(np.linspace(0, len(cells) - 1, most).astype(int))
    return [cells[k] for k in at], given[at]


def term_infos(model: _ffi.Model) -> list[tuple[tuple[str, ...], float]]:
    """The attributes and the strength of each term; ValueError where the score is not such a sum."""
    info, out = _ffi.TermInfo(), []
    for t, term in enumerate(model.terms()):
        model.call(_ffi.lib.heft_model_term, t, byref(info))
        out.append((term, float(info.strength)))
    return out


def evidence_of(model: _ffi.Model, row: np.ndarray) -> np.ndarray:
    """The start and what each term adds, shape (1 + n_terms, n_classes), for a row of numbers and
    indices of values."""
    out = np.empty((1 + _ffi.lib.heft_model_terms(model.handle), model.n_classes))
    model.call(_ffi.lib.heft_model_evidence, row.ctypes.data, out.ctypes.data)
    out[out == LEAST] = -np.inf
    return out


def exported_score(model: _ffi.Model) -> dict[str, Any]:
    """How the model scores a row, as `heft export --to json` has it."""
    err, out, length = _ffi.Error(), c_void_p(), c_size_t()
    how = _ffi.ExportOptions(format=b"json")
    _ffi.check(_ffi.lib.heft_export_text(model.handle, byref(how), byref(out), byref(length), byref(err)), err)
    try:
        score: dict[str, Any] = json.loads(string_at(out.value or 0, length.value))["score"]
        return score
    finally:
        _ffi.lib.heft_text_free(out)


def points(model: _ffi.Model, score: dict[str, Any]) -> list[tuple[list[Any], np.ndarray]]:
    """Where the evidence of each attribute is looked at: the values as people read them, and as the
    library takes them."""
    found: list[tuple[list[Any], np.ndarray]] = []
    cuts = exported_cuts(score)
    for j, attribute in enumerate(model.attributes()):
        if attribute.kind == _ffi.NOMINAL:
            cells: list[Any] = model.values(j)
            found.append((cells, np.arange(len(cells), dtype=np.float64)))
            continue
        at = number_points(cuts.get(j), score["attributes"][j].get("range"))
        found.append((at.tolist(), at))
    return found


def exported_cuts(score: dict[str, Any]) -> dict[int, list[float]]:
    """The cut points of numeric attributes, by their index."""
    found, nodes = {}, score["nodes"]
    for node in nodes:
        if node["op"] != "cut":
            continue
        numbers = node
        while numbers["op"] != "numbers":
            numbers = nodes[numbers["in"][0]]
        for row, cuts in zip(node["from"], node["cuts"]):
            found[numbers["attributes"][row]] = [cut for cut in cuts if cut is not None]
    return found


def number_points(cuts: list[float] | None, reach: list[float] | None) -> np.ndarray:
    """The points of a number: the ends of its intervals, or where its densities are."""
    if cuts:
        return np.append(cuts, cuts[-1] + (np.diff(cuts).mean() if len(cuts) > 1 else abs(cuts[-1]) or 1.0))
    return np.zeros(1) if cuts is not None or reach is None else np.linspace(reach[0], reach[1], 41)


def shapes(model: _ffi.Model, at: list[tuple[list[Any], np.ndarray]]) -> list[tuple[list[Any], np.ndarray]]:
    """The values of each attribute and their centred evidence. A term of one attribute depends on that
    attribute alone, so that one row serves a point of every attribute."""
    parts = [np.empty((len(cells), model.n_classes)) for cells, _ in at]
    for k in range(max((len(cells) for cells, _ in at), default=0)):
        row = np.array([given[k] if k < len(given) else np.nan for _, given in at])
        evidence = evidence_of(model, row)
        for j, part in enumerate(parts):
            if k < len(part):
                part[k] = evidence[1 + j]
    for part in parts:
        np.nan_to_num(part, copy=False, neginf=-_FARTHEST)
        part -= part.mean(axis=1, keepdims=True)
    return [(cells, part) for (cells, _), part in zip(at, parts)]


def importances(model: _ffi.Model) -> np.ndarray:
    """The mean absolute evidence of each term; ValueError where the score is not a sum of terms."""
    if "importances" not in model.memo:
        strengths = np.array([strength for _, strength in term_infos(model)])
        model.memo["importances"] = weighed_shapes(model) if np.isnan(strengths).any() else strengths
    found: np.ndarray = model.memo["importances"]
    return found


def weighed_shapes(model: _ffi.Model) -> np.ndarray:
    """The mean absolute evidence of each attribute over the model's own distribution."""
    at, prior, err = points(model, exported_score(model)), model.prior(), _ffi.Error()
    out, step = np.empty(len(at)), 8 * model.n_classes
    for j, ((_, given), (_, evidence)) in enumerate(zip(at, shapes(model, at))):
        logs = np.empty((len(given), model.n_classes))
        start = logs.ctypes.data
        cells = range(len(given)) if model.attributes()[j].n_values > 0 else given.tolist()
        for k, x in enumerate(cells):
            _ffi.check(_ffi.lib.heft_model_likelihood(model.handle, j, x, start + k * step, byref(err)), err)
        mass = np.exp(logs - logs.max()) @ prior
        out[j] = np.average(np.abs(evidence).mean(axis=1), weights=mass)
    return out
