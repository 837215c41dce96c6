// Residual add and RMSNorm in one pass, in place (vLLM's fused_add_rms_norm), BF16 tensors with FP32 arithmetic.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"

// For each row r of `rows` and column i of `d`, with z, ss and rstd in FP32:
//
//   z[r,i]         = bf16(x[r,i] + residual[r,i])                    one rounding to FP32 (the sum), one to BF16
//   residual[r,i] <- z[r,i]
//   ss[r]          = sum_i z[r,i]^2                                  over the *rounded* z
//   rstd[r]        = rsqrtf(fadd_rn(fdiv_rn(ss[r], d), eps))
//   x[r,i]        <- bf16(fmul_rn(fmul_rn(z[r,i], rstd[r]), weight[i]))
//
// Rows of x and residual are x_stride and residual_stride elements apart (>= d); weight has d elements. eps is added as given.
//
// Order of the sum, the same for every row count, alignment and stride. 256 threads; chunk c is elements 8c..8c+7; thread t takes chunks
// t, t+256, t+512, ... in ascending order, elements ascending, as one chain ss = fma_rn(z, z, ss) from 0. A square of two BF16 is exact
// in FP32, so each link rounds once. Then a butterfly over the 32 lanes (distances 16, 8, 4, 2, 1) and one over the 8 warps (4, 2, 1).
// A square passes at most 8*ceil(ceil(d/8)/256) + 5 + 3 roundings; d = 4096: 16 + 8 = 24.
//
// x, residual and weight must not overlap. Bases need the alignment of an element only (2 bytes); 16-byte accesses are used when all
// three bases are 16-byte aligned and both strides are multiples of 8. Any d (a last partial chunk is handled).
//
// cudaErrorInvalidValue before anything is launched: rows or d negative, d > 2^24 (so that d is exact in FP32), rows > 2^31 - 1, a stride
// < d, a span beyond 2^63 - 1 bytes, or a null or odd pointer while rows and d are both positive. rows == 0 or d == 0: cudaSuccess, no
// launch. Otherwise what the launch returned.
ASSAY_EXPORT cudaError_t fused_add_rms_norm(__nv_bfloat16* x, int64_t x_stride, __nv_bfloat16* residual, int64_t residual_stride,
                                            const __nv_bfloat16* weight, int64_t rows, int64_t d, float eps, cudaStream_t stream);
