#include "oracles/tensor.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace assay {

static_assert(std::endian::native == std::endian::little, "codes are read from memory as the GPU writes them");

int64_t TensorSpec::rows() const {
  int64_t n = 1;
  for (size_t i = 0; i + 1 < shape.size(); i++) n *= shape[i];
  return n;
}

int64_t TensorSpec::row_offset(int64_t row) const {
  if (shape.size() == 2) return row * strides[0];   // almost all tensors; a division is dear
  int64_t offset_elements = 0;
  for (size_t i = shape.size() - 1; i-- > 0;) {
    offset_elements += row % shape[i] * strides[i];
    row /= shape[i];
  }
  return offset_elements;
}

int64_t TensorSpec::extent() const {
  if (elements() == 0) return 0;
  int64_t last = width();
  for (size_t i = 0; i + 1 < shape.size(); i++) last += (shape[i] - 1) * strides[i];
  return last;
}

TensorSpec rows_of(TensorSpec spec, int64_t rows, int64_t width, int64_t pad) {
  spec.shape = {rows, width};
  spec.strides = {width + pad};
  return spec;
}

uint64_t Tensor::code(int64_t row, int64_t column) const {
  const int64_t size = spec.element_bytes();
  const std::byte* from = bytes.data() + (spec.row_offset(row) + column) * size;
  const auto read = [&]<class T>(T word) {
    std::memcpy(&word, from, sizeof(T));
    return uint64_t{word};
  };
  switch (size) {
    case 1: return read(uint8_t{});
    case 2: return read(uint16_t{});
    case 4: return read(uint32_t{});
    default: return read(uint64_t{});
  }
}

void Tensor::set_code(int64_t row, int64_t column, uint64_t code) {
  const size_t size = size_t(spec.element_bytes());
  std::memcpy(bytes.data() + size_t(spec.row_offset(row) + column) * size, &code, size);
}

void Tensor::copy_row(int64_t row, const Tensor& from, int64_t from_row) {
  std::ranges::copy(from.row_bytes(from_row), bytes.data() + spec.row_offset(row) * spec.element_bytes());
}

std::vector<double> Tensor::row(int64_t row) const {
  std::vector<double> values(size_t(spec.width()));
  this->row(row, values);
  return values;
}

Tensor make_tensor(TensorSpec spec) {
  const size_t size = size_t(spec.extent() * spec.element_bytes());
  return {.spec = std::move(spec), .bytes = std::vector<std::byte>(size)};
}

const Tensor& tensor(const Tensors& all, std::string_view name) {
  for (const Tensor& t : all)
    if (t.spec.name == name) return t;
  throw std::logic_error("no tensor '" + std::string(name) + "'");
}

Tensor& tensor(Tensors& all, std::string_view name) { return const_cast<Tensor&>(tensor(std::as_const(all), name)); }

}  // namespace assay
