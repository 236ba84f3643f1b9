"""Printed tables in, Markdown tables out: paper beside heft under the paper's protocol and under the honest one."""
import csv
import json
import math
import pathlib
from dataclasses import dataclass

from cells import Absent, Enough

PRINTED = pathlib.Path(__file__).resolve().parent / "printed"


def printed(name):
    """{row: {column: text}} of a table as the paper prints it; the first column names the rows."""
    with open(PRINTED / (name + ".csv"), encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    return {row[0]: dict(zip(head[1:], row[1:])) for row in rows}


def footer(name):
    """What stands below or beside a table in the paper: averages, counts, p-values."""
    return json.loads((PRINTED / "footers.json").read_text(encoding="utf-8"))[name]


def mean(values):
    """Of those that are there; None without any."""
    there = [v for v in values if v is not None]
    return sum(there) / len(there) if there else None


def number(value, digits=2):
    return "" if value is None else f"{round(value, digits) + 0.0:.{digits}f}"  # + 0.0: no -0.00


def markdown(head, rows):
    """A table on standard output; the first column to the left, the others to the right."""
    print("| " + " | ".join(head) + " |")
    print("|---|" + "---:|" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(str(c) for c in row) + " |", flush=True)
    print()


@dataclass
class Column:
    """A column of the paper's table, and what is run for it: functions of a row's name, percent or None."""

    name: str
    paper: object
    protocol: object
    honest: object = None

    def cells(self, bench, rows):
        """(row, paper, under the paper's protocol, honest, difference) of each row."""
        for row in rows:
            theirs, mine = self.paper(row), there(bench, self.protocol, row)
            other = there(bench, self.honest, row) if self.honest else mine
            apart = None if None in (theirs, mine) else mine - theirs
            yield row, theirs, mine, other, apart


def there(bench, figure, row):
    """A figure, or None and a note where something it needs is absent."""
    try:
        return figure(row)
    except Absent as reason:
        bench.note(f"left empty: {reason}")
        return None


def compare(bench, title, columns, rows, tolerance, digits=2):
    """The summary of all columns, then a table for each. Returns {column: [cells]}."""
    if bench.only:
        columns = [c for c in columns if c.name in bench.only]
    found = {c.name: list(c.cells(bench, bench.only.get(c.name, rows) if bench.only else rows)) for c in columns}
    bench.found += [(title.split(",")[0], name, c[0], *(number(v, digits) for v in c[1:4]))
                    for name, cells in found.items() for c in cells]
    if bench.only:
        raise Enough
    print(f"## {title}\n")
    lines = []
    for name, cells in found.items():
        both = [c for c in cells if c[4] is not None]
        near = sum(abs(c[4]) <= tolerance + 1e-9 for c in both)
        lines.append([name, *(number(mean([c[k] for c in both or cells]), digits) for k in (1, 2, 3)),
                      number(mean([c[4] for c in both]), digits), number(mean([abs(c[4]) for c in both]), digits),
                      number(median([abs(c[4]) for c in both]), digits), f"{near} of {len(both)}"])
    print(f"Averages over the rows that both have, of {len(rows)}.\n")
    markdown(["average", "paper", "heft, paper's protocol", "heft, honest", "difference", "mean abs. difference",
              "median", f"within {tolerance:g}"], lines)
    for name, cells in found.items() if not bench.brief else ():
        print(f"### {name}\n")
        markdown(["data", "paper", "heft, paper's protocol", "heft, honest", "difference"],
                 [[c[0], *(number(v, digits) for v in c[1:])] for c in cells])
    return found


def median(values):
    ordered = sorted(values)
    if not ordered:
        return None
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def percent(cell, key="accuracy"):
    """A measure of heft's JSON in percent; None where it could not be computed."""
    value = cell.get(key)
    return None if value is None or math.isnan(value) else 100 * value
