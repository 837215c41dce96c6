#include "kernels/w4a16_gemv/w4a16_gemv.h"

#include <algorithm>

#include "kernels/common/arguments.h"
#include "kernels/common/bf16_chunk.cuh"
#include "kernels/common/warp_reduce.cuh"

namespace assay {
namespace {

constexpr int kWarps = 4;
constexpr int kThreads = 32 * kWarps;
constexpr int kMinBlocks = 4;   // on an SM: at most 128 registers a thread
constexpr int kStepWords = 64;  // a pair of words for each lane
constexpr int kMaxRows = 8;
constexpr int64_t kMaxK = int64_t{1} << 31;  // so that offsets within a row are ints

struct Problem {
  __nv_bfloat16* y;
  const __nv_bfloat16* x;
  const uint32_t* w;
  const __nv_bfloat16* scale;
  int64_t y_stride, x_stride, w_stride, scale_stride;
  int64_t n;
  int words;            // of a row of w
  int words_per_group;
  int group_shift;      // fast path: word >> group_shift is the word's group
};

// The rows of w and scale that a warp works on. kColumns of them share each load of x; the arithmetic of a column is its own.
template <int kColumns>
struct Columns {
  const uint32_t* w[kColumns];
  const __nv_bfloat16* scale[kColumns];
};

// What a lane needs of w and scale for one pair of words. On the fast path both words have the same scale.
template <int kColumns, bool kFast>
struct Pair {
  uint32_t word[kColumns][2];
  uint32_t scale_bits[kColumns][kFast ? 1 : 2];
};

template <bool kFast>
__device__ __forceinline__ int group_of(const Problem& p, int word) {
  return kFast ? word >> p.group_shift : word / p.words_per_group;
}

// Weights are read once: streaming loads leave the cache to x.
template <int kColumns, bool kFast>
__device__ __forceinline__ void load_pair(const Problem& p, const Columns<kColumns>& columns, int word, Pair<kColumns, kFast>& pair) {
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    if constexpr (kFast) {
      const uint2 words = __ldcs(reinterpret_cast<const uint2*>(columns.w[c] + word));
      pair.word[c][0] = words.x;
      pair.word[c][1] = words.y;
      pair.scale_bits[c][0] = __bfloat16_as_ushort(columns.scale[c][group_of<kFast>(p, word)]);
    } else {
#pragma unroll
      for (int t = 0; t < 2; ++t) {
        pair.word[c][t] = columns.w[c][word + t];
        pair.scale_bits[c][t] = __bfloat16_as_ushort(columns.scale[c][group_of<kFast>(p, word + t)]);
      }
    }
  }
}

// float(q - 8) of the code in bits kBit..kBit+3: put under the exponent of 2^(23 - kBit), where a bit at kBit counts 1, the code reads
// 2^(23 - kBit) + q, and the subtraction is exact.
template <int kBit>
__device__ __forceinline__ float centred_code(uint32_t bits) {
  static_assert(kBit <= 16, "the code must lie within the 23 bits of the significand");
  constexpr uint32_t exponent = static_cast<uint32_t>(127 + 23 - kBit) << 23;
  return __fadd_rn(__uint_as_float((bits & (0xfu << kBit)) | exponent), -static_cast<float>((1 << (23 - kBit)) + 8));
}

__device__ __forceinline__ void decode_word(uint32_t word, float (&q)[kChunk]) {
  q[0] = centred_code<0>(word);
  q[1] = centred_code<4>(word);
  q[2] = centred_code<8>(word);
  q[3] = centred_code<12>(word);
  q[4] = centred_code<16>(word);
  const uint32_t upper = word >> 12;
  q[5] = centred_code<8>(upper);
  q[6] = centred_code<12>(upper);
  q[7] = centred_code<16>(upper);
}

// Adds word `index` (eight k) of every column, times its scale, to the sums of every row. x: the first row's element 0.
template <int kRows, int kColumns, bool kFast>
__device__ __forceinline__ void accumulate_word(const Problem& p, int index, const uint32_t (&word)[kColumns], const float (&scale)[kColumns],
                                                float (&sum)[kRows][kColumns]) {
  float q[kColumns][kChunk];
#pragma unroll
  for (int c = 0; c < kColumns; ++c) decode_word(word[c], q[c]);
#pragma unroll
  for (int m = 0; m < kRows; ++m) {
    float x[kChunk];
    load_chunk<kFast>(p.x + m * p.x_stride + index * kChunk, kChunk, x);
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      float partial = 0.0f;
#pragma unroll
      for (int j = 0; j < kChunk; ++j) partial = __fmaf_rn(q[c][j], x[j], partial);
      sum[m][c] = __fmaf_rn(scale[c], partial, sum[m][c]);
    }
  }
}

template <int kRows, int kColumns, bool kFast>
__device__ __forceinline__ void accumulate_pair(const Problem& p, int index, const Pair<kColumns, kFast>& pair,
                                                float (&sum)[kRows][kColumns]) {
#pragma unroll
  for (int t = 0; t < 2; ++t) {
    uint32_t word[kColumns];
    float scale[kColumns];
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      word[c] = pair.word[c][t];
      scale[c] = __uint_as_float(pair.scale_bits[c][kFast ? 0 : t] << 16);
    }
    accumulate_word<kRows, kColumns, kFast>(p, index + t, word, scale, sum);
  }
}

// One warp for kColumns adjacent columns; kRows rows of x.
template <int kRows, int kColumns, bool kFast>
__global__ void __launch_bounds__(kThreads, kMinBlocks) multiply(Problem p) {
  constexpr int kAhead = !kFast ? 1 : kRows <= 2 ? 4 : 2;  // pairs a lane has under way: hides the latency of memory
  const int lane = threadIdx.x % 32;
  const int64_t column = (static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32) * kColumns;
  if (column >= p.n) return;

  // Beyond the last column the last one is computed again, and not stored.
  Columns<kColumns> columns;
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    const int64_t row = column + c < p.n ? column + c : p.n - 1;
    columns.w[c] = p.w + row * p.w_stride;
    columns.scale[c] = p.scale + row * p.scale_stride;
  }

  // Start the first loads.
  const int steps = p.words / kStepWords;
  Pair<kColumns, kFast> ahead[kAhead] = {};
#pragma unroll
  for (int i = 0; i < kAhead; ++i)
    if (i < steps) load_pair(p, columns, i * kStepWords + 2 * lane, ahead[i]);

  // Whole steps, in ascending order; a pair that has been used makes room for the one kAhead steps on.
  float sum[kRows][kColumns] = {};
  for (int step = 0; step < steps; step += kAhead) {
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      if (step + i >= steps) break;
      const int index = (step + i) * kStepWords + 2 * lane;
      accumulate_pair(p, index, ahead[i], sum);
      if (step + i + kAhead < steps) load_pair(p, columns, index + kAhead * kStepWords, ahead[i]);
    }
  }

  // The last, incomplete step, word by word.
  for (int index = steps * kStepWords + 2 * lane; index < min(p.words, steps * kStepWords + 2 * lane + 2); ++index) {
    uint32_t word[kColumns];
    float scale[kColumns];
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      word[c] = columns.w[c][index];
      scale[c] = __bfloat162float(columns.scale[c][group_of<kFast>(p, index)]);
    }
    accumulate_word<kRows, kColumns, kFast>(p, index, word, scale, sum);
  }

  // Sum over the lanes; lane 0 writes.
#pragma unroll
  for (int m = 0; m < kRows; ++m) {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const float total = warp_sum(sum[m][c]);
      if (lane == 0 && column + c < p.n) p.y[m * p.y_stride + column + c] = __float2bfloat16_rn(total);
    }
  }
}

template <int kRows, int kColumns>
cudaError_t launch_columns(const Problem& p, bool fast, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_divide(p.n, kWarps * kColumns));
  return launch(fast ? multiply<kRows, kColumns, true> : multiply<kRows, kColumns, false>, dim3(blocks), dim3(kThreads), 0, stream, p);
}

// Columns per warp is a matter of speed alone: more share the work on x, fewer give a small n enough warps to fill the device.
cudaError_t launch_rows(const Problem& p, int64_t rows, bool fast, cudaStream_t stream) {
  constexpr int64_t kManyColumns = 16384;
  switch (rows) {
    case 1: return p.n >= kManyColumns ? launch_columns<1, 4>(p, fast, stream) : launch_columns<1, 2>(p, fast, stream);
    case 2: return launch_columns<2, 2>(p, fast, stream);
    case 3: return launch_columns<3, 2>(p, fast, stream);
    case 4: return launch_columns<4, 2>(p, fast, stream);
    case 5: return launch_columns<5, 2>(p, fast, stream);
    case 6: return launch_columns<6, 2>(p, fast, stream);
    case 7: return launch_columns<7, 2>(p, fast, stream);
    case 8: return launch_columns<8, 2>(p, fast, stream);
  }
  return cudaErrorInvalidValue;
}

bool is_power_of_two(int value) { return (value & (value - 1)) == 0; }

int log2_of(int power_of_two) {
  int shift = 0;
  while (power_of_two > 1) power_of_two /= 2, ++shift;
  return shift;
}

}  // namespace
}  // namespace assay

cudaError_t w4a16_gemv(__nv_bfloat16* y, int64_t y_stride, const __nv_bfloat16* x, int64_t x_stride, const uint32_t* w, int64_t w_stride,
                       const __nv_bfloat16* scale, int64_t scale_stride, int64_t m, int64_t n, int64_t k, int64_t group,
                       cudaStream_t stream) {
  using namespace assay;
  constexpr int64_t kMaxN = int64_t{1} << 34;  // 2^31 - 1 blocks of at least 8 columns
  if (m < 0 || n < 0 || n > kMaxN - 8 || k <= 0 || k % 8 != 0 || k >= kMaxK) return cudaErrorInvalidValue;
  if (group <= 0 || group % 8 != 0 || k % group != 0) return cudaErrorInvalidValue;
  if (y_stride < n || x_stride < k || w_stride < k / 8 || scale_stride < k / group) return cudaErrorInvalidValue;
  if (!span_fits<__nv_bfloat16>(m, y_stride, n) || !span_fits<__nv_bfloat16>(m, x_stride, k) || !span_fits<uint32_t>(n, w_stride, k / 8) ||
      !span_fits<__nv_bfloat16>(n, scale_stride, k / group)) {
    return cudaErrorInvalidValue;
  }
  if (m == 0 || n == 0) return cudaSuccess;
  if (!is_usable(y) || !is_usable(x) || !is_usable(w) || !is_usable(scale)) return cudaErrorInvalidValue;

  const int words_per_group = static_cast<int>(group / 8);
  const bool shared_scale = group == k || (words_per_group >= 2 && is_power_of_two(words_per_group));
  const bool fast = shared_scale && is_aligned(x, 16) && is_aligned(w, 8) && x_stride % kChunk == 0 && w_stride % 2 == 0;
  Problem p{y, x, w, scale, y_stride, x_stride, w_stride, scale_stride, n, static_cast<int>(k / 8), words_per_group,
            group == k ? 31 : log2_of(words_per_group)};
  for (int64_t row = 0; row < m; row += kMaxRows) {
    p.x = x + row * x_stride;
    p.y = y + row * y_stride;
    const cudaError_t error = launch_rows(p, std::min<int64_t>(m - row, kMaxRows), fast, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
