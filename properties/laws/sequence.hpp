// What the laws about several launches share: other calls to make in between, and what a run among them is compared with.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "fixtures/bench/setup.hpp"
#include "fixtures/fill/fill.hpp"
#include "fixtures/fill/random.hpp"
#include "fixtures/law.hpp"
#include "fixtures/suite/suite.hpp"

namespace assay::sequence {

/// Cases on which these laws are tried, and the other calls of a sequence: what launches leave to each other does not depend on how long
/// they take, and each law runs the case again a few times.
inline constexpr double kMultiplyAdds = 0x1p19, kOtherMultiplyAdds = 0x1p15, kBytes = 0x1p22;

inline bool is_small(const Case& c, double multiply_adds) {
  const std::vector<TensorSpec> specs = c.definition().tensors(c.parameters);
  return c.definition().work(c.parameters).multiply_adds <= multiply_adds && bytes_of(specs) <= kBytes;
}

inline bool applies(const Case& c) { return is_small(c, kMultiplyAdds); }

/// The same shapes.
inline Case with_other_contents(Case c) {
  c.seed ^= 1;
  return c;
}

/// The first element in which two outputs differ; gaps between rows belong to nobody.
inline std::optional<std::string> difference(const Tensor& a, const Tensor& b, const Computed& computed, std::string_view of_a,
                                             std::string_view of_b) {
  for (int64_t row = 0; row < a.spec.rows(); row++) {
    if (std::ranges::equal(a.row_bytes(row), b.row_bytes(row))) continue;
    for (int64_t column = 0; column < a.spec.width(); column++)
      if (a.code(row, column) != b.code(row, column) && (!computed || computed(a.spec.name, row, column)))
        return fmt::format("{} row {} column {}: {:x} {}, {:x} {}", a.spec.name, row, column, a.code(row, column), of_a,
                           b.code(row, column), of_b);
  }
  return {};
}

/// Whether a run gave the bits of another one on the same operands, or where the subject does not repeat bits, a right result. `of_b`, as
/// in "in the second run", says which run is the one in question.
inline Verdict compared(const Bench& bench, const Subject& subject, const Case& c, const Tensors& operands, const Run& a, const Run& b,
                        std::string_view of_a, std::string_view of_b) {
  for (const Run* run : {&a, &b}) {
    const std::string_view which = run == &a ? of_a : of_b;
    if (!run->error.empty()) return failed(fmt::format("{}: {}", which, run->error));
    if (run->damage) return failed(fmt::format("{}: {}", which, *run->damage));
  }
  if (!subject.repeatable) {
    Verdict judged = bench.verdict_on(subject, c, operands, b);
    if (judged.outcome == Outcome::fail) judged.reason = fmt::format("{}: {}", of_b, judged.reason);
    return judged;
  }
  Verdict verdict;
  for (size_t i = 0; i < a.outputs.size(); i++) {
    if (auto where = difference(a.outputs[i], b.outputs[i], a.computed, of_a, of_b)) return failed(*where);
    verdict.tally.judged += uint64_t(a.outputs[i].spec.elements());
  }
  return verdict;
}

/// A subject on a case.
struct Call {
  const Subject* subject;
  Case problem;

  std::string text() const { return subject->name + " on " + to_line(problem); }
};

/// Memory in which each of the calls finds a block for every operand and workspace.
inline Arena arena_for(const Device& device, const std::vector<Call>& calls, uint8_t byte) {
  size_t blocks = 0, bytes = 0;
  for (const Call& call : calls)
    for (const std::vector<size_t> all = bytes_of_each(*call.subject, call.problem); const size_t b : all)
      blocks = std::max(blocks, all.size()), bytes = std::max(bytes, b);
  return Arena(device, blocks, bytes, byte);
}

/// One of the calls of suite `smoke` that are wanted and that the bench can make: a small one, or one that the laws are tried on.
template <class Wanted>
std::optional<Call> drawn_call(const Bench& bench, const Stream& random, uint64_t index, const std::vector<const Subject*>& subjects,
                               const Wanted& wanted) {
  static const Suite smoke = load_suite("smoke");
  for (const double most : {kOtherMultiplyAdds, kMultiplyAdds}) {
    std::vector<Call> all;
    for (const Subject* subject : subjects)
      for (const Case& c : smoke.cases)
        if (c.contract == subject->contract && wanted(c) && is_small(c, most) && !bench.refusal(*subject, c)) all.push_back({subject, c});
    if (!all.empty()) return all[random.below(all.size(), index)];
  }
  return {};
}

/// The subject on another problem than `c`.
inline std::optional<Call> other_shape(const Bench& bench, const Stream& random, const Subject& subject, const Case& c) {
  return drawn_call(bench, random, 0, {&subject}, [&](const Case& other) { return !(other.parameters == c.parameters); });
}

}  // namespace assay::sequence
