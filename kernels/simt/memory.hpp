// The emulated device memory: each allocation ends at an unmapped page, up to CUDA's alignment of 256 bytes, and starts after one.
#pragma once

#include <cstddef>
#include <string>

namespace simt {

// Null if the address space or the memory is used up.
void* allocate(std::size_t bytes);
// False if the pointer is no allocation.
bool release(void* pointer);
// False if the bytes begin in or beside an allocation and are not all in it.
bool fits(const void* pointer, std::size_t bytes);
// Where the address lies with respect to the nearest allocation, in words: "4 bytes past the end of the allocation of 256 bytes at ...".
std::string locate(const void* address);

}  // namespace simt
