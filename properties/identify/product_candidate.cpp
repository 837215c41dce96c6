#include "properties/identify/product_candidate.hpp"

#include <fmt/format.h>

namespace assay::properties {
namespace {

double weight_of(const Dequantisation& d, double step, double scale) {
  if (d.scaling == Scaling::weight_rounded) return rounded(d.format, step * scale);
  if (d.scaling == Scaling::weight_exact) return step * scale;
  if (d.scaling == Scaling::two_products) return rounded(d.format, rounded(d.format, (step + 8) * scale) - rounded(d.format, 8 * scale));
  return step;
}

/// Sums before the epilogue, of all rows and the columns of the view.
class Summed {
 public:
  Summed(const Loop& loop, const Dequantisation& d, const ProductView& view) : loop(loop), d(d), view(view) {
    if (d.scaling != Scaling::absent) this->loop.dot.promotion.fused = d.fused;
    for (size_t n = 0; n < view.step.size(); n++) {
      weights.push_back(view.step[n]);
      if (view.scale.empty()) continue;
      for (size_t k = 0; k < weights[n].size(); k++) weights[n][k] = weight_of(d, view.step[n][k], view.scale[n][k]);
    }
  }
  double operator()(size_t m, size_t n) const {
    Terms terms{.a = view.a[m], .b = weights[n]};
    auto a_scale = [this, m](int64_t k) { return view.a_scale.empty() ? 1.0f : float(view.a_scale[m][size_t(k)]); };
    auto b_scale = [this, n](int64_t k) { return float(view.scale[n][size_t(k)]); };
    if (d.scaling == Scaling::promoted) terms.scale = [=](int64_t k) { return a_scale(k) * b_scale(k); };
    if (d.scaling == Scaling::two_steps) terms.first_scale = b_scale, terms.scale = a_scale;
    return replay(loop, terms);
  }

 private:
  Loop loop;
  const Dequantisation& d;
  const ProductView& view;
  std::vector<std::vector<double>> weights;
};

}  // namespace

std::vector<OutputCode> outputs(const Product& p, Views& views, const Tensors& operands) {
  const ProductView& view = views.of(operands);
  const Summed sum(p.loop, p.dequantisation, view);
  std::vector<OutputCode> codes;
  for (size_t m = 0; m < view.a.size(); m++)
    for (size_t n = 0; n < view.step.size(); n++)
      codes.push_back({"y", int64_t(m), int64_t(n), p.epilogue.of(operands, int64_t(m), int64_t(n), sum(m, n))});
  return codes;
}

void declare(Candidate& c, const Product& p, const ProductKind& kind) {
  Dot dot = p.loop.dot;
  const Dequantisation& d = p.dequantisation;
  if (d.scaling == Scaling::promoted || d.scaling == Scaling::two_steps) dot.promotion.fused = d.fused;
  if (!dot.promotion.every) dot.promotion.fused = true;
  Combination& how = dot.combination;  // the last addition's rounding is then the result's own
  how.into_output = dot.chains.size() > 1 && how.sum == kind.result && how.part == kind.result;
  if (d.scaling == Scaling::weight_rounded || d.scaling == Scaling::two_products) c.arithmetic.with("weight", Round{d.format});
  c.arithmetic.with("dot", dot);
  p.epilogue.declare(c.arithmetic);
  c.tells_contraction = p.epilogue.has_multiply_add;
  auto beyond = [&](bool is, const std::string& what) {
    if (is && !what.empty()) c.beyond += (c.beyond.empty() ? "" : ", ") + what;
  };
  beyond(p.loop.main != Format::fp32, fmt::format("promoted sums kept in {}", info(p.loop.main).name));
  beyond(d.scaling == Scaling::two_products || d.scaling == Scaling::two_steps, d.name);
  beyond(true, p.epilogue.beyond);
}

std::vector<Dequantisation> dequantisations(const ProductKind& kind, const Case& c, const Loop& loop) {
  if (!kind.scales_weights && !kind.scales_sums) return {Dequantisation{}};
  std::vector<Dequantisation> all;
  if (kind.scales_weights) {
    for (Format f : {kind.operands, kind.operands == Format::bf16 ? Format::fp16 : Format::bf16})
      all.push_back({fmt::format("weights rounded to {}", info(f).name), Scaling::weight_rounded, f});
    all.push_back({"weights exact", Scaling::weight_exact});
    if (!c.contract.starts_with("w8"))
      all.push_back(
          {fmt::format("q * scale and 8 * scale rounded to {} apart", info(kind.operands).name), Scaling::two_products, kind.operands});
  }
  if (loop.dot.promotion.every == 0) return all;
  for (bool fused : {true, false}) {
    const char* how = fused ? "fused with the addition" : "rounded before the addition";
    all.push_back({fmt::format("scale at promotion, {}", how), Scaling::promoted, Format::fp32, fused});
    if (kind.scales_sums)
      all.push_back({fmt::format("b_scale, then a_scale at promotion, {}", how), Scaling::two_steps, Format::fp32, fused});
  }
  return all;
}

}  // namespace assay::properties
