// The product of -x is the negative of the product of x, bit for bit: alignment, truncation and rounding treat both signs alike. A kernel
// that floors, adds a rounding constant or offsets its codes without taking the offset back does not.
#include "properties/laws/product.hpp"

namespace assay {
namespace {

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const MatrixProduct& p = *c.definition().product;
  Tensors operands = bench.operands(c);
  Tensor& x = tensor(operands, p.x);
  for (int64_t row = 0; row < x.spec.rows(); row++)
    for (int64_t column = 0; column < x.spec.width(); column++) x.set_code(row, column, encode(x.spec.format, -x.value(row, column), Overflow::saturate));
  const Run& straight = bench.run(subject, c);
  const Run negated = bench.run_on(subject, c, operands);
  for (const Run* run : {&straight, &negated})
    if (!run->error.empty()) return failed(run->error);
  const Tensor& y = tensor(straight.outputs, p.y);
  return product::compared(
      negated, p.y, [&](int64_t row, int64_t column) { return -y.value(row, column); },
      [](int64_t, int64_t, double found, double wanted) { return fmt::format("is {} for x and {} for -x", -wanted, found); });
}

const Registered<Law> registered{{
    .name = "negates",
    .claim = "the product of -x is the negative of the product of x, bit for bit",
    .applies = [](const Subject& s, const Case& c) { return s.repeatable && product::applies(c) && product::is_homogeneous(c) && c.fill == Fill::normal; },
    .check = check,
}};

}  // namespace
}  // namespace assay
