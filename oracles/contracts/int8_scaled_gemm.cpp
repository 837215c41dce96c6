// y = a_scale * (b_scale * (a b^T - zero)) + bias with INT8 operands: W8A8, as vLLM's cutlass_scaled_mm and cutlass_scaled_mm_azp define it.
//
// The sum and the subtraction of the zero points are int32 modulo 2^32: exact whole numbers, the same in any order. What an implementation
// may declare is the epilogue: slots `convert` (int32 to FP32), `scale_b`, `scale_a` and, with a bias, `bias`, which a contraction fuses with
// the product before it. A slot declared as a Round has one legal value; an Ops leaves its rounding open.
#include <cfloat>
#include <cmath>
#include <cstring>

#include "oracles/arithmetic/wide.hpp"
#include "oracles/contracts/scaled_gemm.hpp"

namespace assay {
namespace {

std::vector<TensorSpec> tensors(const Parameters& p) {
  const int64_t m = p.whole("m"), n = p.whole("n"), k = p.whole("k"), offset = p.whole("offset");
  const bool fp16 = p.word("dtype") == "fp16", by_token = p.word("azp") == "per_token";
  const Format out = fp16 ? Format::fp16 : Format::bf16;
  const auto root = int64_t(std::ceil(std::sqrt(double(k))));
  const TensorSpec whole{.format = Format::int8, .offset = offset, .huge = 32, .tiny = 0x1p-5, .whole_range = true};
  // With sums near 2^20, FP16 results stay finite and normal.
  const TensorSpec scale{.format = Format::fp32, .meaning = Meaning::scale, .huge = fp16 ? 0x1p-2 : 0x1p40, .tiny = fp16 ? 0x1p-12 : 0x1p-40};
  const TensorSpec zero{.format = Format::int32, .meaning = Meaning::zero_point};
  auto named = [](std::string name, TensorSpec spec) {
    spec.name = std::move(name);
    return spec;
  };
  auto scales = [&](std::string name, int64_t count) {
    auto spec = rows_of(named(std::move(name), scale), 1, count);
    spec.specials = count > 1;   // one special scale for all would leave nothing to judge
    return spec;
  };
  auto weights = named("b", whole);
  weights.meaning = Meaning::weight;
  std::vector<TensorSpec> all{rows_of(named("a", whole), m, k, p.whole("a_pad")), rows_of(weights, n, k, p.whole("b_pad")),
                              scales("a_scale", p.word("a_scale") == "per_token" ? m : 1), scales("b_scale", p.word("b_scale") == "per_channel" ? n : 1)};
  if (p.word("azp") != "none") {   // column sums of b, times the zero point where there is one for all rows: as large as the sums
    all.push_back(rows_of(named("azp_adj", zero), 1, n));
    all.back().limit = (by_token ? 32 : 2048) * root;
  }
  if (by_token) {
    all.push_back(rows_of(named("azp", zero), 1, m));
    all.back().limit = 128;
  }
  if (p.whole("bias")) all.push_back(rows_of({.name = "bias", .format = out}, 1, n));
  all.push_back(rows_of({.name = "y", .role = Role::output, .format = out, .offset = offset}, m, n, p.whole("y_pad")));
  return all;
}

/// sum_k a[k] * b[k] modulo 2^32.
uint32_t dot(const int8_t* a, const int8_t* b, int64_t k) {
  typedef int8_t Bytes __attribute__((vector_size(16)));
  typedef int16_t Products __attribute__((vector_size(32)));   // at most 2^14
  typedef uint32_t Sums __attribute__((vector_size(64)));
  Sums sums{};
  int64_t i = 0;
  for (; i + 16 <= k; i += 16) {
    Bytes x, y;
    std::memcpy(&x, a + i, sizeof x), std::memcpy(&y, b + i, sizeof y);
    sums += __builtin_convertvector(__builtin_convertvector(x, Products) * __builtin_convertvector(y, Products), Sums);
  }
  uint32_t sum = 0;
  for (int lane = 0; lane < 16; lane++) sum += sums[lane];
  for (; i < k; i++) sum += uint32_t(a[i] * b[i]);
  return sum;
}

/// What the epilogue of one element starts from.
struct Element {
  int32_t sum;   // zero points subtracted
  double a_scale, b_scale;
  std::optional<double> bias;

  double scaled_by_b() const { return b_scale * sum; }
  double product() const { return a_scale * scaled_by_b(); }
  bool finite() const { return std::isfinite(a_scale) && std::isfinite(b_scale) && std::isfinite(bias.value_or(0)); }
};

/// The operands of a product, by element.
struct Operands {
  const Tensor &a, &b, &a_scale, &b_scale;
  const Tensor *azp, *azp_adj, *bias;

  Operands(const Tensors& all, const Parameters& p)
      : a(tensor(all, "a")), b(tensor(all, "b")), a_scale(tensor(all, "a_scale")), b_scale(tensor(all, "b_scale")),
        azp(p.word("azp") == "per_token" ? &tensor(all, "azp") : nullptr), azp_adj(p.word("azp") != "none" ? &tensor(all, "azp_adj") : nullptr),
        bias(p.whole("bias") ? &tensor(all, "bias") : nullptr) {}

  Element at(int64_t m, int64_t n) const {
    auto row = [](const Tensor& t, int64_t i) { return reinterpret_cast<const int8_t*>(t.row_data(i)); };
    const uint32_t zero = (azp ? uint32_t(azp->code(0, m)) : 1u) * (azp_adj ? uint32_t(azp_adj->code(0, n)) : 0u);
    return {int32_t(dot(row(a, m), row(b, n), a.spec.width()) - zero), scale_at(a_scale, m), scale_at(b_scale, n),
            bias ? std::optional(bias->value(0, n)) : std::nullopt};
  }
};

template <class Real>
Tracked<Real> output(const Element& e, const Arithmetic& arithmetic) {
  auto x = staged(arithmetic, "convert", exactly(Real(e.sum)));
  x = staged(arithmetic, "scale_b", x * exactly(Real(e.b_scale)));
  x = x * exactly(Real(e.a_scale));
  if (!e.bias) return staged(arithmetic, "scale_a", x);
  if (arithmetic.contraction == Contraction::never) x = staged(arithmetic, "scale_a", x);
  if (arithmetic.contraction == Contraction::either) x = apply(arithmetic, Ops{}, x);
  x = x + exactly(Real(*e.bias));
  return arithmetic.contraction == Contraction::either ? apply(arithmetic, Ops{}, x) : staged(arithmetic, "bias", x);
}

/// A scale or the bias is not finite: IEEE 754 through the formula, as long as no other factor can have become zero or infinite before.
Expected special(const Element& e) {
  const double t = std::fabs(e.scaled_by_b()), product = std::fabs(e.product());
  const bool vanished = std::isinf(e.a_scale) && t > 0 && t < FLT_MIN;
  const bool grown = e.bias && std::isinf(*e.bias) && std::isfinite(product) && product >= FLT_MAX;
  return {.value = e.product() + e.bias.value_or(0), .inside = !vanished && !grown};
}

Expected expected_at(const Element& e, const Arithmetic& arithmetic) {
  if (!e.finite()) return special(e);
  const double result = e.product() + e.bias.value_or(0);
  if (std::max({std::fabs(e.scaled_by_b()), std::fabs(e.product()), std::fabs(result)}) >= FLT_MAX) return {.value = result, .inside = false};
  return expected(output<double>(e, arithmetic));
}

Oracle oracle(const Problem& problem) {
  const Operands operands(problem.before, problem.parameters);
  const Arithmetic& arithmetic = problem.arithmetic;
  auto expect = [operands, &arithmetic](int64_t row, std::span<const int64_t> columns, std::span<Expected> out) {
    for (size_t i = 0; i < columns.size(); i++) out[i] = expected_at(operands.at(row, columns[i]), arithmetic);
  };
  auto decide = [operands, &arithmetic](int64_t row, int64_t column) { return decided(output<Wide>(operands.at(row, column), arithmetic)); };
  return {by_row(expect), decide};
}

Contract contract() {
  return {
      .name = "int8_scaled_gemm",
      .formula = "y[m][n] = T(a_scale[m] * (b_scale[n] * (sum_k a[m][k] * b[n][k] - azp[m] * azp_adj[n])) + bias[n])",
      .parameters = scaled_gemm::parameters(
          32, {word("azp", {"none", "per_tensor", "per_token"}, "zero points of a; per_tensor: azp_adj holds them multiplied in")}),
      .refuses = too_large,
      .tensors = tensors,
      .from_shapes = {{"m", "a", 0}, {"k", "a", 1}, {"n", "b", 0}, {"k", "b", 1}},
      .steps = {{.name = "product", .tensor = "y", .prepare = oracle}},
      .work =
          [](const Parameters& p) {
            const double m = double(p.whole("m")), n = double(p.whole("n")), k = double(p.whole("k"));
            const double zeros = (p.word("azp") == "none" ? 0 : 4 * n) + (p.word("azp") == "per_token" ? 4 * m : 0);
            return product_work(p, m * k + n * k + 2 * m * n + scaled_gemm::scale_bytes(p) + zeros);
          },
      .product = MatrixProduct{.x = "a",
                               .m = {{"a_scale", 1}, {"azp", 1}},
                               .n = {{"b", 0}, {"b_scale", 1}, {"azp_adj", 1}, {"bias", 1}},
                               .scaled = "a_scale",
                               .homogeneous = [](const Parameters& p) { return !p.whole("bias") && p.word("azp") == "none"; }},
      .switches = {"azp", "bias"},
      .slots = [](const Parameters& p) {
        std::vector<Slot> all;
        auto add = [&all](std::string name, Ops assumed) { all.push_back({.name = std::move(name), .assumed = assumed, .either = true}); };
        add("convert", Ops{}), add("scale_b", assumed::first_of_two_products()), add("scale_a", Ops{});
        if (p.whole("bias")) add("bias", Ops{});
        return all;
      },
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
