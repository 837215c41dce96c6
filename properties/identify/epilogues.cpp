// What comes after the sum of a matrix product.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fixtures/fill/random.hpp"
#include "properties/identify/product.hpp"
#include "properties/identify/replay.hpp"
#include "properties/identify/sigmoid.hpp"

namespace assay::properties {
namespace {

uint64_t code(const Tensors& t, double x) { return encode(tensor(t, "y").spec.format, x); }

void none(Arithmetic&) {}

std::vector<Epilogue> roundings_alone() {
  std::vector<Epilogue> all;
  for (const OutputRounding& r : output_roundings())
    all.push_back({"output " + r.name,
                   [r](const Tensors& t, int64_t, int64_t, double sum) { return r.encode(tensor(t, "y").spec.format, sum); }, none,
                   r.name == output_roundings()[0].name ? "" : "output " + r.name});
  return all;
}

std::vector<Epilogue> of_bf16_gemm(const Case& c) {
  const bool bias = c.parameters.whole("bias") != 0;
  const std::string activation = c.parameters.word("activation");
  std::vector<Silu> silus = silu_variants();
  if (activation != "silu") silus.resize(1);
  std::vector<Epilogue> all;
  for (const Silu& silu : silus)
    for (bool early : {false, true}) {
      if (early && !bias && activation == "none") continue;
      Epilogue e;
      e.name = fmt::format("{}{}{}", early ? "sum rounded to BF16 first" : "all in FP32", bias ? ", bias added" : "",
                           activation == "silu"   ? ", silu: " + silu.exponential + ", " + silu.division
                           : activation == "relu" ? ", relu"
                                                  : "");
      e.of = [=](const Tensors& t, int64_t, int64_t n, double sum) {
        float v = float(early ? rounded(Format::bf16, sum) : sum);
        if (bias) v = v + float(tensor(t, "bias").value(0, n));
        if (activation == "relu") v = v < 0 ? 0 : v;
        if (activation == "silu") v = silu.of(v);
        return code(t, v);
      };
      e.declare = [=](Arithmetic& a) {
        if (bias) a.with("bias", Ops{});
        if (activation == "silu") declare(a, silu);
      };
      if (early) e.beyond = "the sum is rounded to BF16 before the epilogue";
      all.push_back(std::move(e));
    }
  return all;
}

enum class ScaleOrder { b_then_a, a_then_b, product_first };
enum class BiasPlace { fused, apart, before_a_scale, after_rounding };

std::vector<Epilogue> of_fp8_scaled_gemm(const Case& c) {
  const bool bias = c.parameters.whole("bias") != 0;
  struct {
    ScaleOrder order;
    const char* name;
  } const orders[] = {{ScaleOrder::b_then_a, "a_scale * (b_scale * sum)"},
                      {ScaleOrder::a_then_b, "b_scale * (a_scale * sum)"},
                      {ScaleOrder::product_first, "(a_scale * b_scale) * sum"}};
  struct {
    BiasPlace place;
    const char* name;
  } const places[] = {{BiasPlace::fused, "bias fused with the last product"},
                      {BiasPlace::apart, "bias added after it was rounded to FP32"},
                      {BiasPlace::before_a_scale, "bias added before the last scale"},
                      {BiasPlace::after_rounding, "bias added to the rounded output"}};
  std::vector<Epilogue> all;
  for (const auto& order : orders)
    for (const auto& place : places)
      for (bool by_bf16 : {false, true}) {
        if ((!bias && place.place != BiasPlace::fused) || (by_bf16 && c.parameters.word("dtype") == "bf16")) continue;
        Epilogue e;
        e.name = fmt::format("{}{}{}", order.name, bias ? fmt::format(", {}", place.name) : "",
                             by_bf16 ? ", rounded to BF16 whatever is asked for" : "");
        e.of = [=](const Tensors& t, int64_t m, int64_t n, double sum) {
          auto scale = [&](const char* name, int64_t i) {
            return float(tensor(t, name).value(0, tensor(t, name).spec.width() == 1 ? 0 : i));
          };
          const float sa = scale("a_scale", m), sb = scale("b_scale", n), acc = float(sum),
                      b = bias ? float(tensor(t, "bias").value(0, n)) : 0;
          float inner = acc, last = sa * sb;
          if (order.order == ScaleOrder::b_then_a) inner = sb * acc, last = sa;
          if (order.order == ScaleOrder::a_then_b) inner = sa * acc, last = sb;
          float y = last * inner;
          if (bias && place.place == BiasPlace::fused) y = std::fma(last, inner, b);
          if (bias && place.place == BiasPlace::apart) y = y + b;
          if (bias && place.place == BiasPlace::before_a_scale) y = last * (inner + b);
          if (bias && place.place == BiasPlace::after_rounding) y = float(rounded(tensor(t, "y").spec.format, y)) + b;
          if (!by_bf16) return code(t, y);
          return encode(Format::bf16, double(y));  // its bits lie where FP16 is read
        };
        e.declare = [=](Arithmetic& a) {
          a.with("b_scale", Ops{}).with("a_scale", Ops{}).with("bias", Ops{});
          if (bias && place.place == BiasPlace::apart)
            a.contraction = Contraction::never;
          else
            a.contraction = Contraction::always;
        };
        e.has_multiply_add = bias && (place.place == BiasPlace::fused || place.place == BiasPlace::apart);
        if (place.place == BiasPlace::before_a_scale || place.place == BiasPlace::after_rounding) e.beyond = place.name;
        if (by_bf16) e.beyond += e.beyond.empty() ? "BF16 results" : ", BF16 results";
        all.push_back(std::move(e));
      }
  return all;
}

}  // namespace

std::vector<Epilogue> epilogues(const Case& c) {
  if (c.contract == "bf16_gemm") return of_bf16_gemm(c);
  if (c.contract == "fp8_scaled_gemm") return of_fp8_scaled_gemm(c);
  return roundings_alone();
}

std::optional<Input> telling_epilogue(const Case& c, const ProductKind& kind, const std::vector<std::string>& left, uint64_t seed) {
  if (kind.scales_weights || kind.scales_sums) return {};
  std::vector<Epilogue> all;
  for (const Epilogue& e : epilogues(c))
    if (std::ranges::find(left, e.name) != left.end()) all.push_back(e);
  if (all.size() < 2) return {};
  Input input = drawn(c, Fill::normal, seed);
  Tensor &x = tensor(input.operands, kind.x), &w = tensor(input.operands, kind.w);
  for (Tensor* t : {&x, &w})
    for (int64_t row = 0; row < t->spec.rows(); row++)
      for (int64_t i = 1; i < t->spec.width(); i++) t->set_code(row, i, 0);
  constexpr int kTrials = 1 << 16;
  const Stream stream(seed, "epilogue");
  int64_t placed = 0;
  const int64_t places = std::min(x.spec.rows(), w.spec.rows());
  for (uint64_t trial = 0; trial < kTrials && placed < places; trial++) {
    auto normal = [&](uint32_t use) { return stream.normal(trial, use); };
    auto set = [&](std::string_view name, uint32_t use, bool positive) {
      for (Tensor& t : input.operands)
        if (t.spec.name == name && (t.spec.width() > 1 || placed == 0))
          t.set_code(0, t.spec.width() == 1 ? 0 : placed, encode(t.spec.format, positive ? std::fabs(normal(use)) + 0.01 : normal(use)));
    };
    x.set_code(placed, 0, encode(x.spec.format, 4 * normal(0)));
    w.set_code(placed, 0, encode(w.spec.format, 4 * normal(1)));
    set("a_scale", 2, true), set("b_scale", 3, true), set("bias", 4, false);
    const double sum = x.value(placed, 0) * w.value(placed, 0);
    const uint64_t first = all[0].of(input.operands, placed, placed, sum);
    if (std::any_of(all.begin() + 1, all.end(), [&](const Epilogue& e) { return e.of(input.operands, placed, placed, sum) != first; }))
      placed++;
  }
  if (placed == 0) return {};
  input.name += " with one term a row, chosen with scales and bias to tell epilogues apart";
  return input;
}

}  // namespace assay::properties
