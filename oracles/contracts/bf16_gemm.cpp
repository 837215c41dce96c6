// y = act(x w^T + bias) in BF16, accumulated in FP32 on tensor cores: the linear layer without quantisation.
#include "oracles/arithmetic/silu.hpp"
#include "oracles/contracts/gemm.hpp"

namespace assay {
namespace {

std::vector<TensorSpec> tensors(const Parameters& p) {
  const int64_t m = p.whole("m"), n = p.whole("n"), k = p.whole("k"), offset = p.whole("offset");
  std::vector<TensorSpec> all{rows_of({.name = "x", .offset = offset, .reduction = k}, m, k, p.whole("x_pad")),
                              rows_of({.name = "w", .meaning = Meaning::weight, .offset = offset}, n, k, p.whole("w_pad"))};
  if (p.whole("bias")) all.push_back(rows_of({.name = "bias"}, 1, n));
  all.push_back(rows_of({.name = "y", .role = Role::output, .offset = offset}, m, n, p.whole("y_pad")));
  return all;
}

template <class Real>
Tracked<Real> activated(const std::string& activation, const Arithmetic& arithmetic, Tracked<Real> v) {
  if (activation == "none") return v;
  return activation == "relu" ? relu(v) : silu(v, arithmetic);
}

Oracle oracle(const Problem& problem) {
  const Tensor &x = tensor(problem.before, "x"), &w = tensor(problem.before, "w");
  const Tensor* bias = problem.parameters.whole("bias") ? &tensor(problem.before, "bias") : nullptr;
  const Arithmetic& arithmetic = problem.arithmetic;
  const std::string activation = problem.parameters.word("activation");
  auto epilogue = [bias, &arithmetic, activation]<class Real>(int64_t, int64_t n, Tracked<Real> sum) {
    if (bias) sum = apply(arithmetic, arithmetic.ops("bias"), sum + exactly(Real(bias->value(0, n))));
    return activated(activation, arithmetic, sum);
  };
  return gemm_oracle({.dot = arithmetic.dot("dot"), .m = problem.parameters.whole("m"), .n = problem.parameters.whole("n"), .k = problem.parameters.whole("k"), .a = rows_of_tensor(x), .b = rows_of_tensor(w),
                      .random_signs = x.random_signs || w.random_signs},
                     epilogue);
}

// silu(v) is v for 32 and more, but for less than a rounding: sums of 0 or 32 to 448 in steps of 32, which BF16 holds. Three elements of a row
// of x are not zero.
void exact_contents(const Parameters& p, const RandomBits& random, Tensors& all) {
  if (p.word("activation") != "silu") return;
  Tensor &x = tensor(all, "x"), &w = tensor(all, "w");
  const int64_t k = p.whole("k");
  auto set = [](Tensor& t, int64_t row, int64_t column, double value) { t.set_code(row, column, encode(Format::bf16, value)); };
  for (int64_t row = 0; row < p.whole("m"); row++) {
    for (int64_t i = 0; i < k; i++) set(x, row, i, 0);
    for (int i = 0; i < 3; i++) {
      const uint64_t bits = random(100, uint64_t(3 * row + i));
      set(x, row, int64_t(bits >> 8) % k, 1 + double(bits % 2));
    }
  }
  for (int64_t row = 0; row < p.whole("n"); row++)
    for (int64_t i = 0; i < k; i++) set(w, row, i, 32 * (1 + double(random(101, uint64_t(row * k + i)) % 2)));
  if (p.whole("bias"))
    for (int64_t i = 0; i < p.whole("n"); i++) set(tensor(all, "bias"), 0, i, 32 * double(random(102, uint64_t(i)) % 3));
}

Contract contract() {
  return {
      .name = "bf16_gemm",
      .formula = "y[m][n] = bf16(act(sum_k x[m][k] * w[n][k] + bias[n]))",
      .parameters = {whole("m", 0, 1 << 24, 1, "rows of x: tokens"),
                     whole("n", 0, 1 << 24, 1, "rows of w: output features"),
                     whole("k", 1, 1 << 24, 16, "columns: input features"),
                     whole("split_k", 1, 64, 1, "parts of k that are summed apart"),
                     whole("bias", 0, 1, 0, "1: a bias is added"),
                     word("activation", {"none", "relu", "silu"}, "applied before the rounding"),
                     whole("x_pad", 0, 65536, 0, "elements between rows of x"),
                     whole("w_pad", 0, 65536, 0, "elements between rows of w"),
                     whole("y_pad", 0, 65536, 0, "elements between rows of y"),
                     whole("offset", 0, 127, 0, "elements by which x, w and y miss a 256-byte boundary")},
      .refuses = too_large,
      .tensors = tensors,
      .from_shapes = {{"m", "x", 0}, {"k", "x", 1}, {"k", "w", 1}, {"n", "w", 0}},
      .steps = {{.name = "product", .tensor = "y", .prepare = oracle}},
      .work =
          [](const Parameters& p) {
            const double m = double(p.whole("m")), n = double(p.whole("n")), k = double(p.whole("k"));
            return product_work(p, 2 * (m * k + n * k + m * n + n * double(p.whole("bias"))));
          },
      .exact_contents = exact_contents,
      .product = MatrixProduct{.n = {{"w", 0}, {"bias", 1}},
                               .homogeneous =
                                   [](const Parameters& p) {
                                     return !p.whole("bias") && p.word("activation") != "silu" && p.word("activation") != "relu";
                                   }},
      .switches = {"bias", "activation"},
      .slots = [](const Parameters& p) {
        std::vector<Slot> all{{"dot", Dot{.instruction = unknown::fp32_sums(Format::bf16)}}};
        if (p.whole("bias")) all.push_back({"bias", Ops{}});
        if (p.word("activation") == "silu")
          for (const Slot& s : {Slot{"exp", assumed::exp()}, Slot{"one_plus", Ops{}}, Slot{"divide", assumed::quotient()}}) all.push_back(s);
        return all;
      },
  };
}

const Registered<Contract> registered{contract()};

}  // namespace
}  // namespace assay
