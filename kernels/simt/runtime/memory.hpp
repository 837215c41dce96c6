// The emulated device memory: each allocation ends at an unmapped page, up to CUDA's alignment of 256 bytes, and starts after one. What is
// unmapped reaches 8 GiB on either side where the address space allows, else 16 MiB: an index that overflows meets no other allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simt {

struct Allocation {
  std::uintptr_t start;
  std::size_t bytes;
  std::uintptr_t mapping;  // with what is unmapped around it; both ends are multiples of 16 MiB
  std::size_t mapped;
};

// Null if the address space or the memory is used up.
void* allocate(std::size_t bytes);
// False if the pointer is no allocation.
bool release(void* pointer);
// All there are, and the one that starts at the pointer.
std::vector<Allocation> allocations();
std::optional<Allocation> allocation_at(const void* start);
// Whether an allocation holds the address.
bool is_allocated(const void* address);
// False if the bytes begin in or beside an allocation and are not all in it.
bool fits(const void* pointer, std::size_t bytes);
// Where the address lies with respect to the nearest allocation, in words: "4 bytes past the end of the allocation of 256 bytes at ...".
std::string locate(const void* address);

}  // namespace simt
