#include "kernels/launch.h"

#include "kernels/fp8_scaled_gemm/fp8_scaled_gemm.h"

#include "kernels/common/arguments.h"
#include "kernels/common/fp8_launch.cuh"
#include "kernels/common/fragment_store.cuh"
#include "kernels/common/tile_order.h"

namespace assay {
namespace {

struct Problem {
  FragmentTarget target;
  const float *a_scale, *b_scale;
  int a_scale_step, b_scale_step;  // 0: one for all
  const std::uint16_t* bias;
  bool fp16;  // the format of y and bias
  int steps;  // of 128 of k
  int tile_rows = 0, tile_columns = 0;
};

__device__ __forceinline__ float widened(std::uint16_t bits, bool fp16) {
  return fp16 ? __half2float(__ushort_as_half(bits)) : __uint_as_float(static_cast<unsigned>(bits) << 16);
}

// Scales and bias of two rows, 8 apart, and two columns at a time. What lies outside the matrix gets the last ones, and is not stored.
template <bool kBias>
struct Epilogue {
  const Problem& p;
  float a_scale[2];

  __device__ __forceinline__ Epilogue(const Problem& problem, int row) : p(problem) {
#pragma unroll
    for (int r = 0; r < 2; ++r) a_scale[r] = p.a_scale[min(row + 8 * r, p.target.m - 1) * p.a_scale_step];
  }

  __device__ __forceinline__ void operator()(int column, const float (&sums)[4], std::uint32_t (&words)[2]) const {
    float b_scale[2], bias[2];
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      const int at = min(column + c, p.target.n - 1);
      b_scale[c] = p.b_scale[at * p.b_scale_step];
      bias[c] = kBias ? widened(p.bias[at], p.fp16) : 0.0f;
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float y[2];
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const float t = __fmul_rn(b_scale[c], sums[2 * r + c]);
        y[c] = kBias ? __fmaf_rn(a_scale[r], t, bias[c]) : __fmul_rn(a_scale[r], t);
      }
      words[r] = pack_rounded(y[0], y[1], p.fp16);
    }
  }
};

// `totals` of a warp's 16 rows from `row` on.
template <int kWords>
__device__ __forceinline__ void finish(const Problem& p, int row, int column, const float (&totals)[kWords]) {
  const int own_row = row + static_cast<int>(threadIdx.x) % 32 / 4;
  if (p.bias)
    store_fragments(p.target, row, column, totals, Epilogue<true>(p, own_row));
  else
    store_fragments(p.target, row, column, totals, Epilogue<false>(p, own_row));
}

__global__ void __launch_bounds__(Fp8MmaTile::kThreads) multiply_mma(Problem p, Fp8MmaOperand a, Fp8MmaOperand b) {
  ASSAY_DYNAMIC_SHARED(unsigned char, shared);
  const TilePlace place = tile_place(static_cast<int>(blockIdx.x), p.tile_rows, p.tile_columns);
  const int tile_row = place.row * Fp8MmaTile::kSide, tile_column = place.column * Fp8MmaTile::kSide;

  // One chain over all k.
  Fp8MmaTile::Sums sums = {};
  for_each_mma_stage(shared, a, b, tile_row, tile_column, p.steps,
                     [&](const unsigned char* stage, int) { multiply_mma_stage(sums, stage); });

  // A warp has 32 x 32 of the tile.
  const int warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int i = 0; i < 2; ++i) finish(p, tile_row + warp / 2 * 32 + i * 16, tile_column + warp % 2 * 32, sums[i]);
}

// All k in the tensor core's accumulators. A step is in flight while the next one is started; then its slot is free.
template <class Tile>
__device__ __forceinline__ void accumulate(Ring<Tile>& ring, const unsigned char* stages, int warpgroup, int steps,
                                           float (&sums)[Tile::kColumns / 2]) {
  using Multiply = Wgmma<__nv_fp8_e4m3, Tile::kColumns>;
  RingCursor<Tile> at;
  int last = 0;
  for (int step = 0; step < steps; ++step) {
    const unsigned char* stage = stages + at.slot * Tile::kStageBytes;
    mbarrier_wait(&ring.full[at.slot], at.parity);
    multiply_stage<Multiply>(sums, stage + warpgroup * 64 * kStageK, stage + Tile::kABytes, true);
    wgmma_wait<1>(sums);
    if (step > 0) release_slot(ring, last);
    last = at.slot;
    at.advance();
  }
  wgmma_wait<0>(sums);
}

// Every 128 of k on their own, then added in FP32. Parts of at most 128 columns, so that their sums and all totals fit the registers;
// while one warpgroup adds, the other multiplies.
template <class Tile, int kParts, int kWords>
__device__ __forceinline__ void accumulate_promoted(Ring<Tile>& ring, const unsigned char* stages, int warpgroup, int steps,
                                                    float (&totals)[kParts][kWords]) {
  constexpr int kColumns = Tile::kColumns / kParts;
  using Multiply = Wgmma<__nv_fp8_e4m3, kColumns>;
  RingCursor<Tile> at;
  float sums[kWords] = {};
  for (int step = 0; step < steps; ++step) {
    const unsigned char* stage = stages + at.slot * Tile::kStageBytes;
    mbarrier_wait(&ring.full[at.slot], at.parity);
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      multiply_stage<Multiply>(sums, stage + warpgroup * 64 * kStageK, stage + Tile::kABytes + part * kColumns * kStageK, false);
      wgmma_wait<0>(sums);
      if (part == kParts - 1) release_slot(ring, at.slot);
#pragma unroll
      for (int i = 0; i < kWords; ++i) totals[part][i] = __fadd_rn(totals[part][i], sums[i]);
    }
    at.advance();
  }
}

template <class Tile, bool kPromoted>
__global__ void __launch_bounds__(Tile::kThreads, 1)
    multiply_wgmma(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, Problem p) {
  ASSAY_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ Ring<Tile> ring;
  unsigned char* stages = aligned_stages(dynamic);
  const TilePlace place = tile_place(static_cast<int>(blockIdx.x), p.tile_rows, p.tile_columns);
  const int tile_row = place.row * Tile::kRows, tile_column = place.column * Tile::kColumns;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  start_ring(ring);

  // The last warps bring the operands.
  if (warp >= Tile::kConsumerWarps) {
    fill_ring(ring, stages, a, b, tile_row, tile_column, p.steps);
    return;
  }

  // The others multiply; a warp has 16 rows.
  if constexpr (Tile::kTrades) take_registers<240>();
  constexpr int kParts = kPromoted && Tile::kColumns > 128 ? 2 : 1;
  float totals[kParts][Tile::kColumns / kParts / 2] = {};
  if constexpr (kPromoted)
    accumulate_promoted<Tile>(ring, stages, warp / 4, p.steps, totals);
  else
    accumulate<Tile>(ring, stages, warp / 4, p.steps, totals[0]);

#pragma unroll
  for (int part = 0; part < kParts; ++part) finish(p, tile_row + warp * 16, tile_column + part * (Tile::kColumns / kParts), totals[part]);
}

template <class Tile, bool kPromoted>
cudaError_t launch_tile(const Fp8Operands& o, const Problem& p, cudaStream_t stream) {
  return launch_ring<Tile>(multiply_wgmma<Tile, kPromoted>, o, p, stream);
}

template <bool kPromoted>
cudaError_t launch_wgmma(const Fp8Operands& o, const Problem& p, cudaStream_t stream) {
  switch (tile_of(o)) {
    case fp8_tile_64x32: return launch_tile<RingTile<64, 32, 8>, kPromoted>(o, p, stream);
    case fp8_tile_64x128: return launch_tile<RingTile<64, 128, 4>, kPromoted>(o, p, stream);
    case fp8_tile_128x128: return launch_tile<RingTile<128, 128, 6>, kPromoted>(o, p, stream);
    case fp8_tile_128x256: return launch_tile<RingTile<128, 256, 4, kPromoted>, kPromoted>(o, p, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace
}  // namespace assay

cudaError_t fp8_scaled_gemm(void* y, int64_t y_stride, const __nv_fp8_e4m3* a, int64_t a_stride, const __nv_fp8_e4m3* b, int64_t b_stride,
                            const float* a_scale, int64_t a_scales, const float* b_scale, int64_t b_scales, const void* bias, int64_t m,
                            int64_t n, int64_t k, int output, int path, int tile, cudaStream_t stream) {
  using namespace assay;
  if (output != fp8_scaled_gemm_bf16 && output != fp8_scaled_gemm_fp16) return cudaErrorInvalidValue;
  if (path < fp8_scaled_gemm_mma_sync || path > fp8_scaled_gemm_wgmma_promoted) return cudaErrorInvalidValue;
  const bool tma = path != fp8_scaled_gemm_mma_sync;
  const Fp8Operands operands{a, b, a_stride, b_stride, y_stride, m, n, k, tma, tile};
  if (!are_legal(operands, sizeof(std::uint16_t))) return cudaErrorInvalidValue;
  if ((a_scales != 1 && a_scales != m) || (b_scales != 1 && b_scales != n)) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  auto* rows = static_cast<std::uint16_t*>(y);
  const auto* biases = static_cast<const std::uint16_t*>(bias);
  if (!are_usable(operands) || !is_usable(rows) || !is_usable(a_scale) || !is_usable(b_scale) ||
      !is_aligned(biases, alignof(std::uint16_t)))
    return cudaErrorInvalidValue;

  const Problem p{.target = {rows, y_stride, static_cast<int>(m), static_cast<int>(n), is_aligned(y, 16) && y_stride % 8 == 0},
                  .a_scale = a_scale,
                  .b_scale = b_scale,
                  .a_scale_step = a_scales != 1,
                  .b_scale_step = b_scales != 1,
                  .bias = biases,
                  .fp16 = output == fp8_scaled_gemm_fp16,
                  .steps = static_cast<int>(ceil_divide(k, kStageK))};
  if (path == fp8_scaled_gemm_mma_sync) return launch_mma(multiply_mma, operands, p, stream);
  return path == fp8_scaled_gemm_wgmma ? launch_wgmma<false>(operands, p, stream) : launch_wgmma<true>(operands, p, stream);
}
