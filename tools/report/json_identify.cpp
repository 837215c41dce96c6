#include <nlohmann/json.hpp>

#include "tools/report/identify.hpp"

namespace assay::report {
namespace {

using properties::Agreement, properties::Contradiction, properties::Trait, properties::Identification;
using Json = nlohmann::ordered_json;

Json json_of(const Trait& f) {
  Json j{{"dimension", f.name}, {"found", f.found}};
  if (!f.evidence.empty()) j["evidence"] = f.evidence;
  j["contradicted"] = Json::array();
  for (const Contradiction& c : f.contradicted)
    j["contradicted"].push_back({{"choice", c.choice}, {"input", c.input}, {"difference", c.difference}});
  if (!f.untold.empty()) j["contradicted_only_with_others"] = f.untold;
  return j;
}

Json json_of(const Identification& id) {
  Json j{{"case", to_line(id.problem)}, {"identified", id.identified()}, {"arithmetic", id.arithmetic}};
  if (!id.identified()) j["why_not"] = id.why_not;
  j["declared"] = id.declared;
  constexpr const char* kAgreements[] = {"not compared", "same", "wider", "contradicted"};
  j["agreement"] = kAgreements[size_t(id.agreement)];
  if (!id.disagreement.empty()) j["disagreement"] = id.disagreement;
  j["candidates"] = id.candidates, j["inputs"] = id.inputs, j["elements"] = id.elements;
  j["findings"] = Json::array();
  for (const Trait& f : id.findings) j["findings"].push_back(json_of(f));
  return j;
}

}  // namespace

std::string to_json(const std::string& subject, const std::vector<Identification>& all) {
  Json j{{"subject", subject}, {"shapes", Json::array()}};
  for (const Identification& id : all) j["shapes"].push_back(json_of(id));
  return j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace assay::report
