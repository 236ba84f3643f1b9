"""What a model file holds, for comparing models bit for bit."""
import json
import pathlib
import struct


def tensors(path):
    """Type, shape and bytes of every tensor by its name, but for the seconds of the training, and the method."""
    raw = pathlib.Path(path).read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + length])
    out = {"method": header.pop("__metadata__")["method"]}
    for name, about in header.items():
        lo, hi = about["data_offsets"]
        out[name] = (about["dtype"], about["shape"], raw[8 + length + lo:8 + length + hi])
    del out["training.seconds"]
    return out
