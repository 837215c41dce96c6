// What the tests of gptq_gemm and awq_gemm share: a problem whose codes and zero points are kept apart from the words that hold them.
#pragma once
#include <cmath>
#include <functional>

#include "oracles/contracts/test_contract.hpp"

namespace assay {

inline double to_fp16(double x) { return decode(Format::fp16, encode(Format::fp16, x)); }

/// Where a number of 4 bits stands: row and column of the word, and its nibble.
struct Nibble {
  int64_t row, column;
  int place;
};

struct PackedProduct {
  Posed p;
  int64_t m, n, k, group;
  int offset = 0;                  // added to stored zero points
  std::vector<int64_t> perm;       // empty: none
  std::vector<int> codes, zeros;   // [k][n], [groups][n], as stored
  std::function<Nibble(int64_t, int64_t)> code_at, zero_at;

  PackedProduct(std::string_view contract, const std::vector<Setting>& settings, Arithmetic declared)
      : p(contract, settings, std::move(declared)), m(p.parameters.whole("m")), n(p.parameters.whole("n")), k(p.parameters.whole("k")),
        group(p.parameters.whole("group")), codes(size_t(k * n)), zeros(size_t(k / group * n)) {}

  void set_nibble(std::string_view name, Nibble at, int value) {
    Tensor& t = tensor(p.before, name);
    const uint64_t word = t.code(at.row, at.column), shift = uint64_t(4 * at.place);
    t.set_code(at.row, at.column, (word & ~(uint64_t{15} << shift)) | uint64_t(value) << shift);
  }
  void set_code(int64_t at, int64_t column, int value) {
    codes[size_t(at * n + column)] = value;
    set_nibble("w", code_at(at, column), value);
  }
  void set_zero(int64_t g, int64_t column, int value) {
    zeros[size_t(g * n + column)] = value;
    set_nibble("zeros", zero_at(g, column), value);
  }

  double x(int64_t row, int64_t at) const { return p.value("x", row, perm.empty() ? at : perm[size_t(at)]); }
  double scale(int64_t at, int64_t column) const { return p.value("scale", at / group, column); }
  int step(int64_t at, int64_t column) const { return codes[size_t(at * n + column)] - zeros[size_t(at / group * n + column)] - offset; }
  double weight(int64_t at, int64_t column) const { return to_fp16(step(at, column) * scale(at, column)); }

  Wide exact(int64_t row, int64_t column, bool rounded) const {
    Wide sum = 0;
    for (int64_t i = 0; i < k; i++)
      sum += Wide(x(row, i)) * (rounded ? Wide(weight(i, column)) : Wide(Wide(step(i, column)) * Wide(scale(i, column))));
    return sum;
  }

  double fp16(Random& random, int spread) { return to_fp16(std::ldexp(1 + random.uniform(), random.below(2 * spread) - spread) * (random.coin() ? 1 : -1)); }

  void draw(Random& random, int spread) {
    for (int64_t row = 0; row < m; row++)
      for (int64_t i = 0; i < k; i++) p.set("x", row, i, fp16(random, spread));
    for (int64_t column = 0; column < n; column++) {
      for (int64_t i = 0; i < k; i++) set_code(i, column, random.below(16));
      for (int64_t g = 0; g < k / group; g++) set_zero(g, column, random.below(16)), p.set("scale", g, column, std::fabs(fp16(random, spread)) / 8);
    }
  }
};

}  // namespace assay
