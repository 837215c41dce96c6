#include "tools/report/fuzz.hpp"
#include "tools/report/json_cell.hpp"
#include "tools/report/json_portrait.hpp"

namespace assay::report {
namespace {

using Json = nlohmann::ordered_json;

Json accusation_json(const properties::Accusation& a) {
  return {{"law", a.law}, {"cases", a.cases}, {"reason", a.reason}, {"reproducer", to_line(a.smallest)}, {"first_failing", a.first}};
}

Json finding_json(const properties::Finding& f, const std::string& file) {
  Json j{{"subject", f.subject},    {"cases", f.cases},      {"shrunk", f.shrunk}, {"explored", f.explored},
         {"where", region_text(f)}, {"laws", Json::array()}, {"region", Json::array()}};
  for (const properties::Accusation& a : f.laws) j["laws"].push_back(accusation_json(a));
  for (const properties::FailingRegion& r : f.region)
    j["region"].push_back({{"name", r.name}, {"failing", r.failing}, {"passing", r.passing}});
  if (!file.empty()) j["contents"] = file;
  return j;
}

Json region_json(const properties::RegionCount& r) {
  Json j{{"name", r.name}, {"bucket", r.bucket}, {"cases", r.cases}, {"failing", r.failing}, {"worst_share", r.worst_share}};
  if (!r.worst_case.empty()) j["worst_case"] = r.worst_case;
  return j;
}

Json codes_json(const properties::SeenCodes& c) {
  Json j{{"operand", c.operand}, {"seen", c.count()}, {"of", c.seen.size()}, {"unseen", Json::array()}};
  for (size_t code = 0; code < c.seen.size(); code++)
    if (!c.seen[code]) j["unseen"].push_back(code);
  return j;
}

Json subject_json(const properties::SubjectFuzzed& s) {
  Json j{{"subject", s.subject}, {"cases", s.cases}, {"failing", s.failing}, {"unchecked", s.unchecked}, {"pairs", s.pairs}};
  j["shares"] = shares_json(s.shares);
  j["codes"] = j["regions"] = Json::array();
  for (const auto& c : s.codes) j["codes"].push_back(codes_json(c));
  for (const auto& r : s.regions) j["regions"].push_back(region_json(r));
  return j;
}

}  // namespace

std::string to_json(const FuzzReport& r) {
  const properties::Fuzzed& f = r.fuzzed;
  Json j{{"contract", f.contract},
         {"seed", r.seed},
         {"backend", r.backend},
         {"jobs", r.jobs},
         {"exit_code", exit_code(f.cells)},
         {"cases", f.cases},
         {"from_journal", f.remembered},
         {"seconds", f.seconds},
         {"seconds_before", f.seconds_before}};
  j["findings"] = j["subjects"] = j["cells"] = Json::array();
  for (size_t i = 0; i < f.findings.size(); i++) j["findings"].push_back(finding_json(f.findings[i], i < r.files.size() ? r.files[i] : ""));
  for (const auto& s : f.subjects) j["subjects"].push_back(subject_json(s));
  for (const auto& c : f.cells) j["cells"].push_back(cell_json(c));
  for (const properties::Portrait& p : r.portraits) j["portraits"].push_back(portrait_json(p));
  return j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace assay::report
