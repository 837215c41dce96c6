// Words of eight four-bit codes to FP16 or BF16: the dequantisation in front of every W4A16 product, by itself.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"

enum int4_dequant_format {
  int4_dequant_fp16 = 0,
  int4_dequant_bf16 = 1,
};

// out[8i + j] = q[i, j] - zero for i in [0, n), j in 0 .. 7, where q[i, j] is the code in bits 4j .. 4j+3 of words[i]. Exact: codes are
// 0 .. 15, zero is 0 .. 16 (8 for u4b8), so results are whole numbers from -16 to 15; zero comes out as +0.
//
// words holds n words of 4 bytes, out 8n elements of 2 bytes in the format; out must not overlap words. Bases need the alignment of an
// element; out is written 16 bytes at a time where it is 16-byte aligned. A word's elements depend on that word alone.
//
// cudaErrorInvalidValue before anything is launched: an unknown format, zero outside 0 .. 16, n negative or > 2^40, or a null or misaligned
// pointer with n > 0. n == 0: cudaSuccess, no launch. Otherwise what the launch returned.
ASSAY_EXPORT cudaError_t int4_dequant(void* out, const uint32_t* words, int64_t n, int zero, int format, cudaStream_t stream);
