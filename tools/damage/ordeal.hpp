// A reader against damage, in a process of its own.
#pragma once
#include "tools/damage/readers.hpp"

namespace assay::tools {

struct Endured {
  uint64_t accepted = 0, refused = 0;
  std::string fault;  // what it did instead, and the seed that made it: a crash, a hang, another exception, no message; empty: nothing
  double peak = 0;    // bytes of memory that the process held at most
};

/// Reads `count` damaged texts, with seeds from `first` on, up to the first fault.
Endured endure(const Reader&, uint64_t first, uint64_t count);

}  // namespace assay::tools
