// Matrix product of BF16 activations and BF16 weights on tensor cores (mma.sync), with bias and activation: the linear layer.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"

enum Bf16GemmActivation { bf16_gemm_none = 0, bf16_gemm_relu = 1, bf16_gemm_silu = 2 };

// y[m,n] = bf16( act( sum_k x[m,k] * w[n,k] + bias[n] ) )
//
// x: m rows of k BF16; w: n rows of k; y: m rows of n; bias: n, or null for none. Rows are x_stride, w_stride and y_stride elements apart,
// each at least the width of a row.
//
// Arithmetic, the same for every m, n, alignment and stride; an element's bits depend on its row of x, its row of w, its bias, k and
// split_k alone. k is cut into parts of
//
//   P = 64 * ceil( ceil(k / 64) / split_k )     part p: the k from p * P up to but without min((p + 1) * P, k), p < ceil(k / P) <= split_k
//
// Within a part: one FP32 accumulator from 0, mma.sync m16n8k16 (BF16 in, FP32 accumulator) over blocks of 16 k in ascending order, the
// last one filled up with zeros. The parts' FP32 results are added in ascending order: ((part 0 + part 1) + part 2) + ..., fadd_rn. Then
//
//   v = fadd_rn(sum, float(bias[n]))            without bias: v = sum
//   relu: v < 0 ? 0 : v                         NaN stays NaN, -0 stays -0
//   silu: fdiv_rn(v, fadd_rn(1, __expf(-v)))
//
// and one rounding to BF16, the only one below FP32. No atomics: every run gives the same bits.
//
// Bases need the alignment of an element only. The fast path needs x and w 16-byte aligned and x_stride and w_stride multiples of 8; else
// rows are copied element by element, with the same bits. 16 rows a tile for m <= 16, 64 for m <= 64, 128 beyond; one launch, with more
// than one part a second one that adds them. y must not overlap an input.
//
// workspace: of at least bf16_gemm_workspace_bytes(...) bytes, 16-byte aligned, contents arbitrary before and after; null where that is 0
// (which it is for split_k = 1). It must not be used by anything else until the launches have finished.
//
// cudaErrorInvalidValue before anything is launched: m or n negative, k < 1 or >= 2^31, split_k outside 1..64, an activation that is none
// of the enum, a stride smaller than its row, a span or workspace beyond 2^63 - 1 bytes, more than 2^31 - 1 tiles, or, while m and n are
// positive, a null (but for bias) or misaligned pointer or a workspace that is too small. m == 0 or n == 0: cudaSuccess, no launch.
// Otherwise what the first failing launch returned.
ASSAY_EXPORT cudaError_t bf16_gemm(__nv_bfloat16* y, int64_t y_stride, const __nv_bfloat16* x, int64_t x_stride, const __nv_bfloat16* w,
                                   int64_t w_stride, const __nv_bfloat16* bias, int64_t m, int64_t n, int64_t k, int activation,
                                   int64_t split_k, void* workspace, int64_t workspace_bytes, cudaStream_t stream);

// ceil(k / P) * m * ceil(n / 4) * 16 bytes where there is more than one part, else 0. -1 if m, n, k or split_k is refused.
ASSAY_EXPORT int64_t bf16_gemm_workspace_bytes(int64_t m, int64_t n, int64_t k, int64_t split_k);
