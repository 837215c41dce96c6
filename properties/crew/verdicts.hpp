// Verdicts as lines of text, to travel between processes, to lie in a journal and in the report of a shard.
#pragma once
#include <string>
#include <string_view>

#include "fixtures/verdict.hpp"

namespace assay::properties {

struct LawVerdict {
  std::string law;
  Verdict verdict;
};

/// One line without tabs. Reading it back gives the verdict, every number to the last bit; of the reason only printable characters stay as
/// they are.
std::string to_text(const LawVerdict&);
/// Throws BadInput if it is none.
LawVerdict law_verdict_of(std::string_view text);

}  // namespace assay::properties
