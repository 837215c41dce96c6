"""The same operations in Triton, each as one kernel in the way of Triton's tutorials: a program a row, FP32 inside."""

import triton
import triton.language as tl


@triton.jit
def _rms_norm(x, residual, weight, x_stride, residual_stride, d, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < d
    added = residual + row * residual_stride + at
    v = tl.load(x + row * x_stride + at, inside, 0).to(tl.float32) + tl.load(added, inside, 0).to(tl.float32)
    rounded = v.to(tl.bfloat16)
    tl.store(added, rounded, inside)
    v = rounded.to(tl.float32)
    scale = tl.rsqrt(tl.sum(v * v, 0) / d + eps)
    tl.store(x + row * x_stride + at, (v * scale * tl.load(weight + at, inside, 0).to(tl.float32)).to(tl.bfloat16), inside)


def rms_norm(x, residual, weight, params):
    if x.numel():
        _rms_norm[(x.shape[0],)](x, residual, weight, x.stride(0), residual.stride(0), x.shape[1], params["eps"],
                                 BLOCK=triton.next_power_of_2(x.shape[1]))


@triton.jit
def _silu_and_mul(gate_up, out, in_stride, out_stride, d, BLOCK: tl.constexpr):
    row, at = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < d
    gate = tl.load(gate_up + row * in_stride + at, inside, 0).to(tl.float32)
    up = tl.load(gate_up + row * in_stride + d + at, inside, 0).to(tl.float32)
    tl.store(out + row * out_stride + at, (gate / (1 + tl.exp(-gate)) * up).to(tl.bfloat16), inside)


def silu_and_mul(gate_up, out, params):
    if out.numel():
        grid = (out.shape[0], triton.cdiv(out.shape[1], 1024))
        _silu_and_mul[grid](gate_up, out, gate_up.stride(0), out.stride(0), out.shape[1], BLOCK=1024)


@triton.jit
def _rope(v, positions, cache, token_stride, head_stride, half, BLOCK: tl.constexpr):
    token, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    at = tl.arange(0, BLOCK)
    inside = at < half
    row = cache + tl.load(positions + token) * 2 * half
    cos, sin = tl.load(row + at, inside, 0), tl.load(row + half + at, inside, 0)
    here = v + token * token_stride + head * head_stride + at
    first, second = tl.load(here, inside, 0).to(tl.float32), tl.load(here + half, inside, 0).to(tl.float32)
    tl.store(here, (first * cos - second * sin).to(tl.bfloat16), inside)
    tl.store(here + half, (second * cos + first * sin).to(tl.bfloat16), inside)


def rope(q, k, positions, cos_sin_cache, params):
    half = params["rot_dim"] // 2
    for v in (q, k):
        if v.numel() and half:
            _rope[v.shape[:2]](v, positions, cos_sin_cache, v.stride(0), v.stride(1), half, BLOCK=triton.next_power_of_2(half))


@triton.jit
def _fp8_quant_token(x, y, scale, bound, x_stride, y_stride, d, BOUNDED: tl.constexpr, IEEE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < d
    v = tl.load(x + row * x_stride + at, inside, 0).to(tl.float32)
    amax = tl.max(tl.abs(v), 0)
    if BOUNDED:
        amax = tl.minimum(amax, tl.load(bound))
    s = tl.maximum(tl.div_rn(amax, 448.0) if IEEE else amax / 448.0, 1 / (448.0 * 512.0))
    tl.store(scale + row, s)
    q = tl.div_rn(v, tl.zeros_like(v) + s) if IEEE else v / s
    tl.store(y + row * y_stride + at, tl.maximum(tl.minimum(q, 448.0), -448.0).to(tl.float8e4nv), inside)


def fp8_quant_token(ieee):
    """Divides as `/` does in Triton (div.full, 2 ulp), or as IEEE 754 says."""

    def kernel(x, y, scale, params, scale_ub=None):
        if x.numel():
            _fp8_quant_token[(x.shape[0],)](x, y, scale, scale if scale_ub is None else scale_ub, x.stride(0), y.stride(0), x.shape[1],
                                            BOUNDED=scale_ub is not None, IEEE=ieee, BLOCK=triton.next_power_of_2(x.shape[1]))

    return kernel
