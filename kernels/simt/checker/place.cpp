// Offsets in words.
#include <fmt/format.h>

#include "kernels/simt/checker/region.hpp"

namespace simt {
namespace {

std::string outside(std::ptrdiff_t at, std::ptrdiff_t bytes) {
  return at < 0 ? fmt::format("byte {} before its start", -at) : fmt::format("byte {} after its end", at - bytes);
}

std::string inside(std::ptrdiff_t at, std::ptrdiff_t bytes) {
  return at >= 0 && at < bytes ? fmt::format("byte {}", at) : outside(at, bytes);
}

std::string in_tensor(const Elements& elements, std::ptrdiff_t offset) {
  const std::ptrdiff_t at = offset - static_cast<std::ptrdiff_t>(elements.first),
                       size = static_cast<std::ptrdiff_t>(elements.element_bytes);
  if (elements.shape.empty()) return fmt::format("byte {} of its allocation, which holds no element", offset);
  std::ptrdiff_t extent = elements.shape.back();
  for (std::size_t d = 0; d + 1 < elements.shape.size(); ++d) extent += (elements.shape[d] - 1) * elements.strides[d];
  if (at < 0 || at >= extent * size) return outside(at, extent * size);
  std::ptrdiff_t row = 0, column = at / size;
  for (std::size_t d = 0; d + 1 < elements.shape.size(); ++d) {
    const std::ptrdiff_t index = std::min(column / std::max<std::ptrdiff_t>(elements.strides[d], 1), elements.shape[d] - 1);
    row = row * elements.shape[d] + index;
    column -= index * elements.strides[d];
  }
  if (column >= elements.shape.back()) return fmt::format("byte {}, in the gap after row {}", at, row);
  return elements.shape.size() == 1 ? fmt::format("byte {}, element {}", at, column)
                                    : fmt::format("byte {}, row {}, column {}", at, row, column);
}

// The variable that holds the byte, else the last before it, else the first.
const Variable* nearest(const std::vector<Variable>& variables, std::ptrdiff_t offset) {
  const Variable* best = nullptr;
  for (const Variable& variable : variables)
    if (!best || static_cast<std::ptrdiff_t>(variable.offset) <= offset) best = &variable;
  return best;
}

}  // namespace

std::string Region::buffer(std::ptrdiff_t offset) const {
  if (space == Space::device) return elements.name;
  if (space == Space::dynamic_shared) return "dynamic shared memory";
  const Variable* variable = nearest(variables, offset);
  return variable ? variable->name : "static shared memory";
}

std::string Region::place(std::ptrdiff_t offset) const {
  if (space == Space::device) return in_tensor(elements, offset);
  if (space == Space::dynamic_shared)
    return inside(offset - static_cast<std::ptrdiff_t>(placed), static_cast<std::ptrdiff_t>(placed_bytes));
  const Variable* variable = nearest(variables, offset);
  if (!variable) return fmt::format("byte {}", offset);
  return inside(offset - static_cast<std::ptrdiff_t>(variable->offset), static_cast<std::ptrdiff_t>(variable->bytes));
}

}  // namespace simt
