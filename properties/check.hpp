// Checks subjects against laws on the cases of a suite and on drawn ones: the matrix that `assay check` prints.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "fixtures/law.hpp"
#include "fixtures/suite/suite.hpp"
#include "properties/ledger.hpp"

namespace assay::properties {

/// What an entry of the ledger did in a cell.
struct KnownInCell {
  KnownFailure entry;
  int failed = 0, passed = 0;   // cases that it speaks of
  Case first;                   // that failed, or of those that passed where none did
  std::string failure;          // its reason
};

/// One cell of the matrix: a subject under a law.
struct Cell {
  std::string subject, law;
  Verdict verdict;                 // of all cases together
  int cases = 0;                   // that ran
  int skipped = 0, untrusted = 0;  // untrusted ones ran, and count as unchecked
  std::vector<std::string> skip_reasons;   // distinct ones
  std::string worst_case;          // line of the case with the largest share of the bound
  std::string untrusted_case, untrusted_reason;   // of the first untrusted one
  Reproducer smallest;             // of a failure, shrunk
  std::string first_failing;       // the case line it was shrunk from
  std::vector<KnownInCell> known;  // entries of the ledger that speak of any of the cases that ran
};

struct Plan {
  Suite suite;
  std::vector<const Subject*> subjects;
  std::vector<const Law*> laws;
  uint64_t seed = 1;
  int drawn_cases = 0;             // per subject, beyond the suite
  double seconds_to_shrink = 20;
  Ledger ledger{};
};

/// Told before each case, and now and then within long ones: how many of how many, and which. From one thread at a time.
using Progress = std::function<void(double done, size_t all, const std::string& what)>;

/// Laws of another backend are left out, unless there are no others. Stops a cell at its first failure that the ledger does not know, which
/// it shrinks; fails one in which an entry of the ledger saw cases pass and none fail. What passes is
/// Untrusted all the same if no case had an element to check, or none of `conforms` would reject exact values times 1.04, or times 1.001.
std::vector<Cell> check(const Plan&, const BenchSettings&, const Progress& = {});

/// The verdict of one reproducer: its law on its subject, or every law on every subject of the contract where it names none.
std::vector<Cell> reproduce(const Reproducer&, const BenchSettings&, const Progress& = {});

}  // namespace assay::properties
