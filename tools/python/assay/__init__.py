"""Assay for kernels that are Python callables: numpy, PyTorch, Triton or anything that takes DLPack.

    report = assay.check("silu_and_mul", my_silu)        # my_silu(gate_up=..., out=..., params=...)
    assert report.passed, str(report)
    assay.assert_conforms("silu_and_mul", my_silu)       # the same in one line

README.md of tools/python says it all; `print(assay.describe("silu_and_mul"))` names parameters, tensors' roundings and subjects.
"""

from .check import assert_conforms, check, describe, fuzz, repro
from .library import BadInput, version
from .report import Cell, Failure, Report

__all__ = ["BadInput", "Cell", "Failure", "Report", "assert_conforms", "bf16_to_f32", "check", "describe", "e4m3fn_to_f32", "f32_to_bf16",
           "f32_to_e4m3fn", "fuzz", "repro", "version"]


def __getattr__(name):
    """Helpers for numpy, which is imported where they are used."""
    if name in __all__:
        from . import formats
        return getattr(formats, name)
    raise AttributeError(f"module 'assay' has no attribute {name!r}")
