// An explanation in words.
#include <fmt/format.h>

#include "fixtures/judge/legal.hpp"
#include "golden/explain.hpp"

namespace assay::golden {
namespace {

constexpr size_t kShown = 5;  // changes of an output that are written out

std::string how_far(const TensorDifference& d) {
  const bool measured = d.comparison.changes.size() > d.not_numbers;
  return (measured ? fmt::format(", by {} ulp{}", d.farthest, d.comparison.changes.size() > 1 ? " at most" : "") : "") +
         (d.not_numbers ? fmt::format(", {} from or to NaN", d.not_numbers) : "");
}

std::string who_is_nearer(const TensorDifference& d) {
  const uint64_t all = d.found_nearer + d.recorded_nearer + d.equal;
  if (all == 0) return "";
  if (d.found_nearer == all) return "; the new bits are nearer the exact value";
  if (d.recorded_nearer == all) return "; the recorded bits are nearer the exact value";
  return fmt::format("; the new bits are nearer the exact value in {}, the recorded ones in {}, neither in {}", d.found_nearer,
                     d.recorded_nearer, d.equal);
}

std::string said_of(const Verdict& v) {
  switch (v.outcome) {
    case Outcome::pass: return "conform";
    case Outcome::fail: return fmt::format("do not conform ({})", v.reason);
    default: return fmt::format("are {} ({})", name(v.outcome), v.reason);
  }
}

std::string who_conforms(const Explanation& e) {
  if (!e.found) return "";
  if (!e.recorded) return fmt::format("; the new bits {}, of the recorded ones only hashes are known", said_of(*e.found));
  if (e.found->outcome == Outcome::pass && e.recorded->outcome == Outcome::pass) return "; both conform";
  return fmt::format("; the new bits {}, the recorded ones {}", said_of(*e.found), said_of(*e.recorded));
}

std::string shown_change(const TensorSpec& spec, const Change& c) {
  const std::optional<uint64_t> ulp = distance_in_ulp(spec.format, c.found, c.recorded);
  return fmt::format("{} row {} column {} is {}, recorded {}{}", spec.name, c.row, c.column, shown(spec, c.found), shown(spec, c.recorded),
                     ulp ? fmt::format(": {} ulp", *ulp) : "");
}

}  // namespace

std::string summary(const Explanation& e) {
  if (!e.structure.empty() || e.tensors.empty()) return e.structure;
  const TensorDifference& first = e.tensors.front();
  return first.comparison.difference + how_far(first) + who_is_nearer(first) + who_conforms(e);
}

std::vector<std::string> details(const Explanation& e) {
  std::vector<std::string> lines;
  for (const TensorDifference& d : e.tensors) {
    const Comparison& c = d.comparison;
    for (size_t i = 0; i < std::min(c.changes.size(), kShown); i++) lines.push_back(shown_change(d.spec, c.changes[i]));
    if (c.comparable)
      lines.push_back(fmt::format("{} differs in rows: {}; columns: {}", d.spec.name, in_words(c.rows), in_words(c.columns)));
    if (&d != &e.tensors.front()) lines.push_back(c.difference + how_far(d) + who_is_nearer(d));
  }
  return lines;
}

}  // namespace assay::golden
