// The page of a check: verdict, failures, matrix, laws, then subject by subject in depth.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/report/html_parts.hpp"
#include "tools/report/places.hpp"
#include "tools/report/report.hpp"
#include "tools/report/statistics.hpp"

namespace assay::report {
namespace {

using properties::Cell;

const properties::Portrait* portrait_of(const Report& r, const std::string& subject) {
  const auto found = std::ranges::find(r.portraits, subject, &properties::Portrait::subject);
  return found == r.portraits.end() ? nullptr : &*found;
}

struct Counts {
  int passed = 0, failed = 0, known = 0, unchecked = 0;

  void add(const Cell& c) {
    switch (c.verdict.outcome) {
      case Outcome::pass: passed++; break;
      case Outcome::fail: failed++; break;
      case Outcome::known: known++; break;
      default: unchecked += !is_empty(c);
    }
  }
};

/// The cells of a subject that fail, `conforms` first.
std::vector<const Cell*> failing(const Report& r, const std::string& subject) {
  std::vector<const Cell*> failed;
  for (const Cell& c : r.cells)
    if (c.subject == subject && c.verdict.outcome == Outcome::fail) failed.push_back(&c);
  std::ranges::stable_partition(failed, [](const Cell* c) { return c->law == "conforms"; });
  return failed;
}

Html verdict(const Report& r) {
  Counts counts;
  for (const Cell& c : r.cells) counts.add(c);
  const int code = exit_code(r.cells);
  const std::string line =
      code == 0       ? "every law that was checked holds"
      : code == 1     ? fmt::format("{} of {} checks", counts.failed, counts.passed + counts.failed + counts.known + counts.unchecked)
      : counts.passed ? "part of it proves too little"
                      : "nothing was checked";
  const std::string more =
      fmt::format("{} under {}, suite {} and {} drawn cases each on {}: {} passed, {} failed, {} known to fail, {} unchecked.",
                  plural(in_order(r.cells, &Cell::subject).size(), "subject"), plural(in_order(r.cells, &Cell::law).size(), "law"), r.suite,
                  r.drawn_cases, r.backend, counts.passed, counts.failed, counts.known, counts.unchecked);
  Html failures;
  for (const std::string& subject : in_order(r.cells, &Cell::subject))
    if (const auto failed = failing(r, subject); !failed.empty()) {
      std::string laws;
      for (const Cell* c : failed) laws += (laws.empty() ? "" : ", ") + c->law;
      failures += tag("li", tag("a", text(subject), {{"href", "#failures." + subject}}) +
                                text(fmt::format(" fails {}: {}", laws, failed.front()->verdict.reason)));
    }
  return verdict_band(code, line, more, failures);
}

/// The first law in full, the others as a table.
Html failures_of(const Report& r, const std::vector<const Cell*>& failed) {
  const Cell& first = *failed.front();
  Html inside = tag(
      "h3", tag("span", text("FAIL"), {{"class", "fail"}}) + text(fmt::format("  {}: {}", first.subject, plural(failed.size(), "law"))));
  inside += tag("p", text(first.law + ": " + first.verdict.reason));
  if (const auto* portrait = portrait_of(r, first.subject)) {
    for (const std::string& place : places_of(*portrait)) inside += tag("p", text(place));
    inside += tag("p", tag("a", text("Element by element"), {{"href", "#" + first.subject}}));
  }
  if (!first.first_failing.empty())
    inside += tag("p", text("First seen with ") + tag("code", text(first.first_failing)), {{"class", "small soft"}});
  inside += tag("pre", text(command_again(first, r.image)));
  HtmlTable others({"law", "reason", "again"});
  for (const Cell* c : failed)
    if (c != &first)
      others.add({text(c->law), tag("span", text(c->verdict.reason), {{"class", "wrap"}}),
                  tag("code", text(command_again(*c, r.image)), {{"class", "wrap"}})});
  if (!others.empty()) inside += others.html();
  return tag("div", inside, {{"class", "card fail"}, {"id", "failures." + first.subject}}) + Html{"\n"};
}

Html failures(const Report& r) {
  Html all;
  for (const std::string& subject : in_order(r.cells, &Cell::subject))
    if (const auto failed = failing(r, subject); !failed.empty()) all += failures_of(r, failed);
  return all;
}

/// "3": so many cases passed; else as in the terminal's matrix, without the number of the case that failed.
Html brief(const Cell& c) {
  const Outcome o = c.verdict.outcome;
  return outcome(c, o == Outcome::pass   ? std::to_string(c.cases - c.untrusted)
                    : o == Outcome::fail ? std::string(name(o))
                                         : outcome_text(c));
}

Html matrix(const Report& r) {
  const auto laws = in_order(r.cells, &Cell::law);
  std::vector<std::string> heading{"subject", "#worst share of bound", "#one legal value", "#elements"};
  for (const std::string& law : laws) heading.push_back("|" + law);
  HtmlTable table(heading);
  for (const std::string& subject : in_order(r.cells, &Cell::subject)) {
    const Cell* judged = cell_at(r.cells, subject, "conforms");
    std::vector<Html> row{portrait_of(r, subject) ? tag("a", text(subject), {{"href", "#" + subject}}) : text(subject),
                          text(share_text(judged)), text(legal_text(judged)),
                          text(judged ? std::to_string(judged->verdict.tally.judged) : "-")};
    for (const std::string& law : laws) {
      const Cell* c = cell_at(r.cells, subject, law);
      row.push_back(c ? brief(*c) : Html{});
    }
    table.add(std::move(row));
  }
  if (table.empty()) return tag("p", text("Nothing was asked for."));
  return table.html() + note(
                            "Under each law, how many cases passed. Worst share of bound: the largest error "
                            "that must have come from before "
                            "the last rounding, as a share of what the declared arithmetic allows, and the term that dominates there. One "
                            "legal value: part of the "
                            "elements for which the bound leaves a single one.");
}

Html laws(const Report& r) {
  HtmlTable table({"law", "claim", "#passed", "#failed", "#known", "#unchecked", "#cases"});
  for (const std::string& law : in_order(r.cells, &Cell::law)) {
    Counts counts;
    int cases = 0;
    for (const Cell& c : r.cells)
      if (c.law == law) counts.add(c), cases += c.cases;
    const Law* known = find<Law>(law);
    table.add({text(law), tag("span", text(known ? known->claim : ""), {{"class", "wrap"}}), text(std::to_string(counts.passed)),
               text(std::to_string(counts.failed)), text(std::to_string(counts.known)), text(std::to_string(counts.unchecked)),
               text(std::to_string(cases))});
  }
  if (table.empty()) return {};
  Html inside = table.html();
  if (const Statistics statistics = statistics_of(r.cells); !statistics.rows.empty()) {
    std::vector<std::string> heading = statistics.heading;
    for (size_t i = 1; i < heading.size(); i++) heading[i] = "#" + heading[i];
    HtmlTable numbers(heading);
    for (const auto& row : statistics.rows) {
      std::vector<Html> cells;
      for (const std::string& word : row) cells.push_back(text(word));
      numbers.add(std::move(cells));
    }
    inside += tag("h3", text("All elements together")) + numbers.html();
    std::string legend;
    for (const std::string& part : statistics.legend) legend += (legend.empty() ? "" : " ") + part;
    inside += note(legend);
  }
  return inside;
}

Html known(const Report& r) {
  Html all;
  for (const Cell& c : r.cells)
    for (const properties::KnownInCell& k : c.known)
      if (k.failed)
        all += tag("li", text(fmt::format("{}.{}: {} ({}). {}: {} cases fail and {} pass, e.g. ", c.law, c.subject, k.entry.reason,
                                          k.entry.link, k.entry.place, k.failed, k.passed)) +
                             tag("code", text(to_line(k.first))) + text(": " + k.failure));
  return all.code.empty() ? all : tag("ul", all);
}

Html unchecked(const Report& r) {
  std::map<std::string, std::string> cells_by_reason;
  auto add = [&](std::string reason, const Cell& c) {
    std::string& cells = cells_by_reason[std::move(reason)];
    cells += (cells.empty() ? "" : ", ") + c.law + "." + c.subject;
  };
  for (const Cell& c : r.cells) {
    if (c.untrusted) add(fmt::format("untrusted: {} ({} cases, e.g. {})", c.untrusted_reason, c.untrusted, c.untrusted_case), c);
    for (const std::string& why : c.skip_reasons) add("skip: " + why, c);
  }
  Html all;
  for (const auto& [reason, cells] : cells_by_reason)
    all += tag("li", text(reason) + tag("span", text("  " + cells), {{"class", "small soft"}}));
  return all.code.empty() ? all : tag("ul", all);
}

Html notes(const Report& r) {
  Html all;
  for (const std::string& line : r.notes) all += tag("li", text(line));
  return all.code.empty() ? all : tag("ul", all);
}

Html environment(const Report& r) {
  auto facts = machine_facts(r.device);
  facts.insert(facts.end(), {{"Backend", r.backend},
                             {"Suite", r.suite},
                             {"Drawn cases", fmt::format("{} for each subject", r.drawn_cases)},
                             {"Seed, schedule", fmt::format("{}, {}", r.seed, r.schedule)},
                             {"Image", r.image.empty() ? "the subjects' own" : r.image},
                             {"Assay", r.version},
                             {"Time", fmt::format("{:.1f} s", r.seconds)}});
  return facts_list(facts);
}

}  // namespace

std::string to_html(const Report& r) {
  return document("Assay tolerance report", verdict(r) + linked({{"failures", "Failures", failures(r)},
                                                                 {"matrix", "Subjects and laws", matrix(r)},
                                                                 {"laws", "Laws", laws(r)},
                                                                 {"subjects", "Subjects in depth", portraits(r.portraits, r.cells)},
                                                                 {"known", "Known failures", known(r)},
                                                                 {"unchecked", "Not checked", unchecked(r)},
                                                                 {"notes", "Notes", notes(r)},
                                                                 {"environment", "Environment", environment(r)}}));
}

}  // namespace assay::report
