// The order-free and the random-sign bound (dot_bound.hpp). For dot_bound.cpp alone.
#pragma once
#include <algorithm>

#include "oracles/arithmetic/dot_lanes.hpp"

namespace assay::dot_lanes {

/// No order: sums of the products by group, and the largest partial sum that any order may have.
ASSAY_INLINE Outcome any_order(const Dot& dot, const Operands& o, bool random_signs) {
  const Instruction& in = dot.instruction;
  const Target to = target(in.rounding);
  const double aligned = in.aligned_bits ? double(in.terms) * std::ldexp(1.0, -in.aligned_bits) : 0;
  const double c1 = (1 + aligned) * (1 + to.step / (to.toward_zero ? 1 : 2)) - 1;
  const int64_t every = dot.promotion.every ? dot.promotion.every : o.scaled ? o.group : o.k;
  const double lambda = random_sign_lambda();
  Outcome out{};
  const Lanes grid = o.grid();
  // What a step may lose besides a share of its sum: a subnormal bit, and terms below the least exponent that alignment knows.
  const double floor = to.least * to.step + in.terms * to.zero * (in.aligned_bits ? std::ldexp(1.0, -in.aligned_bits) : 0);
  int64_t groups = 0;
  for (int64_t first = 0; first < o.k; first += every, groups++) {
    const int64_t end = std::min(o.k, first + every), inner = dot.promotion.inner ? (end - first) / dot.promotion.inner + 1 : 0;
    const int64_t steps = (end - first + in.terms - 1) / in.terms + inner;   // an FP32 addition errs by less than c1
    Lanes value{}, size{}, squares{}, top{};
    for (int64_t k = first; k < end; k++) {
      const Lanes p = load(o.panel.b.data() + k * kPanelColumns) * o.row.a[size_t(k)];
      value += p, size += absolute(p), squares += p * p;
      top = largest(top, load(o.panel.power.data() + k * kPanelColumns) * o.row.power[size_t(k)]);
    }
    Lanes most = (size + absolute(value)) / 2 * (1 + 0x1p-40);   // the larger of the sums of one sign
    if (random_signs) {
      Lanes root;
      for (int i = 0; i < kPanelColumns; i++) root[i] = std::sqrt(squares[i]);
      most = smallest(most, root * (lambda * (1 + 0x1p-40)));
    }
    most = largest(most, top);
    const double grown = std::expm1(double(steps) * std::log1p(c1)) * (1 + 0x1p-40), floors = double(steps) * floor;
    const Lanes reach = largest(size, top);   // of every partial sum, and of what alignment may align to
    const Bits fits = (reach <= grid / to.step) & (grid >= to.least * to.step);
    const Bits uncut = in.aligned_bits ? (reach <= grid * std::ldexp(1.0, in.aligned_bits)) : fits;
    const Lanes scale = o.scale(first);
    out.accumulate += fits & uncut ? Lanes{} : ((most + floors) * grown + floors) * absolute(scale);
    out.value += value * scale, out.magnitude += size * absolute(scale);
    out.fullness = largest(out.fullness, most * (1 + grown) / to.top);
  }
  if (dot.promotion.every || o.scaled) {
    const Lanes reach = out.magnitude + out.accumulate;
    const Bits exact = (out.accumulate == 0.0) & (out.magnitude <= o.scaled_grid() * 0x1p24);
    out.promoted = exact ? Lanes{} : reach * growth(Format::fp32, groups + dot.promotion.scale_roundings + 1);
    out.fullness = largest(out.fullness, (reach + out.promoted) / info(Format::fp32).max_finite);
  }
  return out;
}

}  // namespace assay::dot_lanes
