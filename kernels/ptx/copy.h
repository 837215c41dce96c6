// cp.async: copies from global to shared memory that run beside the thread which starts them.
#pragma once

#include "kernels/launch.h"

namespace assay {

#ifdef __CUDACC__

// Starts copying 16 bytes from global to shared memory, past L1; both addresses are multiples of 16.
__device__ __forceinline__ void cp_async16(void* shared, const void* global) {
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(global) : "memory");
}

// The same for the first `bytes` (0 to 16) of them, and zeros for the others: what lies behind a tensor's end is not read.
__device__ __forceinline__ void cp_async16_zfill(void* shared, const void* global, int bytes) {
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(global), "r"(bytes) : "memory");
}

// Closes the group of copies that this thread has started since its last commit.
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most N of this thread's groups are under way.
template <int N>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

#else

inline void cp_async16(void* shared, const void* global, simt::Site site = simt::here()) { simt::start_copy16(shared, global, 16, site); }

inline void cp_async16_zfill(void* shared, const void* global, int bytes, simt::Site site = simt::here()) {
  simt::start_copy16(shared, global, bytes, site);
}

inline void cp_async_commit() { simt::commit_copies(); }

template <int N>
void cp_async_wait() {
  simt::wait_copies(N);
}

#endif

}  // namespace assay
