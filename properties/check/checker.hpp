// What does the tasks of a check, in a worker process or in this one: says which cases of a subject there are, and tries a case under laws.
// Whatever calls into a plug-in is done here.
#pragma once
#include "properties/check/sheets.hpp"
#include "properties/crew/asked.hpp"
#include "properties/crew/tasks.hpp"

namespace assay::properties {

struct CheckerSettings {
  std::vector<const Subject*> subjects;
  std::vector<const Law*> laws;
  BenchSettings bench;
  uint64_t seed = 1;
  int drawn_cases = 0;  // of each subject
  Case given{};         // whose operands are not what its fill says, but
  Tensors operands{};   // these, unless there are none
};

Work checker(const CheckerSettings&);

std::string opening_task(const std::string& subject);
std::string case_task(const std::string& subject, const std::vector<std::string>& laws, const Case&);

/// Cases drawn for a subject, and what its cases must show; or how the process died that was asked.
struct Opening {
  SubjectSheet sheet;
  std::vector<Case> drawn;
};
Opening opening_of(const Subject&, std::string_view answer);

/// Verdicts of a case, and which of them stand for a process that ended.
void read_case(CaseSheet&, std::string_view answer);

/// Reads what came of either task. Where a process died on a case, or left its GPU broken, the laws that are left are asked in another one,
/// so that what one law says of a case does not depend on which others are asked.
Tasks::Outcome checkers_outcome(const std::string& task, const Reply&);

}  // namespace assay::properties
