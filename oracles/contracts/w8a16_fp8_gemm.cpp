// y = x * W with E4M3 weights in Marlin's 8-bit tiles: FP8 checkpoints where activations stay in 16 bits.
//
// The codes 0x7F and 0xFF, elsewhere NaN, count as 480 and -480, what their bits say under the format's own rule: kernels that shift bits
// know no exception, and a checkpoint holds none of them.
#include "oracles/contracts/marlin_gemm.hpp"
#include "oracles/packings/marlin.hpp"

namespace assay {
namespace {

Packing codes_of(const Parameters& p) { return marlin_codes(8, p.whole("k"), p.whole("n")); }
Packing scales_of(const Parameters& p) {
  const int64_t groups = p.whole("k") / p.whole("group");
  return groups > 1 ? marlin_grouped_scales(groups, p.whole("n")) : marlin_single_scales(p.whole("n"));
}

double value_of(uint64_t code) {
  if ((code & 0x7F) != 0x7F) return decode(Format::e4m3fn, code);
  return code == 0x7F ? 480 : -480;
}

std::vector<TensorSpec> tensors(const Parameters& p) {
  return {marlin::x_spec(p), packed_tensor({.name = "w", .format = Format::int32, .meaning = Meaning::packed_int4}, codes_of(p)),
          marlin::scale_spec(p, scales_of(p)), marlin::y_spec(p)};
}

Oracle oracle(const Problem& problem) {
  const Tensor &w = tensor(problem.before, "w"), &scale = tensor(problem.before, "scale");
  const Packing codes = codes_of(problem.parameters), scales = scales_of(problem.parameters);
  const MarlinWeight weight{.steps =
                                [&w, codes](int64_t n) {
                                  std::vector<double> column;
                                  for (int64_t k = 0; k < codes.rows; k++) column.push_back(value_of(packed_code(codes, w, k, n)));
                                  return column;
                                },
                            .scale = [&scale, scales](int64_t g, int64_t n) { return decode(scale.spec.format, packed_code(scales, scale, g, n)); },
                            .group_of = [group = problem.parameters.whole("group")](int64_t k) { return k / group; },
                            .groups = scales.rows};
  return marlin::oracle(problem, weight, nullptr);
}

/// Weights of a few bits: the codes of every pair of numbers would be 17 binary orders of magnitude apart.
void small_weights(const Parameters&, const RandomBits& random, Tensors& all) {
  constexpr uint64_t kCodes[] = {0x00, 0x30, 0x38, 0x3C, 0x40, 0x44, 0x48, 0x00};   // 0, 0.5, 1, 1.5, 2, 3, 4, 0
  Tensor& w = tensor(all, "w");
  for (int64_t row = 0; row < w.spec.rows(); row++)
    for (int64_t column = 0; column < w.spec.width(); column++) {
      const uint64_t bits = random(0, uint64_t(row * w.spec.width() + column));
      uint64_t word = 0;
      for (int shift = 0; shift < 32; shift += 8) word |= (kCodes[bits >> shift & 7] | (bits >> shift & 8) << 4) << shift;
      w.set_code(row, column, word);
    }
}

Work work(const Parameters& p) {
  const double m = double(p.whole("m")), n = double(p.whole("n")), k = double(p.whole("k")), groups = k / double(p.whole("group"));
  return product_work(p, n * k + 2 * n * groups + 2 * m * (k + n));
}

const Registered<Contract> registered{{
    .name = "w8a16_fp8_gemm",
    .formula = "y[m][n] = dtype(sum_k x[m][k] * scale[k/group][n] * w[k][n]), w E4M3 with 480 for NaN",
    .parameters = marlin::parameters("elements of k that share a scale: 128 or k"),
    .refuses = [](const Parameters& p) { return marlin::refuses(p, {128}); },
    .tensors = tensors,
    .from_shapes = {{"m", "x", 0}, {"k", "x", 1}, {"k", "w", 0, times(16)}, {"n", "scale", 1}, {"n", "w", 1, divided(4)},
                    {"group", "scale", 0, parts_of("k")}},
    .steps = {{.name = "product", .tensor = "y", .prepare = oracle}},
    .work = work,
    .exact_contents = small_weights,
    .product = MatrixProduct{},
    .slots = [](const Parameters& p) { return slots_of_dequantised_product(marlin::element_of(p)); },
}};

}  // namespace
}  // namespace assay
