// silu(g) = g / (1 + e^-g), stage by stage: slots `exp`, `one_plus` and `divide`.
#pragma once
#include <cfloat>

#include "oracles/arithmetic/tracked.hpp"

namespace assay {

namespace silu_detail {

/// Beyond this, e^-g nears FP64's overflow (at 709.8) and |silu(-g)| is below 700 e^-700: nothing times any BF16 value is left of it.
inline constexpr double kVanished = 700, kLeft = kVanished * 1e-304;   // e^-700 = 9.86e-305
/// Where e^-g is beyond FLT_MAX, from g = -88.72 on, |silu| is at most 88.72 / FLT_MAX = 2.61e-37.
inline constexpr double kLostToInfinity = 2.7e-37;
/// Magnitudes that FP32 rounds to infinity: a gate computed beyond it is -inf, and its silu NaN.
inline constexpr double kBeyond = 0x1p128 - 0x1p103;
/// The largest slope of silu, at g = 2.3994: 1.09984.
inline constexpr double kSteepest = 1.1;

/// What a gate may be off by so that e^-g stays within 2 %.
inline constexpr double kCertain = 0x1p-6;

/// A gate that may be off by more, up to where an interval of e^-g says nothing: kSteepest takes that error through, and what the stages add
/// is bounded at the gate where they add most.
template <class Real>
Tracked<Real> of_uncertain(const Tracked<Real>& gate, const Arithmetic& arithmetic) {
  const auto g = static_cast<double>(gate.value);
  const double off = gate.radius + gate.bound.total(), most = magnitude(gate) + gate.bound.total();
  Tracked<Real> s;
  if (std::fabs(g) > kVanished)
    s.value = g > 0 ? gate.value : Real(0);
  else
    s.value = (gate / (exactly(Real(1)) + exponential(exactly(Real(-gate.value))))).value;
  s.radius = kSteepest * gate.radius + kLeft + 8 * kOracleRoundoff<Real> * magnitude(gate);
  s.bound = gate.bound * kSteepest;
  // An error d of e^-g moves the quotient by at most |g| d / (1 + e^-g); 1.01 covers what
  // d itself adds to the divisor, e^-g being known to a per cent.
  const Fn& exp = arithmetic.fn("exp");
  const double weight = g - off > 0 ? std::exp(-(g - off)) : 1, argument = std::min(most, kVanished);
  s.bound[Term::function] += 1.01 * most * (weight * (exp.relative + argument * exp.relative_per_argument) + most * exp.absolute_per_argument);
  s.bound[Term::underflow] += kLostToInfinity;
  return apply(arithmetic, arithmetic.ops("divide"), apply(arithmetic, arithmetic.ops("one_plus"), s));
}

}  // namespace silu_detail

/// Infinities and NaN follow IEEE 754 through the formula: -inf gives -inf / inf = NaN.
template <class Real>
Tracked<Real> silu(const Tracked<Real>& gate, const Arithmetic& arithmetic) {
  using silu_detail::kVanished, silu_detail::kCertain;
  const auto g = static_cast<double>(gate.value);
  const double off = gate.radius + gate.bound.total();
  if (!std::isfinite(g)) return {Real(g > 0 ? g : NAN), 0, {}};
  if (-g - off >= silu_detail::kBeyond) return {Real(NAN), 0, {}};
  if (-g - off > kVanished) return {Real(0), silu_detail::kLeft, {}};
  if (off > kCertain) return silu_detail::of_uncertain(gate, arithmetic);
  Tracked<Real> argument = gate;
  argument.value = -argument.value;
  const auto power = apply(arithmetic, arithmetic.fn("exp"), argument, exponential(argument));
  const auto denominator = apply(arithmetic, arithmetic.ops("one_plus"), exactly(Real(1)) + power);
  auto s = apply(arithmetic, arithmetic.ops("divide"), gate / denominator);
  // e^-g may have become infinite, and silu zero; where subnormals are flushed, so may the reciprocal of a divisor beyond 2^126 (__fdividef too)
  if (reach(denominator) >= (arithmetic.flush_subnormals ? 0x1p126 : FLT_MAX)) s.bound[Term::underflow] += magnitude(s);
  return s;
}

}  // namespace assay
