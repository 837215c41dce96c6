#include "kernels/simt/checker/region.hpp"

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "kernels/simt/runtime/memory.hpp"

namespace simt {

constinit Region* chunks[std::size_t{1} << (47 - kChunkBits)] = {};

namespace {

std::mutex mutex;
std::map<std::uintptr_t, std::unique_ptr<Region>>& regions() {
  static auto* all = new std::map<std::uintptr_t, std::unique_ptr<Region>>;  // never destroyed: kernels hold device memory to the end
  return *all;
}

void point_chunks(const Allocation& allocation, Region* region) {
  const std::uintptr_t first = allocation.mapping >> kChunkBits, end = (allocation.mapping + allocation.mapped) >> kChunkBits;
  for (std::uintptr_t chunk = first; chunk < end; ++chunk) __atomic_store_n(&chunks[chunk], region, __ATOMIC_RELAXED);
}

void mark_elements(const Region& region, const Elements& elements) {
  if (elements.shape.empty()) return;
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < elements.shape.size(); ++d) rows *= elements.shape[d];
  unsigned state = kElement;
  if (elements.use != Elements::Use::input) state |= kWritable;
  if (elements.use != Elements::Use::output) state |= kInitialised;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t at = 0, rest = row;
    for (std::size_t d = elements.shape.size() - 1; d-- > 0; rest /= elements.shape[d])
      at += rest % elements.shape[d] * elements.strides[d];
    region.mark(elements.first + static_cast<std::size_t>(at) * elements.element_bytes,
                static_cast<std::size_t>(elements.shape.back()) * elements.element_bytes, state);
  }
}

// With the mutex held.
void add(const Allocation& allocation, const Elements& elements) {
  auto region = std::make_unique<Region>(Region::Space::device, allocation.start, allocation.bytes, elements.use != Elements::Use::input);
  region->elements = elements;
  mark_elements(*region, elements);
  point_chunks(allocation, region.get());
  regions()[allocation.start] = std::move(region);
}

}  // namespace

Pages::Pages(std::size_t bytes) : bytes_(bytes) {
  if (!bytes) return;
  memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
}

Pages::~Pages() {
  if (memory_) munmap(memory_, bytes_);
}

Pages::Pages(Pages&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void Pages::clear() {
  if (memory_) madvise(memory_, bytes_, MADV_DONTNEED);
}

// Padded by a vector access, so that the shadow of the last word is whole.
Region::Region(Space where, std::uintptr_t first, std::size_t size, bool with_cells)
    : space(where),
      start(first),
      bytes(size),
      states(size + 16),
      cells(with_cells ? (size / 4 + 5) * sizeof(Cell) : 0),
      has_cells(with_cells) {}

void Region::mark(std::size_t offset, std::size_t count, unsigned value) const {
  if (offset >= bytes) return;
  std::memset(state() + offset, static_cast<int>(value), std::min(count, bytes - offset));
}

bool describe(const void* pointer, const Elements& elements) {
  const auto allocation = allocation_at(pointer);
  if (!allocation) return false;
  std::lock_guard lock(mutex);
  try {
    add(*allocation, elements);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

void describe_the_rest() {
  const std::vector<Allocation> all = allocations();
  std::lock_guard lock(mutex);
  for (const Allocation& allocation : all)
    if (!regions().contains(allocation.start))
      add(allocation,
          {.name = "allocation of " + std::to_string(allocation.bytes) + " bytes", .shape = {static_cast<std::int64_t>(allocation.bytes)}});
}

void forget_region(std::uintptr_t start) {
  std::lock_guard lock(mutex);
  const auto found = regions().find(start);
  if (found == regions().end()) return;
  if (const auto allocation = allocation_at(reinterpret_cast<const void*>(start))) point_chunks(*allocation, nullptr);
  regions().erase(found);
}

void clear_cells() {
  std::lock_guard lock(mutex);
  for (auto& [start, region] : regions()) region->cells.clear();
}

}  // namespace simt
