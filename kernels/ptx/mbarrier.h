// mbarrier: barriers in shared memory that count arrivals and bytes. An object is a std::uint64_t in shared memory.
//
// One thread initialises it, calls mbarrier_fence_init(), and all meet at __syncthreads(). A phase ends when as many threads have arrived
// as mbarrier_init said and all bytes that were announced have landed; phases have parity 0, 1, 0, ... A wait for the parity of the phase
// before the first one succeeds at once.
#pragma once

#include "kernels/launch.h"
#ifndef __CUDACC__
#include "kernels/simt/tensor/api.hpp"
#endif

namespace assay {

#ifdef __CUDACC__

namespace ptx {
__device__ __forceinline__ unsigned shared_address(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }
}  // namespace ptx

__device__ __forceinline__ void mbarrier_init(std::uint64_t* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(ptx::shared_address(barrier)), "r"(arrivals) : "memory");
}
// Makes initialised objects known to TMA.
__device__ __forceinline__ void mbarrier_fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ __forceinline__ void mbarrier_arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(ptx::shared_address(barrier)) : "memory");
}
// Announces bytes that TMA will bring in this phase.
__device__ __forceinline__ void mbarrier_expect_tx(std::uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(ptx::shared_address(barrier)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void mbarrier_arrive_expect_tx(std::uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(ptx::shared_address(barrier)), "r"(bytes) : "memory");
}

// Whether the phase of this parity has ended; test_wait answers at once, try_wait may let some time pass.
#define ASSAY_MBARRIER_WAIT(name, instruction)                                                                        \
  __device__ __forceinline__ bool name(std::uint64_t* barrier, unsigned parity) {                                     \
    int ended;                                                                                                        \
    asm volatile("{.reg .pred p; mbarrier." instruction ".parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}" \
                 : "=r"(ended)                                                                                        \
                 : "r"(ptx::shared_address(barrier)), "r"(parity)                                                     \
                 : "memory");                                                                                         \
    return ended;                                                                                                     \
  }
ASSAY_MBARRIER_WAIT(mbarrier_test_wait, "test_wait")
ASSAY_MBARRIER_WAIT(mbarrier_try_wait, "try_wait")
#undef ASSAY_MBARRIER_WAIT

__device__ __forceinline__ void mbarrier_wait(std::uint64_t* barrier, unsigned parity) {
  while (!mbarrier_try_wait(barrier, parity)) {
  }
}

#else

inline void mbarrier_init(std::uint64_t* barrier, unsigned arrivals, simt::Site site = simt::here()) {
  simt::mbarrier_init(barrier, arrivals, site);
}
inline void mbarrier_fence_init() {}
inline void mbarrier_arrive(std::uint64_t* barrier, simt::Site site = simt::here()) { simt::mbarrier_arrive(barrier, 1, site); }
inline void mbarrier_expect_tx(std::uint64_t* barrier, unsigned bytes, simt::Site site = simt::here()) {
  simt::mbarrier_expect(barrier, bytes, site);
}
inline void mbarrier_arrive_expect_tx(std::uint64_t* barrier, unsigned bytes, simt::Site site = simt::here()) {
  simt::mbarrier_expect(barrier, bytes, site);
  simt::mbarrier_arrive(barrier, 1, site);
}
inline bool mbarrier_test_wait(std::uint64_t* barrier, unsigned parity, simt::Site site = simt::here()) {
  return simt::mbarrier_wait(barrier, parity, site);
}
inline bool mbarrier_try_wait(std::uint64_t* barrier, unsigned parity, simt::Site site = simt::here()) {
  return simt::mbarrier_wait(barrier, parity, site);
}
inline void mbarrier_wait(std::uint64_t* barrier, unsigned parity, simt::Site site = simt::here()) {
  while (!simt::mbarrier_wait(barrier, parity, site)) {
  }
}

#endif

}  // namespace assay
