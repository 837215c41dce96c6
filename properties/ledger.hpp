// The ledger of known failures, as data: what a check reports as `known` and does not fail for. An entry whose failure no longer happens is
// itself a failure, so that the ledger holds nothing but what is so.
//
//   [[failure]]
//   subject = "gptq_*"                     # names, with * and ?
//   law = "conforms"
//   backend = "cuda"                       # optional: emu, checked or cuda
//   case = "* act_order=1 *"               # optional: lines of cases, with * and ?
//   reason = "what is wrong, and why it stays for now"
//   link = "https://..."                   # where that is kept track of
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fixtures/law.hpp"

namespace assay::properties {

struct KnownFailure {
  std::string subject, law, line = "*";  // patterns; `line` of the case
  std::optional<Backend> backend;        // none: every one
  std::string reason, link;
  std::string place;  // "ledger known.toml, line 3"

  bool speaks_of(std::string_view subject, std::string_view law, Backend, const Case&) const;
};

using Ledger = std::vector<KnownFailure>;

/// A file's, or the one that is built into the program. Throws BadInput with file, line and what is wrong: malformed, or an entry whose
/// subject or law does not exist (any more).
Ledger load_ledger(const std::string& path);
Ledger parse_ledger(const std::string& name, std::string_view text);
Ledger committed_ledger();

}  // namespace assay::properties
