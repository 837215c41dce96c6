"""Kernels in numpy for the tests: as plain as they can be, in FP32 throughout."""

import assay
import numpy

F32 = numpy.float32


def rms_norm(x, residual, weight, params):
    """In place."""
    residual[...] = assay.f32_to_bf16(assay.bf16_to_f32(x) + assay.bf16_to_f32(residual))
    v = assay.bf16_to_f32(residual)
    mean = numpy.sum(v * v, axis=-1, dtype=F32, keepdims=True) / F32(v.shape[-1])
    x[...] = assay.f32_to_bf16(v * (F32(1) / numpy.sqrt(mean + F32(params["eps"]))) * assay.bf16_to_f32(weight))


def silu(gate_up):
    d = gate_up.shape[-1] // 2
    gate, up = assay.bf16_to_f32(gate_up[..., :d]), assay.bf16_to_f32(gate_up[..., d:])
    return gate / (F32(1) + numpy.exp(-gate)) * up


def silu_and_mul(gate_up, out, params):
    """Returns its result."""
    return assay.f32_to_bf16(silu(gate_up))


def values_of(x):
    return x.astype(F32) if x.dtype == numpy.float16 else assay.bf16_to_f32(x)


def fp8_quant_token(x, params, scale_ub=None, **outputs):
    if not x.size:
        return None  # rows of nothing have no scale
    v = values_of(x)
    amax = numpy.where(numpy.isnan(v), F32(0), numpy.abs(v)).max(-1)  # NaN does not count
    if scale_ub is not None:
        amax = numpy.fmin(amax, scale_ub.reshape(-1)[0])
    scale = numpy.maximum(amax / F32(448), F32(1 / (448 * 512)))
    q = v / scale[:, None]
    y = assay.f32_to_e4m3fn(numpy.where(numpy.isnan(q), F32(448), q))
    return {"y": y, "scale": scale.reshape(outputs["scale"].shape)}


def int4_dequant(words, out, params):
    codes = (words[..., None] >> (4 * numpy.arange(8, dtype=numpy.int32))) & 15
    values = (codes - params["zero"]).reshape(out.shape).astype(F32)
    return values.astype(numpy.float16) if out.dtype == numpy.float16 else assay.f32_to_bf16(values)
