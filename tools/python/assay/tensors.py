"""Tensors that alias Assay's guarded memory, as arrays of numpy, as tensors of PyTorch, or as objects of DLPack."""

import ctypes

from .library import EMULATOR, BadInput, library

# DLPack's type codes and bits: what numpy and PyTorch call them. Where numpy has no such type, whole numbers of that size hold the codes.
FORMATS = {
    (0, 8): ("int8", "int8"), (0, 32): ("int32", "int32"), (0, 64): ("int64", "int64"),
    (2, 16): ("float16", "float16"), (2, 32): ("float32", "float32"), (4, 16): ("uint16", "bfloat16"),
    (10, 8): ("uint8", "float8_e4m3fn"), (12, 8): ("uint8", "float8_e5m2"), (14, 8): ("uint8", "float8_e8m0fnu"),
}
CPU_DEVICE, CUDA_DEVICE = 1, 2
UINT = 1

ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
ctypes.pythonapi.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class GuardedTensor:
    """Exports itself through DLPack. FP8 goes as uint8, which every consumer of DLPack takes."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
        self.strides = tuple(tensor.strides[i] for i in range(tensor.ndim))  # in elements
        self.numpy_type, self.torch_type = FORMATS[tensor.dtype.code, tensor.dtype.bits]
        self.is_fp8 = tensor.dtype.bits == 8 and tensor.dtype.code >= 10

    def __dlpack_device__(self):
        return self.tensor.device.device_type, self.tensor.device.device_id

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        shown = type(self.tensor).from_buffer_copy(self.tensor)
        if self.is_fp8:
            shown.dtype.code = UINT
        return ctypes.pythonapi.PyCapsule_New(library.assay_dlpack(ctypes.byref(shown)), b"dltensor", None)

    def numpy(self):
        import numpy
        dtype = numpy.dtype(self.numpy_type)
        if 0 in self.shape:
            return numpy.empty(self.shape, dtype)
        extent = 1 + sum((n - 1) * stride for n, stride in zip(self.shape, self.strides))
        memory = (ctypes.c_char * (extent * dtype.itemsize)).from_address(self.tensor.data)
        return numpy.ndarray(self.shape, dtype, memory, 0, tuple(stride * dtype.itemsize for stride in self.strides))

    def torch(self):
        import torch
        dtype = getattr(torch, self.torch_type)
        if 0 in self.shape:  # there is no memory
            device = "cpu" if self.__dlpack_device__()[0] == CPU_DEVICE else "cuda"
            return torch.empty(self.shape, dtype=dtype, device=device)
        alias = torch.from_dlpack(self)
        return alias.view(dtype) if self.is_fp8 else alias


VIEWS = {"numpy": GuardedTensor.numpy, "torch": GuardedTensor.torch, "dlpack": lambda tensor: tensor}


def view_named(name, backend):
    """How tensors are handed to the callable."""
    if name is None:
        name = "numpy" if backend == EMULATOR else "torch"
    if name not in VIEWS:
        raise BadInput(f"tensors is {name!r}: want 'numpy', 'torch' or 'dlpack'")
    if name == "numpy" and backend != EMULATOR:
        raise BadInput("tensors is 'numpy': numpy has no tensors on a GPU, want 'torch' or 'dlpack'")
    return VIEWS[name]
