#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "fixtures/case/shown.hpp"
#include "tools/report/shard.hpp"

namespace assay::report {
namespace {

using properties::CaseSheet, properties::SubjectSheet;

/// The first word in which two identities differ, of each: "seed=1", "seed=2".
std::pair<std::string, std::string> difference(const std::string& a, const std::string& b) {
  std::istringstream left(a), right(b);
  for (std::string l, r;;) {
    const bool any = bool(left >> l) | bool(right >> r);
    if (l != r || !any) return {l, r};
  }
}

std::string device_text(const DeviceDescription& d) {
  return d.name.empty() ? "no device"
                        : fmt::format("{}, compute capability {}, {} multiprocessors, driver {}, runtime {}, toolkit {}", d.name,
                                      d.compute_capability, d.multiprocessors, d.driver_version, d.runtime_version, d.toolkit);
}

void require_one_run(const std::vector<ShardReport>& all) {
  const ShardReport& first = all.front();
  for (const ShardReport& other : all) {
    auto differ = [&](const std::string& what, const std::string& a, const std::string& b) {
      if (a != b)
        throw BadInput(fmt::format("{} and {} are of different runs: {}{} and {}", first.path, other.path, what, shown(a), shown(b)));
    };
    differ("versions ", first.report.version, other.report.version);
    const auto [a, b] = difference(first.part.identity, other.part.identity);
    differ("", a, b);
    differ("images ", first.report.image, other.report.image);
    differ("numbers of shards ", std::to_string(first.part.shard.of), std::to_string(other.part.shard.of));
    if (const std::string mine = device_text(first.report.device), its = device_text(other.report.device); mine != its)
      throw BadInput(fmt::format("{} and {} are of different devices: {}; {}", first.path, other.path, mine, its));
  }
}

void require_every_shard(const std::vector<ShardReport>& all) {
  const int of = all.front().part.shard.of;
  for (const ShardReport& r : all) {
    const int index = r.part.shard.index;
    for (const ShardReport& other : all)
      if (&other < &r && other.part.shard.index == index)
        throw BadInput(fmt::format("{} is there twice: {} and {}", properties::shard_text(r.part.shard), other.path, r.path));
  }
  for (int index = 1; index <= of; index++)
    if (std::ranges::none_of(all, [&](const ShardReport& r) { return r.part.shard.index == index; }))
      throw BadInput(fmt::format("{} is missing: want the reports of all {} shards", properties::shard_text({index, of}), of));
}

/// The cases of a subject in all shards, in their order.
std::vector<CaseSheet> cases_of(std::vector<ShardReport>& all, size_t subject) {
  std::vector<CaseSheet> cases;
  for (ShardReport& r : all)
    for (CaseSheet& c : r.part.sheets.subjects.at(subject).cases) cases.push_back(std::move(c));
  std::ranges::sort(cases, {}, &CaseSheet::number);
  return cases;
}

}  // namespace

Report merged(std::vector<ShardReport> all) {
  require_one_run(all);
  require_every_shard(all);
  properties::Sheets sheets = all.front().part.sheets;
  size_t number = 0;
  for (size_t i = 0; i < sheets.subjects.size(); i++) {
    sheets.subjects[i].cases = cases_of(all, i);
    for (const CaseSheet& c : sheets.subjects[i].cases)
      if (c.number != number++)
        throw BadInput(fmt::format("{}: case {} stands where case {} belongs", all.front().path, c.number, number - 1));
  }
  if (number != sheets.total) throw BadInput(fmt::format("{}: {} cases of {} are there", all.front().path, number, sheets.total));
  Report report = all.front().report;
  report.cells = added_up(sheets);
  report.notes = notes_on(all.front().part.undeclared, report.cells);
  report.seconds = 0;
  for (const ShardReport& r : all) report.seconds += r.report.seconds;
  return report;
}

}  // namespace assay::report
