// Matrix product with AWQ's 4-bit weights in their native layout: FP16 activations, tensor cores, FP32 sums, split along k.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"

// From this many rows on the weights are dequantised first and no split is made.
constexpr int64_t kAwqManyRows = 256;

// FP16 elements of workspace that awq_gemm needs; none where m or n is 0.
constexpr int64_t awq_gemm_workspace(int64_t m, int64_t n, int64_t k, int64_t split_k) {
  return m == 0 || n == 0 ? 0 : m >= kAwqManyRows ? k * n : split_k * m * n;
}

// y[m,n] = fp16( sum_k x[m,k] * W[k,n] ),   W[k,n] = fp16( (q[k,n] - z[k/group,n]) * scale[k/group,n] )
//
// x: m rows of k FP16; y: m rows of n; w: k rows of n/8 words; zeros: k/group rows of n/8 words; scale: k/group rows of n FP16. Rows are
// x_stride, y_stride, w_stride, zeros_stride and scale_stride elements (w, zeros: 32-bit words) apart, each at least the width of a row.
// Packing of w and zeros: word c of a row holds columns 8c .. 8c+7 as nibbles; bits 4p .. 4p+3 are column 8c + (0 2 4 6 1 3 5 7)[p]. Zero
// points are stored as they are. workspace: awq_gemm_workspace(...) FP16, 16-byte aligned, of any contents; overwritten.
//
// Arithmetic. W is one exact difference of integers and one FP16 product. A row's bits do not depend on the other rows, but for the choice
// of the path; alignment and strides change nothing.
//
// m < 256. k is cut into tiles of 32, numbered from 0; tile t belongs to part t mod split_k. A part is one FP32 sum that starts at 0 and
// takes its tiles in ascending order with two mma.sync m16n8k16 (FP16 in, FP32 accumulator) each: k = 32t .. 32t+15, then 32t+16 .. 32t+31.
//   partial[p] = fp16(sum of part p)                             a part without tiles: 0
//   y = fp16( ((partial[0] + partial[1]) + partial[2]) + ... )   FP32 additions (fadd_rn) in ascending order, one rounding to FP16
// m >= 256. One FP32 sum over all k in ascending order, 16 k an instruction; y = fp16(sum). split_k changes nothing.
//
// Bases need the alignment of an element only. y must not overlap an input, nor the workspace anything.
//
// cudaErrorInvalidValue before anything is launched: m or n negative, n not a multiple of 8, k not a positive multiple of 32 or >= 2^31,
// group not a positive multiple of 32 that divides k, split_k not in 1 .. 256, a stride smaller than its row, a span beyond 2^63 - 1 bytes,
// more tiles of 64 x 64 (m <= 16: 16 x 64) than 2^31 - 1 a part, or a null or misaligned pointer while m and n are positive.
// m == 0 or n == 0: cudaSuccess, no launch. Otherwise what the first failing launch returned.
ASSAY_EXPORT cudaError_t awq_gemm(__half* y, int64_t y_stride, const __half* x, int64_t x_stride, const uint32_t* w, int64_t w_stride,
                                  const uint32_t* zeros, int64_t zeros_stride, const __half* scale, int64_t scale_stride, int64_t m,
                                  int64_t n, int64_t k, int64_t group, int64_t split_k, __half* workspace, cudaStream_t stream);
