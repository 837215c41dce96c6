// GPTQ products of few rows: packed FP16 multiply-adds, a warp for 128 k of 64 columns and up to eight rows.
#pragma once

#include "kernels/launch.h"

#include "kernels/common/arguments.h"
#include "kernels/gptq_gemm/gptq_weights.cuh"

namespace assay {
namespace {  // kernels are no templates: every file that includes this has its own

constexpr int kBlockK = 128;
constexpr int kColumns = 64;  // of a block of threads, two for each lane
constexpr int kMaxRows = 8;

struct GptqProblem {
  GptqWeights weights;
  __half* y;
  const __half* x;
  const int32_t* perm;  // may be null
  int64_t y_stride, x_stride, m;
  bool paired_y, paired_w;  // two columns at once

  __device__ __forceinline__ int blocks() const { return (weights.k - 1) / kBlockK + 1; }
};

template <int kRows>
constexpr int kWarps = kRows == kMaxRows ? 8 : 16;  // each at another block of k

// Where a block of threads is in y.
struct GptqPlace {
  int64_t row, column;
};
template <int kRows>
__device__ __forceinline__ GptqPlace gptq_place(const GptqProblem& p, int64_t tile) {
  const int64_t tiles_across = (p.weights.n + kColumns - 1) / kColumns;
  return {tile / tiles_across * kRows, tile % tiles_across * kColumns + threadIdx.x % 32 * 2};
}

// The warp brings x[row .. row + kRows - 1] of the block of k that begins at first_k. Rows beyond the last one are 0.
template <int kRows>
__device__ __forceinline__ void stage_block(const GptqProblem& p, int64_t row, int first_k, __half (&x)[kRows][kBlockK]) {
  for (int i = threadIdx.x % 32; i < kBlockK && first_k + i < p.weights.k; i += 32) {
    const int64_t column = p.perm ? p.perm[first_k + i] : first_k + i;
#pragma unroll
    for (int m = 0; m < kRows; ++m) x[m][i] = row + m < p.m ? p.x[(row + m) * p.x_stride + column] : __ushort_as_half(0);
  }
  __syncwarp();
}

// Adds eight k of two columns, times the scales, to the sums of every row. k: where they begin in x.
template <int kRows>
__device__ __forceinline__ void accumulate_word(const uint2& words, const __half2 (&zero)[2], const float2& scale,
                                                const __half (&x)[kRows][kBlockK], int k, float2 (&sum)[kRows]) {
  __half2 first[4], second[4];
  decode_gptq_word(words.x, zero[0], first);
  decode_gptq_word(words.y, zero[1], second);
#pragma unroll
  for (int m = 0; m < kRows; ++m) {
    const uint4 bits = *reinterpret_cast<const uint4*>(&x[m][k]);
    const __half2 values[4] = {as_half2(bits.x), as_half2(bits.y), as_half2(bits.z), as_half2(bits.w)};
    __half2 chains[2] = {as_half2(0), as_half2(0)};  // of either column, even and odd k
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      chains[0] = __hfma2(first[i], values[i], chains[0]);
      chains[1] = __hfma2(second[i], values[i], chains[1]);
    }
    sum[m].x = __fmaf_rn(__fadd_rn(__low2float(chains[0]), __high2float(chains[0])), scale.x, sum[m].x);
    sum[m].y = __fmaf_rn(__fadd_rn(__low2float(chains[1]), __high2float(chains[1])), scale.y, sum[m].y);
  }
}

// The lane's two columns of a block of k, rounded to FP16.
template <int kRows>
__device__ __forceinline__ void multiply_block(const GptqProblem& p, const __half (&x)[kRows][kBlockK], int64_t column, int first_k,
                                               __half2 (&block)[kRows]) {
  constexpr int kWords = kBlockK / 8;
  const GptqWeights& weights = p.weights;
  float2 sum[kRows] = {};

  // All weights of the block at once, to hide the latency of memory.
  const int words = min(kWords, (weights.k - first_k) / 8);
  const uint32_t* source = weights.w + first_k / 8 * weights.w_stride + column;
  uint2 ahead[kWords] = {};
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    if (i >= words) continue;
    const uint32_t* at = source + i * weights.w_stride;
    ahead[i] = p.paired_w ? *reinterpret_cast<const uint2*>(at) : make_uint2(at[0], at[1]);
  }

  // Word by word, with the zero points and scales of its group.
  int64_t g = first_k / weights.group - 1;
  int group_end = first_k / weights.group * weights.group;
  __half2 zero[2] = {};
  float2 scale = {};
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    if (i >= words) continue;
    if (first_k + 8 * i >= group_end) {
      ++g;
      group_end += weights.group;
      zero[0] = weights.zero(g, column), zero[1] = weights.zero(g, column + 1);
      const __half* scales = weights.scale + g * weights.scale_stride + column;
      scale = make_float2(__half2float(scales[0]), __half2float(scales[1]));
    }
    accumulate_word<kRows>(ahead[i], zero, scale, x, 8 * i, sum);
  }
#pragma unroll
  for (int m = 0; m < kRows; ++m) block[m] = __floats2half2_rn(sum[m].x, sum[m].y);
}

// y in a fixed order: kWarps blocks of k at a time, whose sums meet in shared memory.
template <int kRows>
__global__ void __launch_bounds__(32 * kWarps<kRows>) multiply_in_order(GptqProblem p) {
  __shared__ __align__(16) __half x[kWarps<kRows>][kRows][kBlockK];
  __shared__ __half2 sums[2][kWarps<kRows>][kRows][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const GptqPlace place = gptq_place<kRows>(p, blockIdx.x);
  const bool inside = place.column < p.weights.n;

  __half2 total = as_half2(0);  // of row `warp` of the tile
  for (int first = 0, stage = 0; first < p.blocks(); first += kWarps<kRows>, stage ^= 1) {
    // Each warp its block.
    if (first + warp < p.blocks()) {
      const int first_k = (first + warp) * kBlockK;
      stage_block<kRows>(p, place.row, first_k, x[warp]);
      __half2 block[kRows] = {};
      if (inside) multiply_block<kRows>(p, x[warp], place.column, first_k, block);
#pragma unroll
      for (int m = 0; m < kRows; ++m) sums[stage][warp][m][lane] = block[m];
    }
    __syncthreads();

    // Each warp adds up a row. A stage is written again after the next barrier only, and x by the warp that read it.
    if (warp < kRows)
      for (int b = 0; b < min(kWarps<kRows>, p.blocks() - first); ++b) total = __hadd2(total, sums[stage][b][warp][lane]);
  }
  if (warp < kRows && inside && place.row + warp < p.m) store_pair(p.y + (place.row + warp) * p.y_stride + place.column, total, p.paired_y);
}

__global__ void __launch_bounds__(256) clear(__half* y, int64_t y_stride, int64_t m, int64_t n) {
  const int64_t index = (static_cast<int64_t>(blockIdx.x) * 256 + threadIdx.x) * 2;
  if (index < m * n) store_pair(y + index / n * y_stride + index % n, as_half2(0), true);
}

// Adds to y, in whatever order. Blocks of threads run over the tiles of y first.
template <int kRows>
__global__ void __launch_bounds__(32 * kWarps<kRows>) multiply_atomically(GptqProblem p, int64_t tiles) {
  __shared__ __align__(16) __half x[kWarps<kRows>][kRows][kBlockK];
  const int warp = threadIdx.x / 32;
  const GptqPlace place = gptq_place<kRows>(p, blockIdx.x % tiles);
  const int64_t index = blockIdx.x / tiles * kWarps<kRows> + warp;
  if (index >= p.blocks()) return;
  const int first_k = static_cast<int>(index) * kBlockK;
  stage_block<kRows>(p, place.row, first_k, x[warp]);
  if (place.column >= p.weights.n) return;
  __half2 block[kRows];
  multiply_block<kRows>(p, x[warp], place.column, first_k, block);
#pragma unroll
  for (int m = 0; m < kRows; ++m)
    if (place.row + m < p.m) atomicAdd(reinterpret_cast<__half2*>(p.y + (place.row + m) * p.y_stride + place.column), block[m]);
}

}  // namespace
}  // namespace assay
