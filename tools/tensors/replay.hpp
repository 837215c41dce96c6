// A file of tensors as the one case of a check.
#pragma once
#include "fixtures/given/given.hpp"
#include "properties/check.hpp"

namespace assay::tools {

struct Replay {
  std::string file;                // empty: none
  std::string line;                // words of a case line: what does not follow from shapes
  std::vector<std::string> names;  // "operand=tensor" where names differ
};

/// The case of a file. Throws BadInput with one line that names the file, the tensor, and what would be right.
using ReadCase = GivenCase (*)(const Contract&, const Replay&);
GivenCase from_safetensors(const Contract&, const Replay&);
GivenCase from_tensors(const Contract&, const Replay&, const std::vector<GivenTensor>&);

/// Makes the plan one of this case: its subjects are those of one contract, which they or the line say, and its laws those that hold on any
/// contents. What it is of, for a report: the case, what was drawn, what was left aside. Throws BadInput.
std::string replay_into(properties::Plan&, const Replay&, ReadCase);

}  // namespace assay::tools
