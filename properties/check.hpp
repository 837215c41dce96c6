// Checks subjects against laws on the cases of a suite and on drawn ones: the matrix that `assay check` prints.
#pragma once
#include <functional>

#include "fixtures/suite/suite.hpp"
#include "properties/check/sheets.hpp"
#include "properties/crew/crew.hpp"

namespace assay::properties {

/// A part of a run: of its cases, counted over all subjects, every `of`th from number `index` - 1 on.
struct Shard {
  int index = 1, of = 1;
};
std::string shard_text(const Shard&);   // "shard 1/4"

struct Plan {
  Suite suite;
  std::vector<const Subject*> subjects;
  std::vector<const Law*> laws;
  uint64_t seed = 1;
  int drawn_cases = 0;             // per subject, beyond the suite
  double seconds_to_shrink = 1e9;  // a failure; besides, what that may cost is counted (check/run.cpp)
  Ledger ledger{};
  Tensors operands{};              // of the suite's only case, whatever its fill says; none: as it says. A failure on them is not shrunk
  int jobs = 0;                    // processes that run the cases; 0: this one. What is found does not depend on it
  Limits limits{};                 // of these processes
  Shard shard{};
  std::string journal{};           // a file to write what was learned to, and to go on from; empty: none
};

/// Told before each case, and now and then within long ones: how many of how many, and which. From one thread at a time.
using Progress = std::function<void(double done, size_t all, const std::string& what)>;

/// Laws of another backend are left out, unless there are no others. Stops a cell at its first failure that the ledger does not know, which
/// it shrinks; fails one in which an entry of the ledger saw cases pass and none fail. What passes is
/// Untrusted all the same if no case had an element to check, or none of `conforms` would reject exact values times 1.04, or times 1.001.
/// With processes a kernel that ends its own, or gives no answer in time, fails the law that it was asked by; the run goes on in another
/// process.
/// `sheets`: what single cases gave, where it is wanted.
std::vector<Cell> check(const Plan&, const BenchSettings&, const Progress& = {}, Sheets* sheets = nullptr);

/// One line of words name=value that two runs have in common if and only if they give the same: suite, cases, subjects with the hashes of
/// their code, laws, ledger, limits, and the program.
std::string identity(const Plan&, const BenchSettings&);

/// How the case of a reproducer is run.
struct Isolation {
  int jobs = 0;   // as in a plan
  Limits limits{};
};

/// The verdict of one reproducer: its law on its subject, or every law on every subject of the contract where it names none.
/// `operands`: instead of what the case's fill says, unless there are none.
std::vector<Cell> reproduce(const Reproducer&, const Tensors& operands, const BenchSettings&, const Progress& = {}, const Isolation& = {});

}  // namespace assay::properties
