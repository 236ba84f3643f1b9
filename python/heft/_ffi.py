"""ctypes over the headers of the library: its structs and its calls.

The library is the file named by the environment variable HEFT_LIBRARY, else the one next to this
package (an installed wheel), else the system's. ctypes releases the GIL during every call.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import itertools
import json
import os
import re
import sysconfig
from ctypes import POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int, c_int64, c_size_t
from ctypes import c_ssize_t, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple

from ._structs import FIELDS

if TYPE_CHECKING:  # generate.py, which uses this module, needs nothing but the standard library
    import numpy as np

OK, EINVAL, ENOMEM, EIO, EFORMAT, EUNSUPPORTED, ENUMERIC, ECANCELLED = range(8)
NUMERIC, NOMINAL = range(2)  # heft_kind
PROBABILITY, LOG_PROBABILITY, SCORE = range(3)  # heft_score_kind
SYNTAX_PYTHON = 2  # heft_syntax
SETTING_TEXT, SETTING_WORD = 1, 2  # heft_setting_kind
BY_NOTHING, BY_ATTRIBUTE, BY_CLASS, BY_VALUE, BY_PAIR = range(5)  # heft_weighting


# The types of fields as the headers write them, without const.
_TYPES = {
    "bool": c_bool, "char": c_char, "char*": c_char_p, "char**": POINTER(c_char_p), "double": c_double, "int": c_int,
    "int64_t": c_int64, "ptrdiff_t": c_ssize_t, "size_t": c_size_t, "uint64_t": c_uint64,
}


def _fields(struct: str, **given: Any) -> list[tuple[str, Any]]:
    """The fields of a struct of the library; `given`: types of addresses whose contents this package reads or sets."""
    out = []
    for name, kind in FIELDS[struct]:
        base, _, length = kind.rstrip("]").partition("[")
        if name in given:
            found = given[name]
        elif base in _TYPES:
            found = _TYPES[base]
        elif base.endswith("*"):
            found = c_void_p
        elif base.startswith("heft_"):  # an enumeration
            found = c_int
        else:
            raise TypeError(f"heft/_ffi.py: _TYPES lacks '{base}', the type of {struct}.{name}")
        out.append((name, found * int(length) if length else found))
    return out


class Error(Structure):
    _fields_ = _fields("heft_error")


LOG = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p)
PROGRESS = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_double)


class Sized(Structure):
    """A struct that the caller fills in and that may grow: it begins with its size."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(size=ctypes.sizeof(self), **fields)


class Host(Sized):
    _fields_ = _fields("heft_host", log=LOG, progress=PROGRESS)


class Runtime(Sized):
    verbose: int = 0  # what the calls of this package print; the library does not know it
    alive: Any = None  # what `host` and `comm` point to
    _fields_ = _fields("heft_runtime", host=POINTER(Host))


class Config(Sized):
    _fields_ = _fields("heft_config", run=POINTER(Runtime))

    def __init__(self, runtime: Runtime, **fields: Any) -> None:
        self.runtime = runtime
        super().__init__(run=ctypes.pointer(runtime), **fields)


class Matrix(Sized):
    alive: Any = None  # whose memory `cells`, `codes` and `weights` are
    _fields_ = _fields("heft_matrix")


class Attribute(Sized):
    _fields_ = _fields("heft_attribute", cuts=POINTER(c_double))


class TermInfo(Sized):
    _fields_ = _fields("heft_term_info")


class ReportPlan(Sized):
    _fields_ = _fields("heft_report_plan", run=POINTER(Runtime))


class Source(Sized):
    _fields_ = _fields("heft_source", run=POINTER(Runtime))


class CheckPlan(Sized):
    _fields_ = _fields("heft_check_plan", run=POINTER(Runtime))


class OptionInfo(Structure):
    _fields_ = _fields("heft_option_info")


class MethodInfo(Structure):
    _fields_ = _fields("heft_method_info", options=POINTER(POINTER(OptionInfo)))


class SettingInfo(Structure):
    _fields_ = _fields("heft_setting_info")


class ExportOptions(Sized):
    _fields_ = _fields("heft_export_options")


class Plan(Sized):
    _fields_ = _fields("heft_eval_plan", config=POINTER(Config))

    def __init__(self, config: Config, **fields: Any) -> None:
        self.runtime = config.runtime
        super().__init__(config=ctypes.pointer(config), **fields)


class MeasureInfo(Structure):
    _fields_ = _fields("heft_measure_info")


class ClassFigures(Structure):
    _fields_ = _fields("heft_class_figures")


class Predicted(Structure):
    _fields_ = _fields("heft_predicted")


class Cell(Structure):
    _fields_ = _fields("heft_cell", per_fold=POINTER(c_double), measures=POINTER(c_double), confusion=POINTER(c_size_t), per_class=POINTER(ClassFigures), intervals=POINTER(c_double), per_fold_macro_f1=POINTER(c_double))


_P, _N, _I = c_void_p, c_size_t, c_int
_CALLS: dict[str, tuple[Any, list[Any]]] = {
    "heft_version": (c_char_p, []),
    "heft_set_message_syntax": (None, [_I]),
    "heft_text_free": (None, [_P]),
    "heft_table_create": (_I, [_N, _P, _P]),
    "heft_table_add_numbers": (_I, [_P, c_char_p, _P, _N, _P]),
    "heft_table_add_matrix": (_I, [_P, _P, c_bool, _P]),
    "heft_table_values_of_rows": (_I, [_P, _P]),
    "heft_table_add_codes": (_I, [_P, c_char_p, _P, _N, _P, _N, _P]),
    "heft_table_add_sparse": (_I, [_P, _N, _P, _P, _P, _P, _P]),
    "heft_table_set_target": (_I, [_P, c_char_p, _P, _P, _N, _P]),
    "heft_table_set_weights": (_I, [_P, _P, _P]),
    "heft_table_from_arrow_stream": (_I, [_P, _P, _P, _P]),
    "heft_table_rows": (_N, [_P]),
    "heft_table_attributes": (_N, [_P]),
    "heft_table_attribute": (_I, [_P, _N, _P, _P]),
    "heft_table_value": (c_char_p, [_P, _N, _N]),
    "heft_table_cells": (_I, [_P, _N, _P, _P]),
    "heft_table_free": (None, [_P]),
    "heft_read": (_I, [c_char_p, _P, _P, _P]),
    "heft_check_table": (_I, [_P, _P, _P, _P]),
    "heft_check_text": (_I, [_P, c_char_p, _P, _P]),
    "heft_check_free": (None, [_P]),
    "heft_config_check": (_I, [_P, _P]),
    "heft_config_free": (None, [_P]),
    "heft_setting_at": (POINTER(SettingInfo), [_N]),
    "heft_model_config": (_I, [_P, c_bool, _P, _P]),
    "heft_model_source": (_I, [_P, _P, _P]),
    "heft_fit": (_I, [_P, _P, _P, _P]),
    "heft_fit_matrix": (_I, [_P, _P, _P, _P]),
    "heft_model_free": (None, [_P]),
    "heft_predict_row": (_I, [_P, _P, _P, _P]),
    "heft_predict_scores": (_I, [_P, _P, _I, _P, _P, _P]),
    "heft_model_decide": (_I, [_P, _P, _N, _P, _P]),
    "heft_model_set_decision": (_I, [_P, c_char_p, c_char_p, _P]),
    "heft_predict_reasons": (_I, [_P, _P, _N, _P, _P, _P]),
    "heft_explain_row": (_I, [_P, _P, _N, _P, _P, _P]),
    "heft_explain_terms": (_I, [_P, _P, _N, _P, _P]),
    "heft_model_terms": (_N, [_P]),
    "heft_model_evidence": (_I, [_P, _P, _P, _P]),
    "heft_model_likelihood": (_I, [_P, _N, c_double, _P, _P]),
    "heft_model_term": (_I, [_P, _N, _P, _P]),
    "heft_model_merge": (_I, [_P, _N, _P, _P]),
    "heft_model_gather": (_I, [_P, _P]),
    "heft_model_save": (_I, [_P, c_char_p, _P]),
    "heft_model_load": (_I, [c_char_p, _P, _P]),
    "heft_model_to_bytes": (_I, [_P, _P, _P, _P]),
    "heft_model_from_bytes": (_I, [c_char_p, _N, _P, _P]),
    "heft_model_method": (c_char_p, [_P]),
    "heft_model_target": (c_char_p, [_P]),
    "heft_model_classes": (_N, [_P]),
    "heft_model_class_name": (c_char_p, [_P, _N]),
    "heft_model_attributes": (_N, [_P]),
    "heft_model_attribute": (_I, [_P, _N, _P, _P]),
    "heft_model_value": (_N, [_P, _N, _N, c_char_p, _N]),
    "heft_model_prior": (_I, [_P, _P, _P]),
    "heft_model_weighting": (_I, [_P]),
    "heft_model_weight": (c_double, [_P, _N, _N, _N]),
    "heft_model_importance": (c_double, [_P, _N, _P]),
    "heft_model_pair_weights": (_I, [_P, _N, _N, _P, _P, _P]),
    "heft_export_text": (_I, [_P, _P, _P, _P, _P]),
    "heft_export_file": (_I, [_P, c_char_p, _P, _P]),
    "heft_inspect_text": (_I, [_P, c_char_p, _N, _P, _P]),
    "heft_report_html": (_I, [_P, _P, _P, _P, _P]),
    "heft_report_json": (_I, [_P, _P, _P, _P, _P]),
    "heft_method_count": (_N, []),
    "heft_method_at": (POINTER(MethodInfo), [_N]),
    "heft_measure_count": (_N, []),
    "heft_measure_at": (POINTER(MeasureInfo), [_N]),
    "heft_measure_predictions": (_I, [_P, _N, _N, _P, _P, _P]),
    "heft_evaluate_models": (_I, [_P, _P, _P, _N, c_char_p, _P, _P, _P]),
    "heft_evaluate": (_I, [_P, _P, _N, _P, _P, _P]),
    "heft_results_free": (None, [_P]),
    "heft_results_methods": (_N, [_P]),
    "heft_results_cell": (POINTER(Cell), [_P, _N, _N, _N]),
    "heft_results_predicted": (_N, [_P, _N, _N, _N, _P]),
    "heft_results_text": (_I, [_P, c_char_p, _P, _P]),
}


def _places() -> list[str]:
    named = os.environ.get("HEFT_LIBRARY")
    if named:
        return [named]
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (here, sysconfig.get_path("platlib")):  # as the wheel was unpacked
        beside = os.path.join(folder, ".heft_bayes.mesonpy.libs", "libheft.so.1")
        if os.path.exists(beside):
            return [beside]
    found = ctypes.util.find_library("heft")
    return [place for place in (found, "libheft.so.1") if place]


def _open() -> ctypes.CDLL:
    reasons = []
    for place in _places():
        try:
            library = ctypes.CDLL(place)
        except OSError as error:
            reasons.append(str(error))
            continue
        for name, (result, arguments) in _CALLS.items():
            try:
                call = getattr(library, name)
            except AttributeError:
                raise ImportError(f"{place} is too old for this package: it lacks {name}") from None
            call.restype, call.argtypes = result, arguments
        library.heft_set_message_syntax(SYNTAX_PYTHON)
        return library
    for reason in reasons:  # a library that libheft itself needs
        lacking = re.match(r"(\S+): cannot open shared object file", reason)
        if lacking and not os.path.basename(lacking[1]).startswith("libheft"):
            raise ImportError(f"libheft needs {lacking[1]}, which was not found: install the package that has it")
    raise ImportError(
        "libheft was not found: install it, or name the file in HEFT_LIBRARY (" + "; ".join(reasons) + ")"
    )


lib = _open()
flag_raised = ctypes.cast(lib.heft_flag_raised, c_void_p).value  # heft_host.cancelled, run in C


def sentence(said: bytes) -> str:
    """A message of the library, which names settings as this package does (heft_set_message_syntax)."""
    return said.decode("utf-8", "replace")


def check(status: int, err: Error, path: str | None = None) -> None:
    """Raise what a status other than OK means."""
    if status == OK:
        return
    text = sentence(err.text)
    if status == ENOMEM:
        raise MemoryError(text)
    if status == ECANCELLED:
        raise KeyboardInterrupt(text)
    if status == EIO:
        if path is not None and not os.path.exists(os.path.dirname(path) or "."):
            raise FileNotFoundError(text)
        if path is not None and not os.path.exists(path):
            raise FileNotFoundError(text)
        if path is not None and not os.access(path, os.R_OK | os.W_OK):
            raise PermissionError(text)
        raise OSError(text)
    if "not a finite number" in text:
        text = "Input X contains infinity or a value too large for dtype('float64'): " + text
    raise ValueError(text)


def text(value: bytes | None) -> str:
    return "" if value is None else value.decode("utf-8", "surrogateescape")


def raw(value: str) -> bytes:
    data = value.encode("utf-8", "surrogateescape")
    if b"\0" in data:
        raise ValueError(f"{value!r} holds a NUL character, which names and values cannot")
    return data


def strings(values: Iterable[str], end: bool = False) -> Any:
    """A char *[] that keeps its texts alive; with `end`, NULL-terminated."""
    texts: list[bytes | None] = [raw(value) for value in values]
    texts += [None] * end
    return (c_char_p * len(texts))(*texts)


class Option(NamedTuple):
    name: str
    fallback: str
    range: str
    help: str


class Method(NamedTuple):
    name: str
    alias: str
    title: str
    source: str
    family: str
    prepare: str
    sparse: bool
    weights: bool
    missing: bool
    explains: bool
    merges: bool
    ranks: bool
    stops: bool
    votes: bool
    references: tuple[str, ...]
    options: tuple[Option, ...]


def listed(pointers: Any) -> list[Any]:
    """What the pointers of a NULL-terminated array point to."""
    return [pointer.contents for pointer in itertools.takewhile(bool, pointers)]


def methods() -> list[Method]:
    """Every method of the library, with its option table."""
    out = []
    for k in range(lib.heft_method_count()):
        info = lib.heft_method_at(k).contents
        options = tuple(
            Option(text(o.name), text(o.fallback), text(o.range), text(o.help))
            for o in listed(info.options)
        )
        out.append(
            Method(
                text(info.name), text(info.alias), text(info.title), text(info.source),
                text(info.family), text(info.prepare), bool(info.sparse), bool(info.weights),
                bool(info.missing), bool(info.explains), bool(info.merges), bool(info.ranks),
                bool(info.stops), bool(info.votes), tuple(text(info.references).splitlines()), options,
            )
        )
    return out


class Setting(NamedTuple):
    name: str  # the parameter of the estimators
    field: str  # of heft_config or heft_runtime
    group: str  # as in lib/base/settings.def
    value: str
    help: str
    is_text: bool


@functools.lru_cache(maxsize=None)
def settings() -> tuple[Setting, ...]:
    """The settings of the library that are parameters of every estimator whose method does not refuse them."""
    out = []
    for k in itertools.count():
        found = lib.heft_setting_at(k)
        if not found:
            break
        info = found.contents
        if info.python and info.owner in (b"heft_config", b"heft_runtime"):
            name = text(info.name).replace("-", "_") if info.python == b"=" else text(info.python)
            is_text = info.owner == b"heft_config" and info.kind in (SETTING_TEXT, SETTING_WORD)
            out.append(Setting(name, text(info.field), text(info.group), text(info.value), text(info.help), is_text))
    return tuple(out)


class Table:
    """A heft_table; freed with the object."""

    __slots__ = ("handle", "alive")

    def __init__(self, n_rows: int, made: int | None = None) -> None:
        """An empty table; or `made`, a handle that this object owns from here on."""
        err, out = Error(), c_void_p(made)
        self.handle = None
        self.alive: list[Any] = []  # arrays the table borrows from
        if not made:
            check(lib.heft_table_create(n_rows, byref(out), byref(err)), err)
        self.handle = out.value

    def __del__(self) -> None:
        if self.handle:
            lib.heft_table_free(self.handle)

    @property
    def _as_parameter_(self) -> int | None:
        """A table that is passed to the library lives as long as the call."""
        return self.handle

    def call(self, function: Any, *arguments: Any) -> None:
        err = Error()
        check(function(self.handle, *arguments, byref(err)), err)

    def attributes(self) -> list[Attribute]:
        found = [Attribute() for _ in range(lib.heft_table_attributes(self.handle))]
        for j, attribute in enumerate(found):
            self.call(lib.heft_table_attribute, j, byref(attribute))
        return found

    def names(self) -> list[str]:
        return [text(attribute.name) for attribute in self.attributes()]

    def values(self, j: int, n: int) -> list[str]:
        """The texts of the n values of a nominal attribute."""
        return [text(lib.heft_table_value(self.handle, j, v)) for v in range(n)]

    def cells(self, j: int) -> np.ndarray:
        """Numbers, or indices of values; NaN where missing."""
        import numpy as np

        out = np.empty(lib.heft_table_rows(self.handle))
        self.call(lib.heft_table_cells, j, out.ctypes.data)
        return out


class Model:
    """A heft_model; freed with the object, pickled as the bytes of its file. `memo` holds what was
    derived from it, so that estimators do not change when they are looked at."""

    __slots__ = ("handle", "memo", "n_classes", "n_attributes")

    def __init__(self, handle: int | None) -> None:
        self.handle = handle
        self.memo: dict[str, Any] = {}
        self.n_classes: int = lib.heft_model_classes(handle)
        self.n_attributes: int = lib.heft_model_attributes(handle)

    def __del__(self) -> None:
        if self.handle:
            lib.heft_model_free(self.handle)
            self.handle = None

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return Model.from_bytes, (self.to_bytes(),)

    def to_bytes(self) -> bytes:
        err, out, length = Error(), c_void_p(), c_size_t()
        check(lib.heft_model_to_bytes(self.handle, byref(out), byref(length), byref(err)), err)
        try:
            return ctypes.string_at(out.value or 0, length.value)
        finally:
            lib.heft_text_free(out)

    @staticmethod
    def from_bytes(data: bytes) -> Model:
        err, out = Error(), c_void_p()
        check(lib.heft_model_from_bytes(data, len(data), byref(out), byref(err)), err)
        return Model(out.value)

    def save(self, path: str) -> None:
        err = Error()
        check(lib.heft_model_save(self.handle, os.fsencode(path), byref(err)), err, path)

    def export(self, path: str, options: ExportOptions) -> None:
        err = Error()
        check(lib.heft_export_file(self.handle, os.fsencode(path), byref(options), byref(err)), err, path)

    @staticmethod
    def load(path: str) -> Model:
        err, out = Error(), c_void_p()
        check(lib.heft_model_load(os.fsencode(path), byref(out), byref(err)), err, path)
        return Model(out.value)

    def report(self, table: Table | None, plan: ReportPlan, data: bool = False) -> bytes:
        """The page that `heft report` writes, or the data of the page as JSON."""
        err, out = Error(), c_void_p()
        call = lib.heft_report_json if data else lib.heft_report_html
        check(call(self.handle, table.handle if table else None, byref(plan), byref(out), byref(err)), err)
        try:
            return ctypes.string_at(out.value or 0)
        finally:
            lib.heft_text_free(out)

    def inspect(self) -> dict[str, Any]:
        """What `heft inspect --json` writes."""
        if "inspect" not in self.memo:
            self.memo["inspect"] = json.loads(self._document(b"json"))
        about: dict[str, Any] = self.memo["inspect"]
        return about

    def describe(self) -> str:
        return self._document(b"text")

    def _document(self, form: bytes) -> str:
        err, out = Error(), c_void_p()
        check(lib.heft_inspect_text(self.handle, form, 0, byref(out), byref(err)), err)
        try:
            return text(ctypes.string_at(out.value or 0))
        finally:
            lib.heft_text_free(out)

    def config(self) -> tuple[dict[str, Any], dict[str, str]]:
        """What was given to the fit: the fields of heft_config that were set, with the seed, and the method's options."""
        out = POINTER(Config)()
        self.call(lib.heft_model_config, True, byref(out))
        try:
            config = out.contents
            fields: dict[str, Any] = {s.field: text(value) for s in settings()
                                      if s.is_text and (value := getattr(config, s.field))}
            fields["time_limit"], fields["seed"] = config.time_limit, config.run.contents.seed if config.run else 0
            given = itertools.takewhile(bool, config.params) if config.params else ()
            return fields, dict(text(option).split("=", 1) for option in given)
        finally:
            lib.heft_config_free(out)

    def missing(self) -> str:
        """Further marks of missing cells in the file that the model was trained on."""
        source = Source()
        self.call(lib.heft_model_source, byref(source))
        return text(source.missing)

    def method(self) -> str:
        return text(lib.heft_model_method(self.handle))

    def target(self) -> str:
        return text(lib.heft_model_target(self.handle))

    def classes(self) -> list[str]:
        return [text(lib.heft_model_class_name(self.handle, c)) for c in range(self.n_classes)]

    def call(self, function: Any, *arguments: Any) -> None:
        err = Error()
        check(function(self.handle, *arguments, byref(err)), err)

    def attributes(self) -> list[Attribute]:
        if "attributes" not in self.memo:
            found = [Attribute() for _ in range(self.n_attributes)]
            for j, attribute in enumerate(found):
                self.call(lib.heft_model_attribute, j, byref(attribute))
            self.memo["attributes"] = found
        attributes: list[Attribute] = self.memo["attributes"]
        return attributes

    def names(self) -> list[str]:
        return [text(attribute.name) for attribute in self.attributes()]

    def terms(self) -> list[tuple[str, ...]]:
        """The attributes of each term of the score; ValueError where it is not such a sum."""
        names, info, out = self.names(), TermInfo(), []
        if names:
            self.call(lib.heft_model_term, 0, byref(info))
        for t in range(lib.heft_model_terms(self.handle)):
            self.call(lib.heft_model_term, t, byref(info))
            out.append(tuple(names[j] for j in info.attributes[: info.n_attributes]))
        return out

    def values(self, j: int) -> list[str]:
        """The texts of an attribute's values or intervals."""
        out = []
        for v in range(self.attributes()[j].n_values):
            room = ctypes.create_string_buffer(lib.heft_model_value(self.handle, j, v, None, 0) + 1)
            lib.heft_model_value(self.handle, j, v, room, len(room))
            out.append(text(room.value))
        return out

    def prior(self) -> np.ndarray:
        import numpy as np

        out = np.empty(self.n_classes)
        self.call(lib.heft_model_prior, out.ctypes.data)
        return out

    def weighting(self) -> int:
        return int(lib.heft_model_weighting(self.handle))

    def weight(self, j: int, c: int = 0, v: int = 0) -> float:
        return float(lib.heft_model_weight(self.handle, j, c, v))

    def importances(self) -> np.ndarray | None:
        """Importance on held-out rows and its standard error, by attribute; None where it is not measured."""
        import numpy as np

        out, error = np.empty((self.n_attributes, 2)), c_double()
        for j in range(self.n_attributes):
            out[j] = lib.heft_model_importance(self.handle, j, byref(error)), error.value
        return None if np.isnan(out).any() or not len(out) else out

    def pair_weights(self, a: int, b: int) -> np.ndarray:
        import numpy as np

        prior, out = c_double(), np.empty(self.n_attributes)
        self.call(lib.heft_model_pair_weights, a, b, byref(prior), out.ctypes.data)
        return out
