// What the contracts of FP8 quantisers share: y = e4m3(x / scale), saturating, of BF16 or FP16 activations, with a scale that is given or
// that a first step judges. The codes are judged on the scale that the kernel itself left, so that an error of the scale is named once.
//
// Slots of the arithmetic hold a Round where the operation is correctly rounded: then its result is known to the bit, one scale is legal
// and one code. (Each is the quotient or product of operands of so few bits that FP64 always tells which way it rounds: x / s has 11 and 24
// bits, a number half-way between two FP32 has 25, so that a quotient that is none is 2^-49 away.) Or they hold Ops, the number of
// roundings that the result passed, whatever they were: then all codes are legal that x / scale within so many roundings may give.
#pragma once
#include <cmath>

#include "oracles/arithmetic/wide.hpp"
#include "oracles/assumed.hpp"
#include "oracles/contract.hpp"

namespace assay::fp8_quant {

inline constexpr double kMost = 448;  // the largest E4M3

inline Format format_of(const Parameters& p) { return *format_named(p.word("dtype")); }

/// The parameters of every quantiser, then those of one.
inline std::vector<Parameter> parameters(std::vector<Parameter> more = {}) {
  std::vector<Parameter> all{whole("rows", 0, 2147483644, 1, "tokens"),
                             whole("d", 0, 1 << 30, 8, "columns: hidden size"),
                             word("dtype", {"bf16", "fp16"}, "format of x"),
                             whole("x_pad", 0, 65536, 0, "elements between rows of x"),
                             whole("y_pad", 0, 65536, 0, "codes between rows of y"),
                             whole("offset", 0, 127, 0, "elements by which x and y miss a 256-byte boundary")};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

inline std::vector<FromShape> from_shapes() { return {{"rows", "x", 0}, {"d", "x", 1}}; }

/// A slot that holds a Round or Ops.
inline Slot staged_slot(std::string name, Ops assumed) { return {.name = std::move(name), .assumed = assumed, .either = true}; }

// How far the fills tiny and huge go: so far that FP32 holds scales and reciprocals as normal numbers, and FP16 its operands.
inline double huge(const Parameters& p) { return format_of(p) == Format::bf16 ? 0x1p100 : 0x1p15; }
inline double tiny(const Parameters& p) { return format_of(p) == Format::bf16 ? 0x1p-100 : 0x1p-10; }

inline TensorSpec codes_spec(const Parameters& p) {
  return rows_of({.name = "y", .role = Role::output, .format = Format::e4m3fn, .offset = p.whole("offset"), .overflow = Overflow::saturate},
                 p.whole("rows"), p.whole("d"), p.whole("y_pad"));
}

inline TensorSpec operand_spec(const Parameters& p) {
  return rows_of({.name = "x", .format = format_of(p), .offset = p.whole("offset"), .huge = huge(p), .tiny = tiny(p), .whole_range = true},
                 p.whole("rows"), p.whole("d"), p.whole("x_pad"));
}

inline Work work(const Parameters& p, double scales, double operations) {
  const double n = double(p.whole("rows")) * double(p.whole("d"));
  return {.bytes = 3 * n + 4 * scales, .flops = operations * n, .multiply_adds = operations * n};
}

/// Rows, with `more` that moves along, and columns.
inline std::vector<Alike> alike(const Parameters& p, std::vector<Alike::Moves> more = {}) {
  const int64_t rows = p.whole("rows"), d = p.whole("d");
  more.insert(more.end(), {{"x", d}, {"y", d}});
  return {{"rows", rows, std::move(more)}, {"columns", d, {{"x"}, {"y"}}}};
}

/// The largest magnitude among [first, end) of a row, and `least`. A NaN does not count.
inline double amax(const Tensor& x, int64_t row, int64_t first, int64_t end, double least = 0) {
  double largest = least;
  for (int64_t i = first; i < end; i++)
    if (const double magnitude = std::fabs(x.value(row, i)); magnitude > largest) largest = magnitude;
  return largest;
}

/// a / b of finite operands; without error where FP64 holds the quotient. (Operands have at most 24 bits and exponents far inside FP64's,
/// so that the residue is exact.)
template <class Real>
Tracked<Real> quotient(double a, double b) {
  const double q = a / b;
  return std::fma(q, b, -a) == 0 ? exactly(Real(q)) : exactly(Real(a)) / exactly(Real(b));
}

// ---- the scale

/// amax / 448 for finite amax.
template <class Real>
Tracked<Real> scale(double amax, const Arithmetic& arithmetic) {
  return staged(arithmetic, "scale", quotient<Real>(amax, kMost));
}

/// max(s, least)
template <class Real>
Tracked<Real> at_least(double least, const Tracked<Real>& s) {
  if (s.value >= least) return s;
  if (reach(s) < least) return exactly(Real(least));
  return {Real(least), 0, s.bound};
}

/// The oracle of scales max(amax / 448, least) that lie in the tensor `scale`, one for each of its elements.
inline Oracle scale_oracle(const Arithmetic& arithmetic, double least, std::function<double(int64_t row, int64_t column)> amax_of) {
  auto expect = [&arithmetic, least, amax_of](int64_t row, std::span<const int64_t> columns, std::span<Expected> out) {
    for (size_t i = 0; i < columns.size(); i++) {
      const double m = amax_of(row, columns[i]);
      out[i] = std::isfinite(m) ? expected(at_least(least, scale<double>(m, arithmetic))) : Expected{.value = m};
    }
  };
  return {by_row(expect), [&arithmetic, least, amax_of](int64_t row, int64_t column) {
            return decided(at_least(least, scale<Wide>(amax_of(row, column), arithmetic)));
          }};
}

// ---- the codes

enum class Formula : uint8_t {
  division,   // x / scale; slot `quotient`
  reciprocal  // x * (1 / scale); slots `reciprocal` and `product`
};

template <class Real>
Tracked<Real> reciprocal(double scale, const Arithmetic& arithmetic) {
  return staged(arithmetic, "reciprocal", quotient<Real>(1, scale));
}

/// x / scale, or the product with the reciprocal, all of them finite.
template <class Real>
Tracked<Real> scaled(double x, double scale, Formula formula, const Arithmetic& arithmetic) {
  if (formula == Formula::division) return staged(arithmetic, "quotient", quotient<Real>(x, scale));
  return staged(arithmetic, "product", exactly(Real(x)) * reciprocal<Real>(scale, arithmetic));
}

/// The reciprocal in FP32 where it, or the scale, is no ordinary number: 0, infinite or NaN. Nothing if it is ordinary; `sure` is false
/// where the roundings declared may or may not carry it beyond FLT_MAX.
inline std::optional<double> special_reciprocal(double scale, const Arithmetic& arithmetic, bool& sure) {
  if (!std::isfinite(scale) || scale == 0) return 1 / scale;
  constexpr double kLimit = 0x1.ffffffp127;  // from here, half a step beyond FLT_MAX, FP32 rounds to infinity
  const auto r = reciprocal<double>(scale, arithmetic);
  sure = std::isinf(r.value) || reach(r) < kLimit || magnitude(r.value) - r.bound.total() >= kLimit;
  return reach(r) < kLimit ? std::optional<double>() : std::copysign(INFINITY, scale);
}

/// One code. `nan` is what a NaN quotient becomes: clamping drops it, which way depends on the order of minimum and maximum.
inline Expected code(double x, double scale, Formula formula, double nan, const Arithmetic& arithmetic) {
  double value = x / scale;  // where it is 0, infinite or NaN by its operands, so it is in FP32
  bool sure = true, special = !std::isfinite(x) || !std::isfinite(scale) || scale == 0;
  if (formula == Formula::reciprocal)
    if (const auto r = special_reciprocal(scale, arithmetic, sure)) value = x * *r, special = true;
  if (!sure) return {.value = 0, .inside = false};
  if (!special) return expected(scaled<double>(x, scale, formula, arithmetic));
  return {.value = std::isnan(value) ? nan : value};
}

/// The step that judges y, given the scale of each element.
inline Step codes_step(Formula formula, double nan,
                       std::function<std::function<double(int64_t row, int64_t column)>(const Problem&)> scales) {
  return {.name = "codes", .tensor = "y", .signed_zero = true, .prepare = [=](const Problem& problem) -> Oracle {
            const Tensor& x = tensor(problem.before, "x");
            const Arithmetic& arithmetic = problem.arithmetic;
            const auto scale_of = scales(problem);
            auto expect = [&x, &arithmetic, scale_of, formula, nan](int64_t row, std::span<const int64_t> columns,
                                                                    std::span<Expected> out) {
              for (size_t i = 0; i < columns.size(); i++)
                out[i] = code(x.value(row, columns[i]), scale_of(row, columns[i]), formula, nan, arithmetic);
            };
            return {by_row(expect), [&x, &arithmetic, scale_of, formula](int64_t row, int64_t column) {
                      return decided(scaled<Wide>(x.value(row, column), scale_of(row, column), formula, arithmetic));
                    }};
          }};
}

// ---- fill exact

/// An E4M3 value of either sign, or the middle between two of them, where rounding has to choose the even one. At most 448.
inline double value_or_tie(uint64_t bits) {
  const uint64_t code = bits % 0x7E;
  const double low = decode(Format::e4m3fn, code), high = decode(Format::e4m3fn, code + 1);
  const double value = bits >> 8 & 1 ? (low + high) / 2 : high;
  return bits >> 9 & 1 ? -value : value;
}

/// The unit, and so the scale, of some rows or groups: a small odd number times a power of two. Every value_or_tie times it has few enough
/// bits for BF16, and dividing by it gives that value without error; multiplying by its rounded reciprocal does not.
inline double unit(uint64_t bits) { return std::ldexp(double(1 + 2 * (bits % 4)), int(bits >> 8 & 0xFF) % 12 - 8); }

/// Writes [first, end) of a row: values and ties times a unit, the largest, 448 of either sign, at the end; all zeros for a unit of 0.
inline void write_units(Tensor& x, int64_t row, int64_t first, int64_t end, double unit, const RandomBits& random) {
  for (int64_t i = first; i < end; i++) {
    const uint64_t bits = random(100, uint64_t(row * x.spec.width() + i));
    const double value = i + 1 < end ? value_or_tie(bits) : std::copysign(kMost, bits >> 9 & 1 ? -1.0 : 1.0);
    x.set_code(row, i, encode(x.spec.format, value * unit));
  }
}

}  // namespace assay::fp8_quant
