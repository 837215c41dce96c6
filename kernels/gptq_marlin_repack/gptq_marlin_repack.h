// GPTQ's weight codes into the order that Marlin kernels read: a permutation, done once when a model is loaded.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"

// out = Marlin's layout of the codes q[row(j), n], j in [0, k), n in [0, n), row(j) = perm[j], or j where perm is null.
//
// w: k / P rows of n words, P = 32 / bits; word [r, n] holds q[P r + i, n] in bits bits * i .. (GPTQ's qweight). perm: k words, a
// permutation of 0 .. k-1 (act-order: the order that sorts g_idx); another number reads outside w, and is not checked. out: k / 16 rows of
// 16 n / P words; row kt holds the tiles of j = 16 kt .. 16 kt + 15, one for 64 columns after the other, each in the order of
// kernels/common/marlin_tile.cuh. Rows are w_stride and out_stride words apart. out must not overlap an input. Bits are moved, nothing is
// computed.
//
// cudaErrorInvalidValue before anything is launched: bits not 4 or 8, k negative or no multiple of 16, k > 2^31 - 16, n negative or no
// multiple of 64, a stride that is smaller than its row or no multiple of 4, a span beyond 2^63 - 1 bytes, more than 2^31 - 1 blocks (one
// for 16 x 256 codes of 4 bits, 16 x 128 of 8), or, while k and n are positive, w or out null or not 16-byte aligned, perm not 4-byte
// aligned. k == 0 or n == 0: cudaSuccess, no launch. Otherwise what the launch returned.
ASSAY_EXPORT cudaError_t gptq_marlin_repack(uint32_t* out, int64_t out_stride, const uint32_t* w, int64_t w_stride, const int32_t* perm,
                                            int64_t k, int64_t n, int bits, cudaStream_t stream);
