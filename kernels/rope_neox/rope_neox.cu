#include "kernels/launch.h"

#include "kernels/rope_neox/rope_neox.h"

#include "kernels/common/arguments.h"
#include "kernels/common/bf16_chunk.cuh"

namespace assay {
namespace {

constexpr int kThreads = 256;

// The heads of one tensor: `count` per token.
struct Heads {
  __nv_bfloat16* base;
  int64_t token_stride;
  int64_t head_stride;
  int64_t count;
};

template <bool kVector>
__device__ __forceinline__ void load_angles(const float* source, int count, float (&values)[kChunk]) {
  if (kVector && count == kChunk) {
    const float4 low = reinterpret_cast<const float4*>(source)[0];
    const float4 high = reinterpret_cast<const float4*>(source)[1];
    values[0] = low.x, values[1] = low.y, values[2] = low.z, values[3] = low.w;
    values[4] = high.x, values[5] = high.y, values[6] = high.z, values[7] = high.w;
  } else {
#pragma unroll
    for (int j = 0; j < kChunk; ++j) values[j] = j < count ? source[j] : 0.0f;
  }
}

// Rotates one chunk of pairs: elements [0, count) of `first` with those of `second`, half a rotation width further on.
template <bool kVector>
__device__ __forceinline__ void rotate(__nv_bfloat16* first, __nv_bfloat16* second, int count, const float (&cosine)[kChunk],
                                       const float (&sine)[kChunk]) {
  float x[kChunk];
  float y[kChunk];
  load_chunk<kVector>(first, count, x);
  load_chunk<kVector>(second, count, y);
#pragma unroll
  for (int j = 0; j < kChunk; ++j) {
    const float rotated_x = __fmaf_rn(x[j], cosine[j], -__fmul_rn(y[j], sine[j]));
    const float rotated_y = __fmaf_rn(y[j], cosine[j], __fmul_rn(x[j], sine[j]));
    x[j] = rotated_x;
    y[j] = rotated_y;
  }
  store_chunk<kVector>(first, count, x);
  store_chunk<kVector>(second, count, y);
}

// One block per token; threadIdx.x walks the chunks of pairs of a head, threadIdx.y the heads.
template <bool kVector>
__global__ void __launch_bounds__(kThreads)
    rotate_heads(Heads q, Heads k, const int64_t* __restrict__ positions, const float* __restrict__ cos_sin_cache, int64_t rot_dim) {
  const int64_t token = blockIdx.x;
  const int64_t half = rot_dim / 2;
  const float* cosines = cos_sin_cache + positions[token] * rot_dim;
  const float* sines = cosines + half;

  for (int64_t pair = static_cast<int64_t>(threadIdx.x) * kChunk; pair < half; pair += static_cast<int64_t>(blockDim.x) * kChunk) {
    // The angles of this chunk serve all heads.
    const int count = chunk_count(pair, half);
    float cosine[kChunk];
    float sine[kChunk];
    load_angles<kVector>(cosines + pair, count, cosine);
    load_angles<kVector>(sines + pair, count, sine);

    // Heads of q, then heads of k.
    for (int64_t head = threadIdx.y; head < q.count + k.count; head += blockDim.y) {
      const bool is_q = head < q.count;
      const Heads& heads = is_q ? q : k;
      __nv_bfloat16* first = heads.base + token * heads.token_stride + (is_q ? head : head - q.count) * heads.head_stride + pair;
      rotate<kVector>(first, first + half, count, cosine, sine);
    }
  }
}

// Whether the strides keep heads of head_size elements apart and within 2^63 - 1 bytes.
bool is_valid(const Heads& heads, int64_t tokens, int64_t head_size) {
  if (heads.count < 0) return false;
  if (heads.count == 0 || tokens == 0) return true;
  if (heads.token_stride < head_size || heads.head_stride < head_size) return false;
  if (!span_fits<__nv_bfloat16>(heads.count, heads.head_stride, head_size)) return false;
  if (!span_fits<__nv_bfloat16>(tokens, heads.token_stride, head_size)) return false;
  const int64_t all_heads = (heads.count - 1) * heads.head_stride + head_size;
  const int64_t all_tokens = (tokens - 1) * heads.token_stride + head_size;
  if (heads.token_stride < all_heads && heads.head_stride < all_tokens) return false;
  return span_fits<__nv_bfloat16>(tokens, heads.token_stride, all_heads);
}

bool allows_vectors(const Heads& heads) {
  return heads.count == 0 || (is_aligned(heads.base, 16) && heads.token_stride % kChunk == 0 && heads.head_stride % kChunk == 0);
}

// A power of two of threads over the chunks of a head, the rest over heads.
dim3 block_shape(int64_t chunks) {
  unsigned x = 1;
  while (x < 32 && x < chunks) x *= 2;
  return dim3(x, kThreads / x);
}

}  // namespace
}  // namespace assay

cudaError_t rope_neox(__nv_bfloat16* q, int64_t q_token_stride, int64_t q_head_stride, __nv_bfloat16* k, int64_t k_token_stride,
                      int64_t k_head_stride, const int64_t* positions, const float* cos_sin_cache, int64_t tokens, int64_t q_heads,
                      int64_t k_heads, int64_t head_size, int64_t rot_dim, cudaStream_t stream) {
  using namespace assay;
  const Heads q_tensor{q, q_token_stride, q_head_stride, q_heads};
  const Heads k_tensor{k, k_token_stride, k_head_stride, k_heads};
  if (tokens < 0 || tokens > kMaxGridX || head_size < 0 || rot_dim < 0 || rot_dim % 2 != 0 || rot_dim > head_size)
    return cudaErrorInvalidValue;
  if (!is_valid(q_tensor, tokens, head_size) || !is_valid(k_tensor, tokens, head_size)) return cudaErrorInvalidValue;
  if (q_heads > INT64_MAX - k_heads) return cudaErrorInvalidValue;
  if (tokens == 0 || q_heads + k_heads == 0 || rot_dim == 0) return cudaSuccess;
  if ((q_heads > 0 && !is_usable(q)) || (k_heads > 0 && !is_usable(k))) return cudaErrorInvalidValue;
  if (!is_usable(positions) || !is_usable(cos_sin_cache)) return cudaErrorInvalidValue;

  const bool vector = allows_vectors(q_tensor) && allows_vectors(k_tensor) && is_aligned(cos_sin_cache, 16) && rot_dim % (2 * kChunk) == 0;
  return launch(vector ? rotate_heads<true> : rotate_heads<false>, dim3(static_cast<unsigned>(tokens)),
                block_shape(ceil_divide(rot_dim / 2, kChunk)), 0, stream, q_tensor, k_tensor, positions, cos_sin_cache, rot_dim);
}
