// Marlin's order of codes, for the kernels that write it. A tile is 16 k by 64 n; lane th and run wp of 16 columns own the eight codes of
// rows r = 2 (th % 4), r + 1, r + 8, r + 9 and columns c = 16 wp + th / 4, c + 8: the lane's B fragments of mma.m16n8k16.
//
//   4 bits   word 4 th + wp      (r, c) (r+8, c) (r, c+8) (r+8, c+8) (r+1, c) (r+9, c) (r+1, c+8) (r+9, c+8), the first in the lowest bits
//   8 bits   word 8 th + 2 wp    (r, c) (r+8, c) (r+1, c) (r+9, c); the next word the same of column c + 8
//
// A thread makes four neighbouring words, 16 bytes: one lane's (4 bits) or half of one's (8 bits).
#pragma once

#include "kernels/launch.h"

namespace assay {

inline constexpr int kTileK = 16;
inline constexpr int kTileN = 64;

template <int kBits>
struct MarlinTile {
  static_assert(kBits == 4 || kBits == 8);
  static constexpr int kPerWord = 32 / kBits;                // codes
  static constexpr int kWords = kTileK * kTileN / kPerWord;  // of a tile
  static constexpr int kThreads = kWords / 4;                // that make a tile
  static constexpr uint32_t kMask = (1u << kBits) - 1;
};

// Words 4 `thread` .. of a tile. code(k, n) gives a code of the tile in its lowest bits, others zero.
template <int kBits, class Code>
__device__ __forceinline__ uint4 marlin_words(int thread, const Code& code) {
  uint32_t words[4];
  const int lane = kBits == 4 ? thread : thread / 2;
  const int row = 2 * (lane % 4);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int column = lane / 4 + (kBits == 4 ? 16 * i : 32 * (thread % 2) + 8 * i);
    uint32_t word = 0;
#pragma unroll
    for (int slot = 0; slot < 32 / kBits; ++slot) {
      const int odd = kBits == 4 ? slot / 4 : slot / 2;
      const int right = kBits == 4 ? slot / 2 % 2 : 0;
      word |= code(row + odd + slot % 2 * 8, column + right * 8) << (kBits * slot);
    }
    words[i] = word;
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

}  // namespace assay
