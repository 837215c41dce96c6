#include "kernels/launch.h"

#include "kernels/w4a16_gemv/w4a16_gemv.h"

#include <algorithm>

#include "kernels/common/arguments.h"
#include "kernels/common/bf16_chunk.cuh"
#include "kernels/common/warp_reduce.cuh"

namespace assay {
namespace {

constexpr int kWarps = 4;
constexpr int kThreads = 32 * kWarps;
constexpr int kStepWords = 64;  // a pair of words for each lane
constexpr int kMaxRows = 8;
constexpr int kAtRunTime = -1;
constexpr int64_t kMaxK = int64_t{1} << 31;  // so that offsets within a row are ints

struct Problem {
  __nv_bfloat16* y;
  const __nv_bfloat16* x;
  const uint32_t* w;
  const __nv_bfloat16* scale;
  int64_t y_stride, x_stride, w_stride, scale_stride;
  int64_t n;
  int words;  // of a row of w
  int words_per_group;
  int groups_per_step;  // fast path: how far a step moves along scale
};

// The highest bytes of 2^23 (index 6 of the eight bytes that __byte_perm selects from) and of 2^19 (index 7), over zeros (4, 5). One
// constant for both: it stays in a register, while selectors are immediate.
constexpr uint32_t kExponents = 0x494b0000u;

// float(q - 8) for the code q in the lower or upper half of byte kByte, the other half being zero. As the lowest byte of a significand
// under the exponent of 2^23, or of 2^19 where an upper half counts q, it reads 2^23 + q or 2^19 + q; the subtraction is exact.
template <int kByte>
__device__ __forceinline__ float lower_code(uint32_t codes) {
  return __fadd_rn(__uint_as_float(__byte_perm(codes, kExponents, 0x6440 + kByte)), -8388616.0f);
}
template <int kByte>
__device__ __forceinline__ float upper_code(uint32_t codes) {
  return __fadd_rn(__uint_as_float(__byte_perm(codes, kExponents, 0x7440 + kByte)), -524296.0f);
}

__device__ __forceinline__ void decode_word(uint32_t word, float (&q)[kChunk]) {
  const uint32_t lower = word & 0x0f0f0f0fu;
  const uint32_t upper = word & 0xf0f0f0f0u;
  q[0] = lower_code<0>(lower);
  q[1] = upper_code<0>(upper);
  q[2] = lower_code<1>(lower);
  q[3] = upper_code<1>(upper);
  q[4] = lower_code<2>(lower);
  q[5] = upper_code<2>(upper);
  q[6] = lower_code<3>(lower);
  q[7] = upper_code<3>(upper);
}

// Adds one word (eight k) of every column, times its scale, to the sums of every row. x: where the word's k begin in the first row.
template <int kRows, int kColumns, bool kVector>
__device__ __forceinline__ void accumulate_word(const uint32_t (&word)[kColumns], const float (&scale)[kColumns], const __nv_bfloat16* x,
                                                int64_t x_stride, float (&sum)[kRows][kColumns]) {
  float q[kColumns][kChunk];
#pragma unroll
  for (int c = 0; c < kColumns; ++c) decode_word(word[c], q[c]);
#pragma unroll
  for (int m = 0; m < kRows; ++m) {
    float values[kChunk];
    load_chunk<kVector>(x + m * x_stride, kChunk, values);
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      float partial = 0.0f;
#pragma unroll
      for (int j = 0; j < kChunk; ++j) partial = __fmaf_rn(q[c][j], values[j], partial);
      sum[m][c] = __fmaf_rn(scale[c], partial, sum[m][c]);
    }
  }
}

// One lane's way along the rows of w and scale, a pair of words a step; the words of a pair share their scale.
template <int kColumns>
struct PairStream {
  struct Pair {
    uint2 words[kColumns];
    __nv_bfloat16 scale[kColumns];
  };

  const uint32_t* w[kColumns];
  const __nv_bfloat16* scale[kColumns];

  // Weights are read once: streaming loads leave the cache to x.
  __device__ __forceinline__ void load(int groups_per_step, Pair& pair) {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      pair.words[c] = __ldcs(reinterpret_cast<const uint2*>(w[c]));
      pair.scale[c] = *scale[c];
      w[c] += kStepWords;
      scale[c] += groups_per_step;
    }
  }
};

template <int kRows, int kColumns>
__device__ __forceinline__ void accumulate_pair(const typename PairStream<kColumns>::Pair& pair, const __nv_bfloat16* x, int64_t x_stride,
                                                float (&sum)[kRows][kColumns]) {
  uint32_t word[kColumns];
  float scale[kColumns];
#pragma unroll
  for (int c = 0; c < kColumns; ++c) word[c] = pair.words[c].x, scale[c] = __bfloat162float(pair.scale[c]);
  accumulate_word<kRows, kColumns, true>(word, scale, x, x_stride, sum);
#pragma unroll
  for (int c = 0; c < kColumns; ++c) word[c] = pair.words[c].y;
  accumulate_word<kRows, kColumns, true>(word, scale, x + kChunk, x_stride, sum);
}

// The fast path's whole steps; kAhead pairs are under way to hide the latency of memory.
template <int kRows, int kColumns, int kGroupsPerStep>
__device__ __forceinline__ void accumulate_steps(const Problem& p, PairStream<kColumns> stream, const __nv_bfloat16* x, int steps,
                                                 float (&sum)[kRows][kColumns]) {
  constexpr int kAhead = kRows <= 2 ? 4 : kRows <= 4 ? 2 : 1;
  constexpr int kStepK = kStepWords * kChunk;
  const int groups_per_step = kGroupsPerStep == kAtRunTime ? p.groups_per_step : kGroupsPerStep;
  typename PairStream<kColumns>::Pair ahead[kAhead] = {};
#pragma unroll
  for (int i = 0; i < kAhead; ++i)
    if (i < steps) stream.load(groups_per_step, ahead[i]);

  // Every pair that has been used makes room for the one kAhead steps on.
  int step = 0;
  for (; step + 2 * kAhead <= steps; step += kAhead, x += kAhead * kStepK) {
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      accumulate_pair<kRows, kColumns>(ahead[i], x + i * kStepK, p.x_stride, sum);
      stream.load(groups_per_step, ahead[i]);
    }
  }
  for (; step < steps; step += kAhead, x += kAhead * kStepK) {
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      if (step + i < steps) accumulate_pair<kRows, kColumns>(ahead[i], x + i * kStepK, p.x_stride, sum);
      if (step + i + kAhead < steps) stream.load(groups_per_step, ahead[i]);
    }
  }
}

// One warp for kColumns adjacent columns (they share each load of x; the arithmetic of a column is its own) and kRows rows of x.
// kGroupsPerStep: how far a step of the fast path moves along scale, if known when compiled; that saves address arithmetic.
template <int kRows, int kColumns, bool kFast, int kGroupsPerStep>
__global__ void __launch_bounds__(kThreads, kRows <= 6 ? 4 : 3) multiply(Problem p) {
  const int lane = threadIdx.x % 32;
  const int64_t column = (static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32) * kColumns;
  if (column >= p.n) return;

  // Beyond the last column the last one is computed again, and not stored.
  const uint32_t* w[kColumns];
  const __nv_bfloat16* scales[kColumns];
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    const int64_t row = column + c < p.n ? column + c : p.n - 1;
    w[c] = p.w + row * p.w_stride;
    scales[c] = p.scale + row * p.scale_stride;
  }

  // Whole steps, where alignment and group allow.
  float sum[kRows][kColumns] = {};
  int begin = 0;
  if constexpr (kFast) {
    PairStream<kColumns> stream;
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      stream.w[c] = w[c] + 2 * lane;
      stream.scale[c] = scales[c] + 2 * lane / p.words_per_group;
    }
    const int steps = p.words / kStepWords;
    accumulate_steps<kRows, kColumns, kGroupsPerStep>(p, stream, p.x + 2 * lane * kChunk, steps, sum);
    begin = steps * kStepWords;
  }

  // What is left, word by word in the same order.
  for (; begin < p.words; begin += kStepWords) {
    for (int index = begin + 2 * lane; index < min(begin + 2 * lane + 2, p.words); ++index) {
      uint32_t word[kColumns];
      float scale[kColumns];
#pragma unroll
      for (int c = 0; c < kColumns; ++c) word[c] = w[c][index], scale[c] = __bfloat162float(scales[c][index / p.words_per_group]);
      accumulate_word<kRows, kColumns, kFast>(word, scale, p.x + index * kChunk, p.x_stride, sum);
    }
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
  auto kernel = fast ? multiply<kRows, kColumns, true, kAtRunTime> : multiply<kRows, kColumns, false, kAtRunTime>;
  if constexpr (kRows == 1) {
    if (fast && p.groups_per_step == 4) kernel = multiply<kRows, kColumns, true, 4>;
  }
  return launch(kernel, dim3(blocks), dim3(kThreads), 0, stream, p);
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
  const bool one_group = group == k;
  const bool steps_in_groups = one_group || (words_per_group % 2 == 0 && kStepWords % words_per_group == 0);
  const bool fast = steps_in_groups && is_aligned(x, 16) && is_aligned(w, 8) && x_stride % kChunk == 0 && w_stride % 2 == 0;
  const int groups_per_step = one_group ? 0 : kStepWords / words_per_group;
  const int words = static_cast<int>(k / 8);
  Problem p{y, x, w, scale, y_stride, x_stride, w_stride, scale_stride, n, words, words_per_group, groups_per_step};
  for (int64_t row = 0; row < m; row += kMaxRows) {
    p.x = x + row * x_stride;
    p.y = y + row * y_stride;
    const cudaError_t error = launch_rows(p, std::min<int64_t>(m - row, kMaxRows), fast, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
