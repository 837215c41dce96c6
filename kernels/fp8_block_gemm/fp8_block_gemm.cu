#include "kernels/launch.h"

#include "kernels/fp8_block_gemm/fp8_block_gemm.h"

#include "kernels/common/arguments.h"
#include "kernels/common/fp8_launch.cuh"
#include "kernels/common/fragment_store.cuh"
#include "kernels/common/tile_order.h"

namespace assay {
namespace {

constexpr int kBlock = 128;  // of k, and of rows of b, that share a scale
static_assert(kBlock == kStageK && kBlock == Fp8MmaTile::kStepK, "a stage is a block of k");

struct Problem {
  FragmentTarget target;
  const float *a_scale, *b_scale;
  int64_t a_scale_stride, b_scale_stride;
  int blocks;  // of k
  int tile_rows = 0, tile_columns = 0;
};

// The scales of two rows, 8 apart, and of kParts times 128 columns, block after block of k. The next ones are under way while the tensor
// core works on a block. What lies outside the matrix gets the last ones, and is not stored.
template <int kParts>
class ScaleStream {
 public:
  __device__ __forceinline__ ScaleStream(const Problem& p, int row, int column) : a_stride_(p.a_scale_stride) {
#pragma unroll
    for (int r = 0; r < 2; ++r) a_[r] = p.a_scale + min(row + 8 * r, p.target.m - 1);
#pragma unroll
    for (int part = 0; part < kParts; ++part)
      b_[part] = p.b_scale + min(column / kBlock + part, (p.target.n - 1) / kBlock) * p.b_scale_stride;
    fetch();
  }

  // The products of a block's scales, [part][row]. `more`: there is a block after it.
  __device__ __forceinline__ void next(bool more, float (&scale)[kParts][2]) {
#pragma unroll
    for (int part = 0; part < kParts; ++part)
#pragma unroll
      for (int r = 0; r < 2; ++r) scale[part][r] = __fmul_rn(a_next_[r], b_next_[part]);
    if (more) fetch();
  }

 private:
  __device__ __forceinline__ void fetch() {
#pragma unroll
    for (int r = 0; r < 2; ++r) a_next_[r] = *a_[r], a_[r] += a_stride_;
#pragma unroll
    for (int part = 0; part < kParts; ++part) b_next_[part] = *b_[part]++;
  }

  const float *a_[2], *b_[kParts];
  int64_t a_stride_;
  float a_next_[2], b_next_[kParts];
};

// A lane's sums of a block of k into its totals: four elements for each 8 columns, two of either row.
template <int kWords>
__device__ __forceinline__ void promote(const float (&scale)[2], const float (&sums)[kWords], float (&totals)[kWords]) {
#pragma unroll
  for (int i = 0; i < kWords; ++i) totals[i] = __fmaf_rn(scale[i / 2 % 2], sums[i], totals[i]);
}

template <int kWords>
__device__ __forceinline__ void finish(const FragmentTarget& target, int row, int column, const float (&totals)[kWords]) {
  store_fragments(target, row, column, totals, [](int, const float(&values)[4], std::uint32_t(&words)[2]) {
    words[0] = pack_rounded(values[0], values[1], false);
    words[1] = pack_rounded(values[2], values[3], false);
  });
}

__global__ void __launch_bounds__(Fp8MmaTile::kThreads) multiply_mma(Problem p, Fp8MmaOperand a, Fp8MmaOperand b) {
  ASSAY_DYNAMIC_SHARED(unsigned char, shared);
  const TilePlace place = tile_place(static_cast<int>(blockIdx.x), p.tile_rows, p.tile_columns);
  const int tile_row = place.row * Fp8MmaTile::kSide, tile_column = place.column * Fp8MmaTile::kSide;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int row = tile_row + warp / 2 * 32, column = tile_column + warp % 2 * 32;  // of the warp's 32 x 32

  // Every block of k from zero, then into the totals.
  ScaleStream<1> scales[2] = {{p, row + lane / 4, column}, {p, row + 16 + lane / 4, column}};
  Fp8MmaTile::Sums totals = {};
  for_each_mma_stage(shared, a, b, tile_row, tile_column, p.blocks, [&](const unsigned char* stage, int block) {
    Fp8MmaTile::Sums sums = {};
    multiply_mma_stage(sums, stage);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      float scale[1][2];
      scales[i].next(block + 1 < p.blocks, scale);
      promote(scale[0], sums[i], totals[i]);
    }
  });

#pragma unroll
  for (int i = 0; i < 2; ++i) finish(p.target, row + 16 * i, column, totals[i]);
}

// Every block of k from zero, then into the totals. Parts of at most 128 columns, so that their sums and all totals fit the registers;
// while one warpgroup promotes, the other multiplies.
template <class Tile, int kParts, int kWords>
__device__ __forceinline__ void accumulate(Ring<Tile>& ring, const unsigned char* stages, int warpgroup, int blocks,
                                           ScaleStream<kParts> scales, float (&totals)[kParts][kWords]) {
  constexpr int kColumns = Tile::kColumns / kParts;
  using Multiply = Wgmma<__nv_fp8_e4m3, kColumns>;
  RingCursor<Tile> at;
  float sums[kWords] = {};
  for (int block = 0; block < blocks; ++block) {
    float scale[kParts][2];
    scales.next(block + 1 < blocks, scale);
    const unsigned char* stage = stages + at.slot * Tile::kStageBytes;
    mbarrier_wait(&ring.full[at.slot], at.parity);
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      multiply_stage<Multiply>(sums, stage + warpgroup * 64 * kStageK, stage + Tile::kABytes + part * kColumns * kStageK, false);
      wgmma_wait<0>(sums);
      if (part == kParts - 1) release_slot(ring, at.slot);
      promote(scale[part], sums, totals[part]);
    }
    at.advance();
  }
}

template <class Tile>
__global__ void __launch_bounds__(Tile::kThreads, 1)
    multiply_wgmma(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, Problem p) {
  ASSAY_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ Ring<Tile> ring;
  unsigned char* stages = aligned_stages(dynamic);
  const TilePlace place = tile_place(static_cast<int>(blockIdx.x), p.tile_rows, p.tile_columns);
  const int tile_row = place.row * Tile::kRows, tile_column = place.column * Tile::kColumns;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  start_ring(ring);

  // The last warps bring the operands.
  if (warp >= Tile::kConsumerWarps) {
    fill_ring(ring, stages, a, b, tile_row, tile_column, p.blocks);
    return;
  }

  // The others multiply; a warp has 16 rows.
  if constexpr (Tile::kTrades) take_registers<240>();
  constexpr int kParts = Tile::kColumns > kBlock ? Tile::kColumns / kBlock : 1;
  float totals[kParts][Tile::kColumns / kParts / 2] = {};
  const ScaleStream<kParts> scales(p, tile_row + warp * 16 + lane / 4, tile_column);
  accumulate<Tile>(ring, stages, warp / 4, p.blocks, scales, totals);

#pragma unroll
  for (int part = 0; part < kParts; ++part) finish(p.target, tile_row + warp * 16, tile_column + part * kBlock, totals[part]);
}

template <class Tile>
cudaError_t launch_tile(const Fp8Operands& o, const Problem& p, cudaStream_t stream) {
  return launch_ring<Tile>(multiply_wgmma<Tile>, o, p, stream);
}

cudaError_t launch_wgmma(const Fp8Operands& o, const Problem& p, cudaStream_t stream) {
  switch (tile_of(o)) {
    case fp8_tile_64x32: return launch_tile<RingTile<64, 32, 8>>(o, p, stream);
    case fp8_tile_64x128: return launch_tile<RingTile<64, 128, 4>>(o, p, stream);
    case fp8_tile_128x128: return launch_tile<RingTile<128, 128, 6>>(o, p, stream);
    case fp8_tile_128x256: return launch_tile<RingTile<128, 256, 4, true>>(o, p, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace
}  // namespace assay

cudaError_t fp8_block_gemm(__nv_bfloat16* y, int64_t y_stride, const __nv_fp8_e4m3* a, int64_t a_stride, const __nv_fp8_e4m3* b,
                           int64_t b_stride, const float* a_scale, int64_t a_scale_stride, const float* b_scale, int64_t b_scale_stride,
                           int64_t m, int64_t n, int64_t k, int path, int tile, cudaStream_t stream) {
  using namespace assay;
  if (path != fp8_block_gemm_mma_sync && path != fp8_block_gemm_wgmma) return cudaErrorInvalidValue;
  const Fp8Operands operands{a, b, a_stride, b_stride, y_stride, m, n, k, path == fp8_block_gemm_wgmma, tile};
  if (!are_legal(operands, sizeof(__nv_bfloat16))) return cudaErrorInvalidValue;
  const int64_t blocks = ceil_divide(k, kBlock);
  if (a_scale_stride < m || b_scale_stride < blocks) return cudaErrorInvalidValue;
  if (!span_fits<float>(blocks, a_scale_stride, m) || !span_fits<float>(ceil_divide(n, kBlock), b_scale_stride, blocks))
    return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (!are_usable(operands) || !is_usable(y) || !is_usable(a_scale) || !is_usable(b_scale)) return cudaErrorInvalidValue;

  const FragmentTarget target{reinterpret_cast<std::uint16_t*>(y), y_stride, static_cast<int>(m), static_cast<int>(n),
                              is_aligned(y, 16) && y_stride % 8 == 0};
  const Problem p{target, a_scale, b_scale, a_scale_stride, b_scale_stride, static_cast<int>(blocks)};
  return operands.tma ? launch_wgmma(operands, p, stream) : launch_mma(multiply_mma, operands, p, stream);
}
