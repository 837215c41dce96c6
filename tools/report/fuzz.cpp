#include "tools/report/fuzz.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/report/table.hpp"

namespace assay::report {
namespace {

using properties::Accusation, properties::Cell, properties::Finding, properties::Fuzzed, properties::RegionCount, properties::SubjectFuzzed;

double rate(const Fuzzed& f) { return f.seconds > 0 ? double(f.cases - f.remembered) / f.seconds : 0; }

std::string verdict_text(const Fuzzed& f) {
  switch (exit_code(f.cells)) {
    case 0: return fmt::format("PASS  {}: no failure in {} cases", f.contract, f.cases);
    case 1: {
      int64_t failing = 0;
      for (const SubjectFuzzed& s : f.subjects) failing += s.failing;
      return fmt::format("FAIL  {}: {} finding{}; {} of {} cases fail", f.contract, f.findings.size(), f.findings.size() == 1 ? "" : "s",
                         failing, f.cases);
    }
    default: return fmt::format("UNCHECKED  {}: too little of {} cases was checked", f.contract, f.cases);
  }
}

void add_laws(std::string& out, const Fuzzed& f) {
  Table table({"law", "subject", "outcome", "checked", "unchecked", "worst share of bound"}, "  ");
  for (const Cell& c : f.cells) {
    if (c.cases == 0 && c.skipped == 0) continue;
    const bool shares = c.law == "conforms" && c.verdict.worst_share > 0;
    table.add({c.law, c.subject, std::string(name(c.verdict.outcome)), std::to_string(c.cases - c.untrusted),
               std::to_string(c.skipped + c.untrusted),
               shares ? fmt::format("{:.3f} {}", c.verdict.worst_share, name(c.verdict.worst_term)) : "-"});
  }
  out += "\n" + table.text();
}

void add_finding(std::string& out, const FuzzReport& report, size_t number, bool colour) {
  const Finding& f = report.fuzzed.findings[number];
  const std::string file = number < report.files.size() ? report.files[number] : "",
                    image = report.image.empty() ? "" : " --image " + report.image;
  const Accusation& first = f.laws.front();
  const std::string head = fmt::format("FAIL  {}.{}", first.law, f.subject);
  out +=
      fmt::format("\n{}  finding {}, {} cases\n  {}\n", colour ? "\033[1;31m" + head + "\033[0m" : head, number + 1, f.cases, first.reason);
  out += fmt::format("  where: {}\n", region_text(f));
  if (first.first != to_line(first.smallest.problem)) out += fmt::format("  first seen with: {}\n", first.first);
  if (!f.shrunk) out += "  not shrunk to the end: time was out\n";
  out += fmt::format("  assay repro '{}'{}\n", to_line(first.smallest), image);
  if (!file.empty()) out += fmt::format("  assay repro {}{}\n", file, image);
  for (const Accusation& a : f.laws) {
    if (a.law == first.law) continue;
    out += fmt::format("  also {} ({} cases): {}\n", a.law, a.cases, a.reason);
    if (a.smallest.problem != first.smallest.problem) out += fmt::format("    assay repro '{}'{}\n", to_line(a.smallest), image);
  }
}

/// Regions that no case lay in, by parameter.
std::string untouched(const SubjectFuzzed& s) {
  std::string text;
  for (const RegionCount& r : s.regions)
    if (r.cases == 0) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", r.name, r.bucket);
  return text;
}

void add_coverage(std::string& out, const Fuzzed& f) {
  for (const SubjectFuzzed& s : f.subjects) {
    const auto met = std::ranges::count_if(s.regions, [](const RegionCount& r) { return r.cases > 0; });
    out += fmt::format("\n{}: {} cases, {} of {} regions, {} pairs of regions", s.subject, s.cases, met, s.regions.size(), s.pairs);
    for (const properties::SeenCodes& c : s.codes) out += fmt::format(", {} of {} codes of {}", c.count(), c.seen.size(), c.operand);
    out += "\n";
    if (const std::string none = untouched(s); !none.empty()) out += fmt::format("  not tried: {}\n", none);
  }
}

void add_unchecked(std::string& out, const Fuzzed& f) {
  for (const Cell& c : f.cells)
    if (c.verdict.outcome == Outcome::untrusted) out += fmt::format("\nuntrusted  {}.{}: {}\n", c.law, c.subject, c.verdict.reason);
}

}  // namespace

std::string region_text(const Finding& f) {
  std::vector<std::string> parts;
  for (const properties::FailingRegion& r : f.region)
    if (!r.passing.empty())
      parts.push_back(r.passing.size() < r.failing.size() ? fmt::format("{}: any but {}", r.name, fmt::join(r.passing, ", "))
                                                          : fmt::format("{}: {}", r.name, fmt::join(r.failing, ", ")));
  if (!f.explored) parts.push_back(parts.empty() ? "not explored, time ran out" : "the rest not explored, time ran out");
  return parts.empty() ? "everywhere" : fmt::format("{}", fmt::join(parts, "; "));
}

std::string to_text(const FuzzReport& r, bool colour) {
  const Fuzzed& f = r.fuzzed;
  std::string out = verdict_text(f) + "\n";
  add_laws(out, f);
  for (size_t i = 0; i < f.findings.size(); i++) add_finding(out, r, i, colour);
  add_unchecked(out, f);
  add_coverage(out, f);
  out += fmt::format("\n{} cases, {:.1f} s, {:.0f} cases/s with {} jobs on {}, seed {}", f.cases, f.seconds, rate(f), r.jobs, r.backend,
                     r.seed);
  if (f.remembered) out += fmt::format("; {} cases from {}, after {:.1f} s", f.remembered, r.journal, f.seconds_before);
  return out + "\n";
}

}  // namespace assay::report
