// Where a subject claims it: a row's result has the same bits alone as in a batch, whatever tile sizes the launch chooses for either.
#include "properties/laws/product.hpp"

namespace assay {
namespace {

/// The case with rows [first, first + count) alone.
std::pair<Case, Tensors> part(const Case& c, const Tensors& all, int64_t first, int64_t count) {
  Case alone = c;
  alone.parameters.set("m", count);
  Tensors operands;
  for (TensorSpec& spec : alone.definition().tensors(alone.parameters)) operands.push_back(make_tensor(std::move(spec)));
  const MatrixProduct& p = *c.definition().product;
  for (Tensor& t : operands)
    if (t.spec.role != Role::output && t.spec.name != p.x && product::length(t, 0) == product::length(tensor(all, t.spec.name), 0) &&
        product::length(t, 1) == product::length(tensor(all, t.spec.name), 1))
      product::take(t, tensor(all, t.spec.name), 0, [](int64_t i) { return i; });
  product::take(tensor(operands, p.x), tensor(all, p.x), 0, [=](int64_t i) { return first + i; });
  for (const MatrixProduct::Along& a : p.m)
    if (product::has(all, a.tensor) && product::length(tensor(all, a.tensor), a.dimension) == c.parameters.whole("m"))
      product::take(tensor(operands, a.tensor), tensor(all, a.tensor), a.dimension, [=](int64_t i) { return first + i; });
  return {alone, operands};
}

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const MatrixProduct& p = *c.definition().product;
  const int64_t m = c.parameters.whole("m");
  const Tensors operands = bench.operands(c);
  const Run together = bench.run(subject, c);
  if (!together.error.empty()) return failed(together.error);
  const Tensor& y = tensor(together.outputs, p.y);
  Verdict all;
  for (auto [first, count] : {std::pair{int64_t{0}, int64_t{1}}, {m - 1, int64_t{1}}, {m / 4, (m + 1) / 2}}) {
    const auto [alone, some] = part(c, operands, first, count);
    const Run run = bench.run_on(subject, alone, some);
    if (!run.error.empty()) return failed(run.error);
    const Tensor& rows = tensor(run.outputs, p.y);
    all += product::verdict(rows, product::first_wrong(run, rows, [&](int64_t row, int64_t column) -> std::optional<std::string> {
      const int64_t in_batch = first + row;
      if ((together.computed && !together.computed(y.spec.name, in_batch, column)) || product::equal(rows, row, column, y.value(in_batch, column))) return {};
      return fmt::format("is {} among {} rows; row {} of a batch of {} is {}", rows.value(row, column), count, in_batch, m, y.value(in_batch, column));
    }));
  }
  return all;
}

const Registered<Law> registered{{
    .name = "ignores_batch",
    .claim = "a row's result has the same bits alone as in a batch, where the subject claims it",
    .applies = [](const Subject& s, const Case& c) { return s.batch_invariant && product::applies(c) && c.fill == Fill::normal && c.parameters.whole("m") > 1; },
    .check = check,
}};

}  // namespace
}  // namespace assay
