// Scales and zero points of the eight columns whose weights a thread holds: columns lane/4 + 8j of its warp's 64, j = 0..7.
#pragma once

#include "kernels/marlin/pairs.cuh"

namespace assay::marlin {

// Of one group, for the thread's eight columns: word q holds columns 2q and 2q + 1 of them.
using Columns = uint32_t[4];

// `run`: the 64 scales of the warp's columns. Grouped scales are permuted so that a thread's eight follow each other; channelwise ones
// lie as the columns of an mma accumulator, four and four, alternating with another thread's.
template <class T>
__device__ __forceinline__ void read_scales(const T* run, bool channelwise, int lane, Columns& columns) {
  if (!channelwise) {
    const uint4 eight = *reinterpret_cast<const uint4*>(run + 8 * (lane / 4));
    columns[0] = eight.x, columns[1] = eight.y, columns[2] = eight.z, columns[3] = eight.w;
    return;
  }
  const unsigned selector = lane / 4 % 2 ? 0x7632 : 0x5410;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const uint4 chunk = *reinterpret_cast<const uint4*>(run + 32 * h + 8 * (lane / 8));
    columns[2 * h] = __byte_perm(chunk.x, chunk.y, selector);
    columns[2 * h + 1] = __byte_perm(chunk.z, chunk.w, selector);
  }
}

// For the rows of k that a thread holds of a block of 16: pairs r, r+1 and r+8, r+9 with r = 2*(lane%4). kPairs is 1 where all of them
// are of one group.
template <int kPairs>
struct Scaling {
  uint32_t scale[kPairs][8];  // by column: for the two rows of a pair
  uint32_t zero[kPairs][8];

  // From the columns in the groups of the pair's first and second row.
  static __device__ __forceinline__ void spread(const Columns& first, const Columns& second, uint32_t (&by_column)[8]) {
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      by_column[2 * q] = take<0>(first[q], second[q]);
      by_column[2 * q + 1] = take<1>(first[q], second[q]);
    }
  }
  __device__ __forceinline__ void set_zeros(uint32_t all) {
#pragma unroll
    for (int pair = 0; pair < kPairs; ++pair)
#pragma unroll
      for (uint32_t& one : zero[pair]) one = all;
  }
};

}  // namespace assay::marlin
