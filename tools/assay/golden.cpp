#include "tools/assay/golden.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "golden/store.hpp"
#include "oracles/parameters.hpp"
#include "tools/assay/commands.hpp"

namespace assay::tools {
namespace {

constexpr int kShown = 10;  // failures of a subject

void print_failures(const Matrix& matrix) {
  for (const auto& [subject, o] : matrix) {
    for (int i = 0; i < std::min(o.failed, kShown); i++) fmt::print("\nFAIL  golden.{}\n  {}\n", subject, o.failures[size_t(i)]);
    if (o.failed > kShown) fmt::print("\n{}: {} more failures\n", subject, o.failed - kShown);
  }
}

/// Each reason once, with the subjects and how many of their cases.
void print_reasons(const Matrix& matrix) {
  std::map<std::string, std::string> reasons;
  for (const auto& [subject, o] : matrix)
    for (const auto& [reason, cases] : o.reasons) reasons[reason] += fmt::format(" {} ({})", subject, cases);
  for (const auto& [reason, where] : reasons) fmt::print("\n{}\n {}\n", reason, where);
}

}  // namespace

std::filesystem::path golden_folder(const GoldenOptions& options) {
  if (options.records.empty()) return golden::standard_folder();
  std::error_code error;
  if (!std::filesystem::is_directory(options.records, error))
    throw BadInput(fmt::format("--records {}: there is no such folder", options.records));
  return options.records;
}

void Outcomes::add(const Verdict& v, bool within_bounds) {
  elements += v.tally.judged;
  (within_bounds                     ? within
   : v.outcome == Outcome::pass      ? passed
   : v.outcome == Outcome::fail      ? failed
   : v.outcome == Outcome::untrusted ? untrusted
                                     : skipped)++;
  if (v.outcome == Outcome::skip || v.outcome == Outcome::untrusted) reasons[fmt::format("{}: {}", name(v.outcome), v.reason)]++;
}

void print(const Matrix& matrix, const char* done) {
  const bool any_within = std::ranges::any_of(matrix, [](const auto& entry) { return entry.second.within > 0; });
  auto within = [&](const std::string& text) { return any_within ? fmt::format("{:>15}", text) : ""; };
  fmt::print("{:<24}{:>10}{}{:>10}{:>12}{:>14}\n", "subject", done, within("within bounds"), "failed", "unchecked", "elements");
  for (const auto& [subject, o] : matrix)
    fmt::print("{:<24}{:>10}{}{:>10}{:>12}{:>14}\n", subject, o.passed, within(std::to_string(o.within)), o.failed, o.untrusted + o.skipped,
               o.elements);
  print_failures(matrix);
  print_reasons(matrix);
}

int exit_code(const Matrix& matrix) {
  bool passed = false, untrusted = false;
  for (const auto& [subject, o] : matrix) {
    if (o.failed) return 1;
    passed |= o.passed + o.within > 0, untrusted |= o.untrusted > 0;
  }
  return passed && !untrusted ? 0 : 3;
}

}  // namespace assay::tools
