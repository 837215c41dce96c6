// The matrix product that everything here stands on: c = a b^T for rows of doubles or floats. Rounded as IEEE 754 says in round to nearest,
// every element a sum of its own k products in some order, with or without FMA, and nothing else is promised: what its callers say of
// errors holds for every such order. Third-party (Eigen), so it is checked on integers when it is first used.
#pragma once
#include <cstdint>
#include <span>

namespace assay::product {

/// `count` rows of numbers, `stride` apart.
template <class Real>
struct RowsOf {
  const Real* first = nullptr;
  int64_t count = 0, stride = 0;
};

template <class Real>
struct TargetOf {
  Real* first = nullptr;
  int64_t stride = 0;
};

using Rows = RowsOf<double>;
using Target = TargetOf<double>;

/// c[i][j] = sum over k of a[i][k] * b[j][k], added to what c holds if `add`. Thread-safe. Throws std::runtime_error if no path of this
/// build passes its check on this processor.
void matrix_product(Rows a, Rows b, int64_t k, Target c, bool add = false);
void matrix_product(RowsOf<float> a, RowsOf<float> b, int64_t k, TargetOf<float> c, bool add = false);

template <class Real>
using Multiply = void (*)(RowsOf<Real>, RowsOf<Real>, int64_t, TargetOf<Real>, bool);

/// The product for one instruction set.
struct Path {
  const char* name;
  Multiply<double> fp64;
  Multiply<float> fp32;
};

/// Those that this processor has, fastest first; for tests and benchmarks.
std::span<const Path> paths();

/// Whether it gives the integers that it should on problems whose every partial sum is representable, with edges in all directions.
bool multiplies_integers(const Path&);

/// What matrix_product uses: the first path that passes.
const Path& chosen_path();

}  // namespace assay::product
