// What lies between two sets of bits of one case, as someone needs it who decides whether the new ones are right: which elements, how far
// apart, which side is nearer the exact value, and whether both conform.
#pragma once
#include "fixtures/bench/bench.hpp"
#include "golden/record.hpp"
#include "golden/tile.hpp"

namespace assay::golden {

/// One output.
struct TensorDifference {
  TensorSpec spec;
  Comparison comparison;
  uint64_t farthest = 0;                                      // in ulp, of the changes without NaN on either side
  uint64_t not_numbers = 0;                                   // changes with NaN on one side
  uint64_t found_nearer = 0, recorded_nearer = 0, equal = 0;  // of the changes held against the exact value
};

struct Explanation {
  std::string structure;                   // why the outputs cannot be compared; empty: they are those that were recorded
  std::vector<TensorDifference> tensors;   // with a difference
  uint64_t elements = 0;                   // that were compared
  std::string uncompared;                  // an output with elements none of which could be compared; empty: there is none
  std::optional<Verdict> found, recorded;  // the judge's, where something differs; none on recorded bits of which only hashes are known

  bool differs() const { return !tensors.empty() || !structure.empty(); }
};

/// Compares what a run left with a record of the same case, and judges both sides where they differ. `before`: the case's operands.
Explanation explain(const Bench&, const Subject&, const Case&, const Tensors& before, const Run& found, const Record& recorded);

/// One line: the first difference of the first output, how many, how far, who is nearer, who conforms.
std::string summary(const Explanation&);

/// Further lines: of each output the first few elements with their values, and the rows and columns that differ.
std::vector<std::string> details(const Explanation&);

}  // namespace assay::golden
