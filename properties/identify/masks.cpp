#include "properties/identify/masks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::properties {
namespace {

/// One element of the result: +M at i, -M at j, a unit for each k in [first, end) besides.
struct Probe {
  Pair pair;
  int64_t first, end;

  int64_t units() const { return end - first - (first <= pair.i && pair.i < end) - (first <= pair.j && pair.j < end); }
};

class Prober {
 public:
  Prober(Bench& bench, const Subject& subject, const Case& c, const ProductKind& kind)
      : bench(bench), subject(subject), problem(c), kind(kind), k(c.parameters.whole("k")), blank(drawn(c, Fill::normal, c.seed).operands) {
    kind.make_plain(blank);
    kind.make_ones(blank);
    at_once = std::min(c.parameters.whole("m"), kind.w_carries_masks ? c.parameters.whole("n") : INT64_MAX);
    unit = kind.unit * (kind.w_carries_masks ? kind.unit : 1);
  }

  /// Units that each pair loses, over all k.
  std::optional<std::vector<int64_t>> lost(const std::vector<Pair>& pairs) {
    std::vector<Probe> probes;
    for (const Pair& pair : pairs)
      for (int64_t first = 0; first < k; first += kind.countable) probes.push_back({pair, first, std::min(k, first + kind.countable)});
    std::vector<int64_t> counts;
    for (size_t at = 0; at < probes.size(); at += size_t(at_once)) {
      const size_t end = std::min(probes.size(), at + size_t(at_once));
      for (double y : results(std::span(probes).subspan(at, end - at))) {
        const Probe& p = probes[counts.size()];
        const double left = y / unit;
        if (!(left >= 0 && left <= double(p.units())) || left != std::floor(left)) return {};
        counts.push_back(p.units() - int64_t(left));
      }
    }
    const size_t each = probes.size() / pairs.size();
    std::vector<int64_t> sums(pairs.size());
    for (size_t i = 0; i < counts.size(); i++) sums[i / each] += counts[i];
    return sums;
  }

 private:
  Bench& bench;
  const Subject& subject;
  const Case& problem;
  const ProductKind& kind;
  int64_t k, at_once = 1;
  Tensors blank;
  double unit = 1;

  void plant(Tensor& t, int64_t row, const Probe& p, bool signs) const {
    for (int64_t i = 0; i < k; i++) {
      double value = p.first <= i && i < p.end ? kind.unit : 0;
      if (i == p.pair.i) value = kind.big;
      if (i == p.pair.j) value = signs ? -kind.big : kind.big;
      t.set_code(row, i, encode(t.spec.format, value));
    }
  }

  /// One run: probe p stands in row p of x, and in column p of y where weights carry masks too.
  std::vector<double> results(std::span<const Probe> probes) {
    Tensors operands = blank;
    for (Tensor& t : operands) t.random_signs = false;
    for (size_t p = 0; p < probes.size(); p++) {
      plant(tensor(operands, kind.x), int64_t(p), probes[p], true);
      if (kind.w_carries_masks) plant(tensor(operands, kind.w), int64_t(p), probes[p], false);
    }
    const Run run = bench.run_on(subject, problem, operands);
    if (!run.error.empty()) throw BadInput(fmt::format("{} on masks of {}: {}", subject.name, to_line(problem), run.error));
    std::vector<double> found;
    for (size_t p = 0; p < probes.size(); p++)
      found.push_back(tensor(run.outputs, "y").value(int64_t(p), kind.w_carries_masks ? int64_t(p) : 0));
    return found;
  }
};

std::string elements_of(const std::vector<int64_t>& block) {
  std::vector<int64_t> k = block;
  std::ranges::sort(k);
  std::string text;
  for (size_t i = 0; i < k.size();) {
    size_t end = i + 1;
    while (end < k.size() && k[end] == k[end - 1] + 1) end++;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", end - i == 1 ? fmt::format("{}", k[i]) : fmt::format("{}..{}", k[i], k[end - 1]));
    i = end;
  }
  return text;
}

}  // namespace

Order order_of(Bench& bench, const Subject& subject, const Case& c, const ProductKind& kind) {
  Prober prober(bench, subject, c, kind);
  return find_order(c.parameters.whole("k"), [&](const std::vector<Pair>& pairs) { return prober.lost(pairs); });
}

std::string evidence(const Order& order) {
  std::string text = fmt::format("{} pairs of terms that cancel and swallow what they meet", order.pairs);
  if (!order.sums) return text;
  const Sums* first = &*order.sums;  // where k = 0 stands
  std::vector<const Sums*> path;
  for (;;) {
    path.push_back(first);
    const auto next = std::ranges::find_if(first->parts, [](const Sums& s) { return s.least() == 0; });
    if (next == first->parts.end()) break;
    first = &*next;
  }
  constexpr size_t kShown = 3;
  for (size_t i = 0; i < std::min(kShown, path.size()); i++) {
    const Sums& s = *path[path.size() - 1 - i];
    if (i == 0)
      text += fmt::format(": k = {} meet in one sum", elements_of(s.leaves));
    else if (!s.leaves.empty())
      text += fmt::format(", then k = {} in one with it", elements_of(s.leaves));
    else
      text += fmt::format(", then the sum of {} others is added", s.count() - path[path.size() - i]->count());
  }
  return text + (path.size() > kShown ? ", and so on" : "");
}

}  // namespace assay::properties
