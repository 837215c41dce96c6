// Product of 16-bit activations with 4-bit weights in Marlin tiles: dequantised in registers beside the tensor core, FP32 accumulation.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"
#include "kernels/marlin/line.h"

// T, the format of x, y and scale.
enum W4a16Element { kW4a16Bf16 = 0, kW4a16Fp16 = 1 };

// y[i,j] = T( sum_r x[i, perm[r]] * T( (q[r,j] - z[g(r),j]) * scale[g(r),j] ) )
//
// x: m rows of k; y: m rows of n; rows x_stride and y_stride elements apart. r counts the rows of w: perm null means perm[r] = r. The group
// g(r) is r / group, or g_idx[r] if g_idx is given (act-order: as many groups, of any size). z is 8 if zeros is null. All other arrays are
// dense:
//   w      int32 [k/16][2n]     Marlin's 4-bit tiles: 16 k and 64 columns are 128 words, tiles by k, then by columns. Word 4t + c of a
//                               tile, t = 0..31, c = 0..3, holds with i = 2 (t mod 4), j = 16c + t/4 in nibbles 0..7 the codes at
//                               (i,j) (i+8,j) (i,j+8) (i+8,j+8) (i+1,j) (i+9,j) (i+1,j+8) (i+9,j+8)
//   scale  T [k/group][n]       permuted within each 64 columns: new[p] = old[p/8 + 8 (p mod 8)]; for group == k within each 32:
//                               new[p] = old[2 (p/8) + (0, 1, 8, 9, 16, 17, 24, 25)[p mod 8]]
//   zeros  int32 [k/group][n/8] zero points 0..15, permuted like grouped scales; then of each eight the ones numbered
//                               0, 2, 4, 6, 1, 3, 5, 7 are the nibbles of a word, from the lowest up
//   perm   int32 [k], in 0..k-1;  g_idx int32 [k], in 0..k/group-1 (both unchecked; only full k: no slice of it on another device)
//
// Arithmetic. q - z is exact in T, its product with scale is rounded once to T (for every group size, k included), products are
// accumulated in FP32 by mma.sync m16n8k16, and y is rounded once. Which k are accumulated together follows from m, n, k and sms alone:
//   R = 8, 16, 32 if m is at most that, else 64;  B = ceil(m/R) row blocks;  S = ceil(k/128) slices, of 8 blocks of 16 k
//   y[i,j] is of tile t = (j/256) B + i/R, whose slices have the places t S .. t S + S-1 of all E = B ceil(n/256) S
//   L = ceil(E/sms);  stripe u is the places u L .. u L + L-1;  t is divided between stripes u0 = (t S)/L .. u1 = (t S + S-1)/L
//   chain (u, h), h = 0 or 1: c = 0; for the slices s of tile t that lie in stripe u, ascending, for b = 8s + 4h .. 8s + 4h+3 with
//     b < k/16: c = c + the 16 products of k = 16b .. 16b+15 (one instruction)
//   part u = fadd_rn(chain(u,0), chain(u,1));  y = T( ((part u0 + part u0+1) + part u0+2) + ... ), each + fadd_rn
// For m <= 64 a row's bits do not depend on the other rows nor on m. Nothing is atomic.
//
// sms: blocks of threads; twice the multiprocessors is best for m <= 16, once for more. One launch; another that adds the parts if some
// tile is divided, and one before that copies x if perm is given, x is not 16-byte aligned or x_stride no multiple of 8.
// workspace: w4a16_gemm_workspace(m, n, k, sms) bytes of any contents, for one call at a time.
//
// A block takes up to 159 KiB of shared memory: sm_80, sm_87, sm_90 and sm_100 have it; sm_86, sm_89 and sm_120 have 99 KiB, and the call
// returns the cudaErrorInvalidValue of cudaFuncSetAttribute. sm_80 and sm_87 accumulate the 16 products of an instruction as two eights.
//
// cudaErrorInvalidValue before anything is launched: m or n negative, k or sms not positive, k no multiple of 16 or n of 64, group not k
// and not one of 32, 64, 128 that divides k, an unknown element; while m and n are positive m, n, k or E above 2^30, a stride smaller than
// its row, a span beyond 2^63 - 1 bytes, a workspace that is too small, a null pointer (but for zeros, perm and g_idx), x or y misaligned
// for an element, w, scale, zeros or workspace not 16-byte, perm or g_idx not 4-byte aligned. m == 0 or n == 0: cudaSuccess, no launch.
// Otherwise what the first failing launch returned. y must not overlap an input.
ASSAY_EXPORT cudaError_t w4a16_gemm(void* y, int64_t y_stride, const void* x, int64_t x_stride, const uint32_t* w, const void* scale,
                                    const uint32_t* zeros, const int* perm, const int* g_idx, void* workspace, int64_t workspace_bytes,
                                    int64_t m, int64_t n, int64_t k, int64_t group, int64_t sms, int element, cudaStream_t stream);

// The workspace's size in bytes; 0 for shapes that w4a16_gemm refuses or that need none.
inline constexpr int kW4a16SliceK = 128;
inline int64_t w4a16_gemm_workspace(int64_t m, int64_t n, int64_t k, int64_t sms) {
  return assay::marlin::workspace_bytes(m, n, k, sms, kW4a16SliceK);
}
