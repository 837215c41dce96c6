// Newly recorded files against those that verify compares with, and the only way in which the latter change.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "fixtures/bench/bench.hpp"
#include "golden/record.hpp"

namespace assay::golden {

enum class Fate : uint8_t { same, changed, added, removed };
std::string_view name(Fate);

struct CaseChange {
  std::string line;
  Fate fate = Fate::same;
  std::string text;                  // one line: of a changed case what differs, how far, who is nearer, who conforms
  std::vector<std::string> details;  // further ones (golden/explain.hpp)
  std::string refusal;               // why it must not be approved, in one line; empty: it may
};

struct FileChange {
  std::filesystem::path file, place;  // where the new file lies, and where it belongs within the other folder
  Records records;                    // the new ones
  std::vector<CaseChange> cases;      // of both
  std::string unreadable{};           // why the standing file cannot be read; empty: it can, or there is none

  size_t count(Fate) const;
  bool refused() const;
};

/// What approving the files under `fresh` changes under `standing`. Refused is a case without a verdict or with a failed one, or whose tensors
/// are not its outputs in the form that they are recorded in; and, among cases that are added or changed, one whose operands are not those
/// that its line makes here, or whose codes the judge here fails. Codes are judged on both sides; of tiles only hashes are known, so there the verdict kept with them stands. Throws BadInput: no files, damaged
/// ones, unknown subjects or cases, two files for one place, a place outside.
std::vector<FileChange> changes_between(const std::filesystem::path& fresh, const std::filesystem::path& standing);

/// Copies each file beside its place, then renames all: what is there is the old file or the new one, whole. BadInput where that cannot be
/// written; then no file has been replaced, unless a rename itself failed.
void replace_files(const std::vector<FileChange>&, const std::filesystem::path& standing);

}  // namespace assay::golden
