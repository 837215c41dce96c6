#include "properties/fuzz/reduce.hpp"

#include "properties/fuzz/examiner.hpp"

namespace assay::properties {
namespace {

/// The simplest an element can be; nothing where it must stay.
std::optional<uint64_t> simplest(const TensorSpec& spec) {
  switch (spec.meaning) {
    case Meaning::activation:
    case Meaning::weight:
    case Meaning::zero_point:
    case Meaning::angle_table: return encode(spec.format, 0.0);
    case Meaning::scale: return encode(spec.format, 1.0);
    case Meaning::packed_int4: return 0x88888888u;
    case Meaning::packed_zeros:
    case Meaning::position:
    case Meaning::permutation:
    case Meaning::group_index:
    case Meaning::frequency: return {};
  }
  return {};
}

class Reduction {
 public:
  Reduction(Bench& bench, const Subject& subject, const Law& law, const Case& c, int tries)
      : bench(bench), subject(subject), law(law), problem(c), left(tries), best{bench.operands(c), {}} {
    for (Tensor& t : best.operands) t.random_signs = false;
  }

  /// Whether the law fails on these in the same way; then they are the best so far.
  bool accept(const Tensors& operands) {
    if (left-- <= 0) return false;
    bench.put(problem, operands);
    const Verdict verdict = verdict_of(law, bench, subject, problem);
    if (verdict.outcome != Outcome::fail || (!kind.empty() && kind_of_failure(verdict.reason) != kind)) return false;
    kind = kind_of_failure(verdict.reason);
    best = {operands, verdict};
    return true;
  }

  /// All elements of a tensor at once, then halves of it, quarters, ...
  void simplify(size_t which) {
    const TensorSpec spec = best.operands[which].spec;
    const std::optional<uint64_t> code = simplest(spec);
    if (!code || spec.role == Role::output) return;
    for (int64_t chunk = spec.elements(); chunk > 0 && left > 0; chunk /= 2)
      for (int64_t first = 0; first < spec.elements() && left > 0; first += chunk)
        set(which, first, std::min(first + chunk, spec.elements()), *code);
  }

  std::optional<Reduced> run() {
    if (!accept(Tensors(best.operands))) return {};
    for (size_t i = 0; i < best.operands.size(); i++) simplify(i);
    return best;
  }

 private:
  Bench& bench;
  const Subject& subject;
  const Law& law;
  const Case& problem;
  int left;
  std::string kind;
  Reduced best;

  void set(size_t which, int64_t first, int64_t end, uint64_t code) {
    Tensors next = best.operands;
    Tensor& t = next[which];
    bool changes = false;
    for (int64_t i = first; i < end; i++) {
      const int64_t row = i / t.spec.width(), column = i % t.spec.width();
      changes |= t.code(row, column) != code;
      t.set_code(row, column, code);
    }
    if (changes) accept(next);
  }
};

}  // namespace

std::optional<Reduced> reduce(Bench& bench, const Subject& subject, const Law& law, const Case& c, int tries) {
  return Reduction(bench, subject, law, c, tries).run();
}

}  // namespace assay::properties
