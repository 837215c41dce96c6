// Matrix product with GPTQ's 4-bit weights in their native layout: FP16 activations; a few rows by packed FP16 multiply-adds, as exllama's
// kernel does it, many rows on tensor cores.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"

// Above this many rows the weights are reconstructed first.
constexpr int64_t kGptqFewRows = 50;

// FP16 elements of workspace that gptq_gemm needs: with many rows the weights, and the permuted activations if there is a permutation.
constexpr int64_t gptq_gemm_workspace(int64_t m, int64_t n, int64_t k, bool permuted) {
  return m <= kGptqFewRows || n == 0 ? 0 : k * n + (permuted ? (m * k + 7) / 8 * 8 : 0);
}

// How the sums of 128 k are added up where m <= 50.
enum GptqAddition : int {
  kGptqInOrder = 0,  // in ascending order
  kGptqAtomic = 1,   // in any order, which may change from run to run, by packed FP16 atomics; y 4-byte aligned, y_stride even
};

// y[m,n] = fp16( sum_k x[m, perm[k]] * scale[k/group, n] * (q[k,n] - z[k/group,n]) )
//
// x: m rows of k FP16; y: m rows of n; w: k/8 rows of n words; zeros: k/group rows of n/8 words; scale: k/group rows of n FP16. Rows are
// x_stride, y_stride, w_stride, zeros_stride and scale_stride elements (w, zeros: 32-bit words) apart, each at least the width of a row.
// Packing: word n of row r of w holds q[8r .. 8r+7, n], the j-th in bits 4j .. 4j+3; word c of a row of zeros holds columns 8c .. 8c+7
// likewise. z = stored + zero_offset: 1 for checkpoints of the first format (z in 1 .. 16, the stored 15 included), 0 for the second.
// perm: null, or (act-order) k numbers, a permutation of 0 .. k-1: row k of the weights belongs to column perm[k] of x, and rows are sorted
// by group. Numbers outside 0 .. k-1 read outside x. workspace: gptq_gemm_workspace(...) FP16, 16-byte aligned, of any contents;
// overwritten, may be null where none is needed.
//
// Arithmetic. A row's bits do not depend on the other rows, but for the choice of the path; alignment and strides change nothing.
// W = q - z is exact in FP16; x is gathered by perm before anything else.
//
// m <= 50. k is cut into blocks of 128, the last one may be shorter. For a block, with an FP32 sum that starts at 0, word by word (8 k):
//   even = odd = 0;  for i = 0..3:  even = fma_fp16(W[8r+2i], x[8r+2i], even);   odd = fma_fp16(W[8r+2i+1], x[8r+2i+1], odd)
//   sum = fma_fp32( fadd_fp32(even, odd), scale, sum )
// and at the end of the block sum is rounded to FP16. Every operation rounds to nearest, FP16 subnormals are kept. Then, in FP16,
//   in order:  y = 0;  y = fp16(y + block[b]), b ascending        (one rounding for each block after the first)
//   atomic:    the same additions in any order
// A term x * W passes at most 4 FP16 roundings in its chain, 1 FP32 rounding in its word, 16 FP32 fused multiply-adds in its block, 1
// rounding to FP16 and ceil(k/128) - 1 FP16 additions.
//
// m > 50. W' = fp16((q - z) * scale), one rounding; y = fp16(one FP32 sum of x * W' over ascending k in the order of the weights' rows,
// 16 k an instruction mma.sync m16n8k16, the last one filled up with zeros). `addition` changes nothing.
//
// A group may be larger or smaller than a block of 128 and straddle blocks. Bases need the alignment of an element only, but for
// kGptqAtomic. y must not overlap an input, nor the workspace anything.
//
// cudaErrorInvalidValue before anything is launched: m or n negative, n or k not a multiple of 8, k <= 0 or >= 2^31, group not a positive
// multiple of 8 that divides k, zero_offset or addition without meaning, kGptqAtomic with m <= 50 and y misaligned or y_stride odd, a
// stride smaller than its row, a span beyond 2^63 - 1 bytes, more blocks of threads than a grid takes, or a null or misaligned pointer
// while m and n are positive. m == 0 or n == 0: cudaSuccess, no launch. Otherwise what the first failing launch returned.
ASSAY_EXPORT cudaError_t gptq_gemm(__half* y, int64_t y_stride, const __half* x, int64_t x_stride, const uint32_t* w, int64_t w_stride,
                                   const uint32_t* zeros, int64_t zeros_stride, const __half* scale, int64_t scale_stride,
                                   const int32_t* perm, int64_t m, int64_t n, int64_t k, int64_t group, int zero_offset, int addition,
                                   __half* workspace, cudaStream_t stream);
