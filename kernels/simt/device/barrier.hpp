// Barriers and fences.
#pragma once

#include "kernels/simt/device/keywords.hpp"

inline void __syncthreads(simt::Site site = simt::here()) { simt::barrier(site); }

inline int __syncthreads_count(int predicate, simt::Site site = simt::here()) { return simt::barrier_votes(predicate != 0, site).yes; }

inline int __syncthreads_or(int predicate, simt::Site site = simt::here()) { return simt::barrier_votes(predicate != 0, site).yes != 0; }

inline int __syncthreads_and(int predicate, simt::Site site = simt::here()) {
  const simt::Votes votes = simt::barrier_votes(predicate != 0, site);
  return votes.yes == votes.voters;
}

inline void __syncwarp(unsigned mask = 0xffffffffu, simt::Site site = simt::here()) {
  simt::exchange(simt::Collective::sync_warp, mask, 0, site);
}

inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

inline void __nanosleep(unsigned, simt::Site site = simt::here()) { simt::nap(site); }
[[noreturn]] inline void __trap(simt::Site site = simt::here()) { simt::fail(site, "__trap was reached"); }
