// An index that the operation treats alike, rearranged in the operands, is rearranged in the results and changes nothing else: rows of x
// and columns of w of a matrix product, where the layout of the weight lets them move alone, rows of a norm or a quantiser, columns where
// elements have nothing to do with each other, groups, tokens, heads. Bit for bit, since which lane, tile or block computes an element must
// not matter (but where the subject declares that its order of summation depends on the element). Wrong strides, tails and tile edges do.
//
// Any NaN stands for any NaN: where several meet, which one comes through may depend on the place.
#include <numeric>

#include "properties/laws/product.hpp"

namespace assay {
namespace {

/// An arrangement of [0, count) that moves elements between tiles: a stride that has no common divisor with count, and an odd offset, so that
/// even and odd places change sides.
int64_t arranged(int64_t i, int64_t count) {
  int64_t stride = std::max<int64_t>(1, count * 5 / 8);
  while (std::gcd(stride, count) != 1) stride++;
  return (i * stride + (count / 3 | 1)) % count;
}

/// The indices of a product that are alike.
std::vector<Alike> of_product(const Case& c, const Tensors& operands) {
  const MatrixProduct& p = *c.definition().product;
  const auto index = [&](const std::string& length, std::vector<MatrixProduct::Along> along) {
    Alike index{.what = length, .count = c.parameters.whole(length)};
    for (const MatrixProduct::Along& a : along)
      if (product::has(operands, a.tensor) && product::length(tensor(operands, a.tensor), a.dimension) == index.count)
        index.moves.push_back({a.tensor, a.dimension ? 1 : tensor(operands, a.tensor).spec.width()});
    return index;
  };
  std::vector<MatrixProduct::Along> rows = p.m, columns = p.n;
  rows.insert(rows.end(), {{p.x, 0}, {p.y, 0}});
  std::vector<Alike> all{index("m", rows)};
  if (columns.empty()) return all;
  columns.push_back({p.y, 1});
  all.push_back(index("n", columns));
  return all;
}

std::vector<Alike> alike(const Case& c, const Tensors& operands) {
  if (c.definition().product) return of_product(c, operands);
  return c.definition().alike(c.parameters);
}

/// Which element of a tensor, counted row by row, is to be found at `element` once everything is rearranged. Indices do not touch each
/// other.
int64_t source(const std::vector<Alike>& indices, const std::string& tensor, int64_t element) {
  int64_t from = element;
  for (const Alike& index : indices)
    for (const Alike::Moves& moves : index.moves)
      if (moves.tensor == tensor) {
        const int64_t i = element / moves.inner % index.count;
        from += (arranged(i, index.count) - i) * moves.inner;
      }
  return from;
}

Tensors rearranged(const std::vector<Alike>& indices, const Tensors& all) {
  Tensors operands = all;
  for (size_t i = 0; i < all.size(); i++) {
    const int64_t width = all[i].spec.width(), count = all[i].spec.role == Role::output ? 0 : all[i].spec.elements();
    for (int64_t to = 0; to < count; to++) {
      const int64_t from = source(indices, all[i].spec.name, to);
      if (from != to) operands[i].set_code(to / width, to % width, all[i].code(from / width, from % width));
    }
  }
  return operands;
}

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Tensors& operands = bench.operands(c);
  const std::vector<Alike> indices = alike(c, operands);
  const Run& straight = bench.run(subject, c);
  const Run moved = bench.run_on(subject, c, rearranged(indices, operands));
  for (const Run* run : {&straight, &moved})
    if (!run->error.empty()) return failed(run->error);
  const product::SameOrder same_order(subject, c);
  const auto from = [&](const std::string& tensor, int64_t row, int64_t column, int64_t width) {
    const int64_t element = source(indices, tensor, row * width + column);
    return std::pair{element / width, element % width};
  };
  Verdict verdict;
  const auto wanted = [&](const Tensor& t, int64_t row, int64_t column) -> std::optional<uint64_t> {
    const auto [old_row, old_column] = from(t.spec.name, row, column, t.spec.width());
    if (!product::is_computed(straight, t.spec.name, old_row, old_column) || !same_order(row, column, old_row, old_column)) return {};
    const uint64_t want = tensor(straight.outputs, t.spec.name).code(old_row, old_column);
    const bool both_nan = is_nan(t.spec.format, want) && is_nan(t.spec.format, t.code(row, column));
    return both_nan ? t.code(row, column) : want;
  };
  if (const auto d = reruns::difference(moved, wanted, verdict.tally.judged)) {
    const TensorSpec& spec = tensor(straight.outputs, d->tensor).spec;
    const auto [row, column] = from(d->tensor, d->row, d->column, spec.width());
    return failed(fmt::format("{}[{}, {}] is {:.9g} ({:x}); before its operands were moved there from [{}, {}] it was {:.9g} ({:x})",
                              d->tensor, d->row, d->column, decode(spec.format, d->found), d->found, row, column,
                              decode(spec.format, d->wanted), d->wanted));
  }
  return verdict.tally.judged ? verdict : skipped("nothing to compare");
}

bool applies(const Subject& s, const Case& c) {
  if (!s.repeatable) return false;
  if (c.definition().product) return product::applies(c) && c.fill == Fill::normal;
  return c.definition().alike && reruns::is_small(c, reruns::kFewMultiplyAdds) &&
         (c.fill == Fill::normal || c.fill == Fill::special || c.fill == Fill::outlier);
}

const Registered<Law> registered{{
    .name = "permutes",
    .claim = "rearranged rows, columns, groups, tokens or heads of the operands give results rearranged likewise, bit for bit",
    .applies = applies,
    .check = check,
    .any_contents = true,
}};

}  // namespace
}  // namespace assay
