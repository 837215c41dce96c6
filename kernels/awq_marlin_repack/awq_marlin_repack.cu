#include "kernels/launch.h"

#include "kernels/awq_marlin_repack/awq_marlin_repack.h"

#include "kernels/common/arguments.h"
#include "kernels/common/marlin_tile.cuh"
#include "kernels/ptx.h"

namespace assay {
namespace {

constexpr int kThreads = 128;

// A block makes as many tiles side by side as its threads can at four words each: their codes are 16 rows of 128 bytes.
constexpr int kStageColumns = 32;           // words
constexpr int kPitch = kStageColumns + 4;   // rows 2 (lane % 4) apart then lie 8 banks apart, as a warp reads them
constexpr int kChunks = kStageColumns / 4;  // of 16 bytes in a row
static_assert(kTileK * kChunks == kThreads);

// Where column i of a word's stands: even columns in the lower half, odd ones in the upper.
template <int kPerWord>
__device__ __forceinline__ int place_of(int column) {
  return column / 2 + column % 2 * (kPerWord / 2);
}

template <int kBits>
__global__ void __launch_bounds__(kThreads)
    repack(uint32_t* __restrict__ out, int64_t out_stride, const uint32_t* __restrict__ w, int64_t w_stride, int64_t n, int64_t blocks_n) {
  using Tile = MarlinTile<kBits>;
  constexpr int kColumns = kThreads / Tile::kThreads * kTileN;
  static_assert(kColumns == kStageColumns * Tile::kPerWord);
  __shared__ __align__(16) uint32_t words[kTileK][kPitch];
  const int thread = threadIdx.x;
  const int64_t tile_row = blockIdx.x / blocks_n;
  const int64_t first_column = blockIdx.x % blocks_n * kColumns;

  // The block's codes, 16 bytes a thread; neighbours next to each other.
  const int row = thread / kChunks, chunk = thread % kChunks * 4;
  const int64_t source_column = first_column / Tile::kPerWord + chunk;
  if (source_column < n / Tile::kPerWord) cp_async16(&words[row][chunk], w + (tile_row * kTileK + row) * w_stride + source_column);
  cp_async_commit();
  cp_async_wait<0>();
  __syncthreads();

  // Four words of the result a thread. The last block may have fewer tiles.
  const int tile = thread / Tile::kThreads;
  if (first_column + tile * kTileN >= n) return;
  const auto code = [&](int k, int column) {
    const uint32_t word = words[k][(tile * kTileN + column) / Tile::kPerWord];
    return word >> (kBits * place_of<Tile::kPerWord>(column % Tile::kPerWord)) & Tile::kMask;
  };
  const uint4 four = marlin_words<kBits>(thread % Tile::kThreads, code);
  const int64_t first_word = first_column / kTileN * Tile::kWords + 4 * thread;
  *reinterpret_cast<uint4*>(out + tile_row * out_stride + first_word) = four;
}

template <int kBits>
cudaError_t launch_bits(uint32_t* out, int64_t out_stride, const uint32_t* w, int64_t w_stride, int64_t k, int64_t n, cudaStream_t stream) {
  const int64_t blocks_n = ceil_divide(n, kStageColumns * MarlinTile<kBits>::kPerWord);
  int64_t blocks = 0;
  if (__builtin_mul_overflow(k / kTileK, blocks_n, &blocks) || blocks > kMaxGridX) return cudaErrorInvalidValue;
  return launch(repack<kBits>, dim3(static_cast<unsigned>(blocks)), dim3(kThreads), 0, stream, out, out_stride, w, w_stride, n, blocks_n);
}

}  // namespace
}  // namespace assay

cudaError_t awq_marlin_repack(uint32_t* out, int64_t out_stride, const uint32_t* w, int64_t w_stride, int64_t k, int64_t n, int bits,
                              cudaStream_t stream) {
  using namespace assay;
  if (bits != 4 && bits != 8) return cudaErrorInvalidValue;
  if (k < 0 || k % kTileK != 0 || n < 0 || n % kTileN != 0 || n > INT64_MAX / 64) return cudaErrorInvalidValue;
  const int64_t source_words = n / 32 * bits, row_words = n / 2 * bits;
  if (w_stride < source_words || out_stride < row_words || w_stride % 4 != 0 || out_stride % 4 != 0) return cudaErrorInvalidValue;
  if (!span_fits<uint32_t>(k, w_stride, source_words) || !span_fits<uint32_t>(k / kTileK, out_stride, row_words))
    return cudaErrorInvalidValue;
  if (k == 0 || n == 0) return cudaSuccess;
  if (!w || !out || !is_aligned(w, 16) || !is_aligned(out, 16)) return cudaErrorInvalidValue;
  return bits == 4 ? launch_bits<4>(out, out_stride, w, w_stride, k, n, stream)
                   : launch_bits<8>(out, out_stride, w, w_stride, k, n, stream);
}
