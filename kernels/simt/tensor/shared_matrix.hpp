// Where wgmma finds the elements of a matrix in shared memory (PTX ISA, "Shared Memory Matrix Layout").
//
// Everything is in units of 16 bytes. The swizzle moves a unit by address bits: bits 4.. are XORed with bits 7.., three of them for 128
// bytes, two for 64, one for 32. Hence a pattern repeats every 1024, 512 or 256 bytes, and tiles start at multiples of that.
#pragma once

#include "kernels/simt/tensor/api.hpp"

namespace simt {

inline unsigned swizzle_bytes(Swizzle swizzle) {
  switch (swizzle) {
    case Swizzle::none: return 16;
    case Swizzle::bytes32: return 32;
    case Swizzle::bytes64: return 64;
    case Swizzle::bytes128: return 128;
  }
  return 0;
}

inline const char* swizzled(Swizzle swizzle, const char* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return reinterpret_cast<const char*>(at ^ ((at >> 7 & (swizzle_bytes(swizzle) / 16 - 1)) << 4));
}

// Elements along k of one row (or column) are neighbours: unit `half` of its 32 bytes of k. `outer`: the row of A, the column of B.
inline const char* unit_along_k(const SharedMatrix& m, int outer, int half) {
  const auto row = static_cast<unsigned>(outer), unit = static_cast<unsigned>(half);
  const unsigned step = m.swizzle == Swizzle::none ? m.leading : 16;
  return swizzled(m.swizzle, m.start + row % 8 * swizzle_bytes(m.swizzle) + row / 8 * m.stride + unit * step);
}

// Transposed: 8 elements of 16 bits along the rows (or columns) are neighbours, from row 8 * `group` on.
inline const char* unit_along_outer(const SharedMatrix& m, int group, int k) {
  const auto unit = static_cast<unsigned>(group), row = static_cast<unsigned>(k);
  const unsigned width = swizzle_bytes(m.swizzle), units = width / 16;
  const unsigned across = m.swizzle == Swizzle::none ? m.stride : m.leading, down = m.swizzle == Swizzle::none ? m.leading : m.stride;
  return swizzled(m.swizzle, m.start + unit % units * 16 + unit / units * across + row % 8 * width + row / 8 * down);
}

}  // namespace simt
