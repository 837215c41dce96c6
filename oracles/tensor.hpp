// A tensor as a kernel sees it: bytes with a shape, strides and a base offset. The innermost dimension is contiguous; the leading ones
// together are its rows. Everything between the elements (stride gaps, the offset) belongs to nobody and must stay as it was.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/formats/format.hpp"

namespace assay {

enum class Role : uint8_t { input, output, inout };

/// What a tensor's contents stand for: fills draw accordingly.
///   zero_point                  whole numbers up to `limit` in magnitude that activations are shifted by
///   packed_int4, packed_zeros   words of codes, and of zero points as they are stored
///   permutation                 a row holds every whole number below its width once
///   group_index                 the group of each k, `limit` groups of equal size
enum class Meaning : uint8_t {
  activation, weight, scale, zero_point, packed_int4, packed_zeros, position, permutation, group_index, angle_table, frequency
};

struct TensorSpec {
  std::string name;
  Role role = Role::input;
  Format format = Format::bf16;
  Meaning meaning = Meaning::activation;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;   // in elements, one for each leading dimension
  int64_t offset = 0;             // elements between a 256-byte boundary and the first element
  int64_t reduction = 1;          // number of terms an element is summed with: fill sqrt_k scales by 1/sqrt of it
  int64_t limit = 0;              // positions and group indices: exclusive upper end; zero points: of their magnitude
  bool shuffled = false;          // group indices: the members of a group stand anywhere (act-order); otherwise groups follow each other
  double huge = 0x1p50;           // largest power of two to scale by that keeps every intermediate finite
  double tiny = 0x1p-50;          // smallest that keeps every intermediate normal
  bool specials = true;           // NaN, infinities and the largest finite value are legal
  bool whole_range = false;       // any value of the format keeps the operation inside its domain
  Overflow overflow = Overflow::to_infinity;   // outputs: what becomes of values beyond the largest finite one

  bool operator==(const TensorSpec&) const = default;
  int64_t rows() const;
  int64_t width() const { return shape.back(); }
  int64_t elements() const { return rows() * width(); }
  int64_t row_offset(int64_t row) const;   // elements from the first element to the row's first
  int64_t extent() const;                  // elements from the first to one past the last; 0 if there are none
  int64_t element_bytes() const { return info(format).bits / 8; }
};

/// A spec with dense rows `pad` elements apart beyond their width.
TensorSpec rows_of(TensorSpec, int64_t rows, int64_t width, int64_t pad = 0);

struct Tensor {
  TensorSpec spec;
  std::vector<std::byte> bytes;   // extent() elements; offset and canaries are the allocator's business
  bool random_signs = false;      // the harness drew the sign of every element by a coin of its own, whatever the magnitudes

  uint64_t code(int64_t row, int64_t column) const;
  void set_code(int64_t row, int64_t column, uint64_t code);
  const std::byte* row_data(int64_t row) const { return bytes.data() + spec.row_offset(row) * spec.element_bytes(); }
  std::span<const std::byte> row_bytes(int64_t row) const { return {row_data(row), size_t(spec.width() * spec.element_bytes())}; }
  /// Takes over a row of a tensor of the same width and format, whatever its strides.
  void copy_row(int64_t row, const Tensor& from, int64_t from_row);
  double value(int64_t row, int64_t column) const { return decode(spec.format, code(row, column)); }
  /// The values of one row.
  std::vector<double> row(int64_t row) const;
  void row(int64_t row, std::span<double> values) const { decode(spec.format, row_data(row), values); }
};

Tensor make_tensor(TensorSpec);   // all bytes zero

using Tensors = std::vector<Tensor>;
const Tensor& tensor(const Tensors&, std::string_view name);
Tensor& tensor(Tensors&, std::string_view name);

}  // namespace assay
