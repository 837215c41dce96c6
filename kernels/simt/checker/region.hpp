// A stretch of memory that kernels may touch, with its shadow: a state for each byte and a cell for each word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/simt/checker/checker.hpp"
#include "kernels/simt/checker/record.hpp"

namespace simt {

// Bits of a byte's state. A pending byte is the target of a copy under way: neither initialised nor writable until it lands.
enum State : std::uint8_t { kElement = 1, kInitialised = 2, kWritable = 4, kPending = 8 };

// Zeroed memory that takes space when it is touched.
class Pages {
 public:
  explicit Pages(std::size_t bytes = 0);
  ~Pages();
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;

  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }
  void clear();

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

// What a compiler keeps beside a thread_local whose type has constructors (arrays of __half among them): whether it has been constructed.
inline const std::string kConstructionGuard = "construction guard";

struct Variable {
  std::string name;
  std::size_t offset;
  std::size_t bytes;
};

struct Region {
  enum class Space : std::uint8_t { device, static_shared, dynamic_shared };

  // Throws std::bad_alloc. Without cells nothing is known of races; for what nobody may write.
  Region(Space space, std::uintptr_t start, std::size_t bytes, bool with_cells);

  std::uint8_t* state() const { return states.as<std::uint8_t>(); }
  Cell* cell(std::size_t offset) const { return cells.as<Cell>() + offset / 4; }
  // Sets the state of these bytes.
  void mark(std::size_t offset, std::size_t count, unsigned value) const;
  bool shared() const { return space != Space::device; }
  // The tensor or variable nearest to the byte, and where the byte lies in it, in words. Offsets may be negative.
  std::string buffer(std::ptrdiff_t offset) const;
  std::string place(std::ptrdiff_t offset) const;

  Space space;
  std::uintptr_t start;
  std::size_t bytes;
  Pages states, cells;
  bool has_cells;
  Elements elements;                // device memory
  std::vector<Variable> variables;  // static shared memory
  std::size_t placed = 0;           // dynamic shared memory: where it starts, and its size
  std::size_t placed_bytes = 0;
};

// Device memory by address: the region whose allocation, or unmapped surroundings, hold it; else null.
constexpr unsigned kChunkBits = 24;
extern Region* chunks[std::size_t{1} << (47 - kChunkBits)];
inline Region* device_region(std::uintptr_t address) {
  return address >> 47 ? nullptr : __atomic_load_n(&chunks[address >> kChunkBits], __ATOMIC_RELAXED);
}

// Makes regions of the allocations that nobody has described.
void describe_the_rest();
// The allocation is no more.
void forget_region(std::uintptr_t start);
// Forgets who touched what.
void clear_cells();

}  // namespace simt
