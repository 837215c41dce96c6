#include "kernels/simt/tensor/bulk_copy.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/simt/checker/watch.hpp"
#include "kernels/simt/tensor/shared_matrix.hpp"
#include "kernels/simt/tensor/together.hpp"

namespace simt {

void BulkCopies::start(char* shared, const TensorMap2d& map, const std::uint64_t* barrier, int x, int y, const void* code) {
  boxes_.push_back({shared, map, barrier, x, y, current->rank});
  if (!watching) return;
  for_each_unit(boxes_.back(), [code](char* to, const char* from, std::int64_t, std::int64_t bytes) {
    watching->start_copy(to, from, static_cast<std::size_t>(bytes), code);
  });
}

// Calls act(to, from, skipped, bytes) for 16 bytes of the box at a time: `bytes` of them come from global memory, behind `skipped` ones;
// the others lie outside the tensor and are zero. Rows of the box follow each other; a swizzle moves their units.
template <class Act>
void BulkCopies::for_each_unit(const Box& box, Act act) {
  const TensorMap2d& map = box.map;
  const std::int64_t size = map.element_bytes, row_bytes = map.box_width * size, width = static_cast<std::int64_t>(map.width) * size;
  for (std::int64_t row = 0; row < map.box_height; ++row) {
    const std::int64_t y = box.y + row;
    const bool inside = y >= 0 && y < static_cast<std::int64_t>(map.height);
    const char* source = map.global + (inside ? y : 0) * static_cast<std::int64_t>(map.row_bytes);
    for (std::int64_t byte = 0; byte < row_bytes; byte += 16) {
      const std::int64_t first = box.x * size + byte, from = std::max<std::int64_t>(first, 0), to = std::min(first + 16, width);
      char* target = const_cast<char*>(swizzled(map.swizzle, box.shared + row * row_bytes + byte));
      inside && from < to ? act(target, source + from, from - first, to - from) : act(target, source, 0, 0);
    }
  }
}

void BulkCopies::copy(const Box& box, AsyncView& view) {
  for_each_unit(box, [&](char* to, const char* from, std::int64_t skipped, std::int64_t bytes) {
    unsigned char unit[16] = {};
    if (bytes) std::memcpy(unit + skipped, from, static_cast<std::size_t>(bytes));
    view.write16(to, unit);
    if (watching) watching->land_bulk_copy(to, box.starter);
  });
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
  running->bulk_copies.start(static_cast<char*>(shared), map, barrier, x, y, __builtin_return_address(0));
}

}  // namespace simt
