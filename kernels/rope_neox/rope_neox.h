// Rotary position embedding, NEOX pairing (vLLM's rotary_embedding with is_neox), in place on q and k, BF16 with FP32 arithmetic.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/export.h"

// For each token t of `tokens`, each of the q_heads + k_heads heads of head_size elements, and j in [0, rot_dim/2), with
// x = head[j], y = head[j + rot_dim/2], c = cos_sin_cache[positions[t] * rot_dim + j] and
// s = cos_sin_cache[positions[t] * rot_dim + rot_dim/2 + j]:
//
//   head[j]             <- bf16(fma_rn(x, c, -fmul_rn(y, s)))
//   head[j + rot_dim/2] <- bf16(fma_rn(y, c,  fmul_rn(x, s)))
//
// Per output: one rounding of a product, one of the fused operation (both FP32), one to BF16. Elements at rot_dim and beyond are neither
// read nor written. The cache is FP32 and taken as given, rot_dim values per position: cosines, then sines (kernels/rope_cache makes one).
//
// Head h of token t starts at t * token_stride + h * head_stride elements; q and k have their own pair of strides. Every stride must be
// >= head_size and the heads must not overlap: token_stride >= (heads - 1) * head_stride + head_size (token-major) or
// head_stride >= (tokens - 1) * token_stride + head_size (head-major). k may be null with k_heads == 0 (its strides are then ignored),
// and so may q with q_heads == 0. q, k, positions and the cache must not overlap. Positions are trusted: each must be in [0, rows of the
// cache).
//
// Bases need the alignment of an element only; 16-byte accesses are used when q, k and the cache are 16-byte aligned, their strides are
// multiples of 8 and rot_dim is a multiple of 16. The bits do not depend on it.
//
// cudaErrorInvalidValue before anything is launched: a negative size, rot_dim odd or > head_size, tokens > 2^31 - 1, strides as above, a
// span beyond 2^63 - 1 bytes, or a null or misaligned pointer that would be used. No tokens, no heads or rot_dim == 0: cudaSuccess, no
// launch. Otherwise what the launch returned.
ASSAY_EXPORT cudaError_t rope_neox(__nv_bfloat16* q, int64_t q_token_stride, int64_t q_head_stride, __nv_bfloat16* k,
                                   int64_t k_token_stride, int64_t k_head_stride, const int64_t* positions, const float* cos_sin_cache,
                                   int64_t tokens, int64_t q_heads, int64_t k_heads, int64_t head_size, int64_t rot_dim,
                                   cudaStream_t stream);
