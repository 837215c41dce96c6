#include "kernels/simt/tensor/bulk_copy.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/simt/tensor/shared_matrix.hpp"
#include "kernels/simt/tensor/together.hpp"

namespace simt {

void BulkCopies::start(char* shared, const TensorMap2d& map, const std::uint64_t* barrier, int x, int y) {
  boxes_.push_back({shared, map, barrier, x, y});
}

// Rows of the box follow each other; a swizzle moves their 16-byte units. What lies outside the tensor is zero.
void BulkCopies::copy(const Box& box, AsyncView& view) {
  const TensorMap2d& map = box.map;
  const std::int64_t size = map.element_bytes, row_bytes = map.box_width * size, width = static_cast<std::int64_t>(map.width) * size;
  for (std::int64_t row = 0; row < map.box_height; ++row) {
    const std::int64_t y = box.y + row;
    const bool inside = y >= 0 && y < static_cast<std::int64_t>(map.height);
    const char* source = map.global + (inside ? y : 0) * static_cast<std::int64_t>(map.row_bytes);
    for (std::int64_t byte = 0; byte < row_bytes; byte += 16) {
      unsigned char unit[16] = {};
      const std::int64_t first = box.x * size + byte, from = std::max<std::int64_t>(first, 0), to = std::min(first + 16, width);
      if (inside && from < to) std::memcpy(unit + (from - first), source + from, static_cast<std::size_t>(to - from));
      view.write16(const_cast<char*>(swizzled(map.swizzle, box.shared + row * row_bytes + byte)), unit);
    }
  }
}

std::int64_t BulkCopies::land(const std::uint64_t* barrier, AsyncView& view) {
  std::int64_t bytes = 0;
  std::erase_if(boxes_, [&](const Box& box) {
    if (box.barrier != barrier) return false;
    copy(box, view);
    bytes += static_cast<std::int64_t>(box.map.box_width) * box.map.box_height * box.map.element_bytes;
    return true;
  });
  return bytes;
}

void load_box(void* shared, const TensorMap2d& map, std::uint64_t* barrier, int x, int y, Site site) {
  if (reinterpret_cast<std::uintptr_t>(shared) % 128)
    fail(site, "a TMA load into shared memory that does not start at a multiple of 128 bytes: it must");
  // An H200 answers other boxes with an illegal instruction (compared with kernels/simt/twin's boxes and others, 2026-11-30).
  if (x * static_cast<std::int64_t>(map.element_bytes) % 16)
    fail(site, "a TMA load of a box that does not start at a multiple of 16 bytes in its row: it must");
  running->async_view.settle();
  running->bulk_copies.start(static_cast<char*>(shared), map, barrier, x, y);
}

}  // namespace simt
