#include "oracles/product/matrix_product.hpp"

#include <gtest/gtest.h>

#include "oracles/product/test_rows.hpp"

namespace assay::product {
namespace {

using namespace test;

TEST(MatrixProduct, EveryPathOfThisProcessorPassesItsCheck) {
  ASSERT_FALSE(paths().empty());
  for (const Path& path : paths()) EXPECT_TRUE(multiplies_integers(path)) << path.name;
  EXPECT_STREQ(chosen_path().name, paths()[0].name);
}

template <class Real>
void plain(RowsOf<Real> a, RowsOf<Real> b, int64_t k, TargetOf<Real> c, bool add) {
  for (int64_t i = 0; i < a.count; i++)
    for (int64_t j = 0; j < b.count; j++) {
      Real sum = add ? c.first[i * c.stride + j] : 0;
      for (int64_t t = 0; t < k; t++) sum += a.first[i * a.stride + t] * b.first[j * b.stride + t];
      c.first[i * c.stride + j] = sum;
    }
}
void drops_last(Rows a, Rows b, int64_t k, Target c, bool add) { plain(a, b, k - 1, c, add); }
void drops_last_column(Rows a, Rows b, int64_t k, Target c, bool add) { plain(a, {b.first, b.count - 1, b.stride}, k, c, add); }
void ignores_add(Rows a, Rows b, int64_t k, Target c, bool) { plain(a, b, k, c, false); }
void writes_beyond(Rows a, Rows b, int64_t k, Target c, bool add) { plain(a, b, k, c, add), c.first[b.count] = 0; }
void off_by_one(Rows a, Rows b, int64_t k, Target c, bool add) { plain(a, b, k, c, add), c.first[c.stride * 60 + 76] += 1; }
void in_float(Rows a, Rows b, int64_t k, Target c, bool add) { plain(a, b, k, c, add), c.first[5] = float(c.first[5]); }
void drops_last_float(RowsOf<float> a, RowsOf<float> b, int64_t k, TargetOf<float> c, bool add) { plain(a, b, k - 1, c, add); }

TEST(MatrixProduct, CheckRejectsWrongProducts) {
  EXPECT_TRUE(multiplies_integers({"plain", plain<double>, plain<float>}));
  for (const Multiply<double> wrong : {drops_last, drops_last_column, ignores_add, writes_beyond, off_by_one, in_float})
    EXPECT_FALSE(multiplies_integers({"wrong", wrong, plain<float>}));
  EXPECT_FALSE(multiplies_integers({"wrong", plain<double>, drops_last_float}));
}

template <class Real>
void check_error(Multiply<Real> multiply, double unit, int64_t m, int64_t n, int64_t k, Draw& d) {
  const Matrix a = matrix(Kind::one_sided_fp16, m, k, d), b = matrix(Kind::normal_bf16, n, k, d);
  std::vector<Real> left, right, c(size_t(m * n), Real(7));
  for (const auto& row : a) left.insert(left.end(), row.begin(), row.end());
  for (const auto& row : b) right.insert(right.end(), row.begin(), row.end());
  multiply({left.data(), m, k}, {right.data(), n, k}, k, {c.data(), n}, false);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      const Sums s = sums(a[size_t(i)], b[size_t(j)]);
      EXPECT_LE(abs(Big(c[size_t(i * n + j)]) - s.value), Big(double(k) * unit) * s.magnitude)
          << i << " " << j << " of " << m << " " << n << " " << k;
    }
}

TEST(MatrixProduct, EveryShapeIsWithinTheErrorOfSomeOrderOfSummation) {
  Draw d(1);
  for (const Path& path : paths())
    for (auto [m, n, k] :
         {std::array<int64_t, 3>{1, 1, 0}, {1, 1, 1}, {3, 2, 0}, {1, 9, 40}, {17, 1, 33}, {2, 3, 4}, {5, 7, 1000}, {33, 19, 70}}) {
      check_error(path.fp64, 0x1p-53, m, n, k, d);
      check_error(path.fp32, 0x1p-24, m, n, k, d);
    }
}

}  // namespace
}  // namespace assay::product
