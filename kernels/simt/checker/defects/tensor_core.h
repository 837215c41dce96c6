// What defects and controls with wgmma and TMA share: a product with ones that a warpgroup starts, and a box of x that TMA brings.
#pragma once

#include "kernels/ptx.h"
#include "kernels/simt/checker/defects/defect.h"

constexpr int kThreads = 128;     // a warpgroup
constexpr int kBoxBytes = 1024;   // eight rows of 128 bytes, of which x has four

// Eight columns of eight k in FP32.
using Multiply = assay::Wgmma<assay::Tf32, 8>;

// Starts the product of ones with `operand`, and does not wait for it.
__device__ __forceinline__ void start(Multiply::Sums& sums, assay::SharedMatrix operand, bool add = false) {
  constexpr std::uint32_t kOnes[4] = {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000};
  assay::wgmma_fence(sums);
  Multiply::multiply(sums, kOnes, operand, add);
  assay::wgmma_commit();
}

// A tile of 64 floats, unswizzled: two times eight rows of 16 bytes.
__device__ __forceinline__ auto small_tile(const float* tile) { return assay::shared_matrix<assay::Swizzle::none>(tile, 128, 256); }
__device__ __forceinline__ auto box_tile(const float* tile) { return assay::shared_matrix<assay::Swizzle::bytes128>(tile, 16, 1024); }

// By all threads: `full` is there for everyone, and completes whenever a box has landed.
__device__ __forceinline__ void make_barrier(std::uint64_t* full) {
  if (threadIdx.x == 0) {
    assay::mbarrier_init(full, 1);
    assay::mbarrier_fence_init();
  }
  __syncthreads();
}

// By one thread.
__device__ __forceinline__ void ask_for_box(float* tile, const assay::TensorMap& map, std::uint64_t* full) {
  assay::mbarrier_arrive_expect_tx(full, kBoxBytes);
  assay::load_box(tile, map, full, 0, 0);
}

inline cudaError_t launch_on_boxes(void (*kernel)(float*, assay::TensorMap), float* y, const float* x, int dynamic_shared = 0) {
  assay::TensorMap map;
  const cudaError_t error =
      assay::make_tensor_map<float>(&map, x, kColumns, kRows, kStride * sizeof(float), 32, 8, assay::Swizzle::bytes128);
  return error != cudaSuccess ? error : assay::launch(kernel, kRows, kThreads, dynamic_shared, nullptr, y, map);
}
