// A subject in depth, as part of a page.
#include <fmt/format.h>

#include <algorithm>

#include "properties/accept_rules.hpp"
#include "tools/report/charts.hpp"
#include "tools/report/html_parts.hpp"
#include "tools/report/html_tolerance.hpp"

namespace assay::report {
namespace {

using properties::EdgeElement, properties::FailingAxis, properties::Look, properties::Portrait, properties::StepLook;

std::string number(double x) { return fmt::format("{:.3g}", x); }

Html worst_elements(const StepLook& step) {
  if (step.worst.empty()) return note("Every element has one legal value, and has it.");
  std::vector<Term> terms;
  for (int t = 0; t < kTerms; t++)
    if (std::ranges::any_of(step.worst, [&](const EdgeElement& e) { return e.bound[Term(t)] > 0; })) terms.push_back(Term(t));
  std::vector<std::string> heading{"element", "", "#found", "#legal", "#exact", "#share", "#bound E"};
  for (const Term t : terms) heading.push_back(fmt::format("#{}", name(t)));
  HtmlTable table(heading);
  for (const EdgeElement& e : step.worst) {
    std::vector<Html> row{text(e.place),
                          tag("span", text(e.right ? "right" : "wrong"), {{"class", e.right ? "pass" : "fail"}}),
                          text(e.found),
                          text(e.legal),
                          text(fmt::format("{:.9g}", e.exact)),
                          text(e.share == INFINITY ? "none allowed" : number(e.share)),
                          text(number(e.bound.total()))};
    for (const Term t : terms) row.push_back(text(e.bound[t] > 0 ? number(e.bound[t]) : "-"));
    table.add(std::move(row));
  }
  Html meaning;
  for (const Term t : terms) meaning += tag("li", tag("b", text(name(t))) + text(fmt::format(": {}", derivation(t))));
  const Html legend = terms.empty() ? Html{}
                                    : tag("details", tag("summary", text("What the terms are")) + tag("ul", meaning, {{"class", "small"}}),
                                          {{"class", "plain"}});
  return table.html() + legend;
}

Html failing_map(const StepLook& step) {
  HtmlTable table({"index", "#hit", "#of", "", "wrong elements at"});
  for (const FailingAxis& a : step.map.axes)
    table.add({text(a.name), text(std::to_string(a.hit)), text(std::to_string(a.length)), strip_of(a),
               tag("span", text(a.which), {{"class", "wrap"}})});
  return tag("h4", text(fmt::format("Where {} of {} elements of {} are wrong", step.wrong, step.looked_at, step.tensor))) +
         map_of(step.map) + table.html();
}

Html step_of(const StepLook& step, bool first) {
  Html inside = tag("h4", text(fmt::format("{}: {} elements of {} ({}), {} wrong", step.step, step.looked_at, step.tensor,
                                           info(step.format).name, step.wrong)));
  if (step.wrong) inside += failing_map(step);
  Html charts;
  if (step.shares.all()) charts += histogram(step.shares, "Elements by error before the last rounding, as a share of bound E");
  if (step.whole.all()) charts += histogram(step.whole, "Elements by whole error, as a share of E and half a step together");
  if (!charts.code.empty()) inside += tag("div", charts, {{"class", "charts"}});
  inside += tag("h4", text("Elements nearest to the edge, or beyond")) + worst_elements(step);
  return first ? inside : tag("div", inside);
}

Html look_of(const Look& look) {
  Html inside = tag("h3", text("Case: " + look.why)) + tag("pre", text(look.line));
  if (!look.error.empty()) return inside + tag("p", text("The launch failed: " + look.error), {{"class", "fail"}});
  if (look.sampled) inside += note("A sample of its elements was looked at.");
  if (look.wrong() == 0 && look.why.starts_with("the first that fails"))
    inside += tag("p", text("Every element is within its bound: the law fails on something other than the values of one run."));
  for (const StepLook& s : look.steps) inside += step_of(s, &s == &look.steps.front());
  return inside;
}

Html other_suites(const Portrait& p) {
  std::vector<const Look*> asked;
  for (const Look& l : p.looks)
    if (!l.accepted.empty()) asked.push_back(&l);
  if (asked.empty()) return {};
  std::vector<std::string> heading{"rule", "accepts where"};
  std::string meaning, summary;
  for (size_t i = 0; i < asked.size(); i++) {
    const auto accepting = std::ranges::count(asked[i]->accepted, true);
    heading.push_back(fmt::format("case {}", i + 1));
    meaning += fmt::format("{}case {}: {}", i ? "; " : "", i + 1, asked[i]->why);
    if (asked[i]->wrong() && summary.empty())
      summary =
          fmt::format("{} of {} rules would have let the wrong outputs of case {} pass.", accepting, asked[i]->accepted.size(), i + 1);
  }
  HtmlTable table(heading);
  const auto rules = properties::accept_rules();
  for (size_t rule = 0; rule < rules.size(); rule++) {
    std::vector<Html> row{text(rules[rule].name), tag("span", text(rules[rule].says), {{"class", "wrap"}})};
    for (const Look* l : asked) {
      const bool accepts = l->accepted.at(rule), right = accepts == (l->wrong() == 0);
      row.push_back(tag("span", text(accepts ? "accepts" : "rejects"), {{"class", right ? "soft" : "doubt"}}));
    }
    table.add(std::move(row));
  }
  Html inside = tag("h3", text("What other suites would have said"));
  if (!summary.empty()) inside += tag("p", text(summary));
  return inside + table.html() +
         note("Of the last step's outputs; " + meaning + ". Their tests draw data of their own: this is what their rule says of these.");
}

std::string headline(const Portrait& p, const properties::Cell* conforms) {
  for (const Look& l : p.looks)
    if (l.wrong()) return fmt::format("{} of the elements looked at are wrong", l.wrong());
  return conforms && conforms->verdict.tally.judged ? fmt::format("worst share of bound {}", share_text(conforms)) : "";
}

}  // namespace

Html portrait(const Portrait& p, const properties::Cell* conforms, bool open) {
  Html inside = tag("p", text(p.summary));
  inside += facts_list({{"Contract", p.contract},
                        {"Formula", p.formula},
                        {"Declared arithmetic", p.arithmetic.empty() ? "none: bits are compared" : p.arithmetic}});
  if (conforms && conforms->verdict.shares.all())
    inside += tag("h3", text("All cases of the run")) +
              histogram(conforms->verdict.shares, "Elements by error before the last rounding, as a share of bound E");
  for (const Look& l : p.looks) inside += look_of(l);
  if (p.looks.empty()) inside += note("No case of it ran here.");
  inside += growth_with_k(p.ladder) + other_suites(p) + suggested_tolerance(p);
  const Html summary = tag("summary", tag("b", text(p.subject)) + tag("span", text("  " + headline(p, conforms)), {{"class", "soft"}}));
  Attributes attributes{{"id", p.subject}};
  if (open) attributes.emplace_back("open", "open");
  return tag("details", summary + Html{"\n"} + inside, attributes) + Html{"\n"};
}

}  // namespace assay::report
