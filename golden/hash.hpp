// Hashes of codes. The hash of several elements is the sum, modulo 2^64, of a mix of each code with its position. So one changed element
// always changes it (the mix is a bijection of the code), more than one go unseen with a chance of 2^-64, and what a single element must
// have been can be found again from the difference of two hashes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "oracles/tensor.hpp"

namespace assay::golden {

/// A bijection of 64-bit words: the finaliser of SplitMix64 (Steele, Lea, Flood 2014; constants: Stafford's variant 13).
constexpr uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// The share of one element. Positions count from 0.
constexpr uint64_t element_hash(uint64_t position, uint64_t code) {
  return mixed(code ^ mixed((position + 1) * 0x9E3779B97F4A7C15u));  // an odd step: positions stay distinct
}

/// The element's code, any NaN as the format's canonical one.
uint64_t canonical_code(const Tensor&, int64_t row, int64_t column);

/// Everything a kernel is given: inputs and tensors updated in place, names and NaN payloads included.
uint64_t hash_of_operands(const Tensors&);

/// Bytes of a file.
uint64_t hash_of_bytes(std::span<const std::byte>);

}  // namespace assay::golden
