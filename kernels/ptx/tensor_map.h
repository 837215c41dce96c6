// TMA: boxes of a matrix in global memory, copied into shared memory in the background by one thread.
//
//   host:    TensorMap map;
//            make_tensor_map<__nv_bfloat16>(&map, global, width, height, row_bytes, box_width, box_height, Swizzle::bytes128);
//   kernel:  (const __grid_constant__ TensorMap map, ...)
//            if (threadIdx.x == 0) { mbarrier_arrive_expect_tx(&full, bytes); load_box(tile, map, &full, x, y); }
//            mbarrier_wait(&full, parity);
//
// Elements outside the matrix are zeros and count as bytes all the same. The emulator lands a box when somebody waits for its mbarrier.
#pragma once

#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/wgmma.h"

#ifdef __CUDACC__
#include <cudaTypedefs.h>
#endif

namespace assay {

#ifdef __CUDACC__
struct TensorMap {
  CUtensorMap map{};
};
#else
struct TensorMap {
  simt::TensorMap2d map{};
};
#endif

// A map of a matrix of `height` rows of `width` elements, `row_bytes` apart, read in boxes. cudaErrorInvalidValue unless `global` and
// `row_bytes` are multiples of 16, a box has at most 256 x 256 elements and rows of a multiple of 16 bytes, as wide as the swizzle if there
// is one (narrower rows lie a swizzle's width apart in shared memory, which has no model).
template <class T>
cudaError_t make_tensor_map(TensorMap* map, const void* global, std::uint64_t width, std::uint64_t height, std::uint64_t row_bytes,
                            unsigned box_width, unsigned box_height, Swizzle swizzle) {
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4, "make_tensor_map: elements of 1, 2 or 4 bytes");
  const unsigned box_bytes = box_width * sizeof(T), swizzled = 256u >> static_cast<unsigned>(swizzle);
  if (reinterpret_cast<std::uintptr_t>(global) % 16 || row_bytes % 16 || row_bytes < width * sizeof(T) || width == 0 || height == 0 ||
      box_width == 0 || box_width > 256 || box_height == 0 || box_height > 256 || box_bytes % 16 ||
      (swizzle != Swizzle::none && box_bytes != swizzled))
    return cudaErrorInvalidValue;
#ifdef __CUDACC__
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
  if (error != cudaSuccess) return error;
  if (found != cudaDriverEntryPointSuccess) return cudaErrorNotSupported;
  constexpr CUtensorMapDataType type = sizeof(T) == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                       : sizeof(T) == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                                        : CU_TENSOR_MAP_DATA_TYPE_UINT32;
  constexpr CUtensorMapSwizzle swizzles[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_SWIZZLE_64B,
                                             CU_TENSOR_MAP_SWIZZLE_32B};
  const cuuint64_t sizes[] = {width, height}, strides[] = {row_bytes};
  const cuuint32_t box[] = {box_width, box_height}, steps[] = {1, 1};
  const CUresult result = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function)(
      &map->map, type, 2, const_cast<void*>(global), sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      swizzles[static_cast<unsigned>(swizzle)], CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
#else
  map->map = {static_cast<const char*>(global), sizeof(T), width, height, row_bytes, box_width, box_height, swizzle};
  return cudaSuccess;
#endif
}

// Starts copying the box whose first element is (x, y), which may lie outside, to `shared`, a multiple of 128 bytes. x elements are a
// multiple of 16 bytes: otherwise the GPU ends in an illegal instruction, and the emulator says so.
#ifdef __CUDACC__
__device__ __forceinline__ void load_box(void* shared, const TensorMap& map, std::uint64_t* barrier, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
                   ptx::shared_address(shared)),
               "l"(&map.map), "r"(ptx::shared_address(barrier)), "r"(x), "r"(y)
               : "memory");
}
#else
inline void load_box(void* shared, const TensorMap& map, std::uint64_t* barrier, int x, int y, simt::Site site = simt::here()) {
  simt::load_box(shared, map.map, barrier, x, y, site);
}
#endif

}  // namespace assay
