#include "properties/portrait/ladder.hpp"

#include <cmath>

#include "fixtures/judge/examine.hpp"

namespace assay::properties {
namespace {

constexpr int64_t kLeastK = 128, kMostK = 4096;

// Results of a rung, the first extents that the subject takes: a root mean square over 512 scatters by 3 %. Kernels of tiles want 64
// columns.
constexpr std::pair<int64_t, int64_t> kExtents[] = {{8, 64}, {8, 128}, {16, 64}, {32, 64}, {4, 128}, {1, 512}, {8, 256}, {64, 64}};

bool is_taken(Bench& bench, const Subject& subject, const Case& c) { return !refusal(c) && !bench.refusal(subject, c); }

/// The case with that k, small in its other extents.
std::optional<Case> rung_case(Bench& bench, const Subject& subject, const Case& like, int64_t k, double work) {
  for (const auto& [m, n] : kExtents) {
    Case c = like;
    c.fill = Fill::normal;
    c.parameters.set("k", k), c.parameters.set("m", m), c.parameters.set("n", n);
    if (is_taken(bench, subject, c) && c.definition().work(c.parameters).multiply_adds <= work) return c;
  }
  return {};
}

Rung climbed(Bench& bench, const Subject& subject, const Case& c) {
  Rung rung{.k = c.parameters.whole("k"), .line = to_line(c)};
  const Run& run = bench.run(subject, c);
  if (!run.error.empty()) return rung;
  double size = 0, error = 0, known = 0, expected = 0, bound = 0;
  examine(c.definition(), c.parameters, bench.operands(c), run.outputs, subject.arithmetic(c.parameters),
          {.computed = run.computed, .poison = run.poison}, [&](const Session& s, const Element& e) {
            const Weighed& w = e.weighed;
            const TensorSpec& spec = s.found.spec;
            rung.conforms &= w.right;
            const double x = w.value, y = decode(spec.format, w.got), nearest = decode(spec.format, encode(spec.format, x, spec.overflow));
            if (!s.is_product || !e.compared || !std::isfinite(y)) return;
            auto square = [](double z) { return z * z; };
            rung.elements++, rung.off += y != nearest;
            size += square(x), error += square(y - x), known += square(nearest - x);
            expected += square(e.want.drift) + square(e.want.spread), bound += square(w.bound.total());
          });
  if (!(size > 0)) return rung;
  auto share = [&](double squares) { return std::sqrt(squares / size); };
  rung.error = share(error), rung.expected = share(known + expected), rung.bound = share(bound);
  rung.before = share(std::fmax(0, error - known)), rung.before_expected = share(expected);
  return rung;
}

}  // namespace

std::optional<Slope> slope_of(const std::vector<std::pair<double, double>>& points) {
  std::vector<std::pair<double, double>> logs;
  for (const auto& [x, y] : points)
    if (x > 0 && y > 0 && std::isfinite(y)) logs.emplace_back(std::log2(x), std::log2(y));
  const auto n = double(logs.size());
  if (logs.size() < 3) return {};
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, rest = 0;
  for (const auto& [x, y] : logs) mean_x += x / n, mean_y += y / n;
  for (const auto& [x, y] : logs) xx += (x - mean_x) * (x - mean_x), xy += (x - mean_x) * (y - mean_y);
  if (!(xx > 0)) return {};
  const double slope = xy / xx;
  for (const auto& [x, y] : logs) rest += std::pow(y - mean_y - slope * (x - mean_x), 2);
  return Slope{slope, std::sqrt(rest / (n - 2) / xx)};
}

Ladder ladder(Bench& bench, const Subject& subject, const Case& like, double work) {
  Ladder all;
  if (!like.definition().product) return {.absent = "no sum over k"};
  for (int64_t k = kLeastK; k <= kMostK; k *= 2)
    if (const auto c = rung_case(bench, subject, like, k, work)) {
      Rung rung = climbed(bench, subject, *c);
      if (rung.elements > 0) all.rungs.push_back(std::move(rung));
    }
  if (all.rungs.empty()) return {.absent = "no case of small extents could be run"};
  auto fitted = [&](double Rung::*value, bool telling) {
    std::vector<std::pair<double, double>> points;
    for (const Rung& r : all.rungs)
      if (!telling || r.off >= kTellingOff) points.emplace_back(double(r.k), r.*value);
    return slope_of(points);
  };
  all.error = fitted(&Rung::error, false), all.expected = fitted(&Rung::expected, false), all.bound = fitted(&Rung::bound, false);
  all.before = fitted(&Rung::before, true), all.before_expected = fitted(&Rung::before_expected, false);
  return all;
}

}  // namespace assay::properties
