// TMA loads under way in a block: each lands when somebody waits for its mbarrier, so that a missing wait shows.
#pragma once

#include <vector>

#include "kernels/simt/tensor/api.hpp"
#include "kernels/simt/tensor/async_view.hpp"

namespace simt {

class BulkCopies {
 public:
  void clear() {
    if (!boxes_.empty()) boxes_.clear();
  }
  // `code`: of the kernel, for the checker.
  void start(char* shared, const TensorMap2d& map, const std::uint64_t* barrier, int x, int y, const void* code);
  // Lands the boxes that `barrier` counts, and says how many bytes that were.
  std::int64_t land(const std::uint64_t* barrier, AsyncView& view);

 private:
  struct Box {
    char* shared;
    TensorMap2d map;
    const std::uint64_t* barrier;
    std::int64_t x, y;
    unsigned starter;  // rank of the thread
  };
  template <class Act>
  static void for_each_unit(const Box& box, Act act);
  static void copy(const Box& box, AsyncView& view);

  std::vector<Box> boxes_;
};

}  // namespace simt
