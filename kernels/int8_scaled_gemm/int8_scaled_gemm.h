// Matrix product of INT8 activations and INT8 weights on tensor cores (mma.sync), exact, with scales, zero points and bias: W8A8.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"

enum Int8GemmOutput { int8_gemm_bf16 = 0, int8_gemm_fp16 = 1 };

// y[m,n] = T( a_scale[m] * (b_scale[n] * (sum_k a[m,k] * b[n,k] - zero[m,n])) + bias[n] ),   T: BF16 or FP16 as y_format says
//
// a: m rows of k INT8; b: n rows of k; y: m rows of n T. Rows are a_stride, b_stride and y_stride elements apart, each at least the width
// of a row. a_scale: FP32, a_scales = m of them or 1; b_scale: FP32, b_scales = n of them or 1. bias: n T, or null for none.
//
// Zero points of a: azp_adj null: none, zero = 0. azp_adj alone (n int32, column sums of b times the zero point): zero = azp_adj[n]. With
// azp (m int32): zero = azp[m] * azp_adj[n], azp_adj the column sums of b.
//
// Arithmetic, the same for every m, n, alignment and stride: the sum, the product azp[m] * azp_adj[n] and the difference are int32 modulo
// 2^32, hence exact in any order wherever the difference fits. Then
//
//   t = fmul_rn(b_scale, int2float_rn(difference))          int2float rounds beyond 2^24
//   r = fma_rn(a_scale, t, float(bias[n]))                  without bias: fmul_rn(a_scale, t)
//
// and one rounding to nearest even to T; FP16 beyond its range becomes infinite. A scale may be 0, negative, infinite or NaN: IEEE 754.
//
// Bases need the alignment of an element only. The fast path needs a and b 16-byte aligned and a_stride and b_stride multiples of 16; else
// rows are copied element by element, with the same bits. 16 rows a tile for m <= 16, 64 for m <= 64, 128 beyond; one launch. y must not
// overlap an input.
//
// cudaErrorInvalidValue before anything is launched: m or n negative, k < 1 or >= 2^31, a_scales neither 1 nor m, b_scales neither 1 nor n,
// azp without azp_adj while n is positive, a y_format that is none of the enum, a stride smaller than its row, a span beyond 2^63 - 1
// bytes, more than 2^31 - 1 tiles, or, while m and n are positive, a null pointer (but for bias, azp, azp_adj) or a misaligned one. m == 0
// or n == 0: cudaSuccess, no launch. Otherwise what the launch returned.
ASSAY_EXPORT cudaError_t int8_scaled_gemm(void* y, int64_t y_stride, int y_format, const int8_t* a, int64_t a_stride, const int8_t* b,
                                          int64_t b_stride, const float* a_scale, int64_t a_scales, const float* b_scale, int64_t b_scales,
                                          const int32_t* azp, const int32_t* azp_adj, const void* bias, int64_t m, int64_t n, int64_t k,
                                          cudaStream_t stream);
