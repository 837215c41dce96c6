// AWQ's packed weights as FP16: eight columns of one k from a word of codes, a word of zero points and eight scales.
#pragma once

#include "kernels/common/half_words.cuh"

namespace assay {

struct AwqWeights {
  const uint32_t* w;
  const uint32_t* zeros;
  const __half* scale;
  int64_t w_stride, zeros_stride, scale_stride;
  int64_t n;
  int k, group;
  bool vector;  // every row of scale starts on 16 bytes

  struct Fetched {
    uint32_t codes, zeros;
    uint4 scale;
  };

  // Of columns column .. column + 7; beyond the last column nothing is read, and the weights are 0.
  __device__ __forceinline__ Fetched fetch(int64_t row, int64_t column) const {
    if (column >= n) return {0, 0, make_uint4(0, 0, 0, 0)};
    const int64_t g = static_cast<int>(row) / group;
    return {w[row * w_stride + column / kEight], zeros[g * zeros_stride + column / kEight],
            load_eight(scale + g * scale_stride + column, kEight, vector)};
  }

  // fp16((q - z) * s) of columns 2i and 2i + 1: nibbles i and i + 4. The difference of 1024 + q and 1024 + z is exact.
  __device__ __forceinline__ static uint32_t pair(const Fetched& fetched, int i, uint32_t scales) {
    const __half2 q = as_half2((fetched.codes >> (4 * i) & 0x000f000fu) | k1024s);
    const __half2 z = as_half2((fetched.zeros >> (4 * i) & 0x000f000fu) | k1024s);
    return as_word(__hmul2(__hsub2(q, z), as_half2(scales)));
  }

  __device__ __forceinline__ static uint4 decode(const Fetched& fetched) {
    return make_uint4(pair(fetched, 0, fetched.scale.x), pair(fetched, 1, fetched.scale.y), pair(fetched, 2, fetched.scale.z),
                      pair(fetched, 3, fetched.scale.w));
  }
};

}  // namespace assay
