// A case under laws, as a worker asks them one after the other, and what is known of it if its process dies on the way.
#pragma once
#include "fixtures/law.hpp"
#include "properties/crew/crew.hpp"
#include "properties/crew/verdicts.hpp"

namespace assay::properties {

/// Verdicts, and laws that are left to be asked in another process.
struct Asked {
  std::vector<LawVerdict> verdicts;
  std::vector<std::string> left;
  bool broken = false;  // the kernel left the GPU so that this process can no longer use it
};

/// The laws' verdicts, of those that apply; `conforms` is asked first, so that it speaks where a kernel dies whoever runs it. On a GPU that
/// a kernel left broken (is_broken) nobody else is asked.
Asked asked(Bench&, const Subject&, const std::vector<const Law*>&, const Case&, const Say&);

/// After some failures a GPU answers every later call with an error, until its process ends.
bool is_broken(const Bench&);

/// The same where the process died: a failure of the law that it was at (`first` where it had come to none).
Asked asked_by(const Reply& death, const std::string& first);

/// What stands for the verdict of a law that is left, where it is not asked again.
LawVerdict not_asked(const std::string& law);

}  // namespace assay::properties
