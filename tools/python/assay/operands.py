"""A caller's tensors as a .safetensors file: what the library replays."""

import contextlib
import json
import os
import struct
import tempfile

from .library import BadInput

# Types of numpy and PyTorch, and what the file calls them. Where numpy has no such type, whole numbers without sign hold the codes.
DTYPES = {
    "float32": "F32", "float16": "F16", "bfloat16": "BF16", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2",
    "float8_e8m0fnu": "F8_E8M0", "int8": "I8", "int32": "I32", "int64": "I64", "uint8": "U8", "uint16": "U16", "uint32": "U32",
}


def bytes_of(tensor):
    """The elements, row by row."""
    if hasattr(tensor, "detach"):
        import torch
        tensor = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
    return tensor.tobytes()


def safetensors(tensors):
    header, data = {}, []
    end = 0
    for name, tensor in tensors.items():
        dtype = str(getattr(tensor, "dtype", type(tensor).__name__)).removeprefix("torch.")
        if dtype not in DTYPES:
            raise BadInput(f"operands: {name!r} is {dtype}: want a tensor of {', '.join(DTYPES)}")
        data.append(bytes_of(tensor))
        header[str(name)] = {"dtype": DTYPES[dtype], "shape": list(tensor.shape), "data_offsets": [end, end + len(data[-1])]}
        end += len(data[-1])
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + b"".join(data)


@contextlib.contextmanager
def file_of(operands):
    """The path of a file that holds them: theirs, if they are one; None for none."""
    if operands is None or isinstance(operands, (str, os.PathLike)):
        yield operands and os.fspath(operands)
        return
    if not hasattr(operands, "items"):
        raise BadInput(f"operands is {type(operands).__name__}: want tensors by name, or the path of a file")
    with tempfile.TemporaryDirectory(prefix="assay_") as folder:
        path = os.path.join(folder, "operands.safetensors")
        with open(path, "wb") as file:
            file.write(safetensors(operands))
        yield path
