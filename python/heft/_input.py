"""What users pass as X and y, turned into columns the library takes.

A column is numeric (float64, NaN missing) or nominal (int32 codes into a list of texts, -1 missing).
Numbers of any numpy type are numeric; text, bool and pandas' category are nominal, and so are the
columns named by `categorical_features`. Nothing is copied that the library can read where it is.
"""

from __future__ import annotations

import numbers
import warnings
from ctypes import byref
from typing import Any, NamedTuple, Sequence

import numpy as np

from . import _ffi

BOOLS = ["False", "True"]
#: Texts that are missing in a column of numbers, as in files.
MARKS = {"", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "<NA>", "-"}


class Codes(NamedTuple):
    codes: np.ndarray  # int32
    values: list[str]


class Frame:
    """X as read: a numeric matrix, or columns, or compressed sparse rows, or a table that the library
    has made of it. `names` are what scikit-learn takes for names of features, which are texts; `numbers` are
    those of a frame whose columns have whole numbers for names, as texts, where each is another one."""

    __slots__ = ("n_rows", "n_cols", "names", "numbers", "given", "matrix", "columns", "sparse", "made")

    def __init__(self, n_rows: int, n_cols: int, names: list[str] | None = None, given: list[str] | None = None) -> None:
        """`given` are whole numbers that are the names of columns, as texts."""
        self.n_rows, self.n_cols, self.names, self.given = n_rows, n_cols, names, given
        self.numbers = given if given and len(set(given)) == len(given) else None
        self.matrix: np.ndarray | None = None
        self.columns: list[np.ndarray | Codes] | None = None
        self.sparse: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        self.made: _ffi.Table | None = None

    def column(self, j: int) -> np.ndarray | Codes:
        return self.matrix[:, j] if self.matrix is not None else self.split()[j]

    def split(self) -> list[np.ndarray | Codes]:
        """The columns, for changing some of them."""
        if self.columns is None and self.made is not None:
            about = self.made.attributes()
            self.columns = [column_of(self.made, j, a) for j, a in enumerate(about)]
            self.made = None
        if self.columns is None:
            assert self.matrix is not None
            self.columns = [self.matrix[:, j] for j in range(self.n_cols)]
            self.matrix = None
        return self.columns

    def only(self, columns: list[int]) -> Frame:
        """These columns alone."""
        def of(names: list[str] | None) -> list[str] | None:
            return [names[j] for j in columns] if names else None

        out = Frame(self.n_rows, len(columns), of(self.names), of(self.given))
        if self.sparse is not None:
            start, col, val = self.sparse
            place = np.full(self.n_cols, -1, dtype=np.int64)
            place[columns] = np.arange(len(columns))
            kept = place[col] >= 0
            before = np.concatenate([[0], np.cumsum(kept)]).astype(np.uintp)
            out.sparse = before[start], place[col][kept].astype(np.uint32), val[kept]
        elif self.matrix is not None:
            out.matrix = self.matrix[:, columns]
        else:
            out.columns = [self.split()[j] for j in columns]
        return out

    def kinds(self) -> dict[int, str]:
        """The nominal columns: "bool", or "text"."""
        values: dict[int, list[str]] = {}
        if self.made is not None:
            for j, a in enumerate(self.made.attributes()):
                if a.kind == _ffi.NOMINAL:
                    values[j] = self.made.values(j, a.n_values) if a.n_values <= len(BOOLS) else []
        elif self.columns is not None:
            values = {j: c.values for j, c in enumerate(self.columns) if isinstance(c, Codes)}
        return {j: "bool" if is_bool(known) else "text" for j, known in values.items()}

    def shown(self) -> list[str] | None:
        """The names of columns that the library is given; None: c1, c2, ..."""
        return self.names or self.numbers

    def column_name(self, j: int) -> str:
        shown = self.shown()
        return shown[j] if shown else f"c{j + 1}"

    def table(self) -> _ffi.Table:
        if self.made is not None and self.shown() == self.made.names():
            return self.made
        lib, table = _ffi.lib, _ffi.Table(self.n_rows)
        if self.sparse is not None:
            shown = self.shown()
            names = _ffi.strings(shown) if shown else None
            start, col, val = self.sparse
            table.call(lib.heft_table_add_sparse, self.n_cols, address(start), address(col),
                       address(val), names)
        elif self.matrix is not None:
            matrix = matrix_of(self.matrix, self.shown())
            table.alive.append(matrix)
            table.call(lib.heft_table_add_matrix, byref(matrix), True)
        else:
            for j, column in enumerate(self.split()):
                add_column(table, self.column_name(j), column)
            table.call(lib.heft_table_values_of_rows)  # categories that no row has do not count
        return table


def column_of(table: _ffi.Table, j: int, about: _ffi.Attribute) -> np.ndarray | Codes:
    """A column of a table that the library has made."""
    found = table.cells(j)
    if about.kind == _ffi.NUMERIC:
        return found
    return Codes(np.where(np.isnan(found), -1, found).astype(np.int32), table.values(j, about.n_values))


def cells(frame: Frame, columns: list[int]) -> np.ndarray:
    """The cells of some columns as people read them: numbers and texts, None where missing."""
    out = np.empty((frame.n_rows, len(columns)), dtype=object)
    if frame.sparse is not None:
        start, col, val = (part.tolist() for part in frame.sparse)
        place = {j: k for k, j in enumerate(columns)}
        out[:] = 0.0
        for i in range(frame.n_rows):
            for e in range(start[i], start[i + 1]):
                if col[e] in place:
                    out[i, place[col[e]]] = val[e]
        return out
    for k, j in enumerate(columns):
        column = frame.column(j)
        if isinstance(column, Codes):
            out[:, k] = [None if c < 0 else column.values[c] for c in column.codes.tolist()]
        else:
            out[:, k] = [None if x != x else x for x in column.tolist()]
    return out


def address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def matrix_of(cells: np.ndarray, names: list[str] | None) -> _ffi.Matrix:
    """The library's view of the numbers where they are; they live as long as it does."""
    if cells.strides[0] % 8 or cells.strides[1] % 8 or not cells.flags.aligned:
        cells = np.ascontiguousarray(cells)
    matrix = _ffi.Matrix(n_rows=cells.shape[0], n_cols=cells.shape[1], cells=address(cells),
                         row_stride=cells.strides[0] // 8, col_stride=cells.strides[1] // 8)
    if names:
        matrix.names = _ffi.strings(names)
    matrix.alive = cells
    return matrix


def add_column(table: _ffi.Table, name: str, column: np.ndarray | Codes) -> None:
    lib = _ffi.lib
    if isinstance(column, Codes):
        codes = np.ascontiguousarray(column.codes, dtype=np.int32)
        values = _ffi.strings(column.values)
        table.call(lib.heft_table_add_codes, _ffi.raw(name), address(codes), 1, values,
                   len(column.values))
        return
    step = column.strides[0]
    if step % 8 or step < 0 or not column.flags.aligned:
        column, step = np.ascontiguousarray(column), 8
    table.call(lib.heft_table_add_numbers, _ffi.raw(name), address(column), step // 8)


# ---- texts of values ----


def number_text(x: float) -> str:
    """1 for 1.0, as the library and a CSV file have it; else the shortest text that reads back."""
    x = float(x)
    return str(int(x)) if x.is_integer() and abs(x) < 1e15 else repr(x)


def value_text(value: Any) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bool, np.bool_)):
        return BOOLS[int(value)]
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return number_text(float(value))
    return str(value)


def is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and value != value


def is_bool(values: list[str]) -> bool:
    """Arrow tables have the values of rows alone, of which one may not occur."""
    return bool(values) and set(values) <= set(BOOLS)


def as_codes(values: np.ndarray) -> Codes:
    """Any one-dimensional array, its distinct values in order."""
    if values.dtype.kind == "b":
        return Codes(values.astype(np.int32), BOOLS)
    if values.dtype.kind in "iuf":
        if values.dtype.kind == "f":
            missing = np.isnan(values)
            distinct, codes = np.unique(np.where(missing, 0, values), return_inverse=True)
            codes = np.where(missing, -1, codes.ravel())
        else:
            distinct, codes = np.unique(values, return_inverse=True)
        return Codes(codes.ravel().astype(np.int32), [value_text(v) for v in distinct.tolist()])
    texts = [None if is_missing(v) else value_text(v) for v in values.tolist()]
    known = sorted({t for t in texts if t is not None})
    place = {t: k for k, t in enumerate(known)}
    return Codes(np.array([-1 if t is None else place[t] for t in texts], dtype=np.int32), known)


def object_column(values: np.ndarray, name: str) -> np.ndarray | Codes:
    """A column of Python objects: all numbers, all bools or all texts, and missing cells."""
    kinds = set(map(type, values.tolist()))
    plain = {k for k in kinds if k is not type(None) and k.__name__ not in ("NAType", "NaTType")}
    is_bool = {k for k in plain if issubclass(k, (bool, np.bool_))}
    is_text = {k for k in plain if issubclass(k, str)}
    is_number = {k for k in plain - is_bool if issubclass(k, numbers.Real)}
    other = plain - is_bool - is_text - is_number
    if any(issubclass(k, numbers.Complex) for k in other):
        raise ValueError(f"Complex data not supported: column '{name}'")
    kind = next((k for k in sorted(k.__name__ for k in other) if k in DATES), None)
    if kind:
        raise TypeError(dated(name, kind))
    if other:
        raise TypeError(
            f"column '{name}': an argument must be a string or a real number, not "
            f"'{next(iter(other)).__name__}'"
        )
    if is_number and not is_text and not is_bool:
        return np.array([np.nan if is_missing(v) else float(v) for v in values.tolist()])
    real = {k for k in is_number if not issubclass(k, (float, np.floating))}
    if not is_number or not real and all(
        is_missing(v) for v in values.tolist() if isinstance(v, (float, np.floating))
    ):
        if not (is_text and is_bool):
            return as_codes(values)
    raise ValueError(
        f"column '{name}' mixes text, numbers or bools (make it one kind, or name it in "
        "categorical_features after turning it into text)"
    )


# ---- X ----


def is_frame(X: Any) -> bool:
    """A pandas DataFrame, or one that behaves like it."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "iloc")


def is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def text_names(columns: Sequence[Any]) -> list[str] | None:
    kinds = sorted({type(c).__qualname__ for c in columns})
    texts = [isinstance(c, str) for c in columns]
    if texts and all(texts):
        return [str(c) for c in columns]
    if any(texts):
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {kinds} as feature name / column name types. If you want feature names to be "
            "stored and validated, you must convert them all to strings, by using X.columns = "
            "X.columns.astype(str) for example. Otherwise you can remove feature / column names from "
            "your input data, or convert them all to a non-string data type."
        )
    return None


def number_names(columns: Sequence[Any]) -> list[str] | None:
    """Names of columns that are whole numbers, as texts; None where some are not."""
    if not all(isinstance(c, numbers.Integral) and not isinstance(c, bool) for c in columns):
        return None
    return [value_text(c) for c in columns]


def read(X: Any, owner: str, sparse_ok: bool, part: bool = False) -> Frame:
    """X as a Frame; ValueError or TypeError, in scikit-learn's words, where it cannot be one. A part
    of the rows may be empty."""
    if is_sparse(X):
        frame = read_sparse(X, owner, sparse_ok)
    elif is_frame(X):
        frame = read_pandas(X)
    elif hasattr(X, "iloc") and getattr(X, "ndim", 2) == 1:
        raise ValueError(one_dimensional(X))
    elif hasattr(X, "__arrow_c_stream__"):
        from ._arrow import read_stream

        frame = read_stream(X)
    else:
        frame = read_array(X, owner)
    if frame.n_rows == 0 and not part:
        raise ValueError(
            f"Found array with 0 sample(s) (shape=(0, {frame.n_cols})) while a minimum of 1 is "
            f"required by {owner}."
        )
    if frame.n_cols == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape=({frame.n_rows}, 0)) while a minimum of 1 is "
            f"required by {owner}."
        )
    return frame


def read_sparse(X: Any, owner: str, sparse_ok: bool) -> Frame:
    if not sparse_ok:
        raise TypeError(
            "Sparse data was passed for X, but dense data is required. Use '.toarray()' to convert "
            f"to a dense numpy array ({owner} has no sparse form)."
        )
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X}\n")
    rows = X.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy() if rows is X else rows
        rows.sum_duplicates()
    frame = Frame(rows.shape[0], rows.shape[1])
    frame.sparse = (
        np.ascontiguousarray(rows.indptr, dtype=np.uintp),
        np.ascontiguousarray(rows.indices, dtype=np.uint32),
        np.ascontiguousarray(rows.data, dtype=np.float64),
    )
    return frame


def read_array(X: Any, owner: str) -> Frame:
    array = np.asarray(X)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.ndim < 2:
        what = "scalar" if array.ndim == 0 else "1D"
        raise ValueError(
            f"Expected 2D array, got {what} array instead:\narray={array}.\nReshape your data either "
            "using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if "
            "it contains a single sample."
        )
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}. {owner} expected <= 2.")
    frame = Frame(*array.shape)
    if array.dtype.kind in "fiu":
        frame.matrix = array if array.dtype == np.float64 else array.astype(np.float64)
    elif array.dtype.kind in "bUSO":
        if array.dtype.kind == "S":
            array = array.astype(str)
        frame.columns = [array_column(array[:, j], f"c{j + 1}") for j in range(frame.n_cols)]
        settle(frame)
    elif array.dtype.kind in "mM":
        since = "X" if array.dtype.kind == "m" else "(X - numpy.datetime64('2000-01-01'))"
        raise TypeError(f"X holds dates or times (make them numbers: X = {since} / numpy.timedelta64(1, 'D'))")
    else:
        raise TypeError(f"X has dtype {array.dtype}, which is neither numbers nor text")
    return frame


def array_column(values: np.ndarray, name: str) -> np.ndarray | Codes:
    if values.dtype.kind == "O":
        return object_column(values, name)
    if values.dtype.kind in "fiu":
        return values if values.dtype == np.float64 else values.astype(np.float64)
    if values.dtype.kind in "bU":
        return as_codes(values)
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: column '{name}'")
    if values.dtype.kind in "mM":
        raise TypeError(dated(name, "timedelta" if values.dtype.kind == "m" else "datetime"))
    raise TypeError(f"column '{name}' has dtype {values.dtype}, which is neither numbers nor text")


def one_dimensional(X: Any) -> str:
    """scikit-learn's advice for a Series in place of a DataFrame."""
    return (f"Expected a 2-dimensional container but got {type(X)} instead. Pass a DataFrame containing a single row "
            "(i.e. single sample) or a single column (i.e. single feature) instead.")


#: Kinds of dates in a column of pandas, and what makes numbers of them.
DATES = {
    "datetime": "(pandas.to_datetime(X['{0}']) - pandas.Timestamp('2000-01-01')).dt.days",
    "Timestamp": "(X['{0}'] - pandas.Timestamp('2000-01-01', tz=X['{0}'].dt.tz)).dt.days",
    "timedelta": "X['{0}'] / pandas.Timedelta(days=1)",
    "Timedelta": "X['{0}'] / pandas.Timedelta(days=1)",
    "date": "(pandas.to_datetime(X['{0}']) - pandas.Timestamp('2000-01-01')).dt.days",
    "Period": "X['{0}'].dt.year",
}


def dated(name: str, kind: str) -> str:
    """What to do with a column of dates."""
    return f"column '{name}' holds dates or times (make them numbers: X['{name}'] = {DATES[kind].format(name)})"


def settle(frame: Frame) -> None:
    """Columns that are all numeric become a matrix."""
    numeric = [column for column in frame.split() if not isinstance(column, Codes)]
    if len(numeric) == frame.n_cols:
        frame.matrix = np.column_stack(numeric) if numeric else np.empty((frame.n_rows, 0))
        frame.columns = None


def pandas_column(series: Any, name: str) -> np.ndarray | Codes:
    if type(series.dtype).__name__ == "StringDtype":
        series = series.astype("category")  # sorts the values as as_codes does, and is faster
    dtype = series.dtype
    if hasattr(series, "cat") and hasattr(dtype, "categories"):
        values = [value_text(v) for v in dtype.categories]
        return Codes(np.asarray(series.cat.codes, dtype=np.int32), values)
    if isinstance(dtype, np.dtype):
        return array_column(series.to_numpy(), name)
    kind = getattr(dtype, "kind", "O")
    if kind in "iuf":
        return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if hasattr(dtype, "subtype"):  # sparse columns
        return array_column(np.asarray(series), name)
    return array_column(series.to_numpy(dtype=object), name)


def read_pandas(X: Any) -> Frame:
    names = text_names(list(X.columns))
    frame = Frame(len(X), len(X.columns), names, None if names else number_names(list(X.columns)))
    dtypes = list(X.dtypes)
    if dtypes and all(isinstance(d, np.dtype) and d.kind in "fiu" for d in dtypes):
        frame.matrix = X.to_numpy(dtype=np.float64)
        return frame
    frame.columns = [
        pandas_column(X.iloc[:, j], frame.column_name(j)) for j in range(frame.n_cols)
    ]
    settle(frame)
    return frame


# ---- what the fit knew, and what prediction is given ----


def categorical(frame: Frame, which: Any) -> None:
    """Make the columns named in `which` (indices, names or a mask) nominal."""
    if which is None:
        return
    if frame.sparse is not None:
        raise ValueError("categorical_features cannot be used with sparse data")
    chosen = np.asarray(which)
    if chosen.dtype.kind == "b":
        if chosen.shape != (frame.n_cols,):
            raise ValueError(
                f"categorical_features: the mask has shape {chosen.shape}, X has {frame.n_cols} features"
            )
        indices = np.flatnonzero(chosen).tolist()
    elif chosen.dtype.kind in "iu" or chosen.size == 0:
        indices = chosen.astype(int).ravel().tolist()
        if any(not 0 <= j < frame.n_cols for j in indices):
            raise ValueError(f"categorical_features: an index is outside 0 to {frame.n_cols - 1}")
    else:
        if not frame.names:
            raise ValueError("categorical_features are names, but X has no feature names")
        lacking = [str(name) for name in chosen.ravel() if name not in frame.names]
        if lacking:
            noun = "column" if len(lacking) == 1 else "columns"
            raise ValueError(f"categorical_features: X has no {noun} {', '.join(map(repr, lacking))}")
        indices = [frame.names.index(name) for name in chosen.ravel()]
    columns = frame.split() if not frame.kinds().keys() >= set(indices) else []
    for j in indices if columns else []:
        if not isinstance(columns[j], Codes):
            columns[j] = as_codes(np.asarray(columns[j]))


def agree(frame: Frame, kinds: dict[int, str], marks: tuple[str, ...] = ()) -> None:
    """Give columns the kind they had at fit: `kinds` says "text" or "bool" for those that were
    nominal. A number becomes the text of that number, a text that is a number that number. Cells
    that are `marks` are missing: the model learned so from a file (--missing)."""
    if frame.sparse is not None:
        return
    if not kinds and frame.matrix is not None and not marks:
        return
    if frame.made is not None and kinds.keys() == frame.kinds().keys() and not marks:
        return
    columns, numeric = frame.split(), numeric_marks(marks)
    for j, column in enumerate(columns):
        if j in kinds and not isinstance(column, Codes):
            coded = as_codes(np.asarray(column))
            if kinds[j] == "bool":
                coded = Codes(coded.codes, [{"0": "False", "1": "True"}.get(v, v) for v in coded.values])
            columns[j] = coded
        elif j not in kinds and isinstance(column, Codes):
            columns[j] = numbers_of(column, frame.column_name(j), marks)
        columns[j] = without_marks(columns[j], marks, numeric)
    settle(frame)


def narrowed(frame: Frame, known: list[str]) -> Frame:
    """The columns of X that a model with selected attributes knows, if X has the others too. A model file has
    the names of the selected attributes alone: those of an X without names count its columns, c1, c2, ... or
    0, 1, ..., as they did in fit."""
    names = frame.names or frame.given
    if names is None:
        least = 1 if known and known[0].startswith("c") else 0
        names = [f"c{j + 1}" if least else str(j) for j in range(frame.n_cols)]
    place = {name: j for j, name in enumerate(names)}
    if frame.n_cols == len(known) or not all(name in place for name in known):
        return frame  # the caller compares the names and the number of columns
    chosen = frame.only([place[name] for name in known])
    if frame.names is None and frame.given is None and known != names[: len(known)]:
        chosen.names = known
    return chosen


def without_marks(column: np.ndarray | Codes, marks: tuple[str, ...], numeric: list[float]) -> np.ndarray | Codes:
    """The column with its marks, which are `numeric` where it is, as missing cells."""
    if isinstance(column, Codes):
        marked = [v for v, value in enumerate(column.values) if value in marks]
        return Codes(np.where(np.isin(column.codes, marked), -1, column.codes), column.values) if marked else column
    return np.where(np.isin(column, numeric), np.nan, column) if numeric else column


def numeric_marks(marks: tuple[str, ...]) -> list[float]:
    """Those marks that are numbers."""
    found = []
    for mark in marks:
        try:
            found.append(float(mark))
        except ValueError:
            continue
    return found


def numbers_of(column: Codes, name: str, marks: tuple[str, ...] = ()) -> np.ndarray:
    """The texts as numbers; those that are none count as missing, with a warning unless they are marks."""
    known = np.empty(len(column.values) + 1)
    known[-1] = np.nan
    odd = np.zeros(len(column.values) + 1, dtype=bool)
    for v, value in enumerate(column.values):
        if is_bool(column.values):
            known[v] = BOOLS.index(value)
            continue
        try:
            known[v] = np.nan if value in MARKS or value in marks else float(value)
        except ValueError:
            known[v] = np.nan
            odd[v] = True
    n_odd = int(odd[column.codes].sum())
    if n_odd:
        first = column.values[column.codes[int(np.argmax(odd[column.codes]))]]
        warnings.warn(
            f"column '{name}': {n_odd} {'cell is' if n_odd == 1 else 'cells are'} no number and "
            f"{'counts' if n_odd == 1 else 'count'} as missing (the first is '{first}', and the column was numeric at fit)",
            UserWarning, stacklevel=5,
        )
    numbers_there: np.ndarray = known[column.codes]
    return numbers_there


def same_numbers(given: list[str], known: list[str], owner: str) -> None:
    """The same rule for columns named by whole numbers. Numbers that count the columns from 0 on, as pandas
    does where it is given no names, say nothing, unless they stand in another order."""
    counted = [str(j) for j in range(len(given))]
    if given == counted or (known == counted and set(given) != set(known)):
        return
    same_names(given, known, owner)


def same_names(given: list[str] | None, known: Any, owner: str) -> None:
    """scikit-learn's rule: the names of fit, in the order of fit."""
    if known is None:
        if given is not None:
            warnings.warn(
                f"X has feature names, but {owner} was fitted without feature names", UserWarning,
                stacklevel=4,
            )
        return
    if given is None:
        warnings.warn(
            f"X does not have valid feature names, but {owner} was fitted with feature names",
            UserWarning, stacklevel=4,
        )
        return
    known = list(known)
    if given == known:
        return
    message = "The feature names should match those that were passed during fit.\n"
    unseen, lacking = sorted(set(given) - set(known)), sorted(set(known) - set(given))
    if unseen:
        message += "Feature names unseen at fit time:\n" + listed(unseen)
    if lacking:
        message += "Feature names seen at fit time, yet now missing:\n" + listed(lacking)
    if not unseen and not lacking:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(message)


def listed(names: list[str]) -> str:
    shown = "".join(f"- {name}\n" for name in names[:5])
    return shown + ("- ...\n" if len(names) > 5 else "")


# ---- y and weights ----


class Target(NamedTuple):
    classes: np.ndarray
    codes: np.ndarray  # int32
    texts: list[str]


def read_target(y: Any, n_rows: int, owner: str, conversion_warning: type[Warning], train: bool = False) -> Target:
    """The distinct labels of y, of its own dtype and in order, and each row's place among them. To ``train``
    on, they must be classes: see check_classes."""
    if y is None:
        raise ValueError(
            f"This {owner} estimator requires y to be passed, but the target y is None."
        )
    if getattr(y, "ndim", 0) == 1 and type(getattr(y, "dtype", None)).__name__ == "StringDtype":
        return text_target(y, n_rows, train)
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y "
            "to (n_samples, ), for example using ravel().", conversion_warning, stacklevel=6,
        )
        labels = labels.ravel()
    if labels.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
    check_labels(labels)
    check_length(len(labels), n_rows)
    try:
        classes, codes = distinct_labels(labels)
    except TypeError:
        raise ValueError("Unknown label type: unknown. y mixes labels that have no order") from None
    if train and not hasattr(getattr(y, "dtype", None), "categories"):  # which are declared to be classes
        check_classes(classes, len(labels))
    texts = [value_text(c) for c in classes.tolist()]
    if len(set(texts)) < len(texts):
        raise ValueError("Unknown label type: unknown. Different labels of y read the same as text")
    return Target(classes, codes.ravel().astype(np.int32), texts)


def text_target(y: Any, n_rows: int, train: bool) -> Target:
    """The target of a Series of pandas' own type of text, by pandas, which is faster."""
    coded = y.astype("category").cat
    if (coded.codes < 0).any():
        raise ValueError("Input y contains NaN.")
    check_length(len(y), n_rows)
    classes = np.array(coded.categories.tolist(), dtype=object)
    if train:
        check_classes(classes, n_rows)
    return Target(classes, np.asarray(coded.codes, dtype=np.int32), classes.tolist())


def check_length(n_labels: int, n_rows: int) -> None:
    if n_labels != n_rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{n_rows}, {n_labels}]")


def distinct_labels(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """np.unique with the inverse; whole numbers of a small range without sorting them."""
    if labels.dtype.kind in "iu" and len(labels):
        least, most = int(labels.min()), int(labels.max())
        if most - least < 1000:
            wide = labels.astype(np.int64) if labels.dtype.kind == "i" else labels
            offset = (wide - wide.dtype.type(least)).astype(np.intp)
            there = np.flatnonzero(np.bincount(offset))
            place = np.zeros(most - least + 1, dtype=np.int32)
            place[there] = np.arange(len(there), dtype=np.int32)
            classes = there.astype(wide.dtype) + wide.dtype.type(least)
            return classes.astype(labels.dtype), place[offset]
    return np.unique(labels, return_inverse=True)


def joined_labels(known: Sequence[np.ndarray]) -> np.ndarray:
    """The labels of several arrays, sorted, each once."""
    if len({array.dtype.kind if array.dtype.kind not in "iu" else "i" for array in known}) > 1:
        kinds = [str(array.dtype) for array in known]
        raise ValueError(f"Mix of label input types: y was {kinds[0]} and is now {kinds[-1]}")
    return np.unique(np.concatenate(known))


def with_classes(target: Target, classes: Any) -> Target:
    """The target with further classes declared; labels of y must be among them."""
    declared = np.unique(np.asarray(classes))
    unknown = np.setdiff1d(target.classes, declared)
    if unknown.size:
        raise ValueError(f"y has labels {unknown.tolist()} that are not among classes {declared.tolist()}")
    texts = [value_text(c) for c in declared.tolist()]
    place = np.searchsorted(declared, target.classes).astype(np.int32)
    return Target(declared, place[target.codes], texts)


def check_labels(labels: np.ndarray) -> None:
    kind = labels.dtype.kind
    if kind == "c":
        raise ValueError(f"Complex data not supported\n{labels}\n")
    if kind == "O" and any(is_missing(v) for v in labels.tolist()):
        raise ValueError("Input y contains NaN.")
    if kind == "O" and all(isinstance(v, numbers.Real) for v in labels.tolist()):
        labels, kind = labels.astype(np.float64), "f"
    if kind == "f":
        if np.isnan(labels).any():
            raise ValueError("Input y contains NaN.")
        if np.isinf(labels).any():
            raise ValueError(
                "Input y contains infinity or a value too large for dtype('float64')."
            )
        if (labels != np.floor(labels)).any():
            raise ValueError(
                "Unknown label type: continuous. Maybe you are trying to fit a classifier, which "
                "expects discrete classes on a regression target with continuous values."
            )
    elif kind not in "biuUSOM":
        raise ValueError(f"Unknown label type: unknown (dtype {labels.dtype})")


def check_classes(classes: np.ndarray, n_rows: int) -> None:
    """Refuse what the program refuses: floats that look measured, which are so many that each has few rows, or
    have gaps, and many values with fewer than two rows each."""
    n = len(classes)
    if n < 20:
        return
    if classes.dtype.kind == "f" and (n >= 0.05 * n_rows or classes[-1] - classes[0] + 1 > 1.5 * n):
        raise ValueError(
            f"Unknown label type: continuous. y has {n} different numbers that look measured, and heft predicts "
            "classes: it does no regression (make a few intervals of the numbers, for example with "
            "numpy.digitize, or every number a class with pandas.Series(y, dtype='category'))"
        )
    if 2 * n > n_rows:
        raise ValueError(
            f"y has {n} values in {n_rows} rows, too few of each to learn from (join values, give another y, or keep "
            "them all with pandas.Series(y, dtype='category'))"
        )


def read_weights(sample_weight: Any, n_rows: int, part: bool = False) -> np.ndarray | None:
    """The weights as numbers; those of a part of the rows may all be 0."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, numbers.Real):
        return np.full(n_rows, float(sample_weight))
    weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array.")
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}!")
    if np.isnan(weights).any():
        raise ValueError("Input sample_weight contains NaN.")
    if np.isinf(weights).any():
        raise ValueError("Input sample_weight contains infinity.")
    if (weights < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`.")
    if not part and not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights
