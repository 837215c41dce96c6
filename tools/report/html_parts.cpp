#include "tools/report/html_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::report {

Html linked(const std::vector<Section>& sections) {
  Html links, all;
  for (const Section& s : sections) {
    if (s.inside.code.empty()) continue;
    links += tag("a", text(s.title), {{"href", "#" + s.id}}) + Html{"\n"};
    all += tag("section", tag("h2", text(s.title)) + Html{"\n"} + s.inside, {{"id", s.id}}) + Html{"\n"};
  }
  return tag("nav", links) + Html{"\n"} + all;
}

Html note(std::string_view words) { return tag("p", text(words), {{"class", "small soft"}}) + Html{"\n"}; }

Html facts_list(const std::vector<std::pair<std::string, std::string>>& facts) {
  Html all;
  for (const auto& [what, value] : facts) all += tag("dt", text(what)) + tag("dd", text(value)) + Html{"\n"};
  return tag("dl", all);
}

std::vector<std::pair<std::string, std::string>> machine_facts(const DeviceDescription& d) {
  if (d.name.empty()) return {{"Card", "no device"}};
  const std::string capability =
      d.compute_capability ? fmt::format(", compute capability {}.{}", d.compute_capability / 10, d.compute_capability % 10) : "";
  return {{"Card", fmt::format("{}{}, {} multiprocessors", d.name, capability, d.multiprocessors)},
          {"Driver, runtime", fmt::format("{}, {}", d.driver_version, d.runtime_version)},
          {"Toolkit", d.toolkit}};
}

Html portraits(const std::vector<properties::Portrait>& all, const std::vector<properties::Cell>& cells) {
  auto fails = [&](const properties::Portrait& p) {
    return std::ranges::any_of(cells,
                               [&](const properties::Cell& c) { return c.subject == p.subject && c.verdict.outcome == Outcome::fail; });
  };
  Html html;
  for (const bool failing : {true, false})
    for (const properties::Portrait& p : all)
      if (fails(p) == failing) html += portrait(p, cell_at(cells, p.subject, "conforms"), failing || all.size() == 1);
  return html;
}

Html verdict_band(int code, std::string_view line, std::string_view more, const Html& failures) {
  const std::string kind = code == 0 ? "pass" : code == 1 ? "fail" : "doubt", word = code == 0 ? "Pass" : code == 1 ? "Fail" : "Unchecked";
  Html inside = tag("p", text("Assay tolerance report"), {{"class", "kicker"}}) +
                tag("h1", text(fmt::format("{}: {}", word, line)), {{"class", kind}}) + tag("p", text(more));
  if (!failures.code.empty()) inside += tag("ul", failures);
  return tag("header", inside, {{"class", "verdict " + kind}}) + Html{"\n"};
}

std::string plural(size_t count, std::string_view noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

Html outcome(const properties::Cell& c, std::string_view word) {
  const Outcome o = c.verdict.outcome;
  const char* kind = is_empty(c) || o == Outcome::skip ? "soft" : o == Outcome::pass ? "pass" : o == Outcome::fail ? "fail" : "doubt";
  return tag("span", text(word), {{"class", kind}, {"title", outcome_text(c)}});
}

}  // namespace assay::report
