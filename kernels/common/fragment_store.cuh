// Accumulators of mma.sync and wgmma to rows of 16-bit elements in global memory.
//
// A lane of a warp holds, for every chunk of 8 columns, elements 2q and 2q + 1 (q = lane % 4) of row lane / 4 and of the row 8 below.
// Four lanes trade words so that each stores 16 bytes.
#pragma once

#include "kernels/launch.h"

namespace assay {

// Two values rounded to nearest even, to FP16 or BF16, the first in the lower half.
__device__ __forceinline__ std::uint32_t pack_rounded(float low, float high, bool fp16) {
  std::uint32_t word;
  if (fp16) {
    const __half2 pair = __floats2half2_rn(low, high);
    memcpy(&word, &pair, 4);
  } else {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    memcpy(&word, &pair, 4);
  }
  return word;
}

// Word j of lane q goes to word q of lane j, within each four lanes.
__device__ __forceinline__ void transpose_in_quad(std::uint32_t (&words)[4]) {
#pragma unroll
  for (int distance = 1; distance <= 2; ++distance) {
    const bool upper = threadIdx.x & static_cast<unsigned>(distance);
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {
      const int low = distance == 1 ? 2 * pair : pair, high = low + distance;
      const std::uint32_t received = __shfl_xor_sync(0xffffffffu, upper ? words[low] : words[high], distance);
      (upper ? words[low] : words[high]) = received;
    }
  }
}

// Where a warp's accumulators go. The matrix is `m` x `n`; what lies outside is not stored.
struct FragmentTarget {
  std::uint16_t* y;
  int64_t stride;
  int m, n;
  bool vector;  // y and stride are multiples of 8 elements

  __device__ __forceinline__ void store_chunk(int row, int column, const std::uint32_t (&words)[4]) const {
    if (row >= m) return;
    std::uint16_t* target = y + row * stride + column;
    if (vector && column + 8 <= n) {
      *reinterpret_cast<uint4*>(target) = make_uint4(words[0], words[1], words[2], words[3]);
      return;
    }
#pragma unroll
    for (int j = 0; j < 8; ++j)
      if (column + j < n) target[j] = static_cast<std::uint16_t>(words[j / 2] >> 16 * (j % 2));
  }
};

// `sums`: chunks of 8 columns from `column` on, a multiple of 4 of them, of the 16 rows from `row` on. finish(c, values, words) makes of
// elements c and c + 1 of the two rows two words of y; it is also called for columns outside.
template <int kWords, class Finish>
__device__ __forceinline__ void store_fragments(const FragmentTarget& target, int row, int column, const float (&sums)[kWords],
                                                const Finish& finish) {
  static_assert(kWords % 16 == 0);
  const int lane = static_cast<int>(threadIdx.x) % 32, quad = lane % 4;
#pragma unroll
  for (int chunk = 0; chunk < kWords / 4; chunk += 4) {
    std::uint32_t upper[4], lower[4];
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const float values[4] = {sums[4 * (chunk + c)], sums[4 * (chunk + c) + 1], sums[4 * (chunk + c) + 2], sums[4 * (chunk + c) + 3]};
      std::uint32_t words[2];
      finish(column + 8 * (chunk + c) + 2 * quad, values, words);
      upper[c] = words[0], lower[c] = words[1];
    }
    transpose_in_quad(upper);
    transpose_in_quad(lower);
    target.store_chunk(row + lane / 4, column + 8 * (chunk + quad), upper);
    target.store_chunk(row + lane / 4 + 8, column + 8 * (chunk + quad), lower);
  }
}

}  // namespace assay
