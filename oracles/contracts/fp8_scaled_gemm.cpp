// y = a_scale (b_scale (a b^T)) + bias: FP8 activations and weights with FP32 scales outside the sum, as of vLLM's cutlass_scaled_mm.
//
// The scales are the FP32 values that the kernel reads, so the sum over E4M3 codes is the whole reference; how the codes were made is
// another contract's business.
#include <cfloat>
#include <cmath>

#include "oracles/contracts/gemm.hpp"

namespace assay {
namespace {

constexpr double kLargestProduct = 448.0 * 448.0;   // of two E4M3 numbers

Format format_of(const Parameters& p) { return p.word("dtype") == "bf16" ? Format::bf16 : Format::fp16; }

TensorSpec codes(const Parameters& p, std::string name, Meaning meaning) {
  return {.name = std::move(name), .format = Format::e4m3fn, .meaning = meaning, .offset = p.whole("offset"), .reduction = p.whole("k"),
          .huge = 256, .tiny = 0x1p-6};
}

TensorSpec scales(std::string name, int64_t count) {
  return rows_of({.name = std::move(name), .format = Format::fp32, .meaning = Meaning::scale, .huge = 0x1p20, .tiny = 0x1p-20}, 1, count);
}

std::vector<TensorSpec> tensors(const Parameters& p) {
  const int64_t m = p.whole("m"), n = p.whole("n"), k = p.whole("k");
  std::vector<TensorSpec> all{rows_of(codes(p, "a", Meaning::activation), m, k, p.whole("a_pad")),
                              rows_of(codes(p, "b", Meaning::weight), n, k, p.whole("b_pad")),
                              scales("a_scale", p.word("a_scale") == "per_tensor" ? 1 : m),
                              scales("b_scale", p.word("b_scale") == "per_tensor" ? 1 : n)};
  if (p.whole("bias")) all.push_back(rows_of({.name = "bias", .format = format_of(p)}, 1, n));
  all.push_back(rows_of({.name = "y", .role = Role::output, .format = format_of(p), .offset = p.whole("offset")}, m, n, p.whole("y_pad")));
  return all;
}

Oracle oracle(const Problem& problem) {
  const Tensor &a = tensor(problem.before, "a"), &b = tensor(problem.before, "b");
  const Tensor* bias = problem.parameters.whole("bias") ? &tensor(problem.before, "bias") : nullptr;
  const Arithmetic& arithmetic = problem.arithmetic;
  const int64_t k = problem.parameters.whole("k");
  auto scale = [](const Tensor& t) { return [&t](int64_t i) { return t.value(0, t.spec.width() == 1 ? 0 : i); }; };
  auto a_scale = scale(tensor(problem.before, "a_scale")), b_scale = scale(tensor(problem.before, "b_scale"));
  auto epilogue = [=, &arithmetic]<class Real>(int64_t m, int64_t n, const Tracked<Real>& sum) {
    const Tracked<Real> t = apply(arithmetic, arithmetic.ops("b_scale"), sum * exactly(Real(b_scale(n))));
    Tracked<Real> y = t * exactly(Real(a_scale(m)));
    if (!bias || arithmetic.contraction != Contraction::always) y = apply(arithmetic, arithmetic.ops("a_scale"), y);
    return bias ? apply(arithmetic, arithmetic.ops("bias"), y + exactly(Real(bias->value(0, n)))) : y;
  };
  // An infinite scale gives infinity or NaN, as it meets a sum that was cut to zero or not; finite ones must not overflow on the way.
  auto inside = [=](int64_t m, int64_t n) {
    const double sa = std::fabs(a_scale(m)), sb = std::fabs(b_scale(n)), most = kLargestProduct * double(k);
    return std::isnan(sa) || std::isnan(sb) || (sb * most < FLT_MAX / 2 && sa * sb * most < FLT_MAX / 2);
  };
  return gemm_oracle({.dot = arithmetic.dot("dot"),
                      .k = k,
                      .a = rows_of_tensor(a),
                      .b = rows_of_tensor(b),
                      .random_signs = a.random_signs || b.random_signs},
                     epilogue, inside);
}

Contract contract() {
  return {
      .name = "fp8_scaled_gemm",
      .formula = "y[m][n] = dtype(a_scale[m] * (b_scale[n] * sum_k a[m][k] * b[n][k]) + bias[n])",
      .parameters = {whole("m", 0, 1 << 24, 1, "rows of a: tokens"), whole("n", 0, 1 << 24, 1, "rows of b: output features"),
                     whole("k", 1, 1 << 24, 16, "columns: input features"), word("dtype", {"bf16", "fp16"}, "of y and bias"),
                     word("a_scale", {"per_tensor", "per_token"}, "how many scales a has"),
                     word("b_scale", {"per_tensor", "per_channel"}, "how many scales b has"), whole("bias", 0, 1, 0, "1: a bias is added"),
                     whole("a_pad", 0, 65536, 0, "elements between rows of a"), whole("b_pad", 0, 65536, 0, "elements between rows of b"),
                     whole("y_pad", 0, 65536, 0, "elements between rows of y"),
                     whole("offset", 0, 127, 0, "elements by which a, b and y miss a 256-byte boundary")},
      .refuses = too_large,
      .tensors = tensors,
      .steps = {{.name = "product", .tensor = "y", .prepare = oracle}},
      .work =
          [](const Parameters& p) {
            const double m = double(p.whole("m")), n = double(p.whole("n")), k = double(p.whole("k"));
            const double scales = (p.word("a_scale") == "per_tensor" ? 1 : m) + (p.word("b_scale") == "per_tensor" ? 1 : n);
            return Work{.bytes = m * k + n * k + 2 * m * n + 4 * scales + 2 * n * double(p.whole("bias")),
                        .flops = 2 * m * n * k,
                        .multiply_adds = m * n * k};
          },
      .product = MatrixProduct{.x = "a",
                               .m = {{"a_scale", 1}},
                               .n = {{"b", 0}, {"b_scale", 1}, {"bias", 1}},
                               .scaled = "a_scale",
                               .homogeneous = [](const Parameters& p) { return !p.whole("bias"); }},
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
