// What the checker has found since configure().
#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "kernels/simt/checker/watch.hpp"

namespace simt {
namespace {

using Key = std::tuple<std::uint64_t, Finding::Kind, std::string, const void*>;  // launch, kind, buffer, instruction

std::mutex mutex;
std::map<Key, Finding> findings;

auto order(const Finding& finding) { return std::tuple(finding.launch, finding.block, finding.thread); }

}  // namespace

void record_finding(Finding finding, const void* code) {
  std::lock_guard lock(mutex);
  const auto [entry, fresh] = findings.try_emplace(Key(finding.launch, finding.kind, finding.buffer, code), finding);
  if (fresh) return;
  finding.count = entry->second.count + 1;
  if (order(finding) < order(entry->second))
    entry->second = std::move(finding);
  else
    entry->second.count = finding.count;
}

void clear_findings() {
  std::lock_guard lock(mutex);
  findings.clear();
}

std::vector<Finding> checker_findings() {
  std::lock_guard lock(mutex);
  std::vector<Finding> all;
  for (const auto& [key, finding] : findings) all.push_back(finding);
  std::ranges::stable_sort(all, {}, order);
  return all;
}

const char* name(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::out_of_bounds_read: return "out-of-bounds read";
    case Finding::Kind::out_of_bounds_write: return "out-of-bounds write";
    case Finding::Kind::uninitialised_read: return "uninitialised read";
    case Finding::Kind::write_to_input: return "write to an input";
    case Finding::Kind::misaligned: return "misaligned access";
    case Finding::Kind::index_out_of_bounds: return "index out of bounds";
    case Finding::Kind::race: return "race";
    case Finding::Kind::missing_wait: return "missing wait";
  }
  return "?";
}

}  // namespace simt
