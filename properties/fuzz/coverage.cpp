#include "properties/fuzz/coverage.hpp"

#include <algorithm>

namespace assay::properties {
namespace {

bool is_packed(const TensorSpec& spec) { return spec.meaning == Meaning::packed_int4 || spec.meaning == Meaning::packed_zeros; }

void add_codes(const Tensor& t, int bits, std::vector<bool>& seen) {
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  for (int64_t row = 0; row < t.spec.rows(); row++)
    for (int64_t column = 0; column < t.spec.width(); column++) {
      uint64_t code = t.code(row, column);
      for (int at = 0; at < info(t.spec.format).bits; at += bits, code >>= bits) seen[code & mask] = true;
    }
}

}  // namespace

int SeenCodes::count() const { return int(std::ranges::count(seen, true)); }

std::vector<SeenCodes> codes_of(const Tensors& operands) {
  std::vector<SeenCodes> all;
  for (const Tensor& t : operands) {
    const int bits = is_packed(t.spec) ? 4 : info(t.spec.format).bits;
    if (bits > 8 || t.spec.role == Role::output) continue;
    SeenCodes one{t.spec.name + (is_packed(t.spec) ? " (int4)" : " (" + std::string(info(t.spec.format).name) + ")"),
                  std::vector<bool>(size_t{1} << bits)};
    add_codes(t, bits, one.seen);
    all.push_back(std::move(one));
  }
  return all;
}

void Coverage::plan(const Case& c) {
  for (const std::string& region : regions_of(c)) planned[region]++;
  for (const std::string& pair : region_pairs_of(c)) pairs_met += planned[pair]++ == 0;
}

bool Coverage::add(const std::vector<SeenCodes>& found) {
  bool any = false;
  for (const SeenCodes& one : found) {
    auto known = std::ranges::find(seen_codes, one.operand, &SeenCodes::operand);
    if (known == seen_codes.end()) known = seen_codes.insert(known, {one.operand, std::vector<bool>(one.seen.size())});
    for (size_t code = 0; code < one.seen.size(); code++)
      if (one.seen[code] && !known->seen[code]) known->seen[code] = any = true;
  }
  return any;
}

void Coverage::learn(const Case& c, bool failed, std::optional<double> share, const std::vector<SeenCodes>& codes) {
  Yield& yield = yields[c.fill];
  yield.cases++, yield.shows_codes += add(codes);
  for (const std::string& region : regions_of(c)) {
    RegionCount& count = region_counts[region];
    count.cases++, count.failing += failed;
    if (share && *share > count.worst_share) count.worst_share = *share, count.worst_case = to_line(c);
  }
}

int Coverage::planned_in(const std::string& region_or_pair) const {
  const auto found = planned.find(region_or_pair);
  return found == planned.end() ? 0 : found->second;
}

/// One case more on either side stands for a fill that has not been tried.
double Coverage::codes_weight(Fill fill) const {
  const auto found = yields.find(fill);
  const Yield yield = found == yields.end() ? Yield{} : found->second;
  return seen_codes.empty() ? 0 : kCodes * (yield.shows_codes + 1) / (yield.cases + 1);
}

double Coverage::thinness(const Case& c) const {
  double sum = 0;
  const std::string fill = "fill=" + std::string(name(c.fill));
  for (const std::string& region : regions_of(c)) {
    const auto found = region_counts.find(region);
    const double used = found == region_counts.end() ? 0 : std::min(found->second.worst_share, 1.0);
    sum += (2 - used + (region == fill ? codes_weight(c.fill) : 0)) / (1 + planned_in(region));
  }
  for (const std::string& pair : region_pairs_of(c)) sum += 1.0 / (1 + planned_in(pair));
  return sum;
}

Case Coverage::choose(const std::function<Case()>& draw) const {
  Case best = draw();
  double thinnest = thinness(best);
  for (int i = 1; i < kCandidates; i++) {
    Case other = draw();
    if (const double thin = thinness(other); thin > thinnest) thinnest = thin, best = std::move(other);
  }
  return best;
}

std::vector<RegionCount> Coverage::regions(const Wanted& wanted) const {
  std::vector<RegionCount> all;
  auto add_region = [&](const std::string& name, const std::string& bucket, bool always) {
    const auto found = region_counts.find(name + "=" + bucket);
    if (found == region_counts.end() && !always) return;
    all.push_back(found == region_counts.end() ? RegionCount{} : found->second);
    all.back().name = name, all.back().bucket = bucket;
  };
  for (const Parameter& p : contract.parameters) {
    const std::vector<std::string> legal = legal_buckets(contract, p, wanted);
    for (const std::string& bucket : buckets(p)) add_region(p.name, bucket, std::ranges::count(legal, bucket) > 0);
  }
  for (int fill = 0; fill < kFills; fill++) add_region("fill", std::string(name(Fill(fill))), true);
  return all;
}

}  // namespace assay::properties
