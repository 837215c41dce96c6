// One block of threads works through its stripe of the line.
#pragma once

#include "kernels/marlin/loaders.cuh"
#include "kernels/marlin/slice.cuh"

namespace assay::marlin {

// Where a stripe leaves the part of a tile that it could not finish.
__device__ __forceinline__ float* partial_of(float* partials, int stripe, int slot, int rows) {
  return partials + (static_cast<int64_t>(stripe) * kPartials + slot) * rows * kTileColumns;
}

// Four columns of a row of y, each rounded once.
template <class T>
__device__ __forceinline__ void store_rounded(const Problem<T>& p, int row, int column, float4 sums) {
  alignas(8) const T four[4] = {rounded<T>(sums.x), rounded<T>(sums.y), rounded<T>(sums.z), rounded<T>(sums.w)};
  T* y = p.y + row * p.y_stride + column;
  if (p.vector_y) {
    *reinterpret_cast<uint2*>(y) = *reinterpret_cast<const uint2*>(four);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) y[i] = four[i];
  }
}

// Adds the two halves of every slice, lower k first, and stores the tile: rounded into y, or as it is into `partial` if that is given.
// Eight rows at a time, through shared memory, so that rows are written in whole sectors.
template <class T, int kRowGroups>
__device__ __forceinline__ void store_tile(const Problem<T>& p, const Place& at, float (&planes)[kDepthWarps][8][kPlanePitch],
                                           const Accumulator<kRowGroups>& sums, float* partial) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int first_row = at.row_block * 8 * kRowGroups, first_column = at.column_tile * kTileColumns;
#pragma unroll
  for (int g = 0; g < kRowGroups; ++g) {
    if (first_row + 8 * g >= p.m) break;
    __syncthreads();  // the planes have been read
#pragma unroll
    for (int c = 0; c < 4; ++c)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        planes[warp / kColumnWarps][lane % 4 * 2 + e % 2][warp % kColumnWarps * 64 + 16 * c + lane / 4 + e / 2 * 8] = sums[c][g][e];
    __syncthreads();
    const int column = thread % 64 * 4;
#pragma unroll
    for (int row = thread / 64; row < 8; row += kThreads / 64) {
      if (first_row + 8 * g + row >= p.m || first_column + column >= p.n) continue;
      const float4 low = *reinterpret_cast<const float4*>(&planes[0][row][column]);
      const float4 high = *reinterpret_cast<const float4*>(&planes[1][row][column]);
      const float4 sum{__fadd_rn(low.x, high.x), __fadd_rn(low.y, high.y), __fadd_rn(low.z, high.z), __fadd_rn(low.w, high.w)};
      if (partial)
        *reinterpret_cast<float4*>(partial + (8 * g + row) * kTileColumns + column) = sum;
      else
        store_rounded(p, first_row + 8 * g + row, first_column + column, sum);
    }
  }
}

template <class Weights, int kRowGroups, bool kActOrder>
__global__ void __launch_bounds__(kThreads, kBlocks<kRowGroups, kActOrder>) multiply(Problem<typename Weights::Element> p) {
  using Memory = Shared<Weights, kRowGroups>;
  ASSAY_DYNAMIC_SHARED(Memory, shared);
  const Line& line = p.line;
  const int begin = static_cast<int>(blockIdx.x) * line.length, end = begin + min(line.length, line.end - begin);

  // Rows that no copy will fill count as zeros.
  constexpr int slots = kSlots<Weights, kRowGroups>;
  if (const int filled = p.m % (8 * kRowGroups); filled) {
    constexpr int chunks = kSliceK<Weights> / 8;
    for (int i = static_cast<int>(threadIdx.x); i < (8 * kRowGroups - filled) * chunks; i += kThreads)
#pragma unroll
      for (auto& rows : shared->x) *reinterpret_cast<uint4*>(&rows[filled + i / chunks][i % chunks * 8]) = uint4{};
    __syncthreads();
  }

  // The first slices start.
  const int warp = static_cast<int>(threadIdx.x) / 32;
  RowLoader<Weights, kRowGroups> rows(p, begin, end);
  WeightLoader<Weights, kActOrder> weights(p, begin);
  const auto load_weights = [&](int i) {
    if (i < end) weights.load(p, shared->stages[warp][(i - begin) % kStages]);
    cp_async_commit();
  };
#pragma unroll 1
  for (int i = 0; i < kBatchesAhead<Weights, kRowGroups>; ++i) rows.load(p, shared->x);
#pragma unroll 1
  for (int i = begin; i < begin + kStages - 1; ++i) load_weights(i);

  // Until slice i has landed; the next copies start.
  const auto turn_to = [&](int i) {
    cp_async_wait<kStages - 2>();
    if ((i - begin) % kBatch<Weights, kRowGroups> == 0) {
      __syncthreads();  // everyone's copies of this batch have landed, and nobody reads the one before, which makes room
      rows.load(p, shared->x);
    } else {
      __syncwarp();  // the same of the warp's own copies
    }
    load_weights(i + kStages - 1);
  };
  let_next_grid_start();  // combine's blocks take the place of these as they end, instead of a launch's 3 us later
  const auto stage_of = [&](int i) -> const Stage<Weights>& { return shared->stages[warp][(i - begin) % kStages]; };

  Place at(line, begin);
  Scaling<kActOrder ? 2 : 1> scaling;
  scaling.set_zeros(Weights::kZero);
  for (int i = begin; i < end;) {
    // All slices that the stripe has of one tile; k may end within the last.
    const int first = i, last = min(i + line.slices - at.slice, end);
    const bool is_cut = p.cut_slice >= 0 && last - first == line.slices - at.slice;
    Accumulator<kRowGroups> sums = {};
    for (; i < last - is_cut; ++i, ++at.slice) {
      turn_to(i);
      multiply_slice<Weights, kRowGroups>(p, at, stage_of(i), shared->x[(i - begin) % slots], scaling, sums);
    }
    if (is_cut) {
      turn_to(i);
      multiply_cut_slice<Weights, kRowGroups>(p, at, stage_of(i), shared->x[(i - begin) % slots], scaling, sums);
      ++i, ++at.slice;
    }

    // Done, unless other stripes have slices of this tile.
    float* partial = partial_of(p.partials, static_cast<int>(blockIdx.x), first == begin ? 0 : 1, 8 * kRowGroups);
    store_tile<typename Weights::Element, kRowGroups>(p, at, shared->planes, sums, last - first == line.slices ? nullptr : partial);
    at.advance(line, 0);
  }
}

}  // namespace assay::marlin
