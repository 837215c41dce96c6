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
#include "oracles/contracts/packed_weight.hpp"

namespace assay {

namespace packed_gemm {

/// The operands of a case; `perm` where the contract has one.
inline std::vector<TensorSpec> tensors(const Parameters& p, const WeightPacking& packing, bool perm) {
  // Four products of at most 512 * 16 fit an FP16 accumulator.
  const TensorSpec x{.name = "x", .format = Format::fp16, .offset = p.whole("offset"), .reduction = p.whole("k"), .huge = 0x1p9, .tiny = 0x1p-10};
  const TensorSpec scale{.name = "scale", .format = Format::fp16, .meaning = Meaning::scale, .huge = 0x1p-2, .tiny = 0x1p-8};
  std::vector<TensorSpec> all{
      rows_of(x, p.whole("m"), p.whole("k"), p.whole("x_pad")),
      packed_tensor({.name = "w", .format = Format::int32, .meaning = Meaning::packed_int4, .offset = p.whole("w_offset")}, packing.codes, p.whole("w_pad")),
      packed_tensor({.name = "zeros", .format = Format::int32, .meaning = Meaning::packed_zeros}, *packing.zeros, p.whole("zeros_pad")),
      packed_tensor(scale, packing.scales, p.whole("scale_pad"))};
  if (perm) all.push_back(rows_of({.name = "perm", .format = Format::int32, .meaning = Meaning::permutation}, 1, p.whole("k")));
  all.push_back(rows_of({.name = "y", .role = Role::output, .format = Format::fp16, .offset = p.whole("offset")}, p.whole("m"), p.whole("n"), p.whole("y_pad")));
  return all;
}

/// `unit`: least k and group; `more` stand after them.
inline std::vector<Parameter> parameters(int64_t unit, std::vector<Parameter> more) {
  std::vector<Parameter> all{whole("m", 0, 1 << 24, 1, "rows of x: tokens"), whole("n", 0, 1 << 24, 8, "columns of the weight: output features"),
                             whole("k", unit, 1 << 24, unit, "rows of the weight: input features"),
                             whole("group", unit, 1 << 24, unit, "elements of k that share a scale and a zero point")};
  all.insert(all.end(), more.begin(), more.end());
  for (Parameter& p : std::vector<Parameter>{whole("x_pad", 0, 65536, 0, "elements between rows of x"), whole("y_pad", 0, 65536, 0, "elements between rows of y"),
                                             whole("w_pad", 0, 65536, 0, "words between rows of w"), whole("zeros_pad", 0, 65536, 0, "words between rows of zeros"),
                                             whole("scale_pad", 0, 65536, 0, "elements between rows of scale"),
                                             whole("offset", 0, 127, 0, "elements by which x and y miss a 256-byte boundary"),
                                             whole("w_offset", 0, 63, 0, "words by which w misses a 256-byte boundary")})
    all.push_back(std::move(p));
  return all;
}

/// `k_why` and `group_why`: why these are multiples of the unit.
inline std::optional<std::string> refuses(const Parameters& p, int64_t unit, std::string_view k_why, std::string_view group_why) {
  if (auto why = not_a_multiple(p, "k", unit, k_why)) return why;
  if (auto why = not_a_multiple(p, "n", 8, "eight columns share a word of zeros")) return why;
  if (auto why = not_a_multiple(p, "group", unit, group_why)) return why;
  if (auto why = group_does_not_divide(p)) return why;
  return too_large(p);
}

inline Work work(const Parameters& p, double perm_bytes = 0) {
  const double m = double(p.whole("m")), n = double(p.whole("n")), k = double(p.whole("k"));
  return product_work(p, n * k * (0.5 + 2.5 / double(p.whole("group"))) + perm_bytes + 2 * m * (k + n));
}

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
  constexpr double kLargestStep = 16;   // code - zero: from 0 - 16 to 15 - 0
  const double top = info(Format::fp16).max_finite;
  if (x.nan || scale.nan) return true;
  if (scale.infinite || scale.largest * kLargestStep >= top) return false;
  return !x.infinite || (x.largest * 4 * kLargestStep < top && x.sum * scale.largest * kLargestStep < top);
}

/// The oracle of y. `perm` (null: none): which column of x each row of the weight meets.
inline Oracle oracle(const Problem& problem, const WeightPacking& weight_packing, const Tensor* perm = nullptr) {
  const Tensor& x = tensor(problem.before, "x");
  const auto packing = std::make_shared<const WeightPacking>(weight_packing);
  const PackedWeight weight{*packing, tensor(problem.before, "w"), tensor(problem.before, "scale"), &tensor(problem.before, "zeros")};
  const auto steps = [packing, weight](int64_t n, std::span<double> out) { std::ranges::copy(weight.steps(n), out.begin()); };
  const auto scales = [packing, weight](int64_t n, std::span<double> out) {
    for (size_t g = 0; g < out.size(); g++) out[g] = weight.scale(int64_t(g), n);
  };

  Gemm g{.dot = problem.arithmetic.dot("dot"), .m = problem.parameters.whole("m"), .n = problem.parameters.whole("n"), .k = problem.parameters.whole("k"), .a = rows_of_tensor(x, perm), .random_signs = x.random_signs};
  if (const Round* rounded = problem.arithmetic.round("weight")) {
    g.b = [packing, weight, steps, to = rounded->to](int64_t n, std::span<double> out) {
      steps(n, out);
      for (int64_t group = 0; group < packing->groups(); group++) {
        const double scale = weight.scale(group, n);
        for (double& w : out.subspan(size_t(group * packing->group), size_t(packing->group))) w = decode(to, encode(to, w * scale));
      }
    };
  } else {
    g.b = steps, g.group = packing->group, g.b_scale = scales;
    g.a_scale = [](int64_t, std::span<double> out) { std::ranges::fill(out, 1.0); };
  }

  auto of_x = std::make_shared<std::vector<Extent>>(), of_scale = std::make_shared<std::vector<Extent>>();
  for (int64_t m = 0; m < x.spec.rows(); m++) of_x->push_back(extent_of(x.row(m)));
  std::vector<double> column(size_t(packing->groups()));
  for (int64_t n = 0; n < problem.parameters.whole("n"); n++) scales(n, column), of_scale->push_back(extent_of(column));
  return gemm_oracle(
      std::move(g), []<class Real>(int64_t, int64_t, Tracked<Real> sum) { return sum; },
      [of_x, of_scale](int64_t m, int64_t n) { return inside((*of_x)[size_t(m)], (*of_scale)[size_t(n)]); });
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

}  // namespace packed_gemm
}  // namespace assay
