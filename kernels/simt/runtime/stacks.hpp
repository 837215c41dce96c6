// The stacks of one resident block, in one mapping, with an unmapped page below each as long as the process can afford them.
#pragma once

#include "kernels/simt/runtime/fiber.hpp"

namespace simt {

class Stacks {
 public:
  explicit Stacks(unsigned count);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  Stack operator[](unsigned index) const;
  // Bytes to leave unused at the top of a stack so that neighbours use different cache sets.
  static std::size_t colour(unsigned index) { return index % 32 * 192; }

 private:
  char* base_;
  unsigned count_;
  unsigned guarded_ = 0;
};

}  // namespace simt
