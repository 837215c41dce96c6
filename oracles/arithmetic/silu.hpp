// silu(g) = g / (1 + e^-g), stage by stage: slots `exp`, `one_plus` and `divide`.
#pragma once
#include <cfloat>

#include "oracles/arithmetic/tracked.hpp"

namespace assay {

/// Infinities and NaN follow IEEE 754 through the formula: -inf gives -inf / inf = NaN.
template <class Real>
Tracked<Real> silu(const Tracked<Real>& gate, const Arithmetic& arithmetic) {
  // Beyond this, e^-g overflows FP64 too and silu(g) is below 700 e^-700: nothing times any BF16 value is left of it.
  constexpr double kVanished = 700;
  const auto g = static_cast<double>(gate.value);
  if (!std::isfinite(g)) return {Real(g > 0 ? g : NAN), 0, {}};
  if (-g > kVanished) return {Real(0), kVanished * 1e-304, {}};
  Tracked<Real> argument = gate;
  argument.value = -argument.value;
  const auto power = apply(arithmetic, arithmetic.fn("exp"), argument, exponential(argument));
  const auto denominator = apply(arithmetic, arithmetic.ops("one_plus"), exactly(Real(1)) + power);
  auto s = apply(arithmetic, arithmetic.ops("divide"), gate / denominator);
  if (reach(denominator) >= FLT_MAX) s.bound[Term::underflow] += magnitude(s);   // e^-g may have become infinite, and silu zero
  return s;
}

}  // namespace assay
