// SwiGLU's gate: out = silu(gate) * up, BF16 tensors with FP32 arithmetic.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"

// For each row r of `rows` and column i of `d`, with g = gate_up[r, i] and u = gate_up[r, d + i]:
//
//   s        = fdiv_rn(g, fadd_rn(1, __expf(-g)))     FP32; __expf(x) = ex2.approx(x * 1.442695...), see the CUDA guide for its error
//   s        = bf16(s)                                if round_silu != 0 (as vLLM rounds), otherwise s stays FP32 (a single rounding)
//   out[r,i] = bf16(fmul_rn(s, u))
//
// gate_up rows hold 2d elements and are gate_up_stride (>= 2d) elements apart; out rows hold d and are out_stride (>= d) apart.
// Specials follow from the formula: g = +Inf gives +Inf * u, g = -Inf gives NaN, g < -88.73 gives -0 * u, NaN stays NaN.
// Element-wise: no reduction, the bits of an element depend on g, u and round_silu alone.
//
// out must not overlap gate_up. Bases need the alignment of an element only (2 bytes); 16-byte accesses are used when both bases are
// 16-byte aligned and both strides and d (the offset of `up`) are multiples of 8.
//
// cudaErrorInvalidValue before anything is launched: rows or d negative, rows > 2^31 - 1, 2d beyond 2^63 - 1, a stride too small, a span
// beyond 2^63 - 1 bytes, or a null or odd pointer while rows and d are both positive. rows == 0 or d == 0: cudaSuccess, no launch.
// Otherwise what the launch returned.
ASSAY_EXPORT cudaError_t silu_and_mul(__nv_bfloat16* out, int64_t out_stride, const __nv_bfloat16* gate_up, int64_t gate_up_stride,
                                      int64_t rows, int64_t d, int round_silu, cudaStream_t stream);
