"""Codes of formats that numpy lacks, and back: BF16 as uint16, FP8 E4M3 as uint8. Rounding is to nearest, ties to even."""

import numpy


def bf16_to_f32(codes):
    return (codes.astype(numpy.uint32) << 16).view(numpy.float32)


def f32_to_bf16(values):
    bits = numpy.ascontiguousarray(values, numpy.float32).view(numpy.uint32)
    rounded = ((bits.astype(numpy.uint64) + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)
    return numpy.where(numpy.isnan(values), numpy.uint16(0x7FFF), rounded)


def _e4m3fn_values():
    """Of the 127 codes from 0 to 448; 0x7F is NaN."""
    code = numpy.arange(127)
    exponent, mantissa = code >> 3, code & 7
    return numpy.where(exponent == 0, mantissa * 2.0**-9, (8 + mantissa) * 2.0 ** (exponent - 10.0)).astype(numpy.float32)


_E4M3FN = _e4m3fn_values()


def e4m3fn_to_f32(codes):
    magnitude = codes & 0x7F
    values = numpy.append(_E4M3FN, numpy.float32(numpy.nan))[magnitude]
    return numpy.where(codes & 0x80, -values, values)


def f32_to_e4m3fn(values):
    """Saturating: beyond 448 the code of 448."""
    values = numpy.asarray(values, numpy.float32)
    magnitude = numpy.minimum(numpy.abs(values), numpy.float32(448))
    middle = ((_E4M3FN[:-1].astype(numpy.float64) + _E4M3FN[1:]) / 2)  # exact
    below, upto = numpy.searchsorted(middle, magnitude, "left"), numpy.searchsorted(middle, magnitude, "right")
    code = numpy.where((below != upto) & (below % 2 == 1), upto, below)  # half-way: the even one of the two
    code = numpy.where(numpy.isnan(values), 0x7F, code)
    return (code | (numpy.signbit(values).astype(numpy.int64) << 7)).astype(numpy.uint8)
