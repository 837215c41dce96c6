// Matrix product of FP8 activations and weights (W8A8) with FP32 scales: per tensor or per row of a, per tensor or per row of b.
#pragma once

#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/common/fp8_tiles.h"
#include "kernels/export.h"

enum fp8_scaled_gemm_path {
  fp8_scaled_gemm_mma_sync = 0,        // mma.sync.m16n8k32, which on sm_90 is FP16 tensor-core products and an FP32 addition
  fp8_scaled_gemm_wgmma = 1,           // wgmma.m64nNk32; sums stay in the tensor core's format ("fast accumulation")
  fp8_scaled_gemm_wgmma_promoted = 2,  // the same, sums added in FP32 after every 128 of k
};

enum fp8_scaled_gemm_output {
  fp8_scaled_gemm_bf16 = 0,
  fp8_scaled_gemm_fp16 = 1,
};

// y[m,n] = T( a_scale[m] * (b_scale[n] * sum_k a[m,k] * b[n,k]) + bias[n] ), T = BF16 or FP16
//
// a: m rows of k E4M3; b: n rows of k E4M3 (torch's Linear weight, "column-major B"); y: m rows of n elements of T. Rows are a_stride,
// b_stride and y_stride elements apart, each at least the width of a row. a_scale: a_scales FP32 values, 1 (per tensor) or m (per row);
// b_scale: b_scales, 1 or n. bias: n elements of T, or null for none.
//
// Arithmetic, the same for every m, n, tile, stride and alignment; an element's bits depend on its row of a, its row of b, their scales
// and its bias alone. k is taken in ascending order in steps of 32, in one chain; what lies beyond k counts as zeros. D(c) is the
// instruction's sum of 32 products and c, acc starts at 0:
//
//   mma_sync         acc = D(acc): CUDA 13's compiler makes T = two chained FP16 HMMA from zero, over k mod 4 in {0,1} and then {2,3}
//                    (16 products and the chain, 25 fraction bits below the largest, cut off; result cut to FP32), acc = fadd_rn(acc, T)
//   wgmma            acc = D(acc): one sum of 32 products and acc, 13 fraction bits below the largest, cut off; result cut to 13
//                    fraction bits
//   wgmma_promoted   after every 128 of k, and at the end: acc = fadd_rn(acc, P), where P is the chain of (at most) four D from zero
//
// Then, in FP32: t = fmul_rn(b_scale, acc); without bias y = T(fmul_rn(a_scale, t)), with bias y = T(fmaf_rn(a_scale, t, bias)): one
// rounding to nearest even to T, beyond its range to infinity.
//
// The wgmma paths read a and b through TMA: both 16-byte aligned, a_stride and b_stride multiples of 16 and less than 2^40. mma_sync
// takes any alignment and stride, and is quick where those hold. y is written 16 bytes at a time where it is 16-byte aligned and y_stride
// is a multiple of 8, else by elements. `tile` (kernels/common/fp8_tiles.h) chooses the tile of the wgmma paths; mma_sync has one, of
// 64 x 64, and takes fp8_tile_automatic alone. y must not overlap an input.
//
// cudaErrorInvalidValue before anything is launched: m or n negative, k not positive, one of them beyond 2^30, more than 2^31 - 1 tiles, an
// unknown output, path or tile, a_scales not 1 or m, b_scales not 1 or n, a stride smaller than its row or against the rules above, a
// span beyond 2^63 - 1 bytes, or, while m and n are positive, a null or misaligned pointer. m == 0 or n == 0: cudaSuccess, no launch.
// cudaErrorNotSupported: a driver without tensor maps. Otherwise what the launch returned.
ASSAY_EXPORT cudaError_t fp8_scaled_gemm(void* y, int64_t y_stride, const __nv_fp8_e4m3* a, int64_t a_stride, const __nv_fp8_e4m3* b,
                                         int64_t b_stride, const float* a_scale, int64_t a_scales, const float* b_scale, int64_t b_scales,
                                         const void* bias, int64_t m, int64_t n, int64_t k, int output, int path, int tile,
                                         cudaStream_t stream);
