// What the laws of matrix products share: operands rearranged row by row and column by column, and outputs compared element by element.
#pragma once
#include <fmt/format.h>

#include <functional>

#include "properties/laws/reruns.hpp"

namespace assay::product {

inline bool applies(const Case& c) {
  return c.definition().product && reruns::is_small(c) && c.parameters.whole("m") > 0 && c.parameters.whole("n") > 0;
}

/// Data whose elements are drawn each for itself: what is summed of one says nothing of another.
inline bool is_drawn_without_pattern(Fill fill) { return fill == Fill::normal || fill == Fill::sqrt_k || fill == Fill::one_sided; }

inline bool is_homogeneous(const Case& c) {
  const auto& asked = c.definition().product->homogeneous;
  return !asked || asked(c.parameters);
}

inline bool has(const Tensors& all, std::string_view name) {
  return std::ranges::any_of(all, [&](const Tensor& t) { return t.spec.name == name; });
}

inline int64_t length(const Tensor& t, int dimension) { return dimension ? t.spec.width() : t.spec.rows(); }

/// The tensor with its rows or columns taken from elsewhere: new index i holds what old index from(i) held. Random signs stay what they were.
inline void take(Tensor& to, const Tensor& from, int dimension, const std::function<int64_t(int64_t)>& source) {
  for (int64_t row = 0; row < to.spec.rows(); row++)
    if (dimension == 0) to.copy_row(row, from, source(row));
    else
      for (int64_t column = 0; column < to.spec.width(); column++) to.set_code(row, column, from.code(row, source(column)));
}

/// x and everything that moves with its rows, rearranged.
inline void take_rows(const MatrixProduct& p, Tensors& to, const Tensors& from, int64_t m, const std::function<int64_t(int64_t)>& source) {
  take(tensor(to, p.x), tensor(from, p.x), 0, source);
  for (const MatrixProduct::Along& a : p.m)
    if (has(from, a.tensor) && length(tensor(from, a.tensor), a.dimension) == m) take(tensor(to, a.tensor), tensor(from, a.tensor), a.dimension, source);
}

inline bool is_computed(const Run& run, const std::string& tensor, int64_t row, int64_t column) {
  return !run.computed || run.computed(tensor, row, column);
}

/// Whether two elements are summed in the same order, as far as the subject declares one that depends on the element.
class SameOrder {
 public:
  SameOrder(const Subject& subject, const Case& c) : arithmetic(subject.arithmetic(c.parameters)) {}
  bool operator()(int64_t row, int64_t column, int64_t other_row, int64_t other_column) const {
    const Dot* dot = arithmetic.dot_if_any("dot");
    return !dot || !dot->chains_of || dot->chains_of(row, column) == dot->chains_of(other_row, other_column);
  }

 private:
  Arithmetic arithmetic;
};

/// Equal as values: zeros of either sign, NaN of any kind.
inline bool equal(double found, double wanted) { return found == wanted || (std::isnan(found) && std::isnan(wanted)); }

/// What an element must be, or nothing where the law does not speak of it.
using Wanted = std::function<std::optional<double>(int64_t row, int64_t column)>;

/// What to say of an element that is `found` where another value is wanted.
using Complaint = std::function<std::string(int64_t row, int64_t column, double found, double wanted)>;

/// Compares the elements that a run computed with what they must be, up to the first that is wrong. Skip where there was none to compare.
inline Verdict compared(const Run& run, const std::string& name, const Wanted& wanted, const Complaint& complaint) {
  const Tensor& y = tensor(run.outputs, name);
  Verdict v;
  for (int64_t row = 0; row < y.spec.rows(); row++)
    for (int64_t column = 0; column < y.spec.width(); column++) {
      const std::optional<double> want = is_computed(run, name, row, column) ? wanted(row, column) : std::nullopt;
      if (!want) continue;
      v.tally.judged++;
      if (const double found = y.value(row, column); !equal(found, *want))
        return failed(fmt::format("{}[{}, {}] {}", name, row, column, complaint(row, column, found, *want)));
    }
  return v.tally.judged ? v : skipped("nothing to compare");
}

}  // namespace assay::product
