// Whole rows of one kind give what the contract declares of them: zeros, zeros with a sign, equal elements, the smallest subnormal, the
// largest finite number, infinities, NaN, one element alone in its row, under scales of which some are 0. Every epsilon, clamp and maximum
// stands at its end there, and a sum of squares, an amax or a divisor is 0 or infinite.
//
// Fill `special` strews the same values over ordinary rows, at most three a row: no row of it is all zeros, and its maximum is rarely one.
// Where the contract excludes infinities and NaN from an operand, the row holds the largest power of two that it allows.
#include <cmath>

#include "properties/laws/reruns.hpp"

namespace assay {
namespace {

enum Kind : int { zeros, negative_zeros, equal, subnormal, largest, infinite, nan, alone };
constexpr int kKinds = 8;

uint64_t extreme(const Tensor& t, int kind, int64_t row, int64_t column) {
  const TensorSpec& spec = t.spec;
  const FormatInfo& f = info(spec.format);
  const bool specials = spec.specials || spec.whole_range;
  const auto coded = [&](double x) { return encode(spec.format, x, Overflow::saturate); };
  const uint64_t most = coded(specials ? f.max_finite : spec.huge);
  switch (kind) {
    case negative_zeros: return coded(-0.0);
    case equal: return t.code(row, 0);
    case subnormal: return f.floating ? coded(f.min_subnormal) : coded(1);
    case largest: return most;
    case infinite:
      return f.floating ? (specials && f.has_infinity ? encode(spec.format, INFINITY) : most)
                        : code_of_rank(spec.format, lowest_rank(spec.format));
    case nan: return specials && f.has_nan ? canonical_nan(spec.format) : most;
    case alone: return column + 1 == spec.width() ? t.code(row, column) : coded(0);
    default: return coded(0);
  }
}

/// One scale in four is 0.
bool is_scale_of_zero(const Tensor& t, int64_t row, int64_t column) { return t.spec.elements() > 1 && (row + column) % 4 == 3; }

Tensors with_extremes(const Case& c, Tensors all) {
  for (Tensor& t : all) {
    const bool rows = t.spec.meaning == Meaning::activation && t.spec.role != Role::output;
    if (t.spec.meaning != Meaning::scale && !rows) continue;
    if (rows) t.random_signs = false;
    const Tensor before = t;
    for (int64_t row = 0; row < t.spec.rows(); row++)
      for (int64_t column = 0; column < t.spec.width(); column++) {
        if (rows)
          t.set_code(row, column, extreme(before, int((uint64_t(row) + c.seed) % kKinds), row, column));
        else if (is_scale_of_zero(t, row, column))
          t.set_code(row, column, encode(t.spec.format, 0.0));
      }
  }
  return all;
}

const Registered<Law> registered{{
    .name = "survives_extremes",
    .claim = "rows of zeros, of one value, of the largest, of infinities or NaN give what the contract declares",
    .applies = [](const Subject&, const Case& c) { return reruns::is_small(c) && c.fill == Fill::normal; },
    .check = [](Bench& bench, const Subject& subject,
                const Case& c) { return bench.judged_on(subject, c, with_extremes(c, bench.operands(c))); },
}};

}  // namespace
}  // namespace assay
