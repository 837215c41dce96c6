// Checks subjects against laws on the cases of a suite and on drawn ones: the matrix that `assay check` prints.
#pragma once
#include <functional>

#include "fixtures/suite/suite.hpp"
#include "properties/cell.hpp"

namespace assay::properties {

struct Plan {
  Suite suite;
  std::vector<const Subject*> subjects;
  std::vector<const Law*> laws;
  uint64_t seed = 1;
  int drawn_cases = 0;             // per subject, beyond the suite
  double seconds_to_shrink = 20;
  Ledger ledger{};
  Tensors operands{};              // of the suite's only case, whatever its fill says; none: as it says. A failure on them is not shrunk
};

/// Told before each case, and now and then within long ones: how many of how many, and which. From one thread at a time.
using Progress = std::function<void(double done, size_t all, const std::string& what)>;

/// Laws of another backend are left out, unless there are no others. Stops a cell at its first failure that the ledger does not know, which
/// it shrinks; fails one in which an entry of the ledger saw cases pass and none fail. What passes is
/// Untrusted all the same if no case had an element to check, or none of `conforms` would reject exact values times 1.04, or times 1.001.
std::vector<Cell> check(const Plan&, const BenchSettings&, const Progress& = {});

/// The verdict of one reproducer: its law on its subject, or every law on every subject of the contract where it names none.
/// `operands`: instead of what the case's fill says, unless there are none.
std::vector<Cell> reproduce(const Reproducer&, const Tensors& operands, const BenchSettings&, const Progress& = {});

}  // namespace assay::properties
