// Matrix-vector product with 4-bit weights for a few rows of activations (decode): BF16 activations and scales, FP32 accumulation.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"

// y[m,n] = bf16( sum_k x[m,k] * scale[n, k/group] * (q[n,k] - 8) )
//
// x: m rows of k BF16; y: m rows of n; w: n rows of k/8 words; scale: n rows of k/group BF16. Rows are x_stride, y_stride, w_stride and
// scale_stride elements (w: 32-bit words) apart, each at least the width of a row. Packing: word i of row n holds q[n, 8i .. 8i+7], the
// j-th in bits 4j..4j+3, symmetric around the zero point 8.
//
// Arithmetic, the same for every m, n, alignment and stride; a row's bits do not depend on the other rows. One warp computes an output.
// With words numbered 0 .. W-1, W = k/8, lane l visits the pairs of words (2l, 2l+1), (2l+64, 2l+65), ... in ascending order:
//
//   partial = 0;  for j = 0..7: partial = fma_rn(float(q[j] - 8), x[j], partial);      float(q - 8) exact
//   acc     = fma_rn(scale, partial, acc)                                              acc starts at 0
//
// then a butterfly over the lanes at distances 16, 8, 4, 2, 1 (fadd_rn) and one rounding to BF16. A lane visits at most
// V = 2 * floor(W/64) + min(W mod 64, 2) words, so a term x * (q - 8) passes at most 7 roundings in its word (the first link is exact: a
// product of 4 and 8 bits), V scaled accumulations, 5 additions, and the rounding to BF16. k = 4096: V = 16, 7 + 16 + 5 in FP32.
//
// Bases need the alignment of an element only (w: 4 bytes). The fast path needs x 16-byte and w 8-byte aligned, x_stride a multiple of 8,
// w_stride even, and group == k or one of 16, 32, 64, 128, 256, 512. Eight rows per launch: m > 8 launches ceil(m/8) kernels, each of
// which reads the weights again. y must not overlap an input.
//
// cudaErrorInvalidValue before anything is launched: m or n negative, k not a positive multiple of 8 or >= 2^31, group not a positive
// multiple of 8 that divides k, n > 2^34 - 8, a stride smaller than its row, a span beyond 2^63 - 1 bytes, or a null or misaligned
// pointer while m and n are positive. m == 0 or n == 0: cudaSuccess, no launch. Otherwise what the first failing launch returned.
ASSAY_EXPORT cudaError_t w4a16_gemv(__nv_bfloat16* y, int64_t y_stride, const __nv_bfloat16* x, int64_t x_stride, const uint32_t* w,
                                    int64_t w_stride, const __nv_bfloat16* scale, int64_t scale_stride, int64_t m, int64_t n, int64_t k,
                                    int64_t group, cudaStream_t stream);
