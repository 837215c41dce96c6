#include "golden/reference.hpp"

#include <cmath>

#include "fixtures/judge/examine.hpp"
#include "fixtures/judge/sample.hpp"
#include "golden/hash.hpp"

namespace assay::golden {
namespace {

// An element that was decided to 100 digits has its value rounded to FP64 (Decided::value): half an ulp at most.
constexpr double kDecidedRadius = 0x1p-53;

/// The code that the exact value rounds to, both zeros as 0; nothing where that is open.
std::optional<uint64_t> rounded_code(const TensorSpec& spec, const Element& e) {
  const double x = e.weighed.value;
  const uint64_t code = encode(spec.format, x, spec.overflow);
  if (std::isfinite(x) && e.compared) {
    const double radius = e.weighed.wide ? std::fabs(x) * kDecidedRadius : e.want.radius;
    if (!is_nan(spec.format, code) && !is_nearest(spec, code, x, radius)) return {};
  }
  return x == 0 ? 0 : code;
}

bool is_nearest_to(const TensorSpec& spec, uint64_t got, uint64_t rounded) {
  if (is_nan(spec.format, got) || is_nan(spec.format, rounded)) return is_nan(spec.format, got) && is_nan(spec.format, rounded);
  return rank(spec.format, got) == rank(spec.format, rounded);
}

void add(Reference& r, const TensorSpec& spec, const Element& e) {
  r.judged++, r.single_legal += e.weighed.legal.low == e.weighed.legal.high;
  r.nearest += is_nearest_to(spec, e.weighed.got, encode(spec.format, e.weighed.value, spec.overflow));
  if (const auto code = rounded_code(spec, e)) r.rounded++, r.hash += element_hash(uint64_t(e.row * spec.width() + e.column), *code);
  if (e.compared && e.share > r.worst_share) {
    r.worst_share = e.share, r.worst_term = name(e.weighed.bound.dominant());
    r.worst_row = e.row, r.worst_column = e.column;
  }
}

}  // namespace

std::map<std::string, Reference> references(const Bench& bench, const Subject& subject, const Case& c, const Tensors& before,
                                            const Run& run) {
  std::map<std::string, Reference> all;
  const Judging judging{
      .computed = run.computed, .sample = judged_sample(c, bench.settings().judged), .poison = run.poison, .progress = {}};
  examine(c.definition(), c.parameters, before, run.outputs, subject.arithmetic(c.parameters), judging,
          [&](const Session& s, const Element& e) { add(all[s.found.spec.name], s.found.spec, e); });
  return all;
}

}  // namespace assay::golden
