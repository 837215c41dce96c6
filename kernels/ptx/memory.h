// Loads and stores that order memory between threads of the GPU. Pointers are generic.
#pragma once

#include "kernels/launch.h"

namespace assay {

#ifdef __CUDACC__

__device__ __forceinline__ int load_acquire(const int* address) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

__device__ __forceinline__ unsigned load_acquire(const unsigned* address) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

__device__ __forceinline__ void store_release(int* address, int value) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

__device__ __forceinline__ void store_release(unsigned* address, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

__device__ __forceinline__ void fence_acq_rel_gpu() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

#else

inline int load_acquire(const int* address, simt::Site site = simt::here()) {
  return static_cast<int>(simt::load_acquire(reinterpret_cast<const std::uint32_t*>(address), site));
}

inline unsigned load_acquire(const unsigned* address, simt::Site site = simt::here()) { return simt::load_acquire(address, site); }

inline void store_release(unsigned* address, unsigned value) { simt::store_release(address, value); }

inline void store_release(int* address, int value) {
  simt::store_release(reinterpret_cast<std::uint32_t*>(address), static_cast<std::uint32_t>(value));
}

inline void fence_acq_rel_gpu() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }

#endif

}  // namespace assay
