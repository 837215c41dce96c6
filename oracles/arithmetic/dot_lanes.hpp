// What the two ways of dot_bound.cpp to bound a dot product share: eight columns side by side, the formats that sums are rounded to, and the
// operands. For that file alone.
#pragma once
#include <cmath>
#include <cstring>
#include <numeric>

#include "oracles/arithmetic/arithmetic.hpp"
#include "oracles/arithmetic/dot_bound.hpp"

namespace assay::dot_lanes {

#pragma GCC diagnostic ignored "-Wpsabi"   // wide vectors pass between inlined functions only

// Eight columns side by side. GCC lowers these to what the target has; bound_dots() picks the widest.
typedef double Lanes __attribute__((vector_size(8 * kPanelColumns), aligned(8)));
typedef int64_t Bits __attribute__((vector_size(8 * kPanelColumns), aligned(8)));
#define ASSAY_INLINE inline __attribute__((always_inline))

ASSAY_INLINE Lanes lanes(double x) { return Lanes{} + x; }
ASSAY_INLINE Lanes load(const double* p) {
  Lanes x;
  std::memcpy(&x, p, sizeof x);
  return x;
}
ASSAY_INLINE Lanes absolute(Lanes x) { return Lanes(Bits(x) & INT64_MAX); }
ASSAY_INLINE Lanes largest(Lanes a, Lanes b) { return a > b ? a : b; }
ASSAY_INLINE Lanes smallest(Lanes a, Lanes b) { return a < b ? a : b; }
ASSAY_INLINE Lanes with_sign(Lanes size, Lanes of) { return Lanes(Bits(size) | (Bits(of) & INT64_MIN)); }
/// floor(x) for 0 <= x < 2^51.
ASSAY_INLINE Lanes whole_below(Lanes x) {
  const Lanes nearest = (x + 0x1p52) - 0x1p52;
  return nearest > x ? nearest - 1.0 : nearest;
}
/// 2^floor(log2 x) for normal x >= 0; 0 for 0.
ASSAY_INLINE Lanes power_below(Lanes x) { return Lanes(Bits(x) & 0x7FF0000000000000); }

/// A format that sums are rounded to.
struct Target {
  double step, least, top;   // 2^-fraction bits; smallest normal; largest finite
  bool toward_zero;
  double zero = 0;           // the least power that alignment can have: what a zero counts as
};

inline Target target(Rounding r) {
  const bool fp16 = r == Rounding::fp16_to_nearest;
  return {std::ldexp(1.0, -fraction_bits(r)), fp16 ? 0x1p-14 : 0x1p-126, info(fp16 ? Format::fp16 : Format::fp32).max_finite,
          r == Rounding::fp32_toward_zero || r == Rounding::e8m13_toward_zero, fp16 ? 0x1p-20 : 0x1p-132};   // sm_89; sm_90: half of it
}
inline Target target(Format f) { return {std::ldexp(1.0, -info(f).fraction_bits), info(f).min_normal, info(f).max_finite, false}; }

/// The elements of one instruction in the order of its sums.
struct Order {
  std::vector<int> offsets;
  int of_accumulator;   // elements that belong to one accumulator
};

inline Order order_of(const Instruction& i) {
  Order order{i.order, i.depth / i.accumulators};
  if (order.offsets.empty()) {
    order.offsets.resize(size_t(i.depth));
    std::iota(order.offsets.begin(), order.offsets.end(), 0);
  }
  return order;
}

struct Operands {
  const DotRow& row;
  const DotPanel& panel;
  int64_t group, k;
  bool scaled;

  ASSAY_INLINE Lanes scale(int64_t at) const { return scaled ? load(panel.scale.data() + at / group * kPanelColumns) * row.scale[size_t(at / group)] : lanes(1); }
  ASSAY_INLINE Lanes grid() const { return load(panel.grid.data()) * row.grid; }
  ASSAY_INLINE Lanes scaled_grid() const { return scaled ? grid() * load(panel.scale_grid.data()) * row.scale_grid : grid(); }
};

/// By column.
struct Outcome {
  Lanes value, magnitude, accumulate, promoted, combined, drift, variance, fullness;
};

}  // namespace assay::dot_lanes
