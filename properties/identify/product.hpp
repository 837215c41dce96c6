// A matrix product as its identification sees it: what each contract's operands are made of.
#pragma once
#include <algorithm>
#include <memory>

#include "properties/identify/families.hpp"

namespace assay::properties {

/// Columns of y that are compared: columns are alike.
inline constexpr int64_t kColumns = 8;

/// The operands of some elements, dequantised and not. Weights by column of y, elements by k.
struct ProductView {
  std::vector<std::vector<double>> a;        // rows
  std::vector<std::vector<double>> step;     // columns: what a code stands for without its scale; exact
  std::vector<std::vector<double>> scale;    // columns: the scale of each k; empty: none inside the sum
  std::vector<std::vector<double>> a_scale;  // rows, likewise
};

/// What is known of one contract of matrix products.
struct ProductKind {
  std::string contract;
  Format operands = Format::bf16;  // what the instruction reads
  Format result = Format::bf16;    // of y
  std::string x = "x", w = "w";
  /// Masks: M is big for an element of x (times one of w), a unit is small; w is dense where both carry them.
  double big = 0x1p60, unit = 1;
  bool w_carries_masks = false;
  int64_t countable = 256;      // units whose count every output format holds
  bool scales_weights = false;  // a scale belongs to each weight: rounded with it, or applied where sums are promoted
  bool scales_sums = false;     // scales are products of two that meet where sums are promoted
  bool is_split = false;        // the case asks for parts of k
  /// Scales of one, no bias, zero points that are the middle; weights stay.
  std::function<void(Tensors&)> make_plain;
  /// Weights of one, whatever their packing.
  std::function<void(Tensors&)> make_ones;
  std::function<ProductView(const Tensors&, int64_t columns)> view;
};

/// The view of the operands last asked about: all candidates are asked in turn.
class Views {
 public:
  explicit Views(ProductKind kind) : kind(std::move(kind)) {}
  int64_t columns = kColumns;

  const ProductView& of(const Tensors& operands) {
    if (columns != kept_columns || !std::ranges::equal(operands, kept, [](const Tensor& a, const Tensor& b) { return a.bytes == b.bytes; }))
      view = kind.view(operands, columns), kept = operands, kept_columns = columns;
    return view;
  }

 private:
  ProductKind kind;
  Tensors kept;
  int64_t kept_columns = 0;
  ProductView view;
};

/// The kind of a case; BadInput with one line where it cannot be identified (act-order).
ProductKind product_kind(const Case&);

/// Rows whose last terms take their sums back, so that what was lost on the way is all that is left: element m mod 8 of row m is the one
/// that they are chosen for. Other terms are spread over twelve octaves, so that alignment cuts them off. (Not where weights are too small
/// to reach the sum.) With `alone`, all of x outside those k is zero: a part that is rounded apart then has nothing to hide behind.
Input cancelling(Input, const ProductKind&, uint64_t seed, const std::vector<bool>& alone = {});

/// From the accumulator to the output's code.
struct Epilogue {
  std::string name;
  std::function<uint64_t(const Tensors& operands, int64_t row, int64_t column, double sum)> of;
  std::function<void(Arithmetic&)> declare;
  std::string beyond;
  bool has_multiply_add = false;
};
std::vector<Epilogue> epilogues(const Case&);

/// Rows and columns with one term each, on whose sums, scales and biases the epilogues of these names differ; found by trying. Nothing
/// where none is found.
std::optional<Input> telling_epilogue(const Case&, const ProductKind&, const std::vector<std::string>& left, uint64_t seed);

}  // namespace assay::properties
