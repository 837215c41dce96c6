#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fixtures/read_file.hpp"
#include "properties/crew/hashes.hpp"
#include "tools/report/shard.hpp"

namespace assay::report {
namespace {

using Json = nlohmann::ordered_json;
using properties::CaseSheet, properties::SubjectSheet;

constexpr size_t kLongest = size_t{1} << 30;  // bytes of a report: a million cases have some 500 each

std::string text_of(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string hash_of(const Json& whole) { return fmt::format("{:016x}", properties::hash_of_text(text_of(whole))); }

// ---- writing

Json case_json(const CaseSheet& c) {
  Json j{{"number", c.number}, {"case", c.line}};
  if (c.drawn) j["drawn"] = true;
  for (const properties::LawVerdict& l : c.laws) j["verdicts"].push_back(to_text(l));
  for (const auto& [law, shrunk] : c.shrunk) j["shrunk"][law] = {shrunk.reproducer, shrunk.reason};
  return j;
}

Json subject_json(const SubjectSheet& s) {
  Json j{{"subject", s.subject}};
  if (!s.plugin.empty()) j["plugin"] = s.plugin;
  if (!s.must_show.empty()) j["must_show"] = s.must_show;
  if (!s.death.empty()) j["death"] = {s.death, s.death_case};
  j["cases"] = Json::array();
  for (const CaseSheet& c : s.cases) j["cases"].push_back(case_json(c));
  return j;
}

Json ledger_json(const properties::Ledger& ledger) {
  Json all = Json::array();
  for (const properties::KnownFailure& k : ledger)
    all.push_back({k.subject, k.law, k.line, k.backend ? name(*k.backend) : "", k.reason, k.link, k.place});
  return all;
}

Json part_json(const Part& p) {
  Json j{{"index", p.shard.index},  {"of", p.shard.of},      {"run", p.identity},
         {"total", p.sheets.total}, {"laws", p.sheets.laws}, {"ledger", ledger_json(p.sheets.ledger)}};
  j["undeclared"] = Json::array();
  for (const Undeclared& u : p.undeclared) j["undeclared"].push_back({u.subject, u.assumed, u.advice});
  j["subjects"] = Json::array();
  for (const SubjectSheet& s : p.sheets.subjects) j["subjects"].push_back(subject_json(s));
  return j;
}

// ---- reading. The hash was right, so what is missing here was never written.

CaseSheet case_of(const Json& j) {
  CaseSheet c{.number = j.at("number"), .line = j.at("case"), .drawn = j.value("drawn", false)};
  if (j.contains("verdicts"))
    for (const Json& line : j.at("verdicts")) c.laws.push_back(properties::law_verdict_of(line.get<std::string>()));
  if (j.contains("shrunk"))
    for (const auto& [law, shrunk] : j.at("shrunk").items()) c.shrunk[law] = {shrunk.at(0), shrunk.at(1)};
  return c;
}

SubjectSheet subject_of(const Json& j) {
  SubjectSheet s{
      .subject = j.at("subject"), .plugin = j.value("plugin", ""), .must_show = j.value("must_show", decltype(SubjectSheet::must_show){})};
  if (j.contains("death")) s.death = j.at("death").at(0), s.death_case = j.at("death").at(1);
  for (const Json& c : j.at("cases")) s.cases.push_back(case_of(c));
  return s;
}

properties::Ledger ledger_of(const Json& j) {
  properties::Ledger all;
  for (const Json& k : j) {
    const std::string backend = k.at(3);
    all.push_back({.subject = k.at(0), .law = k.at(1), .line = k.at(2), .reason = k.at(4), .link = k.at(5), .place = k.at(6)});
    if (!backend.empty()) all.back().backend = backend_named(backend);
  }
  return all;
}

Part part_of(const Json& j, Backend backend) {
  Part p{.shard = {.index = j.at("index"), .of = j.at("of")},
         .identity = j.at("run"),
         .sheets = {.backend = backend, .laws = j.at("laws"), .ledger = ledger_of(j.at("ledger")), .total = j.at("total"), .subjects = {}},
         .undeclared = {}};
  for (const Json& u : j.at("undeclared")) p.undeclared.push_back({u.at(0), u.at(1), u.at(2)});
  for (const Json& s : j.at("subjects")) p.sheets.subjects.push_back(subject_of(s));
  return p;
}

Report report_of(const Json& j) {
  const Json& d = j.at("device");
  return {.suite = j.at("suite"),
          .seed = j.at("seed"),
          .schedule = j.at("schedule"),
          .drawn_cases = j.at("drawn_cases"),
          .backend = j.at("backend"),
          .device = {.name = d.at("name"),
                     .toolkit = d.at("toolkit"),
                     .compute_capability = d.at("compute_capability"),
                     .multiprocessors = d.at("multiprocessors"),
                     .driver_version = d.at("driver"),
                     .runtime_version = d.at("runtime")},
          .seconds = j.at("seconds"),
          .cells = {},
          .version = j.value("version", ""),
          .image = j.value("image", "")};
}

[[noreturn]] void complain(const std::string& path, const std::string& what) { throw BadInput(fmt::format("report {}: {}", path, what)); }

}  // namespace

std::string to_json(const Report& report, const Part& part) {
  Json j = Json::parse(to_json(report));
  j["shard"] = part_json(part);
  j = Json::parse(text_of(j));  // as it will be read
  j["hash"] = hash_of(j);
  return text_of(j) + "\n";
}

ShardReport read_shard(const std::string& path) {
  Json j = Json::parse(file_contents("report", path, kLongest), nullptr, false);
  if (j.is_discarded()) complain(path, "is no JSON, or only the beginning of it");
  if (!j.is_object() || !j.contains("shard") || !j.contains("hash"))
    complain(path, "is no report of a shard: want one that assay check --shard k/n --json wrote");
  const Json hash = j["hash"];
  j.erase("hash");
  if (hash != hash_of(j)) complain(path, "is damaged, its hash is wrong");
  try {
    Report report = report_of(j);
    const Backend backend = backend_named(report.backend);
    return {.path = path, .report = std::move(report), .part = part_of(j.at("shard"), backend)};
  } catch (const Json::exception&) {
    complain(path, fmt::format("was written by version {} of this program, which had another form", j.value("version", Json("?")).dump()));
  }
}

}  // namespace assay::report
