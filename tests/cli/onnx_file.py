#!/usr/bin/env python3
"""Exported ONNX files, read by a small decoder of Protocol Buffers: onnx_file.py HEFT [NAME...].

Needs no package. onnx_scorer.py computes with the files where onnxruntime is installed.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import harness  # noqa: E402
from asked_rows import tables, three_way_tables  # noqa: E402
from harness import heft, refused, require, same, test  # noqa: E402

DOUBLE, STRING = 11, 8
SIZES = {1: 4, 2: 1, 7: 8, 11: 8}  # bytes of the types of tensors
OPERATORS = set("""Abs Add ArgMax ArgMin Cast Clip Concat CumSum Div Equal Exp Expand Gather Greater GreaterOrEqual
    Identity IsInf IsNaN LabelEncoder Less Log MatMul Max Min Mul Neg ReduceMax ReduceSum Round Shape Slice Softmax Sqrt
    Squeeze Sub Transpose TreeEnsembleRegressor Unsqueeze Where""".split())


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """{number: [values]}: integers, or bytes."""
    out, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        require(key & 7 in (0, 2), f"wire type {key & 7}")
        value, at = varint(data, at)
        if key & 7 == 2:
            require(at + value <= len(data), "a field is longer than its message")
            value, at = data[at:at + value], at + value
        out.setdefault(key >> 3, []).append(value)
    return out


def numbers(data):
    """A packed list of integers."""
    out, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        out.append(value)
    return out


def text(message, number):
    return message.get(number, [b""])[0].decode("utf-8")


def value_info(data):
    """Name, type and dimensions, of which the first is the batch."""
    info = fields(data)
    tensor = fields(fields(info[2][0])[1][0])
    dims = [fields(d) for d in fields(tensor[2][0])[1]]
    same(text(dims[0], 2), "N", "the first dimension")
    return text(info, 1), tensor[1][0], [d[1][0] for d in dims[1:]]


class File:
    def __init__(self, path):
        model = fields(pathlib.Path(path).read_bytes())
        same(model[1], [7], "version of the format")
        sets = [fields(s) for s in model[8]]
        same([(text(s, 1), s[2][0]) for s in sets], [("", 13), ("ai.onnx.ml", 2)], "operator sets")
        same(text(model, 2), "heft", "producer")
        graph = fields(model[7][0])
        self.inputs = [value_info(v) for v in graph.get(11, [])]
        self.outputs = [value_info(v) for v in graph[12]]
        self.nodes = [fields(n) for n in graph[1]]
        self.tensors = {text(t, 8): t for t in map(fields, graph.get(5, []))}
        self.check()

    def check(self):
        """Every value has one name and is there before it is used; tensors are as long as they say."""
        known = {name for name, _, _ in self.inputs}
        same(len(known), len(self.inputs), "different inputs")
        for name, tensor in self.tensors.items():
            require(name not in known, f"{name} twice")
            known.add(name)
            size = 1
            for d in numbers(tensor[1][0]) if 1 in tensor else []:
                size *= d
            kind = tensor[2][0]
            found = len(tensor.get(6, [])) if kind == STRING else len(tensor[9][0]) / SIZES[kind]
            same(found, size, f"elements of {name}")
        for node in self.nodes:
            operator = text(node, 4)
            require(operator in OPERATORS, f"operator {operator}")
            for name in node.get(1, []):
                require(name.decode() in known, f"{operator} uses {name} before it is there")
            require(text(node, 2) not in known, f"{text(node, 2)} twice")
            known.add(text(node, 2))
        for name, _, _ in self.outputs:
            require(name in known, f"there is no {name}")


@test
def files_are_sound_graphs():
    tables()
    for method in ("nb", "gnb", "flexnb", "lnb", "cawnb", "vwnb", "auto", "rnb", "tan", "aode", "hnb"):
        for more in ([], ["--scale", "unit"], ["--calibrate", "vector"]):
            heft("train", "train.csv", "-o", "m.heft", "-m", method, "-q", "--impute", "mean", *more)
            heft("export", "m.heft", "-o", "m.onnx")
            file = File("m.onnx")
            same(file.inputs, [("num", DOUBLE, [1]), ("same", DOUBLE, [1]), ("word", STRING, [1]), ("flag", STRING, [1])],
                 "inputs")
            same(file.outputs, [("label", STRING, []), ("probabilities", DOUBLE, [3])], "outputs")


@test
def trees_and_pairs_are_there():
    three_way_tables("abcd")
    heft("train", "train.csv", "-o", "m.heft", "-m", "auto", "-q")
    heft("export", "m.heft", "-o", "m.onnx", "--evidence")
    file = File("m.onnx")
    require(any(text(n, 4) == "TreeEnsembleRegressor" for n in file.nodes), "no trees")
    require(len(file.nodes) < 150, f"{len(file.nodes)} nodes")
    same([(o[0], len(o[2])) for o in file.outputs], [("label", 0), ("probabilities", 1), ("evidence", 2)], "outputs")


@test
def the_same_model_gives_the_same_bytes():
    tables()
    heft("train", "train.csv", "-o", "m.heft", "-q")
    heft("export", "m.heft", "-o", "one.onnx")
    same(heft("export", "m.heft", "--to", "onnx").raw, pathlib.Path("one.onnx").read_bytes(), "standard output")


@test
def options_of_other_formats_are_refused():
    tables()
    heft("train", "train.csv", "-o", "m.heft", "-m", "nb", "-q")
    refused("export", "m.heft", "-o", "m.onnx", "--float", says="--float is not for format onnx")
    refused("export", "m.heft", "-o", "m.json", "--evidence", says="--evidence is not for format json")
    refused("export", "m.heft", "-o", "m.onnx", "--with-header", says="ends in .c")
    heft("train", "train.csv", "-o", "m.heft", "-m", "iclnb", "-q")
    refused("export", "m.heft", "-o", "m.onnx", says="iclnb.*-m auto")
    heft("train", "train.csv", "-o", "m.heft", "-m", "aode", "-q")
    refused("export", "m.heft", "-o", "m.onnx", "--evidence", says="aode is not one sum")


if __name__ == "__main__":
    sys.exit(harness.main())
