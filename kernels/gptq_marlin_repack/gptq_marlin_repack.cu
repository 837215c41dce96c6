#include "kernels/launch.h"

#include "kernels/gptq_marlin_repack/gptq_marlin_repack.h"

#include "kernels/common/arguments.h"
#include "kernels/common/marlin_tile.cuh"
#include "kernels/ptx.h"

namespace assay {
namespace {

constexpr int kThreads = 128;

// A block makes as many tiles side by side as its threads can at four words each. It first brings the words that hold their codes to shared
// memory: row i of the stage is the row of words that holds source row i of the tile, or, in order, each row of words once.
template <int kBits, bool kPermuted>
struct Stage {
  using Tile = MarlinTile<kBits>;
  static constexpr int kTiles = kThreads / Tile::kThreads;
  static constexpr int kColumns = kTiles * kTileN;
  static constexpr int kRows = kPermuted ? kTileK : kTileK / Tile::kPerWord;
  static constexpr int kPitch = kColumns + 4;  // rows 2 (lane % 4) apart then lie 8 banks apart, as a warp reads them
};

template <int kBits, bool kPermuted>
__global__ void __launch_bounds__(kThreads) repack(uint32_t* __restrict__ out, int64_t out_stride, const uint32_t* __restrict__ w,
                                                   int64_t w_stride, const int32_t* __restrict__ perm, int64_t n, int64_t blocks_n) {
  using S = Stage<kBits, kPermuted>;
  using Tile = MarlinTile<kBits>;
  __shared__ __align__(16) uint32_t words[S::kRows][S::kPitch];
  __shared__ int32_t source[kTileK];
  const int thread = threadIdx.x;
  const int64_t tile_row = blockIdx.x / blocks_n;
  const int64_t first_column = blockIdx.x % blocks_n * S::kColumns;
  const int64_t first_row = tile_row * kTileK;

  // Which rows of the checkpoint become the tile's.
  if constexpr (kPermuted) {
    if (thread < kTileK) source[thread] = perm[first_row + thread];
    __syncthreads();
  }

  // Their words, 16 bytes a thread, neighbours next to each other.
  constexpr int kChunks = S::kColumns / 4;
  for (int i = thread; i < S::kRows * kChunks; i += kThreads) {
    const int row = i / kChunks, column = i % kChunks * 4;
    const int64_t word_row = kPermuted ? source[row] / Tile::kPerWord : first_row / Tile::kPerWord + row;
    if (first_column + column < n) cp_async16(&words[row][column], w + word_row * w_stride + first_column + column);
  }
  cp_async_commit();
  cp_async_wait<0>();
  __syncthreads();

  // Four words of the result a thread. The last block may have fewer tiles.
  const int tile = thread / Tile::kThreads;
  if (first_column + tile * kTileN >= n) return;
  const auto code = [&](int k, int column) {
    const uint32_t word = words[kPermuted ? k : k / Tile::kPerWord][tile * kTileN + column];
    const int place = (kPermuted ? source[k] : k) % Tile::kPerWord;
    return word >> (kBits * place) & Tile::kMask;
  };
  const uint4 four = marlin_words<kBits>(thread % Tile::kThreads, code);
  const int64_t first_word = first_column / kTileN * Tile::kWords + 4 * thread;
  *reinterpret_cast<uint4*>(out + tile_row * out_stride + first_word) = four;
}

template <int kBits>
cudaError_t launch_bits(uint32_t* out, int64_t out_stride, const uint32_t* w, int64_t w_stride, const int32_t* perm, int64_t k, int64_t n,
                        cudaStream_t stream) {
  const int64_t blocks_n = ceil_divide(n, Stage<kBits, true>::kColumns);
  int64_t blocks = 0;
  if (__builtin_mul_overflow(k / kTileK, blocks_n, &blocks) || blocks > kMaxGridX) return cudaErrorInvalidValue;
  return launch(perm ? repack<kBits, true> : repack<kBits, false>, dim3(static_cast<unsigned>(blocks)), dim3(kThreads), 0, stream, out,
                out_stride, w, w_stride, perm, n, blocks_n);
}

}  // namespace
}  // namespace assay

cudaError_t gptq_marlin_repack(uint32_t* out, int64_t out_stride, const uint32_t* w, int64_t w_stride, const int32_t* perm, int64_t k,
                               int64_t n, int bits, cudaStream_t stream) {
  using namespace assay;
  constexpr int64_t kMaxK = (int64_t{1} << 31) - kTileK;  // so that perm's numbers are int32
  if (bits != 4 && bits != 8) return cudaErrorInvalidValue;
  if (k < 0 || k > kMaxK || k % kTileK != 0 || n < 0 || n % kTileN != 0 || n > INT64_MAX / 64) return cudaErrorInvalidValue;
  const int64_t row_words = n / 2 * bits;
  if (w_stride < n || out_stride < row_words || w_stride % 4 != 0 || out_stride % 4 != 0) return cudaErrorInvalidValue;
  if (!span_fits<uint32_t>(k * bits / 32, w_stride, n) || !span_fits<uint32_t>(k / kTileK, out_stride, row_words))
    return cudaErrorInvalidValue;
  if (k == 0 || n == 0) return cudaSuccess;
  if (!w || !out || !is_aligned(w, 16) || !is_aligned(out, 16) || !is_aligned(perm, alignof(int32_t))) return cudaErrorInvalidValue;
  return bits == 4 ? launch_bits<4>(out, out_stride, w, w_stride, perm, k, n, stream)
                   : launch_bits<8>(out, out_stride, w, w_stride, perm, k, n, stream);
}
