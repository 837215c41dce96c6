#include <nlohmann/json.hpp>

#include "properties/accept_rules.hpp"
#include "tools/report/mutants.hpp"

namespace assay::report {
namespace {

using properties::accept_rules, properties::Fate, properties::Trial;
using Json = nlohmann::ordered_json;

Json json_of(const Trial& t) {
  Json j{{"mutant", t.mutant.name}, {"kernel", t.mutant.kernel}, {"subject", t.mutant.subject}, {"class", t.mutant.class_of_bug},
         {"models", t.mutant.models}, {"fate", name(t.fate)}};
  if (!t.mutant.harmless.empty()) j["harmless"] = t.mutant.harmless;
  if (!t.reason.empty()) j["reason"] = t.reason;
  j["cases"] = t.cases, j["seconds"] = t.seconds;
  if (t.laws.empty()) return j;
  j["laws"] = t.laws, j["first"] = to_line(t.first), j["smallest"] = to_line(t.smallest);
  if (!t.accepted.empty()) {
    j["compared_on"] = t.compared_on;
    for (size_t i = 0; i < t.accepted.size(); i++) j["accepted_by"][std::string(accept_rules()[i].name)] = bool(t.accepted[i]);
  }
  return j;
}

}  // namespace

std::string to_json(const std::vector<Trial>& all) {
  Json j{{"killed", count(all, Fate::killed)}, {"survived", count(all, Fate::survived)}, {"unaccused", count(all, Fate::unaccused)},
         {"accused", count(all, Fate::accused)}, {"unusable", count(all, Fate::unusable)}, {"median_seconds", median_seconds(all)},
         {"mutants", Json::array()}};
  for (const Trial& t : all) j["mutants"].push_back(json_of(t));
  return j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace assay::report
