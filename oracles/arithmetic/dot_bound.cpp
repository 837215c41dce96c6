#include "oracles/arithmetic/dot_bound.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "oracles/arithmetic/dot_any_order.hpp"
#include "oracles/arithmetic/dot_path.hpp"
#include "oracles/arithmetic/grid.hpp"

namespace assay {
namespace {

using namespace dot_lanes;

ASSAY_INLINE Outcome evaluate(const Dot& dot, const Operands& o, const Order& order, bool random_signs) {
  return dot.chains.empty() ? any_order(dot, o, random_signs) : walk_path(dot, o, order);
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512dq,avx512vl,fma,prefer-vector-width=512"))) void evaluate_avx512(const Dot& d, const Operands& o, const Order& r, bool s,
                                                                                                Outcome& out) {
  out = evaluate(d, o, r, s);
}
#endif
void evaluate_baseline(const Dot& d, const Operands& o, const Order& r, bool s, Outcome& out) { out = evaluate(d, o, r, s); }

using Evaluate = void(const Dot&, const Operands&, const Order&, bool, Outcome&);
Evaluate* widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) return evaluate_avx512;
#endif
  return evaluate_baseline;
}

/// The power that aligns an operand: subnormals count with the least exponent of their format.
double power_of(double x, double least) {
  if (x == 0) return 0;
  return std::max(std::bit_cast<double>(std::bit_cast<uint64_t>(x) & 0x7FF0000000000000), least);
}

double grid_of(std::span<const double> elements, bool& finite) {
  double grid = INFINITY;
  for (double x : elements) {
    if (!std::isfinite(x)) finite = false;
    else if (x != 0) grid = std::min(grid, lowest_bit(x));
  }
  return std::isinf(grid) ? 1 : grid;
}

/// Infinities and NaN by IEEE 754, which holds as long as no sum of the finite terms overflows: before or after the scales.
DotResult ieee_sum(const Dot& dot, const Operands& o, int column) {
  DotResult r;
  double unscaled = 0;
  for (int64_t k = 0; k < o.k; k++) {
    double term = o.row.a[size_t(k)] * o.panel.b[size_t(k * kPanelColumns + column)];
    if (std::isfinite(term)) unscaled += std::fabs(term);
    if (o.scaled) term *= o.row.scale[size_t(k / o.group)] * o.panel.scale[size_t(k / o.group * kPanelColumns + column)];
    if (std::isfinite(term)) r.magnitude += std::fabs(term);
    r.value += term;
  }
  r.fullness = std::max(unscaled / target(dot.instruction.rounding).top, r.magnitude / info(Format::fp32).max_finite);
  return r;
}

/// Declarations that say nothing, or what is not evaluated here.
void check(const Dot& dot, int64_t group) {
  auto refuse = [](const char* why) { throw std::invalid_argument(std::string("dot: ") + why); };
  const Instruction& in = dot.instruction;
  const Promotion& p = dot.promotion;
  const Combination& c = dot.combination;
  if (in.depth < 1 || in.terms < 1 || in.depth % in.terms || (!in.order.empty() && int(in.order.size()) != in.depth)) refuse("an instruction's sums and order cover its depth");
  if (in.accumulators < 1 || in.accumulators > 2 || in.depth / in.terms % in.accumulators) refuse("one or two accumulators share an instruction's sums evenly");
  if (in.accumulators == 2 && (p.every == 0 || p.inner)) refuse("two accumulators meet where they are promoted, at once");
  if (p.every % in.depth || p.inner % in.depth) refuse("promotions come after whole instructions");
  if (dot.chains.empty()) {
    if (in.accumulators > 1 || c.part != Format::fp32 || c.sum != Format::fp32) refuse("without chains there is one accumulator, and no parts");
    return;
  }
  if (c.together < 1 || (c.into_output && c.together > 1)) refuse("neighbours are added before a sum that is not the output's");
  if (group == 0) return;
  if (p.every == 0) refuse("scales by group of k need a promotion that multiplies them in");
  for (const Chain& chain : dot.chains)
    if (group % p.every || chain.first % p.every || chain.width % p.every || (chain.width && chain.stride % p.every)) refuse("a promotion stays within a group of scales");
}

}  // namespace

double random_sign_lambda() {
  // 2^44 partial sums, each above lambda * |p|_2 with a chance of at most 2 exp(-lambda^2 / 2) (Hoeffding, Rademacher signs): 1e-12 together
  return std::sqrt(2 * std::log(2 * 0x1p44 / 1e-12));
}

DotRow::DotRow(std::span<const double> elements, std::span<const double> scales, const Instruction& in) : a(elements.begin(), elements.end()) {
  const double least = info(in.operands).min_normal;
  for (double x : a) power.push_back(power_of(x, least));
  grid = grid_of(a, finite);
  scale.assign(scales.begin(), scales.end());
  scale_grid = grid_of(scale, finite);
}

DotPanel::DotPanel(std::span<const std::vector<double>> rows, std::span<const std::vector<double>> scales, const Instruction& in) : columns(int(rows.size())) {
  const size_t k = rows.front().size(), groups = scales.empty() ? 0 : scales.front().size();
  b.assign(k * kPanelColumns, 0), power = b;
  scale.assign(groups * kPanelColumns, 0);
  grid.fill(1), scale_grid.fill(1), finite.fill(true);
  const double least = info(in.operands).min_normal;
  for (size_t c = 0; c < rows.size(); c++) {
    for (size_t i = 0; i < k; i++) b[i * kPanelColumns + c] = rows[c][i], power[i * kPanelColumns + c] = power_of(rows[c][i], least);
    for (size_t g = 0; g < groups; g++) scale[g * kPanelColumns + c] = scales[c][g];
    grid[c] = grid_of(rows[c], finite[c]);
    if (groups) scale_grid[c] = grid_of(scales[c], finite[c]);
  }
}

void bound_dots(const Dot& dot, const DotRow& row, const DotPanel& panel, int64_t group, bool random_signs, std::span<DotResult> results) {
  static Evaluate* const chosen = widest();
  const Operands o{row, panel, group, int64_t(row.a.size()), group > 0};
  check(dot, group);
  Outcome out;
  chosen(dot, o, order_of(dot.instruction), random_signs, out);
  const auto k = double(o.k), sums = k + double(dot.chains.size()) + (o.scaled ? 3 * k / double(group) : 0) + (dot.promotion.every ? k / double(dot.promotion.every) : 0);
  for (int i = 0; i < panel.columns; i++) {
    DotResult& r = results[size_t(i)];
    if (!row.finite || !panel.finite[size_t(i)]) {
      r = ieee_sum(dot, o, i);
      continue;
    }
    const double grid = row.grid * panel.grid[size_t(i)] * (o.scaled ? row.scale_grid * panel.scale_grid[size_t(i)] : 1);
    r = {.value = out.value[i], .magnitude = out.magnitude[i] * (1 + sums * 0x1p-52), .drift = out.drift[i], .variance = out.variance[i], .fullness = out.fullness[i]};
    // Every partial sum of every order is a multiple of the grid and below the magnitude: exact in FP64 while that fits 53 bits.
    if (r.magnitude > 0x1p53 * grid) r.radius = sums * 0x1p-53 * (1 + 0x1p-20) * r.magnitude;
    r.bound[Term::accumulate] = out.accumulate[i];
    r.bound[Term::promote] = out.promoted[i];
    r.bound[Term::combine] = out.combined[i];
  }
}

}  // namespace assay
