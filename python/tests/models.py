"""What the tests of clusters share: a table, and models compared bit for bit."""
import json
import re
import struct

import numpy as np


def tensors(model):
    """Everything of a model but the seconds its training took."""
    raw = model.to_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + length])
    about = header.pop("__metadata__")
    about["training"] = re.sub(r'"seconds": *[^,}]*', "", about["training"])
    out = {name: (t["dtype"], t["shape"], raw[8 + length + t["data_offsets"][0]:8 + length + t["data_offsets"][1]])
           for name, t in header.items() if name != "training.seconds"}
    return {**out, **{name: text for name, text in about.items() if name != "checksum"}}


def assert_same(one, other):
    a, b = tensors(one._fitted()), tensors(other._fitted())
    unlike = {name: (a.get(name), b.get(name)) for name in {*a, *b} if a.get(name) != b.get(name)}
    assert not unlike, unlike


def table(n=1500, seed=1):
    """Numbers, text and missing cells; the last value and the last class are in the last rows only."""
    import pandas as pd

    deal = np.random.default_rng(seed)
    X = pd.DataFrame({"width": deal.normal(size=n).round(3), "colour": deal.choice(["red", "green", "blue"], n),
                      "size": deal.integers(0, 6, n), "open": deal.random(n) < 0.5})
    y = np.where(X["width"] + (X["colour"] == "red") + deal.normal(size=n) > 0.5, "yes", "no").astype(object)
    X.loc[X.index % 50 == 7, "width"] = np.nan
    X.loc[X.index % 60 == 9, "colour"] = None
    X.loc[n - 5:, "colour"] = "grey"
    y[n - 4:] = "maybe"
    return X, pd.Series(y, name="bought")
