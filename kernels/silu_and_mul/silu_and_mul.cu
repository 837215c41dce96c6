#include "kernels/launch.h"

#include "kernels/silu_and_mul/silu_and_mul.h"

#include <algorithm>

#include "kernels/common/arguments.h"
#include "kernels/common/bf16_chunk.cuh"

namespace assay {
namespace {

constexpr int kThreads = 256;
constexpr int64_t kMaxGridY = 65535;

__device__ __forceinline__ float silu(float gate) { return __fdiv_rn(gate, __fadd_rn(1.0f, __expf(-gate))); }

// grid.x: rows; grid.y and the threads: chunks of a row.
template <bool kVector>
__global__ void __launch_bounds__(kThreads)
    gate_and_multiply(__nv_bfloat16* __restrict__ out, int64_t out_stride, const __nv_bfloat16* __restrict__ gate_up,
                      int64_t gate_up_stride, int64_t d, bool round_silu) {
  __nv_bfloat16* out_row = out + blockIdx.x * out_stride;
  const __nv_bfloat16* gate_row = gate_up + blockIdx.x * gate_up_stride;
  const __nv_bfloat16* up_row = gate_row + d;

  const int64_t step = static_cast<int64_t>(gridDim.y) * kThreads * kChunk;
  for (int64_t first = (static_cast<int64_t>(blockIdx.y) * kThreads + threadIdx.x) * kChunk; first < d; first += step) {
    const int count = chunk_count(first, d);
    float gate[kChunk];
    float up[kChunk];
    load_chunk<kVector>(gate_row + first, count, gate);
    load_chunk<kVector>(up_row + first, count, up);
#pragma unroll
    for (int j = 0; j < kChunk; ++j) {
      const float activated = silu(gate[j]);
      up[j] = __fmul_rn(round_silu ? round_to_bf16(activated) : activated, up[j]);
    }
    store_chunk<kVector>(out_row + first, count, up);
  }
}

}  // namespace
}  // namespace assay

cudaError_t silu_and_mul(__nv_bfloat16* out, int64_t out_stride, const __nv_bfloat16* gate_up, int64_t gate_up_stride, int64_t rows,
                         int64_t d, int round_silu, cudaStream_t stream) {
  using namespace assay;
  if (rows < 0 || rows > kMaxGridX || d < 0 || d > INT64_MAX / 2) return cudaErrorInvalidValue;
  if (out_stride < d || gate_up_stride < 2 * d) return cudaErrorInvalidValue;
  if (!span_fits<__nv_bfloat16>(rows, out_stride, d) || !span_fits<__nv_bfloat16>(rows, gate_up_stride, 2 * d))
    return cudaErrorInvalidValue;
  if (rows == 0 || d == 0) return cudaSuccess;
  if (!is_usable(out) || !is_usable(gate_up)) return cudaErrorInvalidValue;

  const bool vector =
      is_aligned(out, 16) && is_aligned(gate_up, 16) && out_stride % kChunk == 0 && gate_up_stride % kChunk == 0 && d % kChunk == 0;
  const int64_t blocks_per_row = std::min(ceil_divide(d, kThreads * kChunk), kMaxGridY);
  const dim3 grid(static_cast<unsigned>(rows), static_cast<unsigned>(blocks_per_row));
  return launch(vector ? gate_and_multiply<true> : gate_and_multiply<false>, grid, dim3(kThreads), 0, stream, out, out_stride, gate_up,
                gate_up_stride, d, round_silu != 0);
}
