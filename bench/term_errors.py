#!/usr/bin/env python3
"""Coverage of the standard errors of terms: how often the interval of two errors around the evidence
of a value has the evidence of a fit to other rows of the same source.

    term_errors.py HEFT [--rows 500,2000,6000,20000] [--draws 12]

Three sources: two classes with numbers and values, three classes, and weak evidence beside noise. The
mean coverage over values, attributes and pairs of draws should be about 95 % for each number of rows.
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import tempfile


def two(rng):
    x = [rng.gauss(0, 1) for _ in range(4)]
    g, many = rng.choice("abc"), rng.randrange(30)
    s = 1.2 * x[0] + math.sin(2 * x[1]) + 0.8 * x[0] * x[2] + {"a": -0.7, "b": 0, "c": 0.7}[g] + 0.5 * math.cos(many)
    return [*x, g, f"v{many}"], "yes" if rng.random() < 1 / (1 + math.exp(-s)) else "no"


def three(rng):
    x = [rng.uniform(-1, 1) for _ in range(3)]
    g = rng.choice("abcd")
    scores = [1.5 * x[0], -x[0] + 2 * x[1] ** 2, x[2] * (1 if g in "ab" else -1)]
    return [*x, g], "uvw"[max(range(3), key=lambda c: scores[c] - math.log(-math.log(rng.random())))]


def weak(rng):
    x = [rng.gauss(0, 1) for _ in range(6)]
    s = 0.4 * x[0] - 0.3 * x[1]
    return [*x, rng.choice("ab")], "yes" if rng.random() < 1 / (1 + math.exp(-s)) else "no"


def shapes(heft, source, n, seed, folder):
    """attribute -> (points, series by class, errors) of a fit to n rows."""
    rng, path, model = random.Random(f"{source.__name__} {n} {seed}"), folder / "t.csv", folder / "m.heft"
    rows = [source(rng) for _ in range(n)]
    with open(path, "w", encoding="utf-8") as out:
        print(",".join([f"x{j}" for j in range(len(rows[0][0]))] + ["y"]), file=out)
        for cells, y in rows:
            print(",".join([v if isinstance(v, str) else f"{v:.6g}" for v in cells] + [y]), file=out)
    subprocess.run([heft, "train", path, "-t", "y", "-o", model, "-q"], check=True)
    subprocess.run([heft, "report", model, path, "--json", folder / "m.json", "-q"], check=True)
    page = json.loads((folder / "m.json").read_text(encoding="utf-8"))
    classes, out = page["model"]["classes"], {}
    for shape in page["shapes"]["list"]:
        a = page["attributes"][shape["attribute"]]
        at = [a["values"][v] for v in shape["at"]] if a["kind"] == "values" else shape["at"]
        names = [classes[c] for c in page["shapes"]["classes"]] or [""]
        out[a["name"]] = (at, dict(zip(names, shape["series"])), shape.get("error"))
    return out


def value(at, series, x):
    """The evidence at x, by linear interpolation; None where it is not known."""
    if isinstance(x, str):
        return series[at.index(x)] if x in at else None
    if not at or not at[0] <= x <= at[-1]:
        return None
    k = max(i for i in range(len(at)) if at[i] <= x)
    if k + 1 == len(at):
        return series[k]
    return series[k] + (series[k + 1] - series[k]) * (x - at[k]) / (at[k + 1] - at[k])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heft")
    parser.add_argument("--rows", default="500,2000,6000,20000")
    parser.add_argument("--draws", type=int, default=12)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for n in map(int, args.rows.split(",")):
            line = []
            for source in (two, three, weak):
                fits = [shapes(args.heft, source, n, d, pathlib.Path(name)) for d in range(args.draws)]
                inside = total = 0
                by = {}
                for d, fit in enumerate(fits):
                    for attribute, (at, series, errors) in fit.items():
                        points = [x for x in at if isinstance(x, str) or -1.8 <= x <= 1.8][:: 1 if isinstance(at[0], str) else 6]
                        other = fits[(d + 1) % len(fits)].get(attribute)
                        if errors is None or other is None:
                            continue
                        for x in points:
                            for c, own in series.items():
                                a, b, e = value(at, own, x), value(other[0], other[1].get(c, []), x) if c in other[1] else None, value(at, errors, x)
                                if a is None or b is None or e is None:
                                    continue
                                hit = abs(a - b) <= e
                                inside += hit
                                total += 1
                                got = by.setdefault(attribute, [0, 0])
                                got[0] += hit
                                got[1] += 1
                line.append(f"{source.__name__} {100 * inside / max(total, 1):.1f} (" +
                            " ".join(f"{k}:{100 * v[0] / v[1]:.0f}" for k, v in sorted(by.items())) + ")")
            print(f"{n:7d} rows: " + "; ".join(line), flush=True)


if __name__ == "__main__":
    main()
