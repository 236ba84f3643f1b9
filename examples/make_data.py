#!/usr/bin/env python3
"""Write the data sets of this folder: three from scikit-learn's package, one made up.

    python3 examples/make_data.py        needs scikit-learn for the first three

The output does not depend on the machine: running it again changes nothing.
"""
import csv
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent


def write(name, header, rows):
    with open(HERE / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def from_sklearn(name, loader):
    bunch = loader()
    names = [str(n).replace(" (cm)", "").replace(" ", "_") for n in bunch.feature_names]
    classes = [str(c) for c in bunch.target_names]
    rows = [[repr(float(x)) for x in row] + [classes[y]] for row, y in zip(bunch.data, bunch.target)]
    write(name, names + ["class"], rows)


def loans(n=600, seed=7):
    """An invented table of loan applications: numbers, categories, gaps, a few wrong labels."""
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        age = rng.randint(19, 75)
        income = round(rng.lognormvariate(10.3, 0.5), 2)
        amount = round(rng.lognormvariate(8.6, 0.7), 2)
        housing = rng.choices(["rents", "owns", "with family"], [5, 4, 2])[0]
        work = rng.choices(["employed", "self-employed", "retired", "none"], [7, 2, 1, 1])[0]
        purpose = rng.choice(["car", "home, repairs", "education", "travel", "other"])
        region = rng.choice(["north", "south", "east", "west"])
        late = rng.choices([0, 1, 2, 3], [12, 4, 2, 1])[0]
        score = (1.2 - 2.4 * amount / income - 0.9 * late + 0.02 * (age - 40)
                 + {"owns": 0.6, "rents": 0.0, "with family": -0.2}[housing]
                 + {"employed": 0.5, "self-employed": 0.1, "retired": 0.3, "none": -1.5}[work])
        repaid = score + rng.gauss(0, 0.8) > 0
        cells = [age, income, amount, housing, work, purpose, region, late]
        cells = ["" if k != 2 and rng.random() < 0.06 else cell for k, cell in enumerate(cells)]
        rows.append(cells + ["yes" if repaid else "no"])
    write("loans.csv", ["age", "income", "amount", "housing", "work", "purpose", "region",
                        "late_payments", "repaid"], rows)


def main():
    loans()
    from sklearn import datasets
    from_sklearn("iris.csv", datasets.load_iris)
    from_sklearn("wine.csv", datasets.load_wine)
    from_sklearn("breast_cancer.csv", datasets.load_breast_cancer)


if __name__ == "__main__":
    main()
