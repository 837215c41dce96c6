// Hashes that tell whether two runs are of one thing: no protection against somebody who wants them to look so.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "fixtures/bench/bench.hpp"

namespace assay::properties {

/// FNV-1a (Fowler, Noll, Vo) of a text, begun with the hash of what stands before it.
uint64_t hash_of_text(std::string_view text, uint64_t before = 0);

/// Of a file, by 8 bytes at a time; of one that cannot be read as of an empty one.
uint64_t hash_of_file(const std::string& path);

/// Of the kernel image or the plug-in that a subject runs: results of another build are other results.
uint64_t hash_of_code(const Subject&, const BenchSettings&);

}  // namespace assay::properties
