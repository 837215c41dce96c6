#include "kernels/launch.h"

#include "kernels/w4a16_gemv/w4a16_gemv.h"

#include <algorithm>

#include "kernels/common/arguments.h"
#include "kernels/common/bf16_chunk.cuh"
#include "kernels/common/int4.cuh"
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
  int turns;            // of a warp, each with its own columns, for which a block starts and converts x once
};

// Codes less their zero point of 8. FP16 holds them exactly, and FP32 what FP16 holds.
__device__ __forceinline__ void decode_word(uint32_t word, float (&q)[kChunk]) {
  uint32_t pairs[4];
  int4_pairs(word, int4_zero<__half>(8), pairs);
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const float2 values = __half22float2(*reinterpret_cast<const __half2*>(&pairs[j]));
    q[j] = values.x, q[j + 4] = values.y;
  }
}

// Where a lane finds x in the whole steps, `at` in step 0: in global memory, or in shared memory, converted and in the order in which lanes
// read it. `word`: the first or second of the lane's pair.
struct GlobalRows {
  const __nv_bfloat16* at;
  int64_t stride;

  __device__ __forceinline__ void read(int row, int step, int word, float (&values)[kChunk]) const {
    load_chunk<true>(at + row * stride + (step * kStepWords + word) * kChunk, kChunk, values);
  }
  __device__ __forceinline__ void advance(int steps) { at += steps * kStepWords * kChunk; }
};
struct SharedRow {
  static constexpr int kStepQuads = kStepWords * kChunk / 4;

  const float4* at;

  __device__ __forceinline__ void read(int, int step, int word, float (&values)[kChunk]) const {
    const float4 low = at[step * kStepQuads + 64 * word], high = at[step * kStepQuads + 64 * word + 32];
    values[0] = low.x, values[1] = low.y, values[2] = low.z, values[3] = low.w;
    values[4] = high.x, values[5] = high.y, values[6] = high.z, values[7] = high.w;
  }
  __device__ __forceinline__ void advance(int steps) { at += steps * kStepQuads; }

  // By all threads of the block, for so many words.
  static __device__ __forceinline__ void fill(float4* shared, const __nv_bfloat16* x, int words) {
    constexpr int kStepsAtOnce = kThreads / kStepWords;
    const int thread = static_cast<int>(threadIdx.x);
    float4* at = shared + thread / kStepWords * kStepQuads + thread % 2 * 64 + thread % kStepWords / 2;
    for (int word = thread; word < words; word += kThreads, at += kStepsAtOnce * kStepQuads) {
      float values[kChunk];
      load_chunk<true>(x + word * kChunk, kChunk, values);
      at[0] = make_float4(values[0], values[1], values[2], values[3]);
      at[32] = make_float4(values[4], values[5], values[6], values[7]);
    }
  }
};

// Adds one word (eight k) of every column, times its scale, to the sums of every row.
template <int kRows, int kColumns, class ReadX>
__device__ __forceinline__ void accumulate_word(const uint32_t (&word)[kColumns], const float (&scale)[kColumns], const ReadX& read_x,
                                                float (&sum)[kRows][kColumns]) {
  float q[kColumns][kChunk];
#pragma unroll
  for (int c = 0; c < kColumns; ++c) decode_word(word[c], q[c]);
#pragma unroll
  for (int m = 0; m < kRows; ++m) {
    float values[kChunk];
    read_x(m, values);
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      float partial = 0.0f;
#pragma unroll
      for (int j = 0; j < kChunk; ++j) partial = __fmaf_rn(q[c][j], values[j], partial);
      sum[m][c] = __fmaf_rn(scale[c], partial, sum[m][c]);
    }
  }
}

// A round's pairs of words of one lane, with the scales that the two of a pair share. While one round is used, the next is on its way.
template <int kColumns, int kSteps>
struct PairStream {
  const uint32_t* w[kColumns];  // of the round that is loaded next
  const __nv_bfloat16* scale[kColumns];
  uint2 words[kSteps][kColumns];
  __nv_bfloat16 scales[kSteps][kColumns];

  // Weights are read once: streaming loads leave the cache to x.
  __device__ __forceinline__ void load(int step, int groups_per_step) {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      words[step][c] = __ldcs(reinterpret_cast<const uint2*>(w[c] + step * kStepWords));
      scales[step][c] = scale[c][step * groups_per_step];
    }
  }

  template <class X, int kRows>
  __device__ __forceinline__ void accumulate(int step, const X& x, float (&sum)[kRows][kColumns]) const {
    float scale_now[kColumns];
#pragma unroll
    for (int c = 0; c < kColumns; ++c) scale_now[c] = __bfloat162float(scales[step][c]);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      uint32_t word[kColumns];
#pragma unroll
      for (int c = 0; c < kColumns; ++c) word[c] = half == 0 ? words[step][c].x : words[step][c].y;
      const auto read_x = [&](int row, float (&values)[kChunk]) { x.read(row, step, half, values); };
      accumulate_word(word, scale_now, read_x, sum);
    }
  }
};

// Where the fast path of a kernel finds x; kNone: the kernel goes word by word, whatever alignment and group.
enum class Fast { kNone, kGlobal, kShared };

template <Fast kFast>
__device__ __forceinline__ auto x_of(const Problem& p, const float4* shared, int lane) {
  if constexpr (kFast == Fast::kShared) {
    return SharedRow{shared + lane};
  } else {
    return GlobalRows{p.x + 2 * lane * kChunk, p.x_stride};
  }
}

// One warp for kColumns adjacent columns at a time (they share each read of x; the arithmetic of a column is its own) and kRows rows of x.
// kGroupsPerStep: how far a step of the fast path moves along scale, if known when compiled; that saves address arithmetic.
template <int kRows, int kColumns, Fast kFast, int kGroupsPerStep>
__global__ void __launch_bounds__(kThreads, kRows <= 6 ? 4 : 3) multiply(Problem p) {
  constexpr int kSteps = kRows <= 2 ? 4 : kRows <= 4 ? 2 : 1;  // of a round: as many loads under way as registers allow
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int rounds = kFast == Fast::kNone ? 0 : p.words / (kSteps * kStepWords);
  const int64_t first = (static_cast<int64_t>(blockIdx.x) * p.turns * kWarps + warp) * kColumns;

  // Where fewer than kColumns columns are left, some before them are computed again, and not stored.
  const auto begin_of = [&](int64_t column) { return min(column, max(p.n - kColumns, int64_t{0})); };
  const int groups_per_step = kGroupsPerStep == kAtRunTime ? p.groups_per_step : kGroupsPerStep;
  PairStream<kColumns, kSteps> stream = {};
  if (rounds > 0 && first < p.n) {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      stream.w[c] = p.w + (begin_of(first) + c) * p.w_stride + 2 * lane;
      stream.scale[c] = p.scale + (begin_of(first) + c) * p.scale_stride + 2 * lane / p.words_per_group;
    }
#pragma unroll
    for (int i = 0; i < kSteps; ++i) stream.load(i, groups_per_step);
  }

  ASSAY_DYNAMIC_SHARED(float4, shared);
  if constexpr (kFast == Fast::kShared) {
    SharedRow::fill(shared, p.x, rounds * kSteps * kStepWords);
    __syncthreads();
  }

  for (int turn = 0; turn < p.turns; ++turn) {
    const int64_t column = first + turn * kWarps * kColumns, next = column + kWarps * kColumns, begin_column = begin_of(column);
    if (column >= p.n) return;

    // Rounds of whole steps, where alignment and group allow. A pair that has been used makes room for the next round's, which at the end
    // is the first round of the next columns.
    float sum[kRows][kColumns] = {};
    if constexpr (kFast != Fast::kNone) {
      auto x = x_of<kFast>(p, shared, lane);
      const int64_t columns_on = begin_of(next) - begin_column, steps_back = (rounds - 1) * kSteps;
      const int64_t to_next_w = columns_on * p.w_stride - steps_back * kStepWords;
      const int64_t to_next_scale = columns_on * p.scale_stride - steps_back * groups_per_step;
      for (int round = 0; round < rounds; ++round, x.advance(kSteps)) {
        const bool is_end = round + 1 == rounds, goes_on = !is_end || (turn + 1 < p.turns && next < p.n);
#pragma unroll
        for (int c = 0; c < kColumns; ++c) {
          stream.w[c] += is_end ? to_next_w : kSteps * kStepWords;
          stream.scale[c] += is_end ? to_next_scale : kSteps * groups_per_step;
        }
#pragma unroll
        for (int i = 0; i < kSteps; ++i) {
          stream.accumulate(i, x, sum);
          if (goes_on) stream.load(i, groups_per_step);
        }
      }
    }

    // What is left, word by word in the same order.
    for (int begin = rounds * kSteps * kStepWords; begin < p.words; begin += kStepWords) {
      for (int index = begin + 2 * lane; index < min(begin + 2 * lane + 2, p.words); ++index) {
        uint32_t word[kColumns];
        float scale[kColumns];
#pragma unroll
        for (int c = 0; c < kColumns; ++c) {
          word[c] = p.w[(begin_column + c) * p.w_stride + index];
          scale[c] = __bfloat162float(p.scale[(begin_column + c) * p.scale_stride + index / p.words_per_group]);
        }
        const auto read_x = [&](int row, float (&values)[kChunk]) {
          load_chunk<kFast != Fast::kNone>(p.x + row * p.x_stride + index * kChunk, kChunk, values);
        };
        accumulate_word(word, scale, read_x, sum);
      }
    }

    // Sums over the lanes; each column has a lane that writes it.
    constexpr int kLanes = 32 / kColumns;
    const int64_t mine = begin_column + lane / kLanes;
#pragma unroll
    for (int m = 0; m < kRows; ++m) {
      const float total = warp_sums(sum[m]);
      if (lane % kLanes == 0 && mine >= column && mine < p.n) p.y[m * p.y_stride + mine] = __float2bfloat16_rn(total);
    }
  }
}

template <int kRows, int kColumns>
cudaError_t launch_columns(const Problem& p, Fast fast, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_divide(p.n, kWarps * kColumns * p.turns));
  auto kernel = multiply<kRows, kColumns, Fast::kNone, kAtRunTime>;
  if (fast == Fast::kGlobal) kernel = multiply<kRows, kColumns, Fast::kGlobal, kAtRunTime>;
  size_t shared = 0;
  if constexpr (kRows == 1) {
    const bool is_known = p.groups_per_step == 4;
    if (fast == Fast::kGlobal && is_known) kernel = multiply<kRows, kColumns, Fast::kGlobal, 4>;
    if (fast == Fast::kShared) {
      kernel = is_known ? multiply<kRows, kColumns, Fast::kShared, 4> : multiply<kRows, kColumns, Fast::kShared, kAtRunTime>;
      shared = static_cast<size_t>(p.words) * kChunk * sizeof(float);
    }
  }
  return launch(kernel, dim3(blocks), dim3(kThreads), shared, stream, p);
}

// Columns per warp is a matter of speed alone: more share the work on x, fewer give a small n enough warps to fill the device.
cudaError_t launch_rows(Problem p, int64_t rows, bool fast, cudaStream_t stream) {
  constexpr int64_t kManyColumns = 16384;
  constexpr int kMaxShared = 1024;  // words, whose x is 32 KiB: room for that of all blocks that registers leave room for
  const Fast path = !fast ? Fast::kNone : rows == 1 && p.words <= kMaxShared ? Fast::kShared : Fast::kGlobal;
  p.turns = rows == 1 && p.n >= kManyColumns ? 2 : 1;
  switch (rows) {
    case 1: return p.turns == 2 ? launch_columns<1, 4>(p, path, stream) : launch_columns<1, 2>(p, path, stream);
    case 2: return launch_columns<2, 2>(p, path, stream);
    case 3: return launch_columns<3, 2>(p, path, stream);
    case 4: return launch_columns<4, 2>(p, path, stream);
    case 5: return launch_columns<5, 2>(p, path, stream);
    case 6: return launch_columns<6, 2>(p, path, stream);
    case 7: return launch_columns<7, 2>(p, path, stream);
    case 8: return launch_columns<8, 2>(p, path, stream);
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
  Problem p{y, x, w, scale, y_stride, x_stride, w_stride, scale_stride, n, words, words_per_group, groups_per_step, 1};
  if (n == 1) p.w_stride = p.scale_stride = 0;  // the warp's other columns are the same one
  for (int64_t row = 0; row < m; row += kMaxRows) {
    p.x = x + row * x_stride;
    p.y = y + row * y_stride;
    const cudaError_t error = launch_rows(p, std::min<int64_t>(m - row, kMaxRows), fast, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
