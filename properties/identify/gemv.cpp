// w4a16_gemv, whose order is declared by the depth of an FP32 sum: any tree of multiply-adds and additions, with the scale in one of
// several places. The tree is read off masks and carried out as it stands.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "properties/identify/masks.hpp"
#include "properties/identify/replay.hpp"

namespace assay::properties {
namespace {

enum class Place : uint8_t { fused_with_runs, after_runs, exact_weight, bf16_weight };

struct Scaling {
  std::string name;
  Place place;
};
const Scaling kScalings[] = {{"the scale of a run fused with its addition", Place::fused_with_runs},
                             {"the scale of a run multiplied first", Place::after_runs},
                             {"weights exact in FP32", Place::exact_weight},
                             {"weights rounded to BF16", Place::bf16_weight}};

/// What runs are added up in; `products`: of the multiply-adds within a run.
struct Accumulators {
  std::string name;
  Format sums, products;
};
const Accumulators kAccumulators[] = {{"FP32", Format::fp32, Format::fp32},
                                      {"runs in FP32, their sums kept in BF16", Format::bf16, Format::fp32},
                                      {"runs in FP32, their sums kept in FP16", Format::fp16, Format::fp32},
                                      {"BF16", Format::bf16, Format::bf16}};

bool is_run(const Sums& s) { return !s.leaves.empty() && (s.parts.empty() || (s.parts.size() == 1 && is_run(s.parts[0]))); }

/// Elements of a run in the order in which they are taken; those of a first pair start from zero and commute.
void elements_of(const Sums& run, std::vector<int64_t>& k) {
  if (!run.parts.empty()) elements_of(run.parts[0], k);
  k.insert(k.end(), run.leaves.begin(), run.leaves.end());
}

/// One element of y.
struct Element {
  const std::vector<double>&x, &step, &scale;
  const Scaling& scaling;
  const Accumulators& accumulators;

  bool scales_runs() const { return scaling.place == Place::fused_with_runs || scaling.place == Place::after_runs; }
  double run(const Sums& s) const {
    std::vector<int64_t> order;
    elements_of(s, order);
    double sum = 0;
    for (int64_t k : order) {
      double w = step[size_t(k)];
      if (!scales_runs()) w *= scale[size_t(k)];
      if (scaling.place == Place::bf16_weight) w = rounded(Format::bf16, w);
      sum = rounded(accumulators.products, fused_multiply_add(Format::fp32, w, x[size_t(k)], sum));
    }
    return sum;
  }
  /// `before`, with a run added to it.
  double accumulated(double before, const Sums& s) const {
    const double partial = run(s);
    if (!scales_runs()) return rounded(accumulators.sums, rounded(Format::fp32, before + partial));
    const double by = scale[size_t(s.least())];
    const double sum = scaling.place == Place::fused_with_runs ? fused_multiply_add(Format::fp32, by, partial, before)
                                                               : rounded(Format::fp32, before + rounded(Format::fp32, by * partial));
    return rounded(accumulators.sums, sum);
  }
  double value(const Sums& s) const {
    if (is_run(s)) return accumulated(0, s);
    std::vector<const Sums*> parts;
    for (const Sums& p : s.parts) parts.push_back(&p);
    std::ranges::sort(parts, {}, [](const Sums* p) { return p->least(); });
    double sum = value(*parts[0]);
    for (size_t i = 1; i < parts.size(); i++)
      sum = is_run(*parts[i]) ? accumulated(sum, *parts[i]) : rounded(Format::fp32, sum + value(*parts[i]));
    return sum;
  }
};

/// Roundings that a term passes at most: the first product of a run is exact.
int64_t depth_of(const Sums& s, bool scales_runs) {
  if (is_run(s)) return s.count() - 1 + scales_runs;
  int64_t most = 0;
  for (const Sums& p : s.parts) most = std::max(most, depth_of(p, scales_runs));
  return most + int64_t(s.parts.size()) - 1;
}

/// Whether every rounding is one of two numbers: a sum of three or more is no tree of FP32 operations.
bool is_binary(const Sums& s) {
  if (is_run(s)) return s.parts.empty() ? s.leaves.size() <= 2 : s.leaves.size() == 1 && is_binary(s.parts[0]);
  return s.leaves.empty() && s.parts.size() == 2 && std::ranges::all_of(s.parts, is_binary);
}

std::string words(const Sums& s) {
  const Sums* first = &s;
  int64_t levels = 0, spine = 1;
  while (!is_run(*first)) {
    const Sums &a = first->parts[0], &b = first->parts[1];
    (is_run(a) || is_run(b) ? spine : levels)++;
    first = a.least() < b.least() ? &a : &b;
  }
  return fmt::format("runs of {} multiply-adds, {} to a chain, chains added as a tree of {} levels", first->count(), spine, levels);
}

/// One candidate on all rows and the first columns.
std::vector<OutputCode> outputs(const Sums& tree, const Scaling& scaling, const Accumulators& accumulators, const OutputRounding& output,
                                const ProductView& view) {
  std::vector<OutputCode> codes;
  for (size_t m = 0; m < view.a.size(); m++)
    for (size_t n = 0; n < view.step.size(); n++) {
      const Element element{view.a[m], view.step[n], view.scale[n], scaling, accumulators};
      codes.push_back({"y", int64_t(m), int64_t(n), output.encode(Format::bf16, element.value(tree))});
    }
  return codes;
}

std::vector<Candidate> candidates(const Sums& tree, const std::shared_ptr<Views>& views) {
  std::vector<Candidate> all;
  for (const Scaling& scaling : kScalings)
    for (const Accumulators& accumulators : kAccumulators)
      for (const OutputRounding& output : output_roundings()) {
        Candidate c{.choices = {scaling.name, accumulators.name, output.name}, .outputs = {}, .arithmetic = {}, .beyond = {}};
        c.outputs = [tree, &scaling, &accumulators, &output, views](const Tensors& t) {
          return outputs(tree, scaling, accumulators, output, views->of(t));
        };
        const bool runs = scaling.place == Place::fused_with_runs || scaling.place == Place::after_runs;
        const int64_t unfused = scaling.place == Place::after_runs ? 1 : 0;
        c.arithmetic.with("dot", Sum{.depth = depth_of(tree, runs) + unfused, .order = words(tree)});
        auto beyond = [&](bool is, const std::string& what) {
          if (is) c.beyond += (c.beyond.empty() ? "" : ", ") + what;
        };
        beyond(scaling.place == Place::bf16_weight, scaling.name);
        beyond(&accumulators != &kAccumulators[0], "accumulators: " + accumulators.name);
        beyond(&output != &output_roundings()[0], "output " + output.name);
        all.push_back(std::move(c));
      }
  return all;
}

Identification identify_gemv(Bench& bench, const Subject& subject, const Case& c) {
  Identification id{.problem = c};
  const ProductKind kind = product_kind(c);
  const Order order = order_of(bench, subject, c, kind);
  Trait found{.name = "order of k", .evidence = evidence(order)};
  if (!order.sums || !is_binary(*order.sums)) {
    id.findings.push_back(found);
    id.why_not = order.sums ? "more than two numbers meet in one rounding, as no sum in FP32 does: " + evidence(order)
                            : "no order of additions explains the masks: " + order.why_not;
    conclude(id, subject, {});
    return id;
  }
  found.found.push_back(words(*order.sums));
  const auto views = std::make_shared<Views>(kind);
  Sieve sieve(bench, subject, c, {"scale", "accumulators", "output"}, candidates(*order.sums, views));
  const std::vector<Fill> fills{Fill::normal, Fill::one_sided, Fill::outlier, Fill::cancelling};
  sift(sieve, c, fills);
  sieve.separate([&](uint64_t i) { return cancelling(drawn(c, fills[i % fills.size()], c.seed + i), kind, c.seed + i); }, 24);
  id = concluded(sieve, subject, c);
  id.findings.insert(id.findings.begin(), found);
  return id;
}

}  // namespace

Family gemv_family() { return {"w4a16_gemv", {"w4a16_gemv m=8 n=8 k=256 group=32", "w4a16_gemv m=1 n=8 k=1024 group=128"}, identify_gemv}; }

}  // namespace assay::properties
