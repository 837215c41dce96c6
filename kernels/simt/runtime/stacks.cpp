#include "kernels/simt/runtime/stacks.hpp"

#include <sys/mman.h>

#include <atomic>
#include <new>

namespace simt {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kStack = 256 << 10;  // address space alone; a thread of a usual kernel touches two pages
constexpr std::size_t kStride = kStack + kPage;

// A guard page costs two of the mappings that Linux grants a process (65530 by default); the rest belongs to the program.
std::atomic<unsigned> guards_left = 24000;

bool take_guard() {
  for (unsigned left = guards_left; left;)
    if (guards_left.compare_exchange_weak(left, left - 1)) return true;
  return false;
}

}  // namespace

Stacks::Stacks(unsigned count) : count_(count) {
  void* memory = mmap(nullptr, kStride * count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<char*>(memory);
  madvise(base_, kStride * count, MADV_NOHUGEPAGE);  // else each touched stack would take a huge page
  while (guarded_ < count && take_guard()) mprotect(base_ + kStride * guarded_++, kPage, PROT_NONE);
}

Stacks::~Stacks() {
  for (unsigned i = 0; i < count_; ++i) forget_frames((*this)[i]);
  munmap(base_, kStride * count_);
  guards_left += guarded_;
}

Stack Stacks::operator[](unsigned index) const { return {base_ + kStride * index + kPage, kStack}; }

}  // namespace simt
