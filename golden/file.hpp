// Golden files. A file is HDF5 behind a block of 512 bytes (HDF5's "user block") whose text says what it is:
//
//   assay golden records, form 1
//   bytes 81234
//   hash 0123456789abcdef
//
// (or "assay reproducer, form 1"), with the number and the hash (golden/hash) of all bytes after the block. So a foreign, truncated, damaged
// or newer file is known before HDF5 looks at it. Everything wrong is thrown as BadInput: one line with the path, what is wrong and what
// would be right.
#pragma once
#include <filesystem>
#include <span>
#include <string_view>

#include "golden/record.hpp"

namespace assay::golden {

/// Counted up whenever an older program could not read what a newer one writes.
inline constexpr int kForm = 1;

/// The first 512 bytes of a file before this content. `what`: "golden records" or "reproducer".
std::string block_of(std::string_view what, std::span<const std::byte> content);

Records read_file(const std::filesystem::path&);

/// Makes the folder, writes beside the path and renames, so that nobody meets half a file.
void write_file(const std::filesystem::path&, const Records&);

/// The same of a reproducer's contents (golden/contents.hpp).
StoredContents read_stored_contents(const std::filesystem::path&);
void write_stored_contents(const std::filesystem::path&, const StoredContents&);

}  // namespace assay::golden
