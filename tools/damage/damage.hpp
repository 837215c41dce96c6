// Damage, for the tests of what reads files: deterministic, so that a seed names it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace assay::tools {

/// One of the texts with one to four faults: flipped bits, an end cut off, blocks swapped, repeated, erased or overwritten by those of
/// another text, lengths and numbers that are none (zero, all ones, 2^31, 2^40, 2^63), brackets nested some thousand deep.
std::string damaged(const std::vector<std::string>& whole, uint64_t seed);

}  // namespace assay::tools
