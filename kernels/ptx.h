// Inline PTX that kernels need, one wrapper an instruction: the instruction under nvcc, its model in the emulator.
//
// Kernels write no `asm` themselves, so that g++ can compile them. Memory scope is the GPU; pointers are generic.
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

// Starts copying 16 bytes from global to shared memory, past L1; both addresses are multiples of 16.
__device__ __forceinline__ void cp_async16(void* shared, const void* global) {
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(global) : "memory");
}

// Closes the group of copies that this thread has started since its last commit.
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most N of this thread's groups are under way.
template <int N>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

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

inline void cp_async16(void* shared, const void* global, simt::Site site = simt::here()) { simt::start_copy16(shared, global, site); }

inline void cp_async_commit() { simt::commit_copies(); }

template <int N>
void cp_async_wait() {
  simt::wait_copies(N);
}

#endif

}  // namespace assay
