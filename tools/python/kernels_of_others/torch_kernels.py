"""PyTorch's and Hugging Face's kernels as callables of our contracts. What an adapter adds to the kernel under test is said with it."""

import torch
import torch.nn.functional as F

FP8 = torch.float8_e4m3fn


def rms_norm(x, residual, weight, params):
    """torch.add and F.rms_norm."""
    residual.add_(x)
    x.copy_(F.rms_norm(residual, (x.shape[-1],), weight.flatten(), params["eps"]))


def llama_rms_norm(x, residual, weight, params):
    """LlamaRMSNorm of Hugging Face transformers, on PyTorch's sum."""
    from transformers.models.llama.modeling_llama import LlamaRMSNorm
    norm = LlamaRMSNorm(x.shape[-1], eps=params["eps"])
    norm.weight = torch.nn.Parameter(weight.flatten(), requires_grad=False)
    residual.add_(x)
    x.copy_(norm(residual))


def silu_and_mul(gate_up, out, params):
    """F.silu(gate) * up: two kernels, with BF16 between them."""
    gate, up = gate_up.chunk(2, -1)
    torch.mul(F.silu(gate), up, out=out)


def silu_and_mul_fp32(gate_up, params, **_):
    """The same on FP32 copies, rounded at the end."""
    gate, up = gate_up.float().chunk(2, -1)
    return {"out": (F.silu(gate) * up).bfloat16()}


def rope(q, k, positions, cos_sin_cache, params):
    """Products and sums of FP32 tensors, each an operation of its own."""
    h = params["rot_dim"] // 2
    cos, sin = cos_sin_cache[positions.flatten()].unsqueeze(1).chunk(2, -1)
    for v in (q, k):
        first, second = v[..., :h].float(), v[..., h:2 * h].float()
        v[..., :2 * h] = torch.cat((first * cos - second * sin, second * cos + first * sin), -1).bfloat16()


def llama_rope(q, k, positions, cos_sin_cache, params):
    """apply_rotary_pos_emb of Hugging Face transformers; as its models do, with cosines and sines in the type of q and k."""
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb
    r = params["rot_dim"]
    cos, sin = (torch.cat((t, t), -1).unsqueeze(0).bfloat16() for t in cos_sin_cache[positions.flatten()].chunk(2, -1))
    for v in (q, k):
        rotated, _ = apply_rotary_pos_emb(v[..., :r].unsqueeze(0).transpose(1, 2), v[..., :r].unsqueeze(0).transpose(1, 2), cos, sin)
        v[..., :r] = rotated.transpose(1, 2).squeeze(0)


def amax_takes(p):
    return p["d"] > 0 or "torch.amax: no rows without elements"


def fp8_quant_token(x, params, scale_ub=None, **outputs):
    """Dynamic quantisation by tensor operations: amax, division, clamp, conversion. amax and clamp let NaN through."""
    v = x.float()
    amax = v.abs().amax(-1, keepdim=True)
    if scale_ub is not None:
        amax = amax.minimum(scale_ub)
    scale = (amax / 448.0).clamp(min=1 / (448.0 * 512.0))
    return {"y": (v / scale).clamp(-448.0, 448.0).to(FP8), "scale": scale.reshape(outputs["scale"].shape)}


# ---- torch._scaled_mm: cuBLASLt or CUTLASS, as PyTorch chooses

def scaled_mm_takes(p):
    if p["k"] % 16 or p["n"] % 16:
        return "torch._scaled_mm takes k and n in multiples of 16"
    if (p["a_pad"] | p["b_pad"] | p["offset"]) % 16:
        return "torch._scaled_mm takes operands and rows at multiples of 16 bytes"
    if not p["m"] * p["n"] * p["k"]:
        return "torch._scaled_mm: no empty problems"
    if p["dtype"] == "fp16" and (p["a_scale"], p["b_scale"]) != ("per_tensor", "per_tensor"):
        return "torch._scaled_mm takes scales of rows with results in BF16 alone"
    return True


def scaled_mm(fast):
    """A scale of one operand's rows makes vectors of both, as torch._scaled_mm wants them."""

    def kernel(a, b, a_scale, b_scale, y, params, bias=None):
        if (params["a_scale"], params["b_scale"]) == ("per_tensor", "per_tensor"):
            sa, sb = a_scale.reshape(()), b_scale.reshape(())
        else:
            sa = a_scale.reshape(-1, 1).expand(params["m"], 1).contiguous()
            sb = b_scale.reshape(1, -1).expand(1, params["n"]).contiguous()
        added = None if bias is None else bias.reshape(-1)
        return torch._scaled_mm(a, b.t(), scale_a=sa, scale_b=sb, bias=added, out_dtype=y.dtype, use_fast_accum=fast)

    return kernel


# ---- torch.compile: Triton code that PyTorch's Inductor writes for the functions above

def compiled(function):
    """One compilation for each shape and layout; beyond the limit PyTorch would fall back to the operations themselves in silence."""
    torch._dynamo.config.recompile_limit = 1000
    torch._dynamo.config.accumulated_recompile_limit = 10000
    torch._dynamo.config.fail_on_recompile_limit_hit = True
    return torch.compile(function, dynamic=False)


_silu = compiled(lambda gate_up: F.silu(gate_up[..., :gate_up.shape[-1] // 2]) * gate_up[..., gate_up.shape[-1] // 2:])


def compiled_silu_and_mul(gate_up, params, **_):
    return {"out": _silu(gate_up)}


_rms_norm = compiled(lambda v, weight, eps: F.rms_norm(v, (v.shape[-1],), weight, eps))


def compiled_rms_norm(x, residual, weight, params):
    residual.add_(x)
    x.copy_(_rms_norm(residual, weight.flatten(), params["eps"]))


def _quant(x):
    v = x.float()
    scale = (v.abs().amax(-1, keepdim=True) / 448.0).clamp(min=1 / (448.0 * 512.0))
    return (v / scale).clamp(-448.0, 448.0).to(FP8), scale


_compiled_quant = compiled(_quant)


def compiled_fp8_quant_token(x, y, scale, params):
    codes, scales = _compiled_quant(x)
    return {"y": codes, "scale": scales.reshape(scale.shape)}
