// Matrix product of FP8 activations and weights with FP32 scales by blocks: 1 x 128 of a, 128 x 128 of b.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/common/fp8_tiles.h"
#include "kernels/export.h"

enum fp8_block_gemm_path {
  fp8_block_gemm_mma_sync = 0,  // mma.sync.m16n8k32, which on sm_90 is FP16 tensor-core products and an FP32 addition
  fp8_block_gemm_wgmma = 1,     // wgmma.m64nNk32
};

// y[m,n] = bf16( sum_g a_scale[g,m] * b_scale[n/128,g] * sum_{k in block g} a[m,k] * b[n,k] ), block g: k = 128 g .. 128 g + 127
//
// a: m rows of k E4M3; b: n rows of k E4M3 (torch's Linear weight, "column-major B"); y: m rows of n BF16. a_scale: for each of the
// ceil(k/128) blocks of k a row of m FP32 ("M-major"); b_scale: for each 128 rows of b a row of ceil(k/128) FP32. Rows are a_stride,
// b_stride, y_stride, a_scale_stride and b_scale_stride elements apart, each at least the width of a row; a_scale is written with rows
// padded to a multiple of 4 elsewhere, which is one way to have a stride.
//
// Arithmetic, the same for every m, n, tile, stride and alignment; an element's bits depend on its row of a, its row of b and their
// scales alone. Blocks are taken in ascending order; in each, k in ascending order in steps of 32 from zero, in one chain; what lies
// beyond k counts as zeros. D(c) is the instruction's sum of 32 products and c; acc starts at 0:
//
//   P    = the chain of four D from zero
//          mma_sync   CUDA 13's compiler makes T = two chained FP16 HMMA from zero, over k mod 4 in {0,1} and then {2,3} (16 products and
//                     the chain, 25 fraction bits below the largest, cut off; result cut to FP32), D = fadd_rn(c, T)
//          wgmma      one sum of 32 products and c, 13 fraction bits below the largest, cut off; result cut to 13 fraction bits
//   acc  = fmaf_rn(fmul_rn(a_scale, b_scale), P, acc)
//
// and one rounding of acc to BF16, to nearest even.
//
// wgmma reads a and b through TMA: both 16-byte aligned, a_stride and b_stride multiples of 16 and less than 2^40. mma_sync takes any
// alignment and stride, and is quick where those hold. y is written 16 bytes at a time where it is 16-byte aligned and y_stride is a
// multiple of 8, else by elements. `tile` (kernels/common/fp8_tiles.h) chooses the tile of wgmma; mma_sync has one, of 64 x 64, and takes
// fp8_tile_automatic alone. y must not overlap an input.
//
// cudaErrorInvalidValue before anything is launched: m or n negative, k not positive, one of them beyond 2^30, more than 2^31 - 1 tiles, an
// unknown path or tile, a stride smaller than its row or against the rules above, a span beyond 2^63 - 1 bytes, or, while m and n are
// positive, a null or misaligned pointer. m == 0 or n == 0: cudaSuccess, no launch. cudaErrorNotSupported: a driver without tensor maps.
// Otherwise what the launch returned.
ASSAY_EXPORT cudaError_t fp8_block_gemm(__nv_bfloat16* y, int64_t y_stride, const __nv_fp8_e4m3* a, int64_t a_stride,
                                        const __nv_fp8_e4m3* b, int64_t b_stride, const float* a_scale, int64_t a_scale_stride,
                                        const float* b_scale, int64_t b_scale_stride, int64_t m, int64_t n, int64_t k, int path, int tile,
                                        cudaStream_t stream);
