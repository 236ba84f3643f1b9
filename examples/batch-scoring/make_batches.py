#!/usr/bin/env python3
"""Make the files of this example from ../loans.csv: 400 rows to learn from, and two days of new rows.

    make_batches.py        writes history.csv, monday.csv, tuesday.csv into the present folder

New rows have a number to recognise them by, and no class: it is what the model is asked for.
"""
import csv
import pathlib

LOANS = pathlib.Path(__file__).resolve().parents[1] / "loans.csv"


def write(name, header, rows):
    with open(name, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def main():
    with open(LOANS, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    write("history.csv", header, rows[:400])
    new = [[f"A{number}", *row[:-1]] for number, row in enumerate(rows[400:], 401)]
    write("monday.csv", ["number", *header[:-1]], new[:120])
    write("tuesday.csv", ["number", *header[:-1]], new[120:])


if __name__ == "__main__":
    main()
