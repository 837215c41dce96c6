// Chunks of eight 16-bit elements as they lie in memory: what a thread keeps of its row between finding the largest magnitude and
// quantising, in half the registers that FP32 would take. As with bf16_chunk.cuh the vector and the element-wise form give the same values.
#pragma once

#include <cuda_fp16.h>

#include "kernels/common/bf16_chunk.cuh"

namespace assay {

template <class T>
struct RawChunk {
  uint32_t pairs[kChunk / 2];
};

// Zeros beyond `count`.
template <bool kVector, class T>
__device__ __forceinline__ RawChunk<T> load_raw(const T* source, int count) {
  RawChunk<T> chunk;
  if (kVector && count == kChunk) {
    const uint4 bits = *reinterpret_cast<const uint4*>(source);
    chunk.pairs[0] = bits.x, chunk.pairs[1] = bits.y, chunk.pairs[2] = bits.z, chunk.pairs[3] = bits.w;
  } else {
    const uint16_t* elements = reinterpret_cast<const uint16_t*>(source);
#pragma unroll
    for (int j = 0; j < kChunk; j += 2) {
      const uint32_t low = j < count ? elements[j] : 0u, high = j + 1 < count ? elements[j + 1] : 0u;
      chunk.pairs[j / 2] = low | high << 16;
    }
  }
  return chunk;
}

// The two elements of a 32-bit word, lower half first; exact.
__device__ __forceinline__ float2 widened(const RawChunk<__nv_bfloat16>& chunk, int pair) {
  float2 values;
  unpack_bf16x2(chunk.pairs[pair], values.x, values.y);
  return values;
}
__device__ __forceinline__ float2 widened(const RawChunk<__half>& chunk, int pair) {
  const uint32_t bits = chunk.pairs[pair];
  return make_float2(__half2float(__ushort_as_half(static_cast<uint16_t>(bits))),
                     __half2float(__ushort_as_half(static_cast<uint16_t>(bits >> 16))));
}

// Eight one-byte codes, the first in the lowest byte.
template <bool kVector>
__device__ __forceinline__ void store_codes(uint8_t* target, int count, uint2 codes) {
  if (kVector && count == kChunk) {
    *reinterpret_cast<uint2*>(target) = codes;
  } else {
#pragma unroll
    for (int j = 0; j < kChunk; ++j)
      if (j < count) target[j] = static_cast<uint8_t>((j < 4 ? codes.x : codes.y) >> 8 * (j % 4));
  }
}

}  // namespace assay
