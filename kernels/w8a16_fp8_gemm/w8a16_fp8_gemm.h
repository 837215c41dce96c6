// Product of 16-bit activations with FP8 weights (E4M3) in Marlin tiles: for checkpoints in FP8 where activations stay as they are.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"
#include "kernels/marlin/line.h"

// T, the format of x, y and scale.
enum W8a16Element { kW8a16Bf16 = 0, kW8a16Fp16 = 1 };

// y[i,j] = T( sum_r x[i,r] * T( w[r,j] * scale[r/group, j] ) )
//
// x: m rows of k; y: m rows of n; rows x_stride and y_stride elements apart. Dense arrays:
//   w      int32 [k/16][4n]  Marlin's 8-bit tiles: 16 k and 64 columns are 256 words, tiles by k, then by columns. Words 8t + 2c and
//                            8t + 2c + 1 of a tile, t = 0..31, c = 0..3, hold with i = 2 (t mod 4), j = 16c + t/4 in bytes 0..3 the E4M3
//                            codes at (i,j) (i+8,j) (i+1,j) (i+9,j), and the same of column j+8
//   scale  T [k/group][n]    permuted as for w4a16_gemm; group is 128 or k. Scales of blocks of 128 x 128 are repeated for their columns
//
// Arithmetic. A code's value is exact in T, subnormal ones included; the codes 0x7F and 0xFF, elsewhere NaN, count as 480 and -480. Its
// product with scale is rounded once to T, for both group sizes: no power of two is folded into the scale, which may be any value of T.
// From there on as w4a16_gemm, with slices of 64 k: products are accumulated in FP32 by mma.sync m16n8k16, and y is rounded once.
//   R = 8, 16, 32 if m is at most that, else 64;  B = ceil(m/R) row blocks;  S = ceil(k/64) slices, of 4 blocks of 16 k
//   y[i,j] is of tile t = (j/256) B + i/R, whose slices have the places t S .. t S + S-1 of all E = B ceil(n/256) S
//   L = ceil(E/sms);  stripe u is the places u L .. u L + L-1;  t is divided between stripes u0 = (t S)/L .. u1 = (t S + S-1)/L
//   chain (u, h), h = 0 or 1: c = 0; for the slices s of tile t that lie in stripe u, ascending, for b = 4s + 2h, 4s + 2h+1 with
//     b < k/16: c = c + the 16 products of k = 16b .. 16b+15 (one instruction)
//   part u = fadd_rn(chain(u,0), chain(u,1));  y = T( ((part u0 + part u0+1) + part u0+2) + ... ), each + fadd_rn
// For m <= 64 a row's bits do not depend on the other rows nor on m. Nothing is atomic.
//
// sms, workspace, launches, architectures and errors as for w4a16_gemm, with w8a16_fp8_gemm_workspace; group is 128, dividing k, or k.
ASSAY_EXPORT cudaError_t w8a16_fp8_gemm(void* y, int64_t y_stride, const void* x, int64_t x_stride, const uint32_t* w, const void* scale,
                                        void* workspace, int64_t workspace_bytes, int64_t m, int64_t n, int64_t k, int64_t group,
                                        int64_t sms, int element, cudaStream_t stream);

// The workspace's size in bytes; 0 for shapes that w8a16_fp8_gemm refuses or that need none.
inline constexpr int kW8a16Fp8SliceK = 64;
inline int64_t w8a16_fp8_gemm_workspace(int64_t m, int64_t n, int64_t k, int64_t sms) {
  return assay::marlin::workspace_bytes(m, n, k, sms, kW8a16Fp8SliceK);
}
