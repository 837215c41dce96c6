// A 64 x 64 tile of a product of E4M3 matrices by four warps with mma.sync: 128 of k a stage, brought by cp.async, or byte by byte where
// 16 bytes do not lie together or cross the edge of a matrix; what lies outside is zero.
#pragma once

#include "kernels/ptx.h"

namespace assay {

struct Fp8MmaTile {
  static constexpr int kSide = 64, kStepK = 128, kStages = 3, kThreads = 128;
  static constexpr int kPitch = kStepK + 16;  // bytes of a row in shared memory: ldmatrix meets no bank twice
  static constexpr int kOperandBytes = kSide * kPitch, kStageBytes = 2 * kOperandBytes, kSharedBytes = kStages * kStageBytes;
  // A warp makes 32 x 32: sums[i][4 * c + e] is element e of the lane's four in rows 16 i and columns 8 c.
  using Sums = float[2][16];
};

// Rows of bytes in global memory, of which the tile takes 64.
struct Fp8MmaOperand {
  const unsigned char* data;
  int64_t stride;
  int rows, k;
  bool vector;  // data and stride are multiples of 16 bytes

  // Copies 16 bytes from k on of a row, by each thread in turn.
  __device__ __forceinline__ void start_copy(unsigned char* to, int row, int at) const {
    const bool inside = row < rows && at + 16 <= k;
    const unsigned char* from = data + row * stride + at;
    if (vector && inside) {
      cp_async16(to, from);
      return;
    }
    for (int i = 0; i < 16; ++i) to[i] = row < rows && at + i < k ? from[i] : static_cast<unsigned char>(0);
  }

  __device__ __forceinline__ void start_copies(unsigned char* to, int first_row, int first_k) const {
    constexpr int kChunks = Fp8MmaTile::kStepK / 16;
    for (int i = static_cast<int>(threadIdx.x); i < Fp8MmaTile::kSide * kChunks; i += Fp8MmaTile::kThreads)
      start_copy(to + i / kChunks * Fp8MmaTile::kPitch + i % kChunks * 16, first_row + i / kChunks, first_k + i % kChunks * 16);
  }
};

// sums += A * B for the 128 of k in a stage, 32 at a time in ascending order.
__device__ __forceinline__ void multiply_mma_stage(Fp8MmaTile::Sums& sums, const unsigned char* stage) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const unsigned char* a = stage + (warp / 2 * 32 + lane % 16) * Fp8MmaTile::kPitch + lane / 16 * 16;
  const unsigned char* b =
      stage + Fp8MmaTile::kOperandBytes + (warp % 2 * 32 + lane / 16 * 8 + lane % 8) * Fp8MmaTile::kPitch + lane / 8 % 2 * 16;
#pragma unroll
  for (int k = 0; k < Fp8MmaTile::kStepK; k += 32) {
    std::uint32_t a_words[2][4], b_words[2][4];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      ldmatrix_x4(a_words[i], a + i * 16 * Fp8MmaTile::kPitch + k);
      ldmatrix_x4(b_words[i], b + i * 16 * Fp8MmaTile::kPitch + k);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const std::uint32_t b_chunk[2] = {b_words[c / 2][c % 2 * 2], b_words[c / 2][c % 2 * 2 + 1]};
        float(&sum)[4] = reinterpret_cast<float(&)[4]>(sums[i][4 * c]);
        mma_m16n8k32<__nv_fp8_e4m3>(sum, a_words[i], b_chunk, sum);
      }
    }
  }
}

// Walks all k of a tile; step(stage, index) is called by all threads for every stage in turn, 128 of k each.
template <class Step>
__device__ __forceinline__ void for_each_mma_stage(unsigned char* shared, const Fp8MmaOperand& a, const Fp8MmaOperand& b, int row,
                                                   int column, int steps, const Step& step) {
  using Tile = Fp8MmaTile;
  const auto start = [&](int index) {
    unsigned char* stage = shared + index % Tile::kStages * Tile::kStageBytes;
    if (index < steps) {
      a.start_copies(stage, row, index * Tile::kStepK);
      b.start_copies(stage + Tile::kOperandBytes, column, index * Tile::kStepK);
    }
    cp_async_commit();  // also of nothing: the wait below counts groups
  };
  for (int index = 0; index + 1 < Tile::kStages; ++index) start(index);
  for (int index = 0; index < steps; ++index) {
    cp_async_wait<Tile::kStages - 2>();
    __syncthreads();  // this stage is there for all, and the one before is read by all: it may be filled again
    start(index + Tile::kStages - 1);
    step(shared + index % Tile::kStages * Tile::kStageBytes, index);
  }
}

}  // namespace assay
