// Some rows of one operand of a matrix product, decoded to FP64, with what is known of each row without looking at the other operand.
//
// An operand's values must be exact in FP64 and, where finite and not zero, multiples of 2^-250 below 2^250: products and their squares
// then neither overflow nor underflow. Every format here keeps far away from that, with an FP32 scale multiplied in too. Infinities and NaN
// are kept aside and stand as zeros among the others, so that they meet no finite sum.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "oracles/product/matrix_product.hpp"

namespace assay::product {

/// An entry that is infinite or NaN.
struct Special {
  int64_t k = 0;
  double value = 0;
};

/// Resizes without keeping what it held: no copy, and no more capacity than asked for.
inline void fit(std::vector<double>& values, size_t size) {
  if (size > values.capacity()) values = std::vector<double>();
  values.resize(size);
}

class Panel {
 public:
  /// Writes the k values of one row of the operand.
  using Decode = std::function<void(int64_t row, std::span<double> values)>;

  Panel() = default;
  Panel(int64_t k, std::span<const int64_t> rows, const Decode& decode) { assign(k, rows, decode); }
  Panel(int64_t k, int64_t first_row, int64_t end_row, const Decode& decode) { assign(k, first_row, end_row, decode); }

  /// Decodes these rows of the operand, in the order given. Memory is kept for the next assignment. std::domain_error for a value outside
  /// the range above.
  void assign(int64_t k, std::span<const int64_t> rows, const Decode&);
  void assign(int64_t k, int64_t first_row, int64_t end_row, const Decode&);

  int64_t rows() const { return static_cast<int64_t>(facts.size()); }
  int64_t k() const { return terms; }
  Rows view(int64_t first_k = 0) const { return {values.data() + first_k, rows(), stride}; }

  /// A row with zeros for its special entries.
  std::span<const double> finite_row(int64_t row) const { return {values.data() + row * stride, static_cast<size_t>(terms)}; }

  /// An entry as it was decoded, infinities and NaN included.
  double entry(int64_t row, int64_t k) const;

  /// The largest power of two that divides every finite entry; infinity for a row of zeros.
  double grid(int64_t row) const { return facts[size_t(row)].grid; }
  /// An upper bound of the Euclidean norm of the finite entries, at most 1 + k 2^-51 times it.
  double norm(int64_t row) const { return facts[size_t(row)].norm; }
  /// The largest power of two that is no larger than the largest finite magnitude; 1 for a row of zeros.
  double binade(int64_t row) const { return facts[size_t(row)].binade; }
  std::span<const Special> specials(int64_t row) const;
  bool has_specials() const { return !special.empty(); }

  /// The largest norm(row) / grid(row): two panels whose ratios multiply to less than 2^53 have exact products only.
  double worst_ratio() const { return ratio; }
  /// The largest of any row's largest finite magnitude / grid(row).
  double window() const { return widest; }

 private:
  struct Facts {
    double grid = 0, norm = 0, binade = 1;
    size_t first_special = 0, end_special = 0;
  };

  int64_t terms = 0, stride = 0;
  std::vector<double> values;
  std::vector<Facts> facts;
  std::vector<Special> special;
  double ratio = 0, widest = 0;

  void add_row(int64_t index, int64_t row, const Decode&);
};

}  // namespace assay::product
