"""libassay.so through ctypes: the structures of fixtures/plugin/assay_plugin.h and of tools/python/library.h."""

import ctypes
import os
from ctypes import POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

ABI = 1
EMULATOR, CUDA = 0, 2  # enum assay_backend
INPUT, OUTPUT, INOUT, WORKSPACE = range(4)  # enum assay_role
WHOLE, REAL, WORD = range(3)  # enum assay_parameter_kind


class BadInput(ValueError):
    """What was asked for makes no sense: one line that says what is wrong and what would be right."""


class DataType(Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class Device(Structure):
    _fields_ = [("device_type", c_int32), ("device_id", c_int32)]


class Tensor(Structure):
    _fields_ = [("data", c_void_p), ("device", Device), ("ndim", c_int32), ("dtype", DataType), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class NamedTensor(Structure):
    _fields_ = [("name", c_char_p), ("role", c_int32), ("tensor", POINTER(Tensor))]


class Parameter(Structure):
    _fields_ = [("name", c_char_p), ("kind", c_int32), ("whole", c_int64), ("real", c_double), ("word", c_char_p)]


class Parameters(Structure):
    _fields_ = [("size", c_uint32), ("count", c_int32), ("all", POINTER(Parameter))]


class Call(Structure):
    _fields_ = [("size", c_uint32), ("tensor_count", c_int32), ("tensors", POINTER(NamedTensor)), ("parameters", POINTER(Parameters)),
                ("stream", c_void_p), ("error", c_void_p), ("error_capacity", c_size_t)]


Run = ctypes.CFUNCTYPE(c_int32, POINTER(Call))
Answer = ctypes.CFUNCTYPE(c_int32, POINTER(Parameters), c_void_p, c_size_t)  # supports, arithmetic_of: a number and a text

Interrupted = ctypes.CFUNCTYPE(c_int32)


class Kernel(Structure):
    _fields_ = [("contract", c_char_p), ("name", c_char_p), ("summary", c_char_p), ("arithmetic", c_char_p), ("repeatable", c_int32),
                ("batch_invariant", c_int32), ("queues", c_int32), ("supports", Answer), ("workspace", c_void_p), ("run", Run),
                ("arithmetic_of", Answer), ("expected", c_void_p), ("expected_count", c_int32)]


class Description(Structure):
    _fields_ = [("abi", c_uint32), ("size", c_uint32), ("kernel_size", c_uint32), ("backend", c_int32), ("name", c_char_p),
                ("kernel_count", c_int32), ("kernels", POINTER(Kernel))]


class Request(Structure):
    _fields_ = [("size", c_uint32), ("plugin", POINTER(Description)), ("suite", c_char_p), ("lines", c_char_p), ("laws", c_char_p),
                ("fixed", c_char_p), ("seed", c_uint64), ("cases", c_int32), ("judge_all", c_int32), ("shrink_seconds", c_double),
                ("interrupted", Interrupted), ("seconds", c_double), ("jobs", c_int32), ("journal", c_char_p),
                ("operands", c_char_p)]


def load():
    """The library beside this file, or where $ASSAY_LIBRARY says. Its symbols stay its own: no CUDA runtime in the process meets them."""
    path = os.environ.get("ASSAY_LIBRARY") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "libassay.so")
    try:
        found = ctypes.CDLL(path, mode=ctypes.RTLD_LOCAL)
    except OSError as e:
        raise ImportError(f"assay: {e}: want the package of build/<preset>/python, or $ASSAY_LIBRARY") from None
    found.assay_check.argtypes = found.assay_fuzz.argtypes = [POINTER(Request), POINTER(c_void_p), POINTER(c_void_p)]
    found.assay_list.argtypes = [c_char_p, POINTER(c_void_p)]
    found.assay_dlpack.argtypes, found.assay_dlpack.restype = [POINTER(Tensor)], c_void_p
    found.assay_free.argtypes, found.assay_free.restype = [c_void_p], None
    found.assay_version.restype = c_char_p
    found.assay_request_size.restype = c_uint32
    if found.assay_request_size() != ctypes.sizeof(Request):
        raise ImportError(f"assay: {path} is of another version than this package: want both from one build")
    return found


library = load()


def taken(text):
    """The text as Python's, and the library's freed."""
    if not text.value:
        return None
    copy = ctypes.string_at(text.value).decode("utf-8", "replace")
    library.assay_free(text)
    return copy


def version():
    return library.assay_version().decode()
