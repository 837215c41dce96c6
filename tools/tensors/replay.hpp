// A file of tensors as the one case of a check: .safetensors, HDF5 as h5py writes it, or a reproducer with contents.
#pragma once
#include "fixtures/given/given.hpp"
#include "properties/check.hpp"

namespace assay::tools {

struct Replay {
  std::string file;                // empty: none
  std::string line;                // words of a case line: what does not follow from shapes
  std::vector<std::string> names;  // "operand=tensor" where names differ
};

/// Throws BadInput with one line that names the file, the tensor, and what would be right.
GivenCase replayed(const Contract&, const Replay&);

/// Makes the plan one of this case: its subjects are those of one contract, which they or the line say, and its laws those that hold on any
/// contents. What it is of, for a report: the case, what was drawn, what was left aside. Throws BadInput.
std::string replay_into(properties::Plan&, const Replay&);

/// Says in each cell that failed how to see it again: the reproducer that is written to the folder, its contents reduced where they are
/// few; without a folder the check of that cell.
void say_again(std::vector<properties::Cell>&, const properties::Plan&, const Replay&, const BenchSettings&, const std::string& folder);

}  // namespace assay::tools
