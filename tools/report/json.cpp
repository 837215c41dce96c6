#include <fmt/format.h>

#include "fixtures/subject.hpp"
#include "properties/laws/bias.hpp"
#include "properties/laws/counts.hpp"
#include "tools/report/json_cell.hpp"
#include "tools/report/json_portrait.hpp"
#include "tools/report/report.hpp"

namespace assay::report {
namespace {

using Json = nlohmann::ordered_json;

/// By stand-in: elements where it is not the right answer, and of those, where the bound would let it pass.
Json stand_ins_json(const Tally& t) {
  Json all = Json::object();
  for (int i = 0; i < kStandIns; i++)
    all[std::string(name(StandIn(i)))] = {{"differ", t[StandIn(i)].differ}, {"legal", t[StandIn(i)].legal}};
  return all;
}

Json tally_json(const Tally& t) {
  return {{"judged", t.judged},
          {"single_legal", t.single_legal},
          {"off_nearest", t.off_nearest},
          {"outside_domain", t.outside},
          {"decided_wide", t.decided_wide},
          {"by_value_alone", t.nearest},
          {"stand_ins", stand_ins_json(t)}};
}

/// In ulp of the results, toward zero: means.
Json mean_json(const Residuals& r) {
  const bias::Range range = bias::allowed(r, r.squares, bias::kAlpha);
  return {{"elements", r.elements}, {"seen", r.seen / r.size}, {"low", range.low / r.size}, {"high", range.high / r.size}};
}

Json count_json(const Count& c) { return {{"of", c.trials}, {"seen", c.seen}, {"expected", c.expected}}; }

Json roundings_json(const Roundings& r) {
  return {{"rms", counts::rms(r)}, {"rms_predicted", counts::rms_predicted(r)}, {"off", count_json(r.codes)}, {"off_toward_zero", r.off_toward_zero},
          {"wrong_side", count_json(r.decided)}, {"positive_half_way_away", count_json(r.half_way[0].away)},
          {"negative_half_way_away", count_json(r.half_way[1].away)}, {"half_way_odd", count_json(r.odd)}};
}

Json drift_json(const Drift& d) { return {{"elements", d.elements}, {"seen", d.seen / d.elements}, {"expected", d.expected / d.elements}}; }

/// By entry of the ledger: what it says, and the cases that failed and passed under it.
Json known_json(const properties::Cell& c) {
  Json all = Json::array();
  for (const properties::KnownInCell& k : c.known) {
    Json j{{"entry", k.entry.place}, {"reason", k.entry.reason}, {"link", k.entry.link}, {"failed", k.failed}, {"passed", k.passed}};
    if (k.failed) j["first"] = to_line(k.first), j["failure"] = k.failure;
    all.push_back(j);
  }
  return all;
}

}  // namespace

Json cell_json(const properties::Cell& c) {
  Json j{{"subject", c.subject}, {"law", c.law}, {"outcome", name(c.verdict.outcome)}, {"cases", c.cases}};
  if (c.cases) {
    j["worst_share"] = std::max(0.0, c.verdict.worst_share);
    if (c.verdict.worst_share > 0) j["worst_term"] = name(c.verdict.worst_term), j["worst_case"] = c.worst_case;
    j["elements"] = tally_json(c.verdict.tally);
    if (c.verdict.shares.all()) j["shares"] = shares_json(c.verdict.shares);
    if (c.law == "unbiased" && c.verdict.residuals.size > 0) j["mean"] = mean_json(c.verdict.residuals);
    if (c.law == "rounds" && c.verdict.roundings.codes.trials > 0) j["roundings"] = roundings_json(c.verdict.roundings);
    if (c.law == "drifts" && c.verdict.drift.elements > 0) j["drift"] = drift_json(c.verdict.drift);
  }
  if (!c.verdict.reason.empty()) j["reason"] = c.verdict.reason;
  if (!c.skip_reasons.empty()) j["skipped"] = {{"cases", c.skipped}, {"reasons", c.skip_reasons}};
  if (c.other_reasons) j["skipped"]["cases_for_other_reasons"] = c.other_reasons;
  if (c.untrusted) j["untrusted"] = {{"cases", c.untrusted}, {"first", c.untrusted_case}, {"reason", c.untrusted_reason}};
  if (!c.known.empty()) j["known"] = known_json(c);
  if (c.verdict.outcome == Outcome::fail) j["reproducer"] = to_line(c.smallest), j["first_failing"] = c.first_failing;
  if (!c.again.empty()) j["again"] = c.again;
  return j;
}

std::string to_json(const Report& r) {
  Json j{{"suite", r.suite},       {"seed", r.seed},       {"drawn_cases", r.drawn_cases},
         {"schedule", r.schedule}, {"backend", r.backend}, {"seconds", r.seconds}};
  j["device"] = {{"name", r.device.name},
                 {"compute_capability", r.device.compute_capability},
                 {"multiprocessors", r.device.multiprocessors},
                 {"driver", r.device.driver_version},
                 {"runtime", r.device.runtime_version},
                 {"toolkit", r.device.toolkit}};
  if (!r.version.empty()) j["version"] = r.version;
  if (!r.image.empty()) j["image"] = r.image;
  j["exit_code"] = exit_code(r.cells);
  if (!r.notes.empty()) j["notes"] = r.notes;
  j["cells"] = Json::array();
  for (const auto& cell : r.cells) j["cells"].push_back(cell_json(cell));
  for (const properties::Portrait& p : r.portraits) j["portraits"].push_back(portrait_json(p));
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";  // a path need not be UTF-8
}

}  // namespace assay::report
