// A kernel of your own as a plug-in of Assay: residual add and RMSNorm in BF16, in place, one block a row.
#include "kernels/launch.h"   // first: it makes the file compile for the GPU and for the emulator

#include <cstdio>

#include <cub/block/block_reduce.cuh>

#include "fixtures/plugin/assay_plugin.h"

namespace {

constexpr int kThreads = 256;

__global__ void add_rms_norm(__nv_bfloat16* x, int64_t x_stride, __nv_bfloat16* residual, int64_t residual_stride,
                             const __nv_bfloat16* weight, int64_t d, float eps) {
  using Reduction = cub::BlockReduce<float, kThreads>;
  __shared__ typename Reduction::TempStorage storage;
  __shared__ float scale;
  x += blockIdx.x * x_stride, residual += blockIdx.x * residual_stride;

  // residual = x + residual, and the sum of its squares
  float sum = 0;
  for (int64_t i = threadIdx.x; i < d; i += kThreads) {
    const __nv_bfloat16 h = __float2bfloat16(__bfloat162float(x[i]) + __bfloat162float(residual[i]));
    residual[i] = h;
    sum += __bfloat162float(h) * __bfloat162float(h);
  }
  sum = Reduction(storage).Sum(sum);
  if (threadIdx.x == 0) scale = rsqrtf(sum / static_cast<float>(d) + eps);
  __syncthreads();

  // x = residual * scale * weight
  for (int64_t i = threadIdx.x; i < d; i += kThreads)
    x[i] = __float2bfloat16(__bfloat162float(residual[i]) * scale * __bfloat162float(weight[i]));
}

// ---- what Assay is told

int32_t run(const assay_call* call) {
  const int64_t rows = assay_whole(call->parameters, "rows"), d = assay_whole(call->parameters, "d");
  if (rows == 0) return 0;
  const cudaError_t error = assay::launch(
      add_rms_norm, static_cast<unsigned>(rows), kThreads, 0, static_cast<cudaStream_t>(call->stream),
      static_cast<__nv_bfloat16*>(assay_data(call, "x")), assay_stride(call, "x", 0),
      static_cast<__nv_bfloat16*>(assay_data(call, "residual")), assay_stride(call, "residual", 0),
      static_cast<const __nv_bfloat16*>(assay_data(call, "weight")), d,
      static_cast<float>(assay_real(call->parameters, "eps")));
  return error == cudaSuccess ? 0 : assay_say(call->error, call->error_capacity, cudaGetErrorString(error), error);
}

// The longest way of a square into the sum: its thread's chain (the first addition, to 0, is exact), 5 steps within a warp, 7 more warps.
[[maybe_unused]] int32_t arithmetic_of(const assay_parameters* parameters, char* text, size_t capacity) {
  const long long links = (assay_whole(parameters, "d") + kThreads - 1) / kThreads;
  std::snprintf(text, capacity,
                "sum: fp32 sum of depth %lld (256 chains, then 32 lanes as a tree and 8 warps in order); mean: 1 fp32 rounding; "
                "epsilon: 1 fp32 rounding; rsqrt: rsqrtf within 5*2^-24 relative (CUDA guide: 2 ulp); normalise: 1 fp32 rounding; "
                "weight: 1 fp32 rounding",
                links - 1 + 5 + 7);
  return 0;
}

const assay_expected_tensor expected[] = {{"x", ASSAY_BFLOAT, 16}, {"residual", ASSAY_BFLOAT, 16}, {"weight", ASSAY_BFLOAT, 16}};

const assay_kernel kernels[] = {{
    "fused_add_rms_norm",                // contract
    "my_rms_norm",                       // name
    "one block a row, CUB's reduction",  // summary
    nullptr,                             // arithmetic, where one text fits all shapes
    1,                                   // repeatable: two runs give the same bits
    1,                                   // batch-invariant: a row's result does not depend on the others
    1,                                   // queues: all work goes to call->stream, and run() does not wait for it
    nullptr,                             // supports: everything
    nullptr,                             // workspace: none
    run,
    nullptr,                             // arithmetic_of
    expected, 3,
}};

const assay_plugin_description description = {ASSAY_PLUGIN_HEADER, "my_kernels", 1, kernels};

}  // namespace

extern "C" ASSAY_PLUGIN_EXPORT const assay_plugin_description* assay_plugin(void) { return &description; }
