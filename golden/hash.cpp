#include "golden/hash.hpp"

#include <cstring>

namespace assay::golden {
namespace {

uint64_t hash_of_elements(const Tensor& t) {
  const size_t size = size_t(t.spec.element_bytes());
  uint64_t sum = 0, position = 0;
  for (int64_t row = 0; row < t.spec.rows() && t.spec.width() > 0; row++) {
    const std::byte* at = t.row_data(row);
    for (int64_t column = 0; column < t.spec.width(); column++, at += size) {
      uint64_t code = 0;
      std::memcpy(&code, at, size);
      sum += element_hash(position++, code);
    }
  }
  return sum;
}

}  // namespace

uint64_t canonical_code(const Tensor& t, int64_t row, int64_t column) {
  const uint64_t code = t.code(row, column);
  return is_nan(t.spec.format, code) ? canonical_nan(t.spec.format) : code;
}

uint64_t hash_of_operands(const Tensors& tensors) {
  uint64_t hash = 0;
  for (const Tensor& t : tensors)
    if (t.spec.role != Role::output) hash = mixed(hash ^ hash_of_elements(t) ^ hash_of_bytes(std::as_bytes(std::span(t.spec.name))));
  return hash;
}

uint64_t hash_of_bytes(std::span<const std::byte> bytes) {
  uint64_t sum = mixed(bytes.size());
  for (size_t at = 0; at < bytes.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<size_t>(8, bytes.size() - at));
    sum += element_hash(at / 8, word);
  }
  return sum;
}

}  // namespace assay::golden
