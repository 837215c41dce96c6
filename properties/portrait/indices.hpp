// Indices in words: which rows, columns or tiles something happened in, as short as a pattern in them allows.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace assay::properties {

enum class Seen : uint8_t { nothing, unhit, hit };  // nothing: nobody looked there

/// Of what was looked at: "none", "all 64", "the last, 255", "the first 3: 0 to 2", "every 8th from 7", "16 to 31 modulo 64" (all of
/// these), "some of those that are 3 modulo 8", else up to six ranges "1, 5 to 9, 40 and 3 more".
std::string in_words(const std::vector<Seen>&);

}  // namespace assay::properties
