#include "kernels/simt/runtime/shared_memory.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>

#include "kernels/simt/runtime/limits.hpp"

namespace simt {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kSize = (kMaxSharedBytes + kPage - 1) / kPage * kPage;

}  // namespace

SharedMemory::SharedMemory() {
  void* memory = mmap(nullptr, kSize + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  end_ = static_cast<char*>(memory) + kGuard + kSize;
  if (mprotect(low(), kSize, PROT_READ | PROT_WRITE)) throw std::bad_alloc();
}

SharedMemory::~SharedMemory() { munmap(low() - kGuard, kSize + 2 * kGuard); }

char* SharedMemory::low() const { return end_ - kSize; }
std::size_t SharedMemory::size() { return kSize; }

char* SharedMemory::place(std::size_t bytes) {
  const std::size_t placed = (bytes + 127) / 128 * 128;
  std::memset(end_ - placed, 0xff, placed);
  return end_ - placed;
}

}  // namespace simt
