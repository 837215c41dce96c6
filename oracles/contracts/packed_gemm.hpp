// What the contracts gptq_gemm and awq_gemm share: y = x * W in FP16 with W[k][n] = (code - zero) * scale, 4-bit codes and zero points as a
// packing lays them out.
//
// Two kinds of implementation, told apart by what they declare. With a rounding "weight", W is materialised in that format before it is
// multiplied. Without, the whole numbers code - zero are multiplied and the scale of their group comes in where the dot product is promoted.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>

#include "oracles/contracts/gemm.hpp"
#include "oracles/packings/weight.hpp"

namespace assay {

/// A quantised weight as the tensors of a case hold it: `w`, `zeros` and `scale`.
class PackedWeight {
 public:
  PackedWeight(WeightPacking packing, const Tensors& all)
      : packing_(std::move(packing)), w_(tensor(all, "w")), zeros_(tensor(all, "zeros")), scale_(tensor(all, "scale")) {}

  int64_t groups() const { return packing_.groups(); }
  int64_t group() const { return packing_.group; }
  double scale(int64_t g, int64_t n) const { return scale_.value(g, n); }

  /// code - zero of a column, -16 .. 15.
  void steps(int64_t n, std::span<double> out) const {
    for (int64_t g = 0; g < groups(); g++) {
      const int zero = code(zeros_, *packing_.zeros, g, n) + packing_.zero_offset;
      for (int64_t k = g * group(); k < (g + 1) * group(); k++) out[size_t(k)] = code(w_, packing_.codes, k, n) - zero;
    }
  }

 private:
  WeightPacking packing_;
  const Tensor &w_, &zeros_, &scale_;

  static int code(const Tensor& words, const Packing& p, int64_t row, int64_t column) {
    const Place at = p.place(row, column);
    return int(uint32_t(words.code(at.row, at.column)) >> at.shift & p.mask());
  }
};

namespace packed_detail {

/// What a row of x or a column of scales says about elements with NaN or infinities, which the bound does not look at.
struct Extent {
  bool nan = false, infinite = false;
  double largest = 0, sum = 0;   // of the finite magnitudes
};

inline Extent extent_of(std::span<const double> values) {
  Extent e;
  for (double x : values) {
    e.nan |= std::isnan(x), e.infinite |= std::isinf(x);
    if (std::isfinite(x)) e.largest = std::max(e.largest, std::fabs(x)), e.sum += std::fabs(x);
  }
  return e;
}

/// NaN always comes through. Infinities follow IEEE 754 only if no FP16 intermediate of finite terms overflows beside them (four products of
/// at most 16 in a chain, partial sums with their scales); infinite weights meet single terms in some implementations, and sums in others.
inline bool inside(const Extent& x, const Extent& scale) {
  constexpr double kTop = 65504, kLargestStep = 16;
  if (x.nan || scale.nan) return true;
  if (scale.infinite || scale.largest * kLargestStep >= kTop) return false;
  return !x.infinite || (x.largest * 4 * kLargestStep < kTop && x.sum * scale.largest * kLargestStep < kTop);
}

}  // namespace packed

/// The oracle of y. `columns_of_x`: which column of x each row k of the weight meets; empty: its own.
inline Oracle packed_gemm(const Problem& problem, WeightPacking packing, std::vector<int64_t> columns_of_x = {}) {
  const Tensor& x = tensor(problem.before, "x");
  const auto weight = std::make_shared<const PackedWeight>(std::move(packing), problem.before);
  const Round* rounded = problem.arithmetic.round("weight");
  const auto scales = [weight](int64_t n, std::span<double> out) {
    for (size_t g = 0; g < out.size(); g++) out[g] = weight->scale(int64_t(g), n);
  };

  Gemm g{.dot = problem.arithmetic.dot("dot"), .k = problem.parameters.whole("k"), .random_signs = x.random_signs};
  g.a = [&x, columns = std::move(columns_of_x)](int64_t m, std::span<double> out) {
    const std::vector<double> row = x.row(m);
    for (size_t k = 0; k < out.size(); k++) out[k] = row[columns.empty() ? k : size_t(columns[k])];
  };
  if (rounded) {
    g.b = [weight, to = rounded->to](int64_t n, std::span<double> out) {
      weight->steps(n, out);
      for (int64_t g = 0; g < weight->groups(); g++) {
        const double scale = weight->scale(g, n);
        for (double& w : out.subspan(size_t(g * weight->group()), size_t(weight->group()))) w = decode(to, encode(to, w * scale));
      }
    };
  } else {
    g.b = [weight](int64_t n, std::span<double> out) { weight->steps(n, out); };
    g.group = weight->group(), g.b_scale = scales;
    g.a_scale = [](int64_t, std::span<double> out) { std::ranges::fill(out, 1.0); };
  }

  auto of_x = std::make_shared<std::vector<packed_detail::Extent>>(), of_scale = std::make_shared<std::vector<packed_detail::Extent>>();
  for (int64_t m = 0; m < x.spec.rows(); m++) of_x->push_back(packed_detail::extent_of(x.row(m)));
  std::vector<double> column(size_t(weight->groups()));
  for (int64_t n = 0; n < problem.parameters.whole("n"); n++) scales(n, column), of_scale->push_back(packed_detail::extent_of(column));
  return gemm_oracle(
      std::move(g), []<class Real>(int64_t, int64_t, Tracked<Real> sum) { return sum; },
      [of_x, of_scale](int64_t m, int64_t n) { return packed_detail::inside((*of_x)[size_t(m)], (*of_scale)[size_t(n)]); });
}

/// Contents under which every FP16 partial sum of every order is representable: a row of x holds few whole numbers, of magnitudes that add
/// up to at most 63, and scales are 1/2 and 1, so that |sum| <= 63 * 16 < 2^11 / 2.
inline void sparse_contents(const Parameters& p, const RandomBits& bits, Tensors& all) {
  Tensor &x = tensor(all, "x"), &scale = tensor(all, "scale");
  const auto k = uint64_t(p.whole("k"));
  for (int64_t m = 0; m < x.spec.rows(); m++) {
    for (int64_t i = 0; i < x.spec.width(); i++) x.set_code(m, i, 0);
    for (uint64_t i = 0, left = 63; left > 0; i++) {
      const uint64_t drawn = bits(0, uint64_t(m) * 64 + i), size = std::min<uint64_t>(1 + drawn % 4, left);
      x.set_code(m, int64_t((drawn >> 8) % k), encode(x.spec.format, drawn & 0x80 ? -double(size) : double(size)));
      left -= size;
    }
  }
  for (int64_t g = 0; g < scale.spec.rows(); g++)
    for (int64_t n = 0; n < scale.spec.width(); n++)
      scale.set_code(g, n, encode(scale.spec.format, bits(1, uint64_t(g * scale.spec.width() + n)) % 2 ? 0.5 : 1.0));
}

}  // namespace assay
