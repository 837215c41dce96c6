// What laws that run a case again share: cases small enough for it, the operands of a neighbouring case, and the first element in which two
// runs differ.
#pragma once
#include <fmt/format.h>

#include "fixtures/law.hpp"

namespace assay::reruns {

/// Cases on which a law that runs them again is tried: large shapes add time, not insight. Where edges of shapes or single elements are
/// what it is about, small ones have them all.
inline constexpr double kMultiplyAdds = 0x1p24, kFewMultiplyAdds = 0x1p21;

inline bool is_small(const Case& c, double most = kMultiplyAdds) { return c.definition().work(c.parameters).multiply_adds <= most; }

/// Operands of another case of the contract: those that have the same shape and format take over what lies in `from`, at the places that
/// their own strides give them; the others are zeros.
inline Tensors operands_of(const Case& other, const Tensors& from) {
  Tensors all;
  for (TensorSpec& spec : other.definition().tensors(other.parameters)) {
    Tensor& to = all.emplace_back(make_tensor(std::move(spec)));
    const auto old = std::ranges::find(from, to.spec.name, [](const Tensor& t) { return t.spec.name; });
    if (old == from.end() || old->spec.shape != to.spec.shape || old->spec.format != to.spec.format) continue;
    to.random_signs = old->random_signs;
    for (int64_t row = 0; row < to.spec.rows(); row++) to.copy_row(row, *old, row);
  }
  return all;
}

/// The code that element (row, column) of an output must have, or nothing where the law does not speak of it.
using WantedCode = std::function<std::optional<uint64_t>(const Tensor&, int64_t row, int64_t column)>;

/// The first element of a run that has not the bits it must have: where, what it is, what it must be. `compared` counts what was looked at.
struct Difference {
  std::string tensor;
  int64_t row = 0, column = 0;
  uint64_t found = 0, wanted = 0;
};

inline std::optional<Difference> difference(const Run& run, const WantedCode& wanted, uint64_t& compared) {
  for (const Tensor& t : run.outputs)
    for (int64_t row = 0; row < t.spec.rows(); row++)
      for (int64_t column = 0; column < t.spec.width(); column++) {
        const auto want = !run.computed || run.computed(t.spec.name, row, column) ? wanted(t, row, column) : std::nullopt;
        if (!want) continue;
        compared++;
        if (t.code(row, column) != *want) return Difference{t.spec.name, row, column, t.code(row, column), *want};
      }
  return {};
}

}  // namespace assay::reruns
