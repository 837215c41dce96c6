// A cell of the matrix of subjects and laws, and how verdicts on single cases add up to it.
#pragma once
#include <string>
#include <vector>

#include "properties/ledger.hpp"

namespace assay::properties {

/// What an entry of the ledger did in a cell.
struct KnownInCell {
  KnownFailure entry;
  int failed = 0, passed = 0;   // cases that it speaks of
  Case first;                   // that failed, or of those that passed where none did
  std::string failure;          // its reason
};

/// Reasons that a cell keeps, so that what is said of it is bounded whatever cases there are.
inline constexpr size_t kSkipReasons = 8;

/// One cell of the matrix: a subject under a law.
struct Cell {
  std::string subject, law;
  Verdict verdict;                 // of all cases together
  int cases = 0;                   // that ran
  int skipped = 0, untrusted = 0;  // untrusted ones ran, and count as unchecked
  std::vector<std::string> skip_reasons;   // distinct ones, the first kSkipReasons
  int other_reasons = 0;           // cases skipped for others
  std::string worst_case;          // line of the case with the largest share of the bound
  std::string untrusted_case, untrusted_reason;   // of the first untrusted one
  Reproducer smallest;             // of a failure, shrunk
  std::string first_failing;       // the case line it was shrunk from
  std::string again;               // the command that shows the failure again, where no line can; empty: assay repro '<smallest>'
  std::vector<KnownInCell> known;  // entries of the ledger that speak of any of the cases that ran
};

/// Whether the law says something about the backend.
bool speaks_of(const Law&, Backend);

/// Those of the laws that speak of the backend; all of them where none does, so that each can say why it was skipped.
std::vector<const Law*> laws_for(const std::vector<const Law*>&, Backend);

std::vector<std::string> names_of(const std::vector<const Law*>&);

/// A cell for each law, nothing checked yet.
std::vector<Cell> cells_of(const std::string& subject, const std::vector<std::string>& laws);

/// Whether the ledger knows of the failure.
bool is_known(const Ledger&, std::string_view subject, std::string_view law, Backend, const Case&);

/// Adds the verdict on a case.
void add(Cell&, const Case&, const Verdict&);

/// Untrusted where no case of a cell could have told the answer from something that is none: vacuity over all of them.
void doubt_vacuous(Cell&);

/// Untrusted where cases of a suite set what one of them should show (Law::must_show), and none showed it.
void doubt_unshown(Cell&, const std::vector<std::string>& must_show);

}  // namespace assay::properties
