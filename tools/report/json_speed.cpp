#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/report/speed.hpp"

namespace assay::report {
namespace {

using Json = nlohmann::ordered_json;

Json spread_json(const Spread& s) {
  return {{"repeats", s.count},        {"median", s.median}, {"least", s.least},  {"lower_quartile", s.lower},
          {"upper_quartile", s.upper}, {"most", s.most},     {"queued", s.queued}};
}

Json rival_json(const Rival& r, const Speed& s) {
  Json j{{"name", r.name}};
  if (r.time)
    j["seconds"] = spread_json(*r.time), j["ratio"] = r.time->median / s.time->median;
  else
    j["absent"] = r.absent;
  return j;
}

Json speed_json(const Speed& s) {
  Json j{{"subject", s.subject},
         {"case", to_line(s.problem)},
         {"bytes", s.work.bytes},
         {"flops", s.work.flops},
         {"multiply_adds", s.work.multiply_adds}};
  if (s.product) j["operands"] = info(s.product->operand).name;
  if (s.roofline)
    j["roofline"] = {{"seconds", s.roofline->seconds},
                     {"limit", s.roofline->limit == Limit::memory ? "memory" : "matrix"},
                     {"whole", s.roofline->whole}};
  if (!s.time) {
    j["unmeasured"] = s.unmeasured, j["failed"] = s.failed;
    return j;
  }
  j["seconds"] = spread_json(*s.time);
  j["bytes_per_second"] = s.work.bytes / s.time->median;
  j["flops_per_second"] = s.work.flops / s.time->median;
  j["multiply_adds_per_second"] = s.work.multiply_adds / s.time->median;
  if (s.roofline) j["share_of_roofline"] = s.roofline->seconds / s.time->median;
  if (!s.rivals.empty()) j["rivals"] = Json::array();
  for (const Rival& r : s.rivals) j["rivals"].push_back(rival_json(r, s));
  return j;
}

Json ceilings_json(const MeasuredCeilings& c) {
  Json j{{"copy_bytes_per_second", c.values.bytes_per_second}, {"copied_bytes", c.copied_bytes}, {"matrix", Json::array()}};
  for (const MatrixRate& m : c.matrix)
    j["matrix"].push_back(
        {{"operands", info(m.operand).name}, {"flops_per_second", m.flops_per_second}, {"size", m.size}, {"source", m.source}});
  return j;
}

Json card_json(const Timer::Card& c) {
  return {{"l2_bytes", c.l2_bytes},
          {"driver", c.driver},
          {"sm_mhz", c.sm_mhz},
          {"sm_highest_mhz", c.sm_highest_mhz},
          {"memory_mhz", c.memory_mhz}};
}

Json headline_json(const Headline& h) {
  Json j{{"subject", h.subject}, {"shape", h.shape}, {"over", baseline_name(Format::bf16)}, {"points", Json::array()}};
  for (const SpeedUp& p : h.points) j["points"].push_back({{"m", p.m}, {"ratio", p.ratio}});
  if (h.crossover) j["crossover"] = {{"wins_first", h.crossover->wins_first}, {"at", h.crossover->at}, {"text", to_text(*h.crossover)}};
  return j;
}

}  // namespace

std::string to_json(const SpeedReport& r) {
  Json j{{"shapes", r.shapes}, {"backend", r.backend}, {"seconds", r.seconds}};
  j["device"] = {{"name", r.device.name},
                 {"compute_capability", r.device.compute_capability},
                 {"multiprocessors", r.device.multiprocessors},
                 {"driver", r.device.driver_version},
                 {"runtime", r.device.runtime_version},
                 {"toolkit", r.device.toolkit}};
  j["card"] = card_json(r.card), j["card_after"] = card_json(r.card_after);
  j["library"] = r.library.empty() ? "none: " + r.no_library : r.library;
  j["ceilings"] = ceilings_json(r.ceilings);
  j["flushed_bytes"] = r.flush_bytes;
  j["empty_kernel"] = spread_json(r.nothing);
  j["exit_code"] = exit_code(r.speeds);
  j["speeds"] = Json::array();
  for (const Speed& s : r.speeds) j["speeds"].push_back(speed_json(s));
  j["headlines"] = Json::array();
  for (const Headline& h : headlines_of(r.speeds)) j["headlines"].push_back(headline_json(h));
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace assay::report
