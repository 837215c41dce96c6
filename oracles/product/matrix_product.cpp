#include "oracles/product/matrix_product.hpp"

#include <stdexcept>
#include <vector>

namespace assay::product {

extern const Path baseline;
#if defined(__x86_64__)
extern const Path avx512;
#endif

namespace {

std::vector<Path> paths_of_this_processor() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  // all of x86-64-v4
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return {avx512, baseline};
#endif
  return {baseline};
}

/// Whole numbers of `bits` bits and a sign.
std::vector<int32_t> whole_numbers(int64_t count, int bits, uint64_t seed) {
  std::vector<int32_t> numbers(static_cast<size_t>(count));
  for (int32_t& x : numbers) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;   // Knuth's MMIX generator
    x = int32_t(int64_t(seed) >> (63 - bits));
  }
  return numbers;
}

int64_t dot(const int32_t* a, const int32_t* b, int64_t k) {
  int64_t sum = 0;
  for (int64_t i = 0; i < k; i++) sum += int64_t{a[i]} * b[i];
  return sum;
}

template <class Real>
bool multiplies_integers(Multiply<Real> multiply, int bits) {
  constexpr int64_t m = 61, n = 77, k = 700, gap = 3, width = n + gap, stride = k + gap;
  const std::vector<int32_t> whole_a = whole_numbers(m * stride, bits, 1), whole_b = whole_numbers(n * k, bits, 2);
  const std::vector<Real> a(whole_a.begin(), whole_a.end()), b(whole_b.begin(), whole_b.end());
  std::vector<Real> c(m * width, Real(-1));
  multiply({a.data(), m, stride}, {b.data(), n, k}, k - 100, {c.data(), width}, false);
  multiply({a.data() + k - 100, m, stride}, {b.data() + k - 100, n, k}, 100, {c.data(), width}, true);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < width; j++)
      if (c[size_t(i * width + j)] != (j < n ? Real(dot(&whole_a[size_t(i * stride)], &whole_b[size_t(j * k)], k)) : Real(-1)))
        return false;
  return true;
}

const Path& choose() {
  for (const Path& path : paths())
    if (multiplies_integers(path)) return path;
  throw std::runtime_error("the matrix product (Eigen) gives wrong integers on this processor");
}

}  // namespace

std::span<const Path> paths() {
  static const std::vector<Path> all = paths_of_this_processor();
  return all;
}

bool multiplies_integers(const Path& path) {
  return multiplies_integers(path.fp64, 21) && multiplies_integers(path.fp32, 7);   // 700 products below 2^42 and 2^14
}

const Path& chosen_path() {
  static const Path& chosen = choose();
  return chosen;
}

void matrix_product(Rows a, Rows b, int64_t k, Target c, bool add) { chosen_path().fp64(a, b, k, c, add); }
void matrix_product(RowsOf<float> a, RowsOf<float> b, int64_t k, TargetOf<float> c, bool add) { chosen_path().fp32(a, b, k, c, add); }

}  // namespace assay::product
