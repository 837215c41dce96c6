// Votes, warp reductions and matches.
#pragma once

#include <bit>
#include <type_traits>

#include "kernels/simt/device/keywords.hpp"

namespace simt {

inline unsigned ballot(Collective kind, unsigned mask, bool predicate, Site site) {
  const Exchange given = exchange(kind, mask, predicate, site);
  unsigned result = 0;
  for (unsigned lane = 0; lane < 32; ++lane) result |= static_cast<unsigned>(given.slots[lane] & 1) << lane;
  return result & static_cast<unsigned>(given.lanes);
}

template <class T, class Combine>
T reduce(Collective kind, unsigned mask, T value, Combine combine, Site site) {
  static_assert(std::is_same_v<T, int> || std::is_same_v<T, unsigned>, "__reduce_*_sync takes int or unsigned");
  const Exchange given = exchange(kind, mask, static_cast<unsigned>(value), site);
  T result = value;  // every operation is idempotent or leaves the own lane out
  for (auto lanes = static_cast<unsigned>(given.lanes) & ~(1u << current->lane); lanes; lanes &= lanes - 1)
    result = combine(result, static_cast<T>(static_cast<unsigned>(given.slots[std::countr_zero(lanes)])));
  return result;
}

}  // namespace simt

inline unsigned __activemask() { return simt::active_mask(); }

inline unsigned __ballot_sync(unsigned mask, int predicate, simt::Site site = simt::here()) {
  return simt::ballot(simt::Collective::ballot, mask, predicate != 0, site);
}

inline int __any_sync(unsigned mask, int predicate, simt::Site site = simt::here()) {
  return simt::ballot(simt::Collective::any, mask, predicate != 0, site) != 0;
}

inline int __all_sync(unsigned mask, int predicate, simt::Site site = simt::here()) {
  return simt::ballot(simt::Collective::all, mask, predicate == 0, site) == 0;
}

template <class T>
T __reduce_add_sync(unsigned mask, T value, simt::Site site = simt::here()) {
  const auto add = [](T a, T b) { return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); };
  return simt::reduce(simt::Collective::reduce_add, mask, value, add, site);
}

template <class T>
T __reduce_min_sync(unsigned mask, T value, simt::Site site = simt::here()) {
  return simt::reduce(
      simt::Collective::reduce_min, mask, value, [](T a, T b) { return b < a ? b : a; }, site);
}

template <class T>
T __reduce_max_sync(unsigned mask, T value, simt::Site site = simt::here()) {
  return simt::reduce(
      simt::Collective::reduce_max, mask, value, [](T a, T b) { return a < b ? b : a; }, site);
}

inline unsigned __reduce_and_sync(unsigned mask, unsigned value, simt::Site site = simt::here()) {
  return simt::reduce(
      simt::Collective::reduce_and, mask, value, [](unsigned a, unsigned b) { return a & b; }, site);
}

inline unsigned __reduce_or_sync(unsigned mask, unsigned value, simt::Site site = simt::here()) {
  return simt::reduce(
      simt::Collective::reduce_or, mask, value, [](unsigned a, unsigned b) { return a | b; }, site);
}

inline unsigned __reduce_xor_sync(unsigned mask, unsigned value, simt::Site site = simt::here()) {
  return simt::reduce(
      simt::Collective::reduce_xor, mask, value, [](unsigned a, unsigned b) { return a ^ b; }, site);
}

// Values are compared bit by bit, as the card does.
template <class T>
unsigned __match_any_sync(unsigned mask, T value, simt::Site site = simt::here()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_any_sync takes 4 or 8 bytes");
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(T));
  const simt::Exchange given = simt::exchange(simt::Collective::match_any, mask, word, site);
  unsigned equal = 0;
  for (unsigned lane = 0; lane < 32; ++lane) equal |= static_cast<unsigned>(given.slots[lane] == word) << lane;
  return equal & static_cast<unsigned>(given.lanes);
}

// The mask of the lanes if all of them gave the same value, else 0.
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all_equal, simt::Site site = simt::here()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_all_sync takes 4 or 8 bytes");
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(T));
  const simt::Exchange given = simt::exchange(simt::Collective::match_all, mask, word, site);
  bool equal = true;
  for (auto lanes = static_cast<unsigned>(given.lanes); lanes; lanes &= lanes - 1) equal &= given.slots[std::countr_zero(lanes)] == word;
  *all_equal = equal;
  return equal ? static_cast<unsigned>(given.lanes) : 0;
}
