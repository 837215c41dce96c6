// Where a subject claims it: a row's result has the same bits alone as in a batch, whatever tile sizes the launch chooses for either.
#include "properties/laws/product.hpp"

namespace assay {
namespace {

/// The case with rows [first, first + count) alone.
std::pair<Case, Tensors> part(const Case& c, const Tensors& all, int64_t first, int64_t count) {
  Case alone = c;
  alone.parameters.set("m", count);
  Tensors operands = reruns::operands_of(alone, all);
  product::take_rows(*c.definition().product, operands, all, c.parameters.whole("m"), [=](int64_t i) { return first + i; });
  return {alone, operands};
}

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const MatrixProduct& p = *c.definition().product;
  const int64_t m = c.parameters.whole("m");
  const Tensors& operands = bench.operands(c);
  const Run& together = bench.run(subject, c);
  if (!together.error.empty()) return failed(together.error);
  const Tensor& y = tensor(together.outputs, p.y);
  Verdict all = skipped("nothing to compare");
  for (auto [first, count] : {std::pair{int64_t{0}, int64_t{1}}, {m - 1, int64_t{1}}, {m / 4, (m + 1) / 2}}) {
    const auto [alone, some] = part(c, operands, first, count);
    if (bench.refusal(subject, alone)) continue;
    const Run run = bench.run_on(subject, alone, some);
    if (!run.error.empty()) return failed(run.error);
    all += product::compared(
        run, p.y,
        [&, first = first](int64_t row, int64_t column) -> std::optional<double> {
          if (!product::is_computed(together, p.y, first + row, column)) return {};
          return y.value(first + row, column);
        },
        [&, first = first, count = count](int64_t row, int64_t, double found, double wanted) {
          return fmt::format("is {} among {} rows; row {} of a batch of {} is {}", found, count, first + row, m, wanted);
        });
  }
  return all;
}

const Registered<Law> registered{{
    .name = "ignores_batch",
    .claim = "a row's result has the same bits alone as in a batch, where the subject claims it",
    .applies = [](const Subject& s, const Case& c) { return s.batch_invariant && product::applies(c) && c.fill == Fill::normal && c.parameters.whole("m") > 1; },
    .check = check,
    .any_contents = true,
}};

}  // namespace
}  // namespace assay
