// Tiles of row-major matrices on their way from global to shared memory: a step of k at a time, in chunks of 16 bytes, swizzled.
//
// What lies beyond the matrix (rows below it, k behind its end) arrives as zeros and is not read, so stale shared memory never meets a
// multiplication. Rows whose base and stride are multiples of 16 bytes are copied by cp.async; others, kAligned = false, element by element
// through registers, with the same result.
#pragma once

#include "kernels/ptx.h"

namespace assay {

inline constexpr int kCopyBytes = 16;

// Where chunk `chunk` of row `row` lies in a tile with kStepBytes (64, 128 or 256) a row. The eight rows that ldmatrix reads together, from
// a multiple of 8 on, have the same chunk in eight different groups of four banks.
template <int kStepBytes>
__device__ __forceinline__ int chunk_offset(int row, int chunk) {
  constexpr int kChunks = kStepBytes / kCopyBytes;
  static_assert(kChunks == 4 || kChunks == 8 || kChunks == 16, "chunk_offset: rows of 64, 128 or 256 bytes");
  const int key = kChunks == 4 ? row / 2 % 4 : row % 8;
  return row * kStepBytes + (chunk ^ key) * kCopyBytes;
}

// 16 bytes of which the first `bytes`, whole elements of T, come from `source`.
template <class T>
__device__ __forceinline__ uint4 gather_chunk(const T* source, int bytes) {
  constexpr int kPerWord = 4 / static_cast<int>(sizeof(T));
  uint32_t words[4] = {};
#pragma unroll
  for (int i = 0; i < 4 * kPerWord; ++i) {
    if (i * static_cast<int>(sizeof(T)) >= bytes) continue;
    uint32_t bits;
    if constexpr (sizeof(T) == 2)
      bits = *reinterpret_cast<const uint16_t*>(source + i);
    else
      bits = *reinterpret_cast<const uint8_t*>(source + i);
    words[i / kPerWord] |= bits << i % kPerWord * 8 * static_cast<int>(sizeof(T));
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

// A thread's share of the copies of a tile of kRows rows, kStepBytes of each in a step, by kThreads threads: one chunk in every
// kThreads / chunks-th row.
template <class T, int kRows, int kStepBytes, int kThreads, bool kAligned>
struct TileCopy {
  static constexpr int kChunks = kStepBytes / kCopyBytes;
  static constexpr int kPassRows = kThreads / kChunks;
  static constexpr int kPasses = kRows / kPassRows;
  static_assert(kRows % kPassRows == 0 && kPassRows % 8 == 0, "TileCopy: passes of whole groups of 8 rows, whose swizzle is the same");

  const T* source;   // of this step, in the thread's first row
  int64_t pass;      // elements from one of its rows to the next
  int rows_left;     // rows of the matrix from its first row on, at most kRows
  int target;        // bytes from the tile's start
  int bytes_at_end;  // that the chunk has in the last step

  // matrix: the tile's first row at the first k. rows: how many the matrix has from there on. end_bytes: how many bytes of k the last step
  // has (1 to kStepBytes).
  __device__ __forceinline__ TileCopy(const T* matrix, int64_t stride, int64_t rows, int end_bytes) {
    const int row = static_cast<int>(threadIdx.x) / kChunks, chunk = static_cast<int>(threadIdx.x) % kChunks;
    source = matrix + row * stride + chunk * (kCopyBytes / static_cast<int>(sizeof(T)));
    pass = kPassRows * stride;
    rows_left = static_cast<int>(rows < kRows ? rows : kRows) - row;
    target = chunk_offset<kStepBytes>(row, chunk);
    bytes_at_end = min(max(end_bytes - chunk * kCopyBytes, 0), kCopyBytes);
  }

  // Starts the copies of one step into `tile` and moves on to the next.
  __device__ __forceinline__ void start(unsigned char* tile, bool last) {
    const int bytes = last ? bytes_at_end : kCopyBytes;
#pragma unroll(kAligned ? kPasses : 1)
    for (int i = 0; i < kPasses; ++i) {
      const int count = i * kPassRows < rows_left ? bytes : 0;
      unsigned char* to = tile + target + i * kPassRows * kStepBytes;
      if constexpr (kAligned)
        cp_async16_zfill(to, source + i * pass, count);
      else
        *reinterpret_cast<uint4*>(to) = gather_chunk(source + i * pass, count);
    }
    source += kStepBytes / static_cast<int>(sizeof(T));
  }
};

}  // namespace assay
