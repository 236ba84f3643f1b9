#!/usr/bin/env python3
"""Score the rows of ../loans.csv inside SQLite by model.sql and compare with what heft predicted (expected.csv)."""
import csv
import pathlib
import sqlite3

NUMERIC = {"age", "income", "amount", "late_payments"}

with open(pathlib.Path(__file__).resolve().parents[1] / "loans.csv", newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
database = sqlite3.connect(":memory:")
columns = ", ".join(f'"{name}" {"REAL" if name in NUMERIC else "TEXT"}' for name in rows[0])
database.execute(f"CREATE TABLE loans (id INTEGER, {columns})")
cells = [[i, *(cell or None for cell in row.values())] for i, row in enumerate(rows)]  # an empty cell is NULL
database.executemany(f"INSERT INTO loans VALUES ({', '.join('?' * len(cells[0]))})", cells)

scored = database.execute(pathlib.Path("model.sql").read_text(encoding="utf-8")).fetchall()
with open("expected.csv", newline="", encoding="utf-8") as file:
    expected = list(csv.DictReader(file))
scored.sort()  # by the id; a SELECT without ORDER BY has no order
difference = max(abs(row[-1] - float(told["P(yes)"])) for row, told in zip(scored, expected))
same = sum(row[1] == told["predicted"] for row, told in zip(scored, expected))
print(f"SQLite: {same} of {len(scored)} classes are those of heft; probabilities agree to 1e-12: {difference < 1e-12}")
