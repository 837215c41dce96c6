// A kernel writes its outputs, all of them, and nothing else: canaries before, after and between the rows stay whole, inputs stay as they
// were, and every element of a pure output loses its poison. An element that holds the poison of each of two runs was never written.
#include <fmt/format.h>

#include "fixtures/law.hpp"

namespace assay {
namespace {

bool is_poison(const Tensor& t, int64_t row, int64_t column, uint8_t poison) {
  for (int64_t i = 0; i < t.spec.element_bytes(); i++)
    if (t.row_data(row)[column * t.spec.element_bytes() + i] != std::byte(poison)) return false;
  return true;
}

/// An element that should have been written and was not, or the other way round where only some blocks ran.
std::optional<std::string> misplaced(const Tensor& a, const Tensor& b, const Run& first, const Run& second) {
  for (int64_t row = 0; row < a.spec.rows(); row++)
    for (int64_t column = 0; column < a.spec.width(); column++) {
      const bool left_alone = is_poison(a, row, column, first.poison) && is_poison(b, row, column, second.poison);
      const bool expected = !first.computed || first.computed(a.spec.name, row, column);
      if (left_alone == expected)
        return fmt::format("{} row {} column {} {}", a.spec.name, row, column,
                           expected ? "was not written" : "was written by a block that does not own it");
    }
  return {};
}

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Run &first = bench.run(subject, c, 0), &second = bench.run(subject, c, 1);
  Verdict verdict;
  for (const Run* run : {&first, &second}) {
    if (!run->error.empty()) return failed(run->error);
    if (run->damage) return failed(*run->damage);
  }
  for (size_t i = 0; i < first.outputs.size(); i++) {
    const Tensor& t = first.outputs[i];
    verdict.tally.judged += uint64_t(t.spec.elements());
    if (t.spec.role == Role::output)
      if (auto where = misplaced(t, second.outputs[i], first, second)) return failed(*where);
  }
  return verdict;
}

const Registered<Law> registered{{
    .name = "guarded",
    .claim = "all outputs are written, and nothing else",
    .applies = [](const Subject&, const Case&) { return true; },
    .check = check,
    .any_contents = true,
}};

}  // namespace
}  // namespace assay
