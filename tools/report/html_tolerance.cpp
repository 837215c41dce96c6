#include "tools/report/html_tolerance.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tools/report/charts.hpp"
#include "tools/report/html_parts.hpp"

namespace assay::report {
namespace {

using properties::Allowance, properties::Ladder, properties::Rung, properties::Slope, properties::Tolerance;

std::string number(double x) { return std::isnan(x) ? "-" : fmt::format("{:.3g}", x); }

Curve curve(std::string_view kind, const Ladder& ladder, double Rung::*value, bool telling = false) {
  Curve c{.kind = kind, .points = {}};
  for (const Rung& r : ladder.rungs)
    if (!telling || r.off >= properties::kTellingOff) c.points.emplace_back(double(r.k), r.*value);
  return c;
}

Html key(std::string_view kind, std::string_view what) {
  return tag("span", tag("span", {}, {{"class", fmt::format("key {}", kind)}}) + text(what), {{"class", "small"}}) + text("   ");
}

Html slopes(const Ladder& l) {
  HtmlTable table({"slope of", "#found", "#+-", "#predicted", "#+-"});
  auto add = [&](std::string_view what, const std::optional<Slope>& found, std::string_view none, const std::optional<Slope>& predicted) {
    std::vector<Html> row{text(what)};
    for (const auto* slope : {&found, &predicted}) {
      row.push_back(text(*slope ? fmt::format("{:.2f}", (*slope)->exponent) : slope == &found ? none : "unknown"));
      row.push_back(text(*slope ? fmt::format("{:.2f}", (*slope)->deviation) : "-"));
    }
    table.add(std::move(row));
  };
  add("error of results", l.error, "all 0", l.expected);
  add("error before the last rounding", l.before, "too few to tell", l.before_expected);
  if (l.bound)
    table.add({text("bound E"), text("-"), text("-"), text(fmt::format("{:.2f}", l.bound->exponent)),
               text(fmt::format("{:.2f}", l.bound->deviation))});
  return tag("p", key("found", "found") + key("expected", "predicted") + key("bound", "bound E")) + table.html();
}

Html values(const Ladder& l) {
  HtmlTable table({"#k", "#elements", "#off", "#error", "#predicted", "#before rounding", "#predicted", "#bound E", "conforms", "case"});
  for (const Rung& r : l.rungs)
    table.add({text(std::to_string(r.k)), text(number(r.elements)), text(number(r.off)), text(number(r.error)), text(number(r.expected)),
               text(number(r.before)), text(number(r.before_expected)), text(number(r.bound)),
               tag("span", text(r.conforms ? "yes" : "NO"), {{"class", r.conforms ? "pass" : "fail"}}), tag("code", text(r.line))});
  return tag("details", tag("summary", text("The values")) + table.html(), {{"class", "plain"}});
}

std::string pair(const Allowance& a) { return a.atol == 0 ? "equal" : fmt::format("{:.2g}, {:.2g}", a.rtol, a.atol); }

std::string why(const Tolerance& t) {
  const Allowance& a = t.normal;
  if (a.atol == 0) return fmt::format("{}: every element has one legal value, so outputs must be equal.", t.step);
  return fmt::format(
      "{}: rtol {:.2g} is the unit roundoff of {}, the last rounding's share. atol {:.2g} is (1 + rtol) E and half a step of the format's "
      "subnormals, E the widest bound "
      "of the case's elements. Where E is largest beside what is added up, most of it is {}: {}.",
      t.step, a.rtol, info(t.format).name, a.atol, name(a.dominant), derivation(a.dominant));
}

}  // namespace

Html growth_with_k(const Ladder& l) {
  if (!l.absent.empty()) return {};
  Html charts = curves({curve("expected", l, &Rung::expected), curve("found", l, &Rung::error)}, "Error of results over k");
  charts += curves({curve("bound", l, &Rung::bound), curve("expected", l, &Rung::before_expected), curve("found", l, &Rung::before, true)},
                   "Error before the last rounding over k, and bound E");
  Html inside = tag("h3", text("Error against k")) + tag("div", charts, {{"class", "charts"}}) + slopes(l);
  inside += note(
      "Root mean squares over the results of N(0,1) data, as shares of that of the exact results; the slope is p of the fit c k^p and its "
      "standard deviation. "
      "Predicted: the last rounding as it is, and what the declared order of sums is expected to lose before it (oracles/DERIVATIONS.md, "
      "3).");
  return inside + values(l);
}

Html suggested_tolerance(const properties::Portrait& p) {
  if (p.tolerances.empty()) return {};
  HtmlTable table({"step", "format", "#k", "#bound E: median", "#largest", "from", "#rtol, atol: N(0,1)", "#rtol, atol: 1/sqrt(k)"});
  Html reasons;
  for (const Tolerance& t : p.tolerances) {
    table.add({text(t.step), text(info(t.format).name), text(t.k ? std::to_string(t.k) : "-"), text(number(t.normal.median)),
               text(number(t.normal.largest)), text(t.normal.largest > 0 ? name(t.normal.dominant) : "-"), text(pair(t.normal)),
               text(pair(t.sqrt_k))});
    reasons += tag("li", text(why(t)));
  }
  Html inside = tag("h3", text("Suggested tolerance")) + tag("pre", text(p.tolerances_of)) + table.html() + tag("ul", reasons);
  return inside + note(
                      "Of this case with N(0,1) data, and with data times 1/sqrt(k); bounds as shares of the sum of the magnitudes of an "
                      "element's terms (of itself where nothing is "
                      "summed). |y - x| <= atol + rtol |x| holds for every y that Assay accepts; with one atol for all elements it "
                      "accepts, beside what is right, what Assay "
                      "rejects. oracles/DERIVATIONS.md says why bounds are what they are, oracles/TOLERANCES.md tabulates them.");
}

}  // namespace assay::report
