#include "tools/report/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "properties/laws/bias.hpp"
#include "properties/laws/counts.hpp"
#include "tools/report/cells.hpp"

namespace assay::report {
namespace {

using properties::Cell;
using Words = std::vector<std::string>;

std::string number(double x) { return fmt::format("{:.2g}", x); }
std::string percent(double part, double all) { return all > 0 ? number(100 * part / all) : "-"; }

Words drift_of(const Cell* c) {
  if (!c || c->verdict.drift.elements == 0) return {"-", "-"};
  const Drift& d = c->verdict.drift;
  return {number(d.seen / d.elements), number(d.expected / d.elements)};
}

Words mean_of(const Cell* c) {
  if (!c || c->verdict.residuals.size == 0) return {"-", "-", "-"};
  const Residuals& r = c->verdict.residuals;
  const bias::Range range = bias::allowed(r, r.squares, bias::kAlpha);
  return {percent(r.seen, r.size), percent(range.low, r.size), percent(range.high, r.size)};
}

Words rounding_of(const Cell* c) {
  if (!c || c->verdict.roundings.codes.trials == 0) return {"-", "-", "-", "-", "-", "-", "-", "-"};
  const Roundings& r = c->verdict.roundings;
  double half_way = 0, away = 0;
  for (const HalfWay& h : r.half_way) half_way += h.away.trials, away += h.away.seen;
  return {number(counts::rms(r)),
          number(counts::rms_predicted(r)),
          percent(r.codes.seen, r.codes.trials),
          percent(r.codes.expected, r.codes.trials),
          percent(r.decided.seen, r.decided.trials),
          percent(r.decided.expected, r.decided.trials),
          percent(away, half_way),
          fmt::format("{:.0f}", r.codes.trials)};
}

}  // namespace

Statistics statistics_of(const std::vector<Cell>& cells) {
  Statistics all{
      .heading = {"subject", "drift", "exp.", "mean %", "low", "high", "rms", "exp.", "off %", "most", "wrong %", "most", "away %", "of"},
      .legend = {
          "drifts: mean error in ulp toward zero, found and expected. unbiased: mean error in % away from zero, and what it may be.",
          "rounds, of results with a choice: error before the last rounding in ulp (root mean square), found and expected; not the nearest",
          "number, and at most expected; the wrong one though far from half-way, and at most; away from zero near half-way; results."}};
  for (const std::string& subject : in_order(cells, &Cell::subject)) {
    Words row{subject};
    for (const Words& part : {drift_of(cell_at(cells, subject, "drifts")), mean_of(cell_at(cells, subject, "unbiased")),
                              rounding_of(cell_at(cells, subject, "rounds"))})
      row.insert(row.end(), part.begin(), part.end());
    if (std::any_of(row.begin() + 1, row.end(), [](const std::string& s) { return s != "-"; })) all.rows.push_back(std::move(row));
  }
  return all;
}

}  // namespace assay::report
