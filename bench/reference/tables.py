"""Tables for the comparison: random ones of every shape, and ARFF files.

A table has columns (numbers with NaN, or codes with -1 for a gap), classes and row weights. Training tables are
written as ARFF, so that values and classes are declared; rows to ask about as CSV, so that they may hold values nobody
declared (code -2).
"""
import dataclasses
import os
import pathlib

import numpy as np

UNKNOWN = -2  # code of a value the training header does not declare
MISSING = -1


@dataclasses.dataclass
class Column:
    name: str
    data: np.ndarray  # float with NaN, or int codes
    values: list = None  # declared values; None: numeric

    @property
    def nominal(self):
        return self.values is not None

    def rows(self, which):
        return Column(self.name, self.data[which], self.values)


@dataclasses.dataclass
class Table:
    name: str
    columns: list
    y: np.ndarray
    classes: list
    weight: np.ndarray = None

    @property
    def n(self):
        return len(self.y)

    @property
    def w(self):
        return np.ones(self.n) if self.weight is None else self.weight

    def rows(self, which):
        return Table(self.name, [c.rows(which) for c in self.columns], self.y[which], self.classes,
                     None if self.weight is None else self.weight[which])


def cell(column, i):
    x = column.data[i]
    if column.nominal:
        return "?" if x == MISSING else "never-heard-of" if x == UNKNOWN else column.values[x]
    return "?" if np.isnan(x) else repr(float(x))


def write_arff(table, path):
    with open(path, "w", encoding="utf-8") as out:
        out.write("@relation t\n")
        for c in table.columns:
            kind = "{" + ",".join(c.values) + "}" if c.nominal else "numeric"
            out.write(f"@attribute {c.name} {kind}\n")
        if table.weight is not None:
            out.write("@attribute row_weight numeric\n")
        out.write("@attribute class {" + ",".join(table.classes) + "}\n@data\n")
        for i in range(table.n):
            cells = [cell(c, i) for c in table.columns]
            if table.weight is not None:
                cells.append(repr(float(table.weight[i])))
            out.write(",".join(cells + [table.classes[table.y[i]]]) + "\n")


def write_csv(table, path):
    with open(path, "w", encoding="utf-8") as out:
        out.write(",".join([c.name for c in table.columns] + ["class"]) + "\n")
        for i in range(table.n):
            out.write(",".join([cell(c, i) for c in table.columns] + [table.classes[table.y[i]]]) + "\n")


def random_table(rng, n, kinds, classes, *, missing=0.0, empty_class=False, lone_class=False, weights=None,
                 constant=False, twin=False, ties=False, noise=1.0, unseen=True, absent_value=True):
    """A training table and rows to ask about. kinds: a string of n (number) and c (category) for each column."""
    total = n + 40
    y = rng.integers(0, classes, total)
    y[:classes] = np.arange(classes)  # each class has a row
    if lone_class:
        y[classes:n][y[classes:n] == classes - 1] = 0
    columns = []
    for j, kind in enumerate(kinds):
        if kind == "n":
            x = noise * rng.normal(0, 1, total) + rng.normal(0, 1.5, classes)[y]
            x = np.round(x, 1) if ties else x
            columns.append(Column(f"a{j}", x))
        else:
            v = int(rng.integers(2, 6))
            p = rng.dirichlet(np.full(v, 1.0), classes)
            code = np.array([rng.choice(v, p=p[c]) for c in y])
            declared = [f"v{k}" for k in range(v + (1 if absent_value else 0))]
            if absent_value:  # a declared value that no training row has, but some query does
                code[n:][rng.random(40) < 0.1] = v
            if unseen:
                code[n:][rng.random(40) < 0.1] = UNKNOWN
            columns.append(Column(f"a{j}", code, declared))
    for c in columns:
        gaps = rng.random(total) < missing
        if c.nominal:
            c.data[gaps] = MISSING
        else:
            c.data[gaps] = np.nan
    if constant:
        columns.append(Column("flat", np.full(total, 3.25)))
        columns[-1].data[n:n + 5] = 4.5
        columns.append(Column("one", np.zeros(total, int), ["only"]))
    if twin:
        columns.append(Column("twin", columns[0].data.copy(), columns[0].values))
    names = [f"k{c}" for c in range(classes + (1 if empty_class else 0))]
    w = None
    if weights == "whole":
        w = rng.integers(1, 4, total).astype(float)
    elif weights == "any":
        w = np.round(rng.gamma(2.0, 0.7, total) + 0.05, 3)
    whole = Table("random", columns, y, names, w)
    train, ask = whole.rows(slice(0, n)), whole.rows(slice(n, total))
    ask.weight = None
    return train, ask


def data_folder():
    here = pathlib.Path(os.environ.get("HEFT_DATA", pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"))
    return here if here.is_dir() else None


def _split(line):
    """Cells of an ARFF line: commas outside quotes. Returns (text, quoted)."""
    cells, text, quote, quoted = [], "", None, False
    i = 0
    while i < len(line):
        ch = line[i]
        if quote:
            if ch == "\\":
                i += 1
                text += line[i]
            elif ch == quote:
                quote = None
            else:
                text += ch
        elif ch in "'\"":
            text, quote, quoted = "", ch, True
        elif ch == ",":
            cells.append((text if quoted else text.strip(), quoted))
            text, quoted = "", False
        elif not (quoted and ch.isspace()):
            text += ch
        i += 1
    cells.append((text if quoted else text.strip(), quoted))
    return cells


def read_arff(path):
    """A dense ARFF file, class = the column named class, else the last."""
    columns, rows, inside = [], [], False
    for line in open(path, encoding="utf-8", errors="replace"):
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        if inside:
            rows.append(_split(line))
        elif line.lower().startswith("@attribute"):
            rest = line[10:].strip()
            if rest[0] in "'\"":
                end = rest.index(rest[0], 1)
                name, kind = rest[1:end], rest[end + 1:].strip()
            else:
                name, kind = rest.split(None, 1)
            values = [t for t, _ in _split(kind[1:kind.rindex("}")])] if kind.startswith("{") else None
            columns.append((name, values))
        elif line.lower().startswith("@data"):
            inside = True
    names = [name.lower() for name, _ in columns]
    target = names.index("class") if "class" in names else len(columns) - 1
    made = []
    for j, (name, values) in enumerate(columns):
        if values is None:
            data = np.array([np.nan if r[j] == ("?", False) else float(r[j][0]) for r in rows])
        else:
            at = {v: k for k, v in enumerate(values)}
            data = np.array([MISSING if r[j] == ("?", False) else at[r[j][0]] for r in rows])
        made.append(Column(name, data, values))
    y = made.pop(target)
    return Table(pathlib.Path(path).stem, made, y.data, y.values)
