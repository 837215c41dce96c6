#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "golden/approve.hpp"
#include "golden/store.hpp"
#include "oracles/parameters.hpp"
#include "tools/assay/commands.hpp"
#include "tools/assay/golden.hpp"

namespace assay::tools {
namespace {

namespace fs = std::filesystem;
using golden::CaseChange;
using golden::Fate;
using golden::FileChange;

constexpr size_t kShown = 20;  // cases of a file

void print(const CaseChange& c) {
  fmt::print("  {:<8} {}\n", name(c.fate), c.line);
  if (!c.text.empty()) fmt::print("    {}\n", c.text);
  for (const std::string& line : c.details) fmt::print("      {}\n", line);
  if (!c.refusal.empty()) fmt::print("    REFUSED: {}\n", c.refusal);
}

void print(const FileChange& f) {
  fmt::print("{}: {} same, {} changed, {} added, {} removed\n", f.place.string(), f.count(Fate::same), f.count(Fate::changed),
             f.count(Fate::added), f.count(Fate::removed));
  const golden::Origin& o = f.records.origin;
  fmt::print("  recorded {} on {} ({}), driver {}, {}\n", o.date, o.card, o.backend, o.driver, o.toolkit);
  if (!f.unreadable.empty()) fmt::print("  takes the place of a file that cannot be read: {}\n", f.unreadable);
  std::vector<const CaseChange*> told;
  for (const CaseChange& c : f.cases)
    if (c.fate != Fate::same || !c.refusal.empty()) told.push_back(&c);
  std::ranges::stable_partition(told, [](const CaseChange* c) { return !c->refusal.empty(); });  // no refusal goes unseen
  for (size_t i = 0; i < std::min(told.size(), kShown); i++) print(*told[i]);
  if (told.size() > kShown) fmt::print("  and {} more\n", told.size() - kShown);
}

bool is_within(const fs::path& inner, const fs::path& outer) {
  const fs::path in = fs::weakly_canonical(inner), out = fs::weakly_canonical(outer);
  return std::mismatch(out.begin(), out.end(), in.begin(), in.end()).first == out.end();
}

}  // namespace

int golden_approve(const GoldenOptions& options) {
  const fs::path standing = golden_folder(options);
  std::error_code error;
  if (!fs::is_directory(options.fresh, error)) throw BadInput(fmt::format("{}: there is no such folder", options.fresh));
  if (is_within(options.fresh, standing) || is_within(standing, options.fresh))
    throw BadInput(fmt::format("{}: lies in the folder that would be replaced, or the other way round: want one apart from {}", options.fresh,
                               standing.string()));
  const std::vector<FileChange> files = golden::changes_between(options.fresh, standing);
  for (const FileChange& f : files) print(f);
  const auto refused = std::ranges::count_if(files, &FileChange::refused);
  if (refused) {
    fmt::print("\nnothing is written: {} of {} files hold cases that are refused\n", refused, files.size());
    return 1;
  }
  if (options.dry_run) {
    fmt::print("\nnothing is written: --dry-run; {} files would be, to {}\n", files.size(), standing.string());
    return 0;
  }
  golden::replace_files(files, standing);
  fmt::print("\n{} files written to {}\n", files.size(), standing.string());
  return 0;
}

}  // namespace assay::tools
