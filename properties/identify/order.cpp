#include "properties/identify/order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace assay::properties {
namespace {

/// The results cannot be those of one tree of additions.
struct NoTree : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Finder {
 public:
  explicit Finder(const Lost& lost) : lost(lost) {}
  int64_t pairs() const { return int64_t(known.size()); }

  /// The tree over these elements, ascending.
  Sums tree(const std::vector<int64_t>& of) {
    const int64_t first = of.front();
    Sums tree{.leaves = {first}, .parts = {}};
    if (of.size() == 1) return tree;
    std::map<int64_t, std::vector<int64_t>> by_size;  // of the smallest sum that holds `first` and the element
    const std::vector<int64_t> others(of.begin() + 1, of.end()), sizes = sizes_with(first, others);
    for (size_t i = 0; i < others.size(); i++) by_size[sizes[i]].push_back(others[i]);
    int64_t covered = 1;
    for (const auto& [size, joining] : by_size) {
      covered += int64_t(joining.size());
      if (covered != size)
        throw NoTree(fmt::format("k={} shares a sum of {} terms with k={}, but {} terms are in it", first, size, joining.front(), covered));
      tree = joined(std::move(tree), joining, size);
    }
    return tree;
  }

 private:
  const Lost& lost;
  std::map<std::pair<int64_t, int64_t>, int64_t> known;

  std::vector<int64_t> sizes_with(int64_t i, const std::vector<int64_t>& others) {
    std::vector<Pair> missing;
    for (int64_t j : others)
      if (!known.contains({i, j})) missing.push_back({i, j});
    if (!missing.empty()) {
      const auto counts = lost(missing);
      if (!counts) throw NoTree("a result is no whole number of units between none and all");
      for (size_t n = 0; n < missing.size(); n++) known[{missing[n].i, missing[n].j}] = (*counts)[n] + 2;
    }
    std::vector<int64_t> sizes;
    for (int64_t j : others) sizes.push_back(known.at({i, j}));
    return sizes;
  }

  /// One sum of `so_far` and of the elements that join it: single ones, or parts of their own.
  Sums joined(Sums so_far, std::vector<int64_t> joining, int64_t size) {
    Sums sum;
    if (so_far.parts.empty() && so_far.leaves.size() == 1)
      sum.leaves = so_far.leaves;
    else
      sum.parts.push_back(std::move(so_far));
    while (!joining.empty()) {
      const int64_t first = joining.front();
      const std::vector<int64_t> others(joining.begin() + 1, joining.end()), sizes = sizes_with(first, others);
      std::vector<int64_t> together{first}, left;
      for (size_t i = 0; i < others.size(); i++) (sizes[i] < size ? together : left).push_back(others[i]);
      if (together.size() == 1)
        sum.leaves.push_back(first);
      else
        sum.parts.push_back(tree(together));
      joining = left;
    }
    return sum;
  }
};

bool is_run(const Sums& s) { return !s.leaves.empty() && (s.parts.empty() || (s.parts.size() == 1 && is_run(s.parts[0]))); }

Listed chain_of(const Sums& s) {
  Listed chain;
  for (const Sums* at = &s;; at = &at->parts[0]) {
    chain.blocks.insert(chain.blocks.begin(), at->leaves);
    if (at->parts.empty()) return chain;
  }
}

/// The summands of ((a + b) + c) + ..., a first; a sum whose larger side cannot be told is taken to begin with the smallest k.
bool spine(const Sums& s, std::vector<const Sums*>& summands) {
  if (is_run(s)) return summands.push_back(&s), true;
  if (s.parts.size() != 2 || !s.leaves.empty()) return false;
  const bool in_order = s.parts[0].least() < s.parts[1].least();
  if (!spine(in_order ? s.parts[0] : s.parts[1], summands)) return false;
  summands.push_back(in_order ? &s.parts[1] : &s.parts[0]);
  return true;
}

Listed list_of(std::vector<Listed> members) {
  return members.size() == 1 ? members[0] : Listed{.blocks = {}, .members = std::move(members)};
}

/// Members of one height: lower ones at the beginning are together the first of the others, lower ones after that stand alone.
Listed levelled(std::vector<Listed> members) {
  int height = 0;
  for (const Listed& m : members) height = std::max(height, m.height());
  const auto first_high = std::ranges::find_if(members, [&](const Listed& m) { return m.height() == height; });
  if (height == 0 || first_high == members.begin()) return list_of(std::move(members));
  std::vector<Listed> all{levelled(std::vector<Listed>(members.begin(), first_high))};
  all.insert(all.end(), first_high, members.end());
  return list_of(std::move(all));
}

}  // namespace

int64_t Sums::count() const {
  int64_t all = int64_t(leaves.size());
  for (const Sums& p : parts) all += p.count();
  return all;
}

int64_t Sums::least() const {
  int64_t k = leaves.empty() ? INT64_MAX : *std::ranges::min_element(leaves);
  for (const Sums& p : parts) k = std::min(k, p.least());
  return k;
}

Order find_order(int64_t k, const Lost& lost) {
  Finder finder(lost);
  std::vector<int64_t> all(static_cast<size_t>(k));
  for (int64_t i = 0; i < k; i++) all[size_t(i)] = i;
  Order order;
  try {
    order.sums = finder.tree(all);
  } catch (const NoTree& e) {
    order.why_not = e.what();
  }
  order.pairs = finder.pairs();
  return order;
}

int Listed::height() const {
  int most = -1;
  for (const Listed& m : members) most = std::max(most, m.height());
  return most + 1;
}

std::vector<int64_t> Listed::elements() const {
  std::vector<int64_t> all;
  for (const auto& block : blocks) all.insert(all.end(), block.begin(), block.end());
  for (const Listed& m : members) {
    const std::vector<int64_t> inner = m.elements();
    all.insert(all.end(), inner.begin(), inner.end());
  }
  return all;
}

std::optional<Listed> listed(const Sums& s) {
  std::vector<const Sums*> summands;
  if (!spine(s, summands)) return {};
  if (summands.size() == 1) return chain_of(*summands[0]);
  std::vector<Listed> members;
  for (const Sums* summand : summands) {
    const auto member = listed(*summand);
    if (!member) return {};
    members.push_back(*member);
  }
  return levelled(std::move(members));
}

}  // namespace assay::properties
