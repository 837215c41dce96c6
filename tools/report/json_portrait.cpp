#include "tools/report/json_portrait.hpp"

#include "properties/accept_rules.hpp"

namespace assay::report {
namespace {

using Json = nlohmann::ordered_json;
using namespace properties;

/// The terms that are not 0.
Json bound_json(const Bound& b) {
  Json j{{"total", b.total()}, {"terms", Json::object()}};
  for (int t = 0; t < kTerms; t++)
    if (b[Term(t)] > 0) j["terms"][std::string(name(Term(t)))] = b[Term(t)];
  return j;
}

Json edge_json(const EdgeElement& e) {
  return {{"element", e.place},          {"right", e.right}, {"found", e.found}, {"legal", e.legal}, {"exact", e.exact}, {"share", e.share},
          {"bound", bound_json(e.bound)}};
}

Json map_json(const FailingMap& m) {
  Json j{{"rows", m.rows},    {"columns", m.columns},    {"cell", {m.cell_rows, m.cell_columns}}, {"grid", {m.grid_rows, m.grid_columns}},
         {"shares", m.cells}, {"indices", Json::array()}};
  for (const FailingAxis& a : m.axes)
    j["indices"].push_back({{"index", a.name}, {"of", a.length}, {"hit", a.hit}, {"at", a.which}, {"shares", a.shares}});
  return j;
}

Json step_json(const StepLook& s) {
  Json j{{"step", s.step},
         {"tensor", s.tensor},
         {"format", info(s.format).name},
         {"looked_at", s.looked_at},
         {"wrong", s.wrong},
         {"before_rounding", shares_json(s.shares)},
         {"whole_error", shares_json(s.whole)},
         {"worst", Json::array()}};
  for (const EdgeElement& e : s.worst) j["worst"].push_back(edge_json(e));
  if (s.wrong) j["map"] = map_json(s.map);
  return j;
}

Json look_json(const Look& l) {
  Json j{{"case", l.line}, {"chosen", l.why}};
  if (!l.error.empty()) j["error"] = l.error;
  j["sampled"] = l.sampled, j["steps"] = Json::array();
  for (const StepLook& s : l.steps) j["steps"].push_back(step_json(s));
  for (size_t i = 0; i < l.accepted.size(); i++) j["accepted_by"][std::string(accept_rules()[i].name)] = bool(l.accepted[i]);
  return j;
}

Json slope_json(const std::optional<Slope>& s) { return s ? Json{{"exponent", s->exponent}, {"deviation", s->deviation}} : Json(nullptr); }

Json ladder_json(const Ladder& l) {
  if (!l.absent.empty()) return {{"absent", l.absent}};
  Json j{{"rungs", Json::array()}};
  for (const Rung& r : l.rungs)
    j["rungs"].push_back({{"k", r.k},
                          {"case", r.line},
                          {"elements", r.elements},
                          {"off", r.off},
                          {"error", r.error},
                          {"predicted", r.expected},
                          {"before_rounding", r.before},
                          {"before_rounding_predicted", r.before_expected},
                          {"bound", r.bound},
                          {"conforms", r.conforms}});
  j["slopes"] = {{"error", slope_json(l.error)},
                 {"predicted", slope_json(l.expected)},
                 {"before_rounding", slope_json(l.before)},
                 {"before_rounding_predicted", slope_json(l.before_expected)},
                 {"bound", slope_json(l.bound)}};
  return j;
}

Json allowance_json(const Allowance& a) {
  return {{"median", a.median}, {"largest", a.largest}, {"dominant", name(a.dominant)}, {"rtol", a.rtol}, {"atol", a.atol}};
}

}  // namespace

Json shares_json(const Shares& s) { return {{"none", s.none}, {"tenths", s.tenths}, {"beyond", s.beyond}}; }

Json portrait_json(const Portrait& p) {
  Json j{{"subject", p.subject}, {"contract", p.contract},     {"summary", p.summary},
         {"formula", p.formula}, {"arithmetic", p.arithmetic}, {"cases", Json::array()}};
  for (const Look& l : p.looks) j["cases"].push_back(look_json(l));
  j["error_over_k"] = ladder_json(p.ladder);
  j["tolerance"] = Json::array();
  for (const Tolerance& t : p.tolerances)
    j["tolerance"].push_back({{"case", p.tolerances_of},
                              {"step", t.step},
                              {"format", info(t.format).name},
                              {"normal", allowance_json(t.normal)},
                              {"sqrt_k", allowance_json(t.sqrt_k)}});
  return j;
}

}  // namespace assay::report
