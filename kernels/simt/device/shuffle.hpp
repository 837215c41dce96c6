// Shuffles of any trivially copyable type of up to 8 bytes, with any mask and width. A read from a lane that takes no part is reported.
#pragma once

#include <type_traits>

#include "kernels/simt/device/keywords.hpp"

namespace simt {

// `source` is the lane to read, or negative to keep the own value.
template <class T>
__attribute__((always_inline)) inline T shuffle(Collective kind, unsigned mask, T value, int source, Site site) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>, "shuffles move at most 8 bytes: split the value");
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(T));
  const Exchange given = exchange(kind, mask, word, site);
  if (source < 0) return value;
  if (!(given.lanes >> source & 1)) fail_shuffle(site, source, mask, static_cast<unsigned>(given.lanes));
  std::memcpy(static_cast<void*>(&value), given.slots + source, sizeof(T));
  return value;
}

inline int lane() { return static_cast<int>(current->lane); }

}  // namespace simt

template <class T>
__attribute__((always_inline)) inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, simt::Site site = simt::here()) {
  const int first = simt::lane() & ~(width - 1);
  return simt::shuffle(simt::Collective::shuffle, mask, value, first | (source & (width - 1)), site);
}

template <class T>
__attribute__((always_inline)) inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                                                       simt::Site site = simt::here()) {
  const int lane = simt::lane(), first = lane & ~(width - 1), source = lane - static_cast<int>(delta & 31);
  return simt::shuffle(simt::Collective::shuffle_up, mask, value, source < first ? -1 : source, site);
}

template <class T>
__attribute__((always_inline)) inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                                                         simt::Site site = simt::here()) {
  const int lane = simt::lane(), last = lane | (width - 1), source = lane + static_cast<int>(delta & 31);
  return simt::shuffle(simt::Collective::shuffle_down, mask, value, source > last ? -1 : source, site);
}

template <class T>
__attribute__((always_inline)) inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32,
                                                        simt::Site site = simt::here()) {
  const int lane = simt::lane(), last = lane | (width - 1), source = lane ^ (lane_mask & 31);
  return simt::shuffle(simt::Collective::shuffle_xor, mask, value, source > last ? -1 : source, site);
}
