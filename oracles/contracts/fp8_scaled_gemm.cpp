// y = a_scale (b_scale (a b^T)) + bias: FP8 activations and weights with FP32 scales outside the sum, as of vLLM's cutlass_scaled_mm.
//
// The scales are the FP32 values that the kernel reads, so the sum over E4M3 codes is the whole reference; how the codes were made is
// another contract's business.
#include <cfloat>
#include <cmath>

#include "oracles/contracts/fp8_operand.hpp"
#include "oracles/contracts/scaled_gemm.hpp"

namespace assay {
namespace {

constexpr double kLargestProduct = 448.0 * 448.0;   // of two E4M3 numbers

Format format_of(const Parameters& p) { return *format_named(p.word("dtype")); }

std::vector<TensorSpec> tensors(const Parameters& p) {
  const int64_t m = p.whole("m"), n = p.whole("n"), k = p.whole("k");
  std::vector<TensorSpec> all{rows_of(fp8_operand(p, "a", Meaning::activation), m, k, p.whole("a_pad")),
                              rows_of(fp8_operand(p, "b", Meaning::weight), n, k, p.whole("b_pad")),
                              rows_of(fp8_scales_spec("a_scale"), 1, p.word("a_scale") == "per_tensor" ? 1 : m),
                              rows_of(fp8_scales_spec("b_scale"), 1, p.word("b_scale") == "per_tensor" ? 1 : n)};
  if (p.whole("bias")) all.push_back(rows_of({.name = "bias", .format = format_of(p)}, 1, n));
  all.push_back(rows_of({.name = "y", .role = Role::output, .format = format_of(p), .offset = p.whole("offset")}, m, n, p.whole("y_pad")));
  return all;
}

Oracle oracle(const Problem& problem) {
  const Tensor &a = tensor(problem.before, "a"), &b = tensor(problem.before, "b");
  const Tensor* bias = problem.parameters.whole("bias") ? &tensor(problem.before, "bias") : nullptr;
  const Arithmetic& arithmetic = problem.arithmetic;
  const int64_t k = problem.parameters.whole("k");
  auto a_scale = [&t = tensor(problem.before, "a_scale")](int64_t m) { return scale_at(t, m); };
  auto b_scale = [&t = tensor(problem.before, "b_scale")](int64_t n) { return scale_at(t, n); };
  auto epilogue = [=, &arithmetic]<class Real>(int64_t m, int64_t n, const Tracked<Real>& sum) {
    const Tracked<Real> t = apply(arithmetic, arithmetic.ops("b_scale"), sum * exactly(Real(b_scale(n))));
    Tracked<Real> y = t * exactly(Real(a_scale(m)));
    if (!bias || arithmetic.contraction != Contraction::always) y = apply(arithmetic, arithmetic.ops("a_scale"), y);
    return bias ? apply(arithmetic, arithmetic.ops("bias"), y + exactly(Real(bias->value(0, n)))) : y;
  };
  // An infinite scale gives infinity or NaN, as it meets a sum that was cut to zero or not; finite ones must not overflow on the way, with a
  // factor of two for all truncations and roundings.
  auto inside = [=](int64_t m, int64_t n) {
    const double sa = std::fabs(a_scale(m)), sb = std::fabs(b_scale(n)), most = kLargestProduct * double(k);
    return std::isnan(sa) || std::isnan(sb) || (sb * most < FLT_MAX / 2 && sa * sb * most < FLT_MAX / 2);
  };
  return gemm_oracle({.dot = arithmetic.dot("dot"),
                      .m = problem.parameters.whole("m"), .n = problem.parameters.whole("n"),
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
      .parameters = scaled_gemm::parameters(16),
      .refuses = too_large,
      .tensors = tensors,
      .from_shapes = {{"m", "a", 0}, {"k", "a", 1}, {"n", "b", 0}, {"k", "b", 1}},
      .steps = {{.name = "product", .tensor = "y", .prepare = oracle}},
      .work =
          [](const Parameters& p) {
            const double m = double(p.whole("m")), n = double(p.whole("n")), k = double(p.whole("k"));
            return product_work(p, m * k + n * k + 2 * m * n + scaled_gemm::scale_bytes(p));
          },
      .product = MatrixProduct{.x = "a",
                               .m = {{"a_scale", 1}},
                               .n = {{"b", 0}, {"b_scale", 1}, {"bias", 1}},
                               .scaled = "a_scale",
                               .homogeneous = [](const Parameters& p) { return !p.whole("bias"); }},
      .switches = {"bias"},
      .slots = [](const Parameters& p) {
        std::vector<Slot> all{{"dot", Dot{.instruction = unknown::e4m3_sums()}}, {"b_scale", assumed::first_of_two_products()}, {"a_scale", Ops{}}};
        if (p.whole("bias")) all.push_back({"bias", Ops{}});
        return all;
      },
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
