// Chunks of eight consecutive BF16 elements: the unit of work of a thread.
//
// The vector form (one 16-byte access, 16-byte aligned address) and the element-wise form give the same values, so a kernel that assigns
// chunks, not elements, to threads computes the same bits whichever form its pointers allow. A chunk cut short by the end of a row
// (count < 8) is read as zeros beyond the end, and written up to the end only.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

namespace assay {

inline constexpr int kChunk = 8;

// How many elements the chunk at `first` (< width) has.
__device__ __forceinline__ int chunk_count(int64_t first, int64_t width) {
  return width - first < kChunk ? static_cast<int>(width - first) : kChunk;
}

// The two BF16 of a 32-bit word, lower half first; exact, as BF16 is the upper half of FP32.
__device__ __forceinline__ void unpack_bf16x2(uint32_t bits, float& low, float& high) {
  low = __uint_as_float(bits << 16);
  high = __uint_as_float(bits & 0xffff0000u);
}

// One rounding to nearest even per element.
__device__ __forceinline__ uint32_t pack_bf16x2(float low, float high) {
  const uint32_t low_bits = __bfloat16_as_ushort(__float2bfloat16_rn(low));
  const uint32_t high_bits = __bfloat16_as_ushort(__float2bfloat16_rn(high));
  return low_bits | high_bits << 16;
}

__device__ __forceinline__ float round_to_bf16(float value) { return __bfloat162float(__float2bfloat16_rn(value)); }

template <bool kVector>
__device__ __forceinline__ void load_chunk(const __nv_bfloat16* source, int count, float (&values)[kChunk]) {
  if (kVector && count == kChunk) {
    const uint4 bits = *reinterpret_cast<const uint4*>(source);
    unpack_bf16x2(bits.x, values[0], values[1]);
    unpack_bf16x2(bits.y, values[2], values[3]);
    unpack_bf16x2(bits.z, values[4], values[5]);
    unpack_bf16x2(bits.w, values[6], values[7]);
  } else {
#pragma unroll
    for (int j = 0; j < kChunk; ++j) values[j] = j < count ? __bfloat162float(source[j]) : 0.0f;
  }
}

// Rounds each value once, to nearest even.
template <bool kVector>
__device__ __forceinline__ void store_chunk(__nv_bfloat16* target, int count, const float (&values)[kChunk]) {
  if (kVector && count == kChunk) {
    *reinterpret_cast<uint4*>(target) = make_uint4(pack_bf16x2(values[0], values[1]), pack_bf16x2(values[2], values[3]),
                                                   pack_bf16x2(values[4], values[5]), pack_bf16x2(values[6], values[7]));
  } else {
#pragma unroll
    for (int j = 0; j < kChunk; ++j)
      if (j < count) target[j] = __float2bfloat16_rn(values[j]);
  }
}

}  // namespace assay
