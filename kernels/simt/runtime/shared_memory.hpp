// The dynamic shared memory of the blocks that one host thread runs, one after the other.
#pragma once

#include <cstddef>

namespace simt {

class SharedMemory {
 public:
  SharedMemory();
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // `bytes` of fresh memory, aligned to 128: all ones (NaN), not what the block before left there. It ends where the mapping does, up
  // to the alignment, so that an overrun faults.
  char* place(std::size_t bytes);

  // Where places lie: `size()` bytes from `low()`, between `kGuard` unmapped bytes.
  static constexpr std::size_t kGuard = 1 << 20;
  char* low() const;
  static std::size_t size();

 private:
  char* end_;
};

}  // namespace simt
