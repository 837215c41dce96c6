// AWQ's weight codes into the order that Marlin kernels read: a permutation, done once when a model is loaded.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"

// out = Marlin's layout of the codes q[k, n].
//
// w: k rows of n / P words, P = 32 / bits; code i of word [k, c] is q[k, P c + order[i]], order = 0 2 4 6 1 3 5 7, of 8 bits 0 2 1 3 (AWQ's
// qweight). out: k / 16 rows of 16 n / P words; row kt holds the tiles of k = 16 kt .. 16 kt + 15, one for 64 columns after the other, each
// in the order of kernels/common/marlin_tile.cuh. Rows are w_stride and out_stride words apart. out must not overlap w. Bits are moved,
// nothing is computed.
//
// cudaErrorInvalidValue before anything is launched: bits not 4 or 8, k negative or no multiple of 16, n negative or no multiple of 64, a
// stride that is smaller than its row or no multiple of 4, a span beyond 2^63 - 1 bytes, more than 2^31 - 1 blocks (one for 16 x 256 codes
// of 4 bits, 16 x 128 of 8), or, while k and n are positive, a null pointer or one that is not 16-byte aligned. k == 0 or n == 0:
// cudaSuccess, no launch. Otherwise what the launch returned.
ASSAY_EXPORT cudaError_t awq_marlin_repack(uint32_t* out, int64_t out_stride, const uint32_t* w, int64_t w_stride, int64_t k, int64_t n,
                                           int bits, cudaStream_t stream);
