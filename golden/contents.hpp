// A reproducer with contents: what a line cannot hold. A file as golden records lie in (golden/file.hpp), whose first words are "assay
// reproducer"; its HDF5 holds the reproducer's line, the law's reason, and the codes of every operand.
#pragma once
#include <filesystem>

#include "fixtures/case/case.hpp"

namespace assay::golden {

struct Contents {
  Reproducer reproducer;  // its fill and seed are those the operands were shrunk from
  std::string reason;
  Tensors operands;  // all that the kernel is given; gaps between rows are zero
};

/// Writes beside the path and renames. BadInput where it cannot be written.
void write_contents(const std::filesystem::path&, const Contents&);

/// Throws BadInput with the path where the file is none, or damaged, or its operands are not those of its case: other names, shapes or
/// formats, positions and indices that lie outside.
Contents read_contents(const std::filesystem::path&);

/// Whether the file's first words say that it is one.
bool holds_contents(const std::filesystem::path&);

/// Makes a folder for such files. BadInput where none can be written to it.
void check_folder(const std::filesystem::path&);

}  // namespace assay::golden
