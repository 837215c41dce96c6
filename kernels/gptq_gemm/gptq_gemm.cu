#include "kernels/launch.h"

#include "kernels/gptq_gemm/gptq_gemm.h"

#include "kernels/common/arguments.h"
#include "kernels/gptq_gemm/gptq_few_rows.cuh"
#include "kernels/gptq_gemm/gptq_many_rows.cuh"

namespace assay {
namespace {

constexpr int64_t kMaxK = int64_t{1} << 31;

template <int kRows>
cudaError_t launch_in_order(const GptqProblem& p, cudaStream_t stream) {
  const int64_t tiles = ceil_divide(p.m, kRows) * ceil_divide(p.weights.n, kColumns);
  if (tiles > kMaxGridX) return cudaErrorInvalidValue;
  return launch(multiply_in_order<kRows>, dim3(static_cast<unsigned>(tiles)), dim3(32 * kWarps<kRows>), 0, stream, p);
}

template <int kRows>
cudaError_t launch_atomically(const GptqProblem& p, cudaStream_t stream) {
  const int64_t tiles = ceil_divide(p.m, kRows) * ceil_divide(p.weights.n, kColumns);
  const int64_t parts = ceil_divide(p.weights.k, kBlockK * kWarps<kRows>), clear_blocks = ceil_divide(p.m * p.weights.n, 512);
  if (tiles > kMaxGridX / parts || clear_blocks > kMaxGridX) return cudaErrorInvalidValue;
  const cudaError_t error =
      launch(clear, dim3(static_cast<unsigned>(clear_blocks)), dim3(256), 0, stream, p.y, p.y_stride, p.m, p.weights.n);
  if (error != cudaSuccess) return error;
  const dim3 grid(static_cast<unsigned>(tiles * parts));
  return launch(multiply_atomically<kRows>, grid, dim3(32 * kWarps<kRows>), 0, stream, p, tiles);
}

template <int kRows>
cudaError_t launch_rows(const GptqProblem& p, int addition, cudaStream_t stream) {
  return addition == kGptqAtomic ? launch_atomically<kRows>(p, stream) : launch_in_order<kRows>(p, stream);
}

// How many rows share a block is a matter of speed alone.
cudaError_t multiply_few_rows(const GptqProblem& p, int addition, cudaStream_t stream) {
  if (p.m == 1) return launch_rows<1>(p, addition, stream);
  if (p.m == 2) return launch_rows<2>(p, addition, stream);
  if (p.m <= 4) return launch_rows<4>(p, addition, stream);
  return launch_rows<kMaxRows>(p, addition, stream);
}

}  // namespace
}  // namespace assay

cudaError_t gptq_gemm(__half* y, int64_t y_stride, const __half* x, int64_t x_stride, const uint32_t* w, int64_t w_stride,
                      const uint32_t* zeros, int64_t zeros_stride, const __half* scale, int64_t scale_stride, const int32_t* perm,
                      int64_t m, int64_t n, int64_t k, int64_t group, int zero_offset, int addition, __half* workspace,
                      cudaStream_t stream) {
  using namespace assay;
  const bool many = m > kGptqFewRows;
  if (m < 0 || n < 0 || n % 8 != 0 || k <= 0 || k % 8 != 0 || k >= kMaxK) return cudaErrorInvalidValue;
  if (group <= 0 || group % 8 != 0 || k % group != 0 || (zero_offset != 0 && zero_offset != 1)) return cudaErrorInvalidValue;
  if (addition != kGptqInOrder && addition != kGptqAtomic) return cudaErrorInvalidValue;
  if (y_stride < n || x_stride < k || w_stride < n || zeros_stride < n / 8 || scale_stride < n) return cudaErrorInvalidValue;
  if (!span_fits<__half>(m, y_stride, n) || !span_fits<__half>(m, x_stride, k) || !span_fits<uint32_t>(k / 8, w_stride, n) ||
      !span_fits<uint32_t>(k / group, zeros_stride, n / 8) || !span_fits<__half>(k / group, scale_stride, n) ||
      !span_fits<__half>(k, n, n)) {
    return cudaErrorInvalidValue;
  }
  if (m == 0 || n == 0) return cudaSuccess;
  if (!is_usable(y) || !is_usable(x) || !is_usable(w) || !is_usable(zeros) || !is_usable(scale)) return cudaErrorInvalidValue;
  if (perm != nullptr && !is_usable(perm)) return cudaErrorInvalidValue;
  if (many && (workspace == nullptr || !is_aligned(workspace, 16))) return cudaErrorInvalidValue;

  const bool paired_y = is_aligned(y, 4) && y_stride % 2 == 0, paired_w = is_aligned(w, 8) && w_stride % 2 == 0;
  if (addition == kGptqAtomic && !many && !paired_y) return cudaErrorInvalidValue;
  const int depth = static_cast<int>(k), group_depth = static_cast<int>(group);
  const GptqWeights weights{w, zeros, scale, w_stride, zeros_stride, scale_stride, n, depth, group_depth, zero_offset};
  if (many) return multiply_many_rows(y, y_stride, x, x_stride, perm, m, weights, workspace, stream);
  return multiply_few_rows({weights, y, x, perm, y_stride, x_stride, m, paired_y, paired_w}, addition, stream);
}
