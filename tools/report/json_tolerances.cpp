#include <nlohmann/json.hpp>

#include "tools/report/tolerances.hpp"

namespace assay::report {
namespace {

using properties::Allowance, properties::Tolerance;
using Json = nlohmann::ordered_json;

Json json_of(const Allowance& a) {
  Json j{{"bound_median", a.median}, {"bound_largest", a.largest}};
  if (a.largest > 0) j["dominant"] = name(a.dominant);
  j["rtol"] = a.rtol, j["atol"] = a.atol;
  if (a.allowed > 0) j["allowed"] = a.allowed;
  if (a.error >= 0) j["error"] = a.error;
  if (a.used >= 0) j["used"] = a.used;
  return j;
}

}  // namespace

std::string to_json(const ToleranceReport& r) {
  Json j{{"suite", r.suite}, {"measured_on", r.measured_on}, {"rows", Json::array()}};
  for (const Tolerance& t : r.rows)
    j["rows"].push_back({{"contract", t.contract}, {"subjects", t.subjects}, {"step", t.step}, {"settings", t.settings}, {"k", t.k},
                         {"format", info(t.format).name}, {"normal", json_of(t.normal)}, {"sqrt_k", json_of(t.sqrt_k)}});
  return j.dump(1) + "\n";
}

}  // namespace assay::report
