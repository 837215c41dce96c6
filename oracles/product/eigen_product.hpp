// Eigen's matrix product, for one instruction set. Included once by each source file that names its own `Eigen` (a macro, so that two
// files' templates are two sets of symbols) and its own ASSAY_PATH. No include guard is wanted.
#define EIGEN_DONT_PARALLELIZE   // callers have threads of their own
#define EIGEN_NO_IO              // <iostream> would run a static initialiser of this instruction set on any processor
#include <Eigen/Core>

#include "oracles/product/matrix_product.hpp"

namespace assay::product {
namespace {

template <class Real>
void multiply(RowsOf<Real> a, RowsOf<Real> b, int64_t k, TargetOf<Real> c, bool add) {
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Stride = Eigen::OuterStride<>;
  const Eigen::Map<const Matrix, Eigen::Unaligned, Stride> left(a.first, a.count, k, Stride(a.stride));
  const Eigen::Map<const Matrix, Eigen::Unaligned, Stride> right(b.first, b.count, k, Stride(b.stride));
  Eigen::Map<Matrix, Eigen::Unaligned, Stride> result(c.first, a.count, b.count, Stride(c.stride));
  if (add) result.noalias() += left * right.transpose();
  else result.noalias() = left * right.transpose();
}

}  // namespace

extern const Path ASSAY_PATH;
const Path ASSAY_PATH{ASSAY_PATH_NAME, multiply<double>, multiply<float>};

}  // namespace assay::product
