// y = sum over blocks of 128 k of a_scale b_scale (a b^T): FP8 activations and weights with an FP32 scale for each 1 x 128 of a and each
// 128 x 128 of b, as of DeepSeek-V3. A scale varies along k, so it belongs inside the sum.
#include <cfloat>
#include <cmath>

#include "oracles/contracts/fp8_operand.hpp"
#include "oracles/contracts/gemm.hpp"

namespace assay {
namespace {

constexpr int64_t kBlock = 128;

int64_t blocks_of(int64_t extent) { return (extent + kBlock - 1) / kBlock; }

/// Scales of a lie with m along a row (TMA reads them so elsewhere), rows padded to 16 bytes.
std::vector<TensorSpec> tensors(const Parameters& p) {
  const int64_t m = p.whole("m"), n = p.whole("n"), k = p.whole("k");
  return {rows_of(fp8_operand(p, "a", Meaning::activation), m, k, p.whole("a_pad")),
          rows_of(fp8_operand(p, "b", Meaning::weight), n, k, p.whole("b_pad")),
          rows_of(fp8_scales_spec("a_scale"), blocks_of(k), m, (m + 3) / 4 * 4 - m + p.whole("a_scale_pad")),
          rows_of(fp8_scales_spec("b_scale"), blocks_of(n), blocks_of(k), p.whole("b_scale_pad")),
          rows_of({.name = "y", .role = Role::output, .offset = p.whole("offset")}, m, n, p.whole("y_pad"))};
}

/// All rows of the scales, so that nobody decodes them again for every element.
std::vector<std::vector<double>> values_of(const Tensor& t) {
  std::vector<std::vector<double>> rows;
  for (int64_t row = 0; row < t.spec.rows(); row++) rows.push_back(t.row(row));
  return rows;
}

/// The implementation multiplies the scales first, in FP32.
bool is_normal_or_zero(double product) {
  const double size = std::fabs(product);
  return size == 0 || (FLT_MIN <= size && size < FLT_MAX);
}

Oracle oracle(const Problem& problem) {
  const Tensor &a = tensor(problem.before, "a"), &b = tensor(problem.before, "b");
  const auto a_scale = std::make_shared<const std::vector<std::vector<double>>>(values_of(tensor(problem.before, "a_scale")));
  const auto b_scale = std::make_shared<const std::vector<std::vector<double>>>(values_of(tensor(problem.before, "b_scale")));
  // A NaN in a scale is NaN in the result; an infinite one meets zeros or not, as the sum was cut.
  auto inside = [a_scale, b_scale](int64_t m, int64_t n) {
    const std::vector<double>& b_row = (*b_scale)[size_t(n / kBlock)];
    bool normal = true, nan = false;
    for (size_t g = 0; g < b_row.size(); g++) {
      const double sa = (*a_scale)[g][size_t(m)], sb = b_row[g];
      normal &= std::isfinite(sa) && std::isfinite(sb) && is_normal_or_zero(sa * sb);
      nan |= std::isnan(sa) || std::isnan(sb);
    }
    return normal || nan;
  };
  Gemm gemm{.dot = problem.arithmetic.dot("dot"),
            .m = problem.parameters.whole("m"), .n = problem.parameters.whole("n"), .k = problem.parameters.whole("k"),
            .a = rows_of_tensor(a),
            .b = rows_of_tensor(b),
            .group = kBlock,
            .random_signs = a.random_signs || b.random_signs};
  gemm.a_scale = [a_scale](int64_t m, std::span<double> out) {
    for (size_t g = 0; g < out.size(); g++) out[g] = (*a_scale)[g][size_t(m)];
  };
  gemm.b_scale = [b_scale](int64_t n, std::span<double> out) { std::ranges::copy((*b_scale)[size_t(n / kBlock)], out.begin()); };
  auto epilogue = []<class Real>(int64_t, int64_t, Tracked<Real> sum) { return sum; };
  return gemm_oracle(std::move(gemm), epilogue, inside);
}

Contract contract() {
  return {
      .name = "fp8_block_gemm",
      .formula = "y[m][n] = bf16(sum_g a_scale[g][m] * b_scale[n/128][g] * sum_{k=128g}^{128g+127} a[m][k] * b[n][k])",
      .parameters = {whole("m", 0, 1 << 24, 1, "rows of a: tokens"),
                     whole("n", 0, 1 << 24, 1, "rows of b: output features"),
                     whole("k", 1, 1 << 24, 128, "columns: input features"),
                     whole("a_pad", 0, 65536, 0, "elements between rows of a"),
                     whole("b_pad", 0, 65536, 0, "elements between rows of b"),
                     whole("a_scale_pad", 0, 65536, 0, "elements between rows of a_scale, beyond those that make a row a multiple of 4"),
                     whole("b_scale_pad", 0, 65536, 0, "elements between rows of b_scale"),
                     whole("y_pad", 0, 65536, 0, "elements between rows of y"),
                     whole("offset", 0, 127, 0, "elements by which a, b and y miss a 256-byte boundary")},
      .refuses = too_large,
      .tensors = tensors,
      .from_shapes = {{"m", "a", 0}, {"k", "a", 1}, {"n", "b", 0}, {"k", "b", 1}},
      .steps = {{.name = "product", .tensor = "y", .prepare = oracle}},
      .work =
          [](const Parameters& p) {
            const int64_t m = p.whole("m"), n = p.whole("n"), k = p.whole("k"), blocks = blocks_of(k);
            const double products = double(m) * double(n) * double(k),
                         scales = double(m) * double(blocks) + double(blocks_of(n)) * double(blocks);
            return Work{.bytes = double(m) * double(k) + double(n) * double(k) + 2 * double(m) * double(n) + 4 * scales,
                        .flops = 2 * products + 2 * double(m) * double(n) * double(blocks), .multiply_adds = products};
          },
      .product = MatrixProduct{.x = "a", .m = {{"a_scale", 1}}, .scaled = "a_scale"},   // columns of y share scales: they do not move alone
      .slots = // two scales, one after the other or multiplied first
      [](const Parameters&) {
        return std::vector<Slot>{{"dot", Dot{.instruction = unknown::e4m3_sums(), .promotion = {.every = kBlock, .scale_roundings = 2}}}};
      },
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
