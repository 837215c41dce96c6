#include "kernels/simt/tensor/matrix.hpp"

#include <cstring>

#include "kernels/simt/tensor/dot.hpp"

namespace simt::tensor {

#if defined(__x86_64__)
void multiply_avx2(const Parameters& p, const Tile& tile, std::uint8_t (*bad)[kRows]);
void multiply_avx512(const Parameters& p, const Tile& tile, std::uint8_t (*bad)[kRows]);
#endif

namespace {

std::uint32_t one(const Parameters& p, const Tile& t, int row, int column, std::uint32_t c) {
  return dot(
      p, t.k, [&](int i) { return t.a[i * kRows + row]; }, [&](int i) { return t.b[column * t.k + i]; }, c);
}

void multiply_scalar(const Parameters& p, const Tile& t) {
  for (int column = 0; column < t.columns; ++column)
    for (int row = 0; row < kRows; ++row) t.d[column * kRows + row] = one(p, t, row, column, t.c[column * kRows + row]);
}

// Ampere and Ada sum 4 or 8 products at a time in ways that the lanes are not written for.
bool has_lanes(const Parameters& p) { return p.architecture == Architecture::sm_90; }

}  // namespace

Path best_path() {
#if defined(__x86_64__)
  static const Path best = [] {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
      return Path::avx512;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Path::avx2 : Path::scalar;
  }();
  return best;
#else
  return Path::scalar;
#endif
}

#if defined(__x86_64__)
void multiply_columns(const Parameters& p, const Tile& t, Path path) {
  std::uint32_t addends[kMaxColumns * kRows];
  std::memcpy(addends, t.c, sizeof(std::uint32_t) * kRows * static_cast<std::size_t>(t.columns));  // d may be c
  std::uint8_t bad[kMaxColumns][kRows];
  (path == Path::avx512 ? multiply_avx512 : multiply_avx2)(p, t, bad);
  for (int column = 0; column < t.columns; ++column)
    for (int row = 0; row < kRows; ++row)
      if (bad[column][row]) t.d[column * kRows + row] = one(p, t, row, column, addends[column * kRows + row]);
}
#endif

void multiply(const Parameters& parameters, const Tile& t, [[maybe_unused]] Path path) {
  Parameters p = parameters;
  if (p.terms > t.k) p.terms = t.k;
#if defined(__x86_64__)
  if (path != Path::scalar && has_lanes(p)) {
    for (int first = 0; first < t.columns; first += kMaxColumns) {
      const int columns = t.columns - first < kMaxColumns ? t.columns - first : kMaxColumns;
      multiply_columns(p, {columns, t.k, t.a, t.b + first * t.k, t.c + first * kRows, t.d + first * kRows}, path);
    }
    return;
  }
#endif
  multiply_scalar(p, t);
}

void multiply_integers(bool a_signed, bool b_signed, const Tile& t) {
  const auto value = [](bool is_signed, std::uint32_t code) {
    return is_signed ? static_cast<int>(static_cast<std::int8_t>(code)) : static_cast<int>(code & 255);
  };
  for (int column = 0; column < t.columns; ++column) {
    std::uint32_t sums[kRows];
    std::memcpy(sums, t.c + column * kRows, sizeof sums);
    for (int i = 0; i < t.k; ++i) {
      const int b = value(b_signed, t.b[column * t.k + i]);
      for (int row = 0; row < kRows; ++row) sums[row] += static_cast<std::uint32_t>(value(a_signed, t.a[i * kRows + row]) * b);
    }
    std::memcpy(t.d + column * kRows, sums, sizeof sums);
  }
}

}  // namespace simt::tensor
