// A mutant on trial: which laws see it, how soon, on how small a case, and what the accept rules of other suites would have said of the same
// outputs.
#pragma once
#include <string>
#include <vector>

#include "fixtures/subject.hpp"
#include "properties/generators/search.hpp"
#include "properties/mutants/mutant.hpp"

namespace assay::properties {

enum class Fate : uint8_t {
  killed,
  survived,     // no law saw it
  unaccused,    // benign or equivalent, and no law said otherwise
  accused,      // benign or equivalent, and a law failed it: a false alarm, or a declaration that is wrong
  unusable,     // never counted: it was not built, or hangs
};
std::string_view name(Fate);

struct Trial {
  Mutant mutant;
  Fate fate = Fate::survived;
  std::string reason;               // killed, accused: the first law's words; unusable: why
  std::vector<std::string> laws;    // that failed on the first case that any failed on
  int cases = 0;                    // tried, that one among them
  double seconds = 0;               // until then; all of them if none failed
  Case first, smallest;             // the first case, and what it shrinks to under the first law
  std::vector<bool> accepted;       // by each of accept_rules(), on `compared_on`
  std::string compared_on;          // a case line; empty: the outputs could not be compared
};

/// How cases are drawn that are to show a fault of the subject: small, and none that it refuses.
Search search_for_faults(const Subject&, int cases, uint64_t seed = 1);

struct TrialSettings {
  uint64_t seed = 1;
  int cases = 400;          // drawn ones, if the mutant names none
  int benign_cases = 100;   // for benign and equivalent ones
  std::filesystem::path kernels;   // their sources: a mutant must apply to them, and its image be younger than its file; empty: not looked at
};

/// Its kernel image lies beside the program (fixtures/image).
Trial try_mutant(const Mutant&, const TrialSettings&);

/// A mutant file that cannot be read is unusable, with the reason.
Trial try_mutant_file(const std::filesystem::path&, const TrialSettings&);

}  // namespace assay::properties
