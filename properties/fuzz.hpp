// Fuzzing: cases drawn where they are thinnest (fuzz/coverage.hpp), each under all laws that apply; failures shrunk, and grouped by law and
// by the region in which they fail. What it gives is plain data, for a report to be made from.
#pragma once
#include "properties/cell.hpp"
#include "properties/crew/crew.hpp"
#include "properties/fuzz/coverage.hpp"
#include "properties/fuzz/examiner.hpp"

namespace assay::properties {

/// What a case costs at most (generators/cases.hpp). On the emulator two tiles of two slices each of a Marlin product (properties/trial.cpp),
/// or, where nothing is multiplied, a thousand rows: both take milliseconds. On a GPU the judge's time counts, 1e9 a second and core.
inline double fuzzed_work(const Contract& contract, Backend backend) {
  return !is_emulated(backend) ? 1e7 : contract.product ? 1.5e5 : 6e5;
}

struct FuzzPlan {
  std::vector<const Subject*> subjects;  // of one contract
  uint64_t seed = 1;
  int64_t cases = 0;             // of each subject; 0: no limit, `seconds` is one
  double seconds = 0;            // of all runs on the journal together; 0: no limit
  Limits limits{.patience = 120};  // a small case under all laws takes milliseconds, thousands of tries of a reduction some seconds
  int jobs = 1;                  // processes; with `cases` alone the findings do not depend on how many
  double multiply_adds = 1.5e5;  // of a case at most
  bool contents = true;          // reduce the contents of what fails, too
  Ledger ledger{};              // failures that it knows are none here
  std::string journal;           // a file to write what was learned to, and to go on from; empty: none
};

/// A law that sees a finding.
struct Accusation {
  std::string law;
  int64_t cases = 0;    // that it failed on
  std::string first;    // line of the first
  Reproducer smallest;  // what that shrinks to
  std::string reason;   // of the smallest
};

/// Where a finding fails: of one parameter (or "fill"), the others as in the smallest case.
struct FailingRegion {
  std::string name;
  std::vector<std::string> failing, passing;  // buckets
};

/// Failures that are one as far as can be seen: a law in common, its complaint in the same words, within one region.
struct Finding {
  std::string subject;
  std::vector<Accusation> laws;  // the one it was shrunk under first
  std::vector<FailingRegion> region;
  int64_t cases = 0;               // that failed
  bool shrunk = true;              // false: time ran out
  bool explored = true;            // where it fails; false: time ran out
  std::vector<Contents> contents;  // operands of the smallest case, as simple as they can be; empty: not reduced
  std::string contents_reason;     // what the law says of them
};

struct SubjectFuzzed {
  std::string subject;
  int64_t cases = 0, failing = 0, unchecked = 0;  // unchecked: `conforms` skipped them, or proved too little
  std::vector<RegionCount> regions;               // all there are, tried or not
  size_t pairs = 0;                               // of regions, that were met
  std::vector<SeenCodes> codes;                   // by operand
  Shares shares;                                  // cases by their largest, under `conforms`
};

struct Fuzzed {
  std::string contract;
  std::vector<SubjectFuzzed> subjects;
  std::vector<Cell> cells;  // subject x law
  std::vector<Finding> findings;
  int64_t cases = 0, remembered = 0;  // all; of these, from the journal
  double seconds = 0;                 // of this run
  double seconds_before = 0;          // of those before it
};

/// Told now and then: cases done, of how many (0: no limit), and seconds of all runs.
using FuzzProgress = std::function<void(int64_t done, int64_t all, double seconds)>;

/// Ends when `cases` or `seconds` are used up. Throws BadInput for a journal that cannot be used (fuzz/journal.hpp), or an image.
Fuzzed fuzz(const FuzzPlan&, const BenchSettings&, const FuzzProgress& = {});

}  // namespace assay::properties
