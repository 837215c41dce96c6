// The page of a fuzzing run: verdict, findings by law and region, what was covered, then subjects in depth.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/report/charts.hpp"
#include "tools/report/fuzz.hpp"
#include "tools/report/html_parts.hpp"
#include "tools/report/places.hpp"

namespace assay::report {
namespace {

using properties::Accusation, properties::Cell, properties::Finding, properties::RegionCount, properties::SubjectFuzzed;

std::string id_of(size_t finding) { return fmt::format("finding{}", finding + 1); }

Html verdict(const FuzzReport& r) {
  const auto& f = r.fuzzed;
  const int code = exit_code(f.cells);
  int64_t failing = 0;
  for (const SubjectFuzzed& s : f.subjects) failing += s.failing;
  const std::string line =
      code == 0   ? fmt::format("no failure in {} cases of {}", f.cases, f.contract)
      : code == 1 ? fmt::format("{} of {}, in {} of {} cases", plural(f.findings.size(), "finding"), f.contract, failing, f.cases)
                  : fmt::format("too little of {} cases of {} was checked", f.cases, f.contract);
  Html failures;
  for (size_t i = 0; i < f.findings.size(); i++) {
    const Accusation& a = f.findings[i].laws.front();
    failures += tag("li", tag("a", text(a.law + "." + f.findings[i].subject), {{"href", "#" + id_of(i)}}) + text(": " + a.reason));
  }
  return verdict_band(code, line,
                      fmt::format("{} under all laws that apply, on {}, seed {}.", plural(f.subjects.size(), "subject"), r.backend, r.seed),
                      failures);
}

Html region_of(const Finding& f) {
  HtmlTable table({"parameter", "fails in", "passes in"});
  auto list = [](const std::vector<std::string>& buckets) {
    return tag("span", text(fmt::format("{}", fmt::join(buckets, ", "))), {{"class", "wrap"}});
  };
  for (const properties::FailingRegion& r : f.region)
    if (!r.passing.empty()) table.add({text(r.name), list(r.failing), list(r.passing)});
  return table.empty() ? Html{}
                       : table.html() + note(
                                            "One parameter at a time, the others as in the smallest case; with the other parameters it "
                                            "fails wherever it was tried.");
}

/// Where the wrong elements of the case lie that it was first seen with, as far as that was looked at.
Html places_in(const FuzzReport& r, const Finding& f) {
  for (const properties::Portrait& p : r.portraits)
    for (const properties::Look& l : p.looks)
      for (const Accusation& a : f.laws)
        if (p.subject == f.subject && l.line == a.first && l.wrong()) {
          Html all;
          for (const std::string& place : places_of(l)) all += tag("p", text("First seen: " + place));
          return all;
        }
  return {};
}

Html finding(const FuzzReport& r, size_t number) {
  const Finding& f = r.fuzzed.findings[number];
  const Accusation& first = f.laws.front();
  Html inside = tag("h3", tag("span", text("FAIL"), {{"class", "fail"}}) +
                              text(fmt::format("  {}.{}, {}", first.law, f.subject, plural(size_t(f.cases), "case"))));
  inside += tag("p", text(first.reason)) + tag("p", text("Where: " + region_text(f))) + places_in(r, f);
  if (!f.shrunk) inside += note("Not shrunk to the end: time was out.");
  inside += tag("pre", text(command_again(first.smallest, r.image)));
  const std::string file = number < r.files.size() ? r.files[number] : "";
  if (!file.empty()) {
    inside += tag("pre", text(fmt::format("assay repro {}{}", file, r.image.empty() ? "" : " --image " + r.image)));
    inside += note("With contents as simple as they can be: " + f.contents_reason);
  }
  HtmlTable laws({"law", "#cases", "reason, of the smallest case", "smallest", "first seen with"});
  for (const Accusation& a : f.laws)
    laws.add({text(a.law), text(std::to_string(a.cases)), tag("span", text(a.reason), {{"class", "wrap"}}),
              tag("code", text(to_line(a.smallest)), {{"class", "wrap"}}), tag("code", text(a.first), {{"class", "wrap"}})});
  inside += laws.html() + region_of(f);
  return tag("div", inside, {{"class", "card fail"}, {"id", id_of(number)}}) + Html{"\n"};
}

/// Law by law, and in each in the order in which they were found.
Html findings(const FuzzReport& r) {
  std::vector<size_t> order(r.fuzzed.findings.size());
  for (size_t i = 0; i < order.size(); i++) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](size_t i) { return r.fuzzed.findings[i].laws.front().law; });
  Html all;
  for (const size_t i : order) all += finding(r, i);
  return all;
}

Html laws(const FuzzReport& r) {
  HtmlTable table({"law", "subject", "outcome", "#checked", "#unchecked", "#worst share of bound", "unchecked since"});
  for (const Cell& c : r.fuzzed.cells)
    if (!is_empty(c))
      table.add({text(c.law), text(c.subject), outcome(c, name(c.verdict.outcome)), text(std::to_string(c.cases - c.untrusted)),
                 text(std::to_string(c.skipped + c.untrusted)), text(c.law == "conforms" ? share_text(&c) : "-"),
                 tag("span", text(c.verdict.outcome == Outcome::untrusted || c.verdict.outcome == Outcome::skip ? c.verdict.reason : ""),
                     {{"class", "wrap"}})});
  return table.empty() ? Html{} : table.html();
}

/// Parameter by parameter.
Html regions_in_short(const SubjectFuzzed& s) {
  HtmlTable table({"parameter", "#regions", "#failing", "not tried"});
  std::vector<std::string> names;
  for (const RegionCount& r : s.regions)
    if (std::ranges::find(names, r.name) == names.end()) names.push_back(r.name);
  for (const std::string& name : names) {
    int64_t all = 0, failing = 0;
    std::vector<std::string> untried;
    for (const RegionCount& r : s.regions) {
      if (r.name != name) continue;
      all++, failing += r.failing > 0;
      if (r.cases == 0) untried.push_back(r.bucket);
    }
    table.add({text(name), text(std::to_string(all)), tag("span", text(std::to_string(failing)), {{"class", failing ? "fail" : "soft"}}),
               tag("span", text(untried.empty() ? "-" : fmt::format("{}", fmt::join(untried, ", "))), {{"class", "wrap"}})});
  }
  return table.empty() ? Html{} : table.html();
}

Html regions_in_full(const SubjectFuzzed& s) {
  HtmlTable table({"parameter", "region", "#cases", "#failing", "#worst share", "worst case"});
  for (const RegionCount& c : s.regions)
    table.add({text(c.name), text(c.bucket),
               tag("span", text(c.cases ? std::to_string(c.cases) : "not tried"), {{"class", c.cases ? "soft" : "doubt"}}),
               tag("span", text(std::to_string(c.failing)), {{"class", c.failing ? "fail" : "soft"}}),
               text(c.worst_share > 0 ? fmt::format("{:.3f}", c.worst_share) : "-"), tag("code", text(c.worst_case))});
  return table.empty() ? Html{} : tag("details", tag("summary", text("Region by region")) + table.html(), {{"class", "plain"}});
}

Html coverage_of(const SubjectFuzzed& s) {
  const auto met = std::ranges::count_if(s.regions, [](const RegionCount& r) { return r.cases > 0; });
  Html inside = tag("h3", text(s.subject));
  inside += tag("p", text(fmt::format("{} cases, {} failing, {} unchecked; {} of {} regions met, {} pairs of regions.", s.cases, s.failing,
                                      s.unchecked, met, s.regions.size(), s.pairs)));
  if (s.shares.all()) inside += histogram(s.shares, "Cases by the largest error before the last rounding, as a share of bound E");
  inside += regions_in_short(s) + regions_in_full(s);
  HtmlTable codes({"operand", "#codes seen", "#of"});
  for (const properties::SeenCodes& c : s.codes)
    codes.add({text(c.operand), text(std::to_string(c.count())), text(std::to_string(c.seen.size()))});
  return codes.empty() ? inside : inside + codes.html();
}

Html coverage(const FuzzReport& r) {
  Html all;
  for (const SubjectFuzzed& s : r.fuzzed.subjects) all += coverage_of(s);
  return all;
}

Html environment(const FuzzReport& r) {
  const auto& f = r.fuzzed;
  auto facts = machine_facts(r.device);
  facts.insert(
      facts.end(),
      {{"Backend", r.backend},
       {"Contract", f.contract},
       {"Seed", std::to_string(r.seed)},
       {"Image", r.image.empty() ? "the subjects' own" : r.image},
       {"Journal", r.journal.empty() ? "none" : fmt::format("{}: {} cases, {:.1f} s before", r.journal, f.remembered, f.seconds_before)},
       {"Assay", r.version},
       {"Time", fmt::format("{:.1f} s with {}", f.seconds, plural(size_t(r.jobs), "job"))}});
  return facts_list(facts);
}

}  // namespace

std::string to_html(const FuzzReport& r) {
  return document("Assay tolerance report", verdict(r) + linked({{"findings", "Findings", findings(r)},
                                                                 {"laws", "Laws", laws(r)},
                                                                 {"coverage", "Coverage", coverage(r)},
                                                                 {"subjects", "Subjects in depth", portraits(r.portraits, r.fuzzed.cells)},
                                                                 {"environment", "Environment", environment(r)}}));
}

}  // namespace assay::report
