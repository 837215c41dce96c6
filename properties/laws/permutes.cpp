// Rearranged rows of x give rearranged rows of y, and where the weight's layout lets columns move alone, the same holds for them: bit for
// bit, since which lane or tile computes an element must not matter (but where the subject declares that its order of summation depends on
// the element). Wrong strides, tails and tile edges do.
#include <numeric>

#include "properties/laws/product.hpp"

namespace assay {
namespace {

/// An arrangement of [0, count) that moves elements between tiles: a stride that has no common divisor with count, and an offset.
std::function<int64_t(int64_t)> arrangement(int64_t count) {
  int64_t stride = std::max<int64_t>(1, count * 5 / 8);
  while (std::gcd(stride, count) != 1) stride++;
  return [=](int64_t i) { return (i * stride + count / 3) % count; };
}

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const MatrixProduct& p = *c.definition().product;
  const int64_t m = c.parameters.whole("m"), n = c.parameters.whole("n");
  const auto row_from = arrangement(m);
  const auto column_from = p.n.empty() ? std::function<int64_t(int64_t)>([](int64_t i) { return i; }) : arrangement(n);
  const Tensors& straight_operands = bench.operands(c);
  Tensors operands = straight_operands;
  product::take_rows(p, operands, straight_operands, m, row_from);
  for (const MatrixProduct::Along& a : p.n)
    if (product::has(operands, a.tensor) && product::length(tensor(operands, a.tensor), a.dimension) == n) {
      const Tensor before = tensor(operands, a.tensor);
      product::take(tensor(operands, a.tensor), before, a.dimension, column_from);
    }
  const Run& straight = bench.run(subject, c);
  const Run moved = bench.run_on(subject, c, operands);
  for (const Run* run : {&straight, &moved})
    if (!run->error.empty()) return failed(run->error);
  const Tensor& y = tensor(straight.outputs, p.y);
  const product::SameOrder same_order(subject, c);
  return product::compared(
      moved, p.y,
      [&](int64_t row, int64_t column) -> std::optional<double> {
        const int64_t old_row = row_from(row), old_column = column_from(column);
        if (!product::is_computed(straight, p.y, old_row, old_column) || !same_order(row, column, old_row, old_column)) return {};
        return y.value(old_row, old_column);
      },
      [&](int64_t row, int64_t column, double found, double wanted) {
        return fmt::format("is {} where row {} of x and column {} of w were moved here; they gave {} before", found, row_from(row),
                           column_from(column), wanted);
      });
}

const Registered<Law> registered{{
    .name = "permutes",
    .claim = "rearranged rows of x (and columns of w) give rearranged rows (and columns) of y, bit for bit",
    .applies = [](const Subject& s, const Case& c) { return s.repeatable && product::applies(c) && c.fill == Fill::normal; },
    .check = check,
}};

}  // namespace
}  // namespace assay
