// A quantised weight as a kernel got it: its tensors, read through their packings. What contracts of quantised products share.
#pragma once
#include <stdexcept>

#include "oracles/packings/weight.hpp"
#include "oracles/tensor.hpp"

namespace assay {

/// The spec of a tensor that holds a packing, its rows `pad` elements apart beyond their width.
inline TensorSpec packed_tensor(TensorSpec spec, const Packing& packing, int64_t pad = 0) {
  return rows_of(std::move(spec), packing.word_rows, packing.word_columns, pad);
}

/// The code of entry [row, column] of a packing's matrix: a weight's or zero point's bits, or a whole element in the tensor's format.
inline uint64_t packed_code(const Packing& packing, const Tensor& t, int64_t row, int64_t column) {
  const Place at = packing.place(row, column);
  const uint64_t element = t.code(at.row, at.column);
  return packing.bits ? element >> at.shift & packing.mask() : element;
}

/// w[k][n] = step(k, n) * scale(group_of(k), n), the integer step exact. `zeros` and `g_idx` are null where there are none; g_idx is one row.
struct PackedWeight {
  const WeightPacking& packing;
  const Tensor& words;
  const Tensor& scales;
  const Tensor* zeros = nullptr;
  const Tensor* g_idx = nullptr;

  int64_t group_of(int64_t k) const { return g_idx ? static_cast<int32_t>(g_idx->code(0, k)) : k / packing.group; }
  int code(int64_t k, int64_t n) const { return static_cast<int>(packed_code(packing.codes, words, k, n)); }
  int zero(int64_t g, int64_t n) const {
    if (packing.zeros.has_value() != (zeros != nullptr)) throw std::logic_error("zero points are given where the packing has them");
    return packing.zero_offset + (zeros ? static_cast<int>(packed_code(*packing.zeros, *zeros, g, n)) : 0);
  }
  int step(int64_t k, int64_t n) const { return code(k, n) - zero(group_of(k), n); }
  double scale(int64_t g, int64_t n) const { return decode(scales.spec.format, packed_code(packing.scales, scales, g, n)); }

  /// step(k, n) of every k of a column.
  std::vector<int> steps(int64_t n) const {
    std::vector<int> zero_of(static_cast<size_t>(packing.groups())), column(static_cast<size_t>(packing.codes.rows));
    for (size_t g = 0; g < zero_of.size(); g++) zero_of[g] = zero(static_cast<int64_t>(g), n);
    for (size_t k = 0; k < column.size(); k++) {
      const auto row = static_cast<int64_t>(k);
      column[k] = code(row, n) - zero_of[static_cast<size_t>(group_of(row))];
    }
    return column;
  }
};

}  // namespace assay
