// Small deterministic random numbers for schedules and samples (splitmix64: a bijective mix of a counter).
#pragma once

#include <cstdint>

namespace simt {

inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return mix(mix(a) ^ b); }

struct Random {
  std::uint64_t state = 0;

  std::uint64_t next() { return mix(state++); }
  // 0 <= result < n; the bias of the product is below n / 2^32, which no schedule notices.
  unsigned below(unsigned n) { return static_cast<unsigned>((next() >> 32) * n >> 32); }
};

}  // namespace simt
