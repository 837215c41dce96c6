// The error algebra. A Tracked value is an exact real known to within `radius`, together with a bound on how far an implementation's value
// may lie from it. Operations on exact values propagate both; apply() and cast() add what a declared stage contributes.
//
// Real is double for the fast pass and Wide for the elements that double leaves undecided: the same formula, written once,
// is evaluated with either. All bounds are doubles and sums of few positive terms; the judge inflates their total by 2^-40, far more than
// their own rounding.
//
// Formulas: the product rule with its second-order term kept, (x+a)(y+b) - xy = xb + ya + ab; the quotient rule with the smallest possible
// denominator; monotone functions at the ends of the interval. (Higham, Accuracy and Stability of Numerical Algorithms, chapters 2 and 3.)
#pragma once
#include <cmath>

#include "oracles/arithmetic/arithmetic.hpp"
#include "oracles/arithmetic/bound.hpp"

namespace assay {

/// Relative rounding error of one operation of the oracle itself.
template <class Real> inline constexpr double kOracleRoundoff = 1e-90;   // 100-digit types, with room
template <> inline constexpr double kOracleRoundoff<double> = 0x1p-53;

/// What a sum or product lost to the oracle's rounding, exactly: TwoSum (Knuth) and the residue of a fused multiply-add. Operands stay far
/// above 2^-500, so the residue does not underflow. 100 digits hold sums and products of the operands here without rounding.
template <class Real> double sum_residue(const Real&, const Real&, const Real&) { return 0; }
template <class Real> double product_residue(const Real&, const Real&, const Real&) { return 0; }
inline double sum_residue(double a, double b, double sum) { return std::fabs((a - (sum - (sum - a))) + (b - (sum - a))); }
inline double product_residue(double a, double b, double product) { return std::fabs(std::fma(a, b, -product)); }

template <class Real>
struct Tracked {
  Real value{};
  double radius = 0;   // abs(exact - value) <= radius
  Bound bound;         // abs(implementation - exact) <= bound.total()
};

template <class Real> double magnitude(const Real& x) { return std::fabs(static_cast<double>(x)); }
template <class Real> double magnitude(const Tracked<Real>& x) { return magnitude(x.value) + x.radius; }

/// The largest magnitude an implementation's value may have.
template <class Real> double reach(const Tracked<Real>& x) { return magnitude(x) + x.bound.total(); }

template <class Real> Tracked<Real> exactly(Real value) { return {std::move(value), 0, {}}; }

template <class Real>
Tracked<Real> operator*(const Tracked<Real>& a, const Tracked<Real>& b) {
  Tracked<Real> r;
  r.value = a.value * b.value;
  const double ma = magnitude(a), mb = magnitude(b);
  r.radius = ma * b.radius + mb * a.radius + product_residue(a.value, b.value, r.value);
  r.bound = a.bound * mb;
  r.bound += b.bound * (ma + a.bound.total());
  return r;
}

template <class Real>
Tracked<Real> operator+(const Tracked<Real>& a, const Tracked<Real>& b) {
  Tracked<Real> r;
  r.value = a.value + b.value;
  r.radius = a.radius + b.radius + sum_residue(a.value, b.value, r.value);
  r.bound = a.bound;
  r.bound += b.bound;
  return r;
}

/// a / b; an infinite bound where the implementation's b may reach zero.
template <class Real>
Tracked<Real> operator/(const Tracked<Real>& a, const Tracked<Real>& b) {
  Tracked<Real> r;
  r.value = a.value / b.value;
  const double q = magnitude(r.value), low = magnitude(b.value) - b.radius, low_seen = low - b.bound.total();
  r.radius = (a.radius + q * b.radius) / low + kOracleRoundoff<Real> * q;
  if (!(low_seen > 0)) {
    r.bound[Term::operation] = INFINITY;
    return r;
  }
  r.bound = a.bound * (1 / low_seen);
  r.bound += b.bound * ((q + r.radius) / low_seen);
  return r;
}

/// 1 / sqrt(x) for x > 0: convex and decreasing, so its largest change over +-E is at x - E.
template <class Real>
Tracked<Real> reciprocal_sqrt(const Tracked<Real>& x) {
  using std::sqrt;
  Tracked<Real> r;
  r.value = 1 / sqrt(x.value);
  const double v = magnitude(x.value), y = magnitude(r.value), e = x.bound.total(), low = v - x.radius;
  auto change = [&](double base, double by) { return by < base ? std::expm1(-0.5 * std::log1p(-by / base)) : INFINITY; };
  r.radius = y * (change(v, x.radius) + 3 * kOracleRoundoff<Real>);
  if (e > 0) r.bound = x.bound * ((y + r.radius) * change(low, e) / e);
  return r;
}

/// e^x. |e^(x+a) - e^x| <= e^x (e^a - 1).
template <class Real>
Tracked<Real> exponential(const Tracked<Real>& x) {
  using std::exp;
  Tracked<Real> r;
  r.value = exp(x.value);
  const double y = magnitude(r.value), e = x.bound.total();
  r.radius = y * (std::expm1(x.radius) + 4 * kOracleRoundoff<Real>);   // glibc documents exp within 1 ulp
  if (e > 0) r.bound = x.bound * ((y + r.radius) * std::expm1(e) / e);
  return r;
}

/// max(x, 0): certainly 0 where x is certainly negative, else no further from its exact value than x was.
template <class Real>
Tracked<Real> relu(Tracked<Real> x) {
  if (x.value > 0 || x.value != x.value) return x;
  if (magnitude(x.value) > x.radius + x.bound.total() * (1 + 0x1p-40)) return exactly(Real(0));
  x.value = Real(0);
  return x;
}

/// The smallest positive number that an operation in the format may give.
inline double smallest(const Arithmetic& arithmetic, Format format) {
  return arithmetic.flush_subnormals ? info(format).min_normal : info(format).min_subnormal;
}

/// Whether the exact value is known, nothing has been rounded yet, and the format holds it: then one rounding changes nothing.
template <class Real>
bool representable(const Arithmetic& arithmetic, const Tracked<Real>& x, Format format) {
  if (x.radius != 0 || x.bound.total() != 0) return false;
  const double v = static_cast<double>(x.value);
  if (Real(v) != x.value || !std::isfinite(v)) return false;
  return v == 0 || (std::fabs(v) >= smallest(arithmetic, format) && decode(format, encode(format, v)) == v);
}

/// What is lost where a rounding may fall into the subnormal range: half its step, or everything below the smallest normal if flushed.
inline double underflow_step(const Arithmetic& arithmetic, Format format) {
  return arithmetic.flush_subnormals ? info(format).min_normal : info(format).min_subnormal / 2;
}

/// `ops` rounded operations that end in x.
template <class Real>
Tracked<Real> apply(const Arithmetic& arithmetic, const Ops& ops, Tracked<Real> x) {
  if (ops.count == 0 || (ops.count == 1 && representable(arithmetic, x, ops.format))) return x;
  const double seen = reach(x);
  x.bound[Term::operation] += seen * growth(ops.format, ops.count);
  if (seen < 2 * info(ops.format).min_normal) x.bound[Term::underflow] += ops.count * underflow_step(arithmetic, ops.format);
  return x;
}

/// The declared error of a function whose argument was `argument` and whose exact result at the implementation's argument is within
/// `result`.
template <class Real>
Tracked<Real> apply(const Arithmetic& arithmetic, const Fn& fn, const Tracked<Real>& argument, Tracked<Real> result) {
  const double seen = reach(result);
  const double x = reach(argument);
  result.bound[Term::function] += seen * (fn.relative + x * fn.relative_per_argument) + x * fn.absolute_per_argument;
  if (seen < 2 * fn.smallest) result.bound[Term::underflow] += arithmetic.flush_subnormals ? 2 * fn.smallest : fn.smallest;
  return result;
}

/// The error of a declared sum of terms t_k: `magnitude` = sum |t_k| (an upper bound of it), `grid` = a power of two that divides every
/// term (0 if unknown), `terms` their number. If magnitude / grid fits the accumulator's significand, every partial sum in every order is
/// representable and the error is 0.
template <class Real>
Tracked<Real> apply(const Arithmetic& arithmetic, const Sum& sum, Tracked<Real> x, double magnitude, double grid, int64_t terms) {
  const double significand = std::ldexp(1.0, info(sum.accumulator).fraction_bits + 1);
  const double least = smallest(arithmetic, sum.accumulator);
  if (grid > 0 && magnitude <= significand * grid && grid >= least) return x;
  x.bound[Term::accumulate] += growth(sum.accumulator, sum.depth) * magnitude;
  if (grid < least) x.bound[Term::underflow] += double(terms) * underflow_step(arithmetic, sum.accumulator);
  return x;
}

/// x materialised in a format: the interval of codes that the rounding may give, as its middle and half width; exact where only one may.
template <class Real>
Tracked<Real> cast(const Round& round, const Tracked<Real>& x) {
  const double v = static_cast<double>(x.value);
  const double slack = x.radius + magnitude(Real(x.value - Real(v))) + x.bound.total() * (1 + 0x1p-40);
  auto rounded = [&](double y) { return decode(round.to, encode(round.to, y)); };
  const double low = slack > 0 ? rounded(std::nextafter(v - slack, -INFINITY)) : rounded(v);
  const double high = slack > 0 ? rounded(std::nextafter(v + slack, INFINITY)) : rounded(v);
  if (low == high) return exactly(Real(low));
  Tracked<Real> r{Real(low / 2 + high / 2), 0, {}};
  r.bound[Term::intermediate] = high / 2 - low / 2;
  return r;
}

/// An operation that ended in x, whose slot holds a materialising Round or Ops.
template <class Real>
Tracked<Real> staged(const Arithmetic& arithmetic, std::string_view slot, const Tracked<Real>& x) {
  return arithmetic.materialises(slot) ? cast(*arithmetic.round(slot), x) : apply(arithmetic, arithmetic.ops(slot), x);
}

}  // namespace assay
