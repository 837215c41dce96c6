// All files of tensors that the program reads, and those it writes of failures on them. Apart from replay.hpp, since HDF5 cannot be part of
// a shared library (Debian's is not position-independent).
#pragma once
#include "tools/tensors/replay.hpp"

namespace assay::tools {

/// A ReadCase: of .safetensors, HDF5 as h5py writes it, or a reproducer with contents.
GivenCase from_file(const Contract&, const Replay&);

/// Says in each cell that failed how to see it again: the reproducer that is written to the folder, its contents reduced where they are
/// few; without a folder the check of that cell.
void say_again(std::vector<properties::Cell>&, const properties::Plan&, const Replay&, const BenchSettings&, const std::string& folder);

}  // namespace assay::tools
