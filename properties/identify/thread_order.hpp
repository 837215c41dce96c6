// Orders in which blocks of threads add up a row.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace assay::properties {

/// `threads` of a block take chunks in turn, each into one chain; then lanes, then warps. One thread: a plain chain.
struct ThreadOrder {
  int64_t threads = 256, chunk = 8;
  bool far_first = true, warps_in_turn = false;

  std::string name() const;
  /// Roundings that a square passes, the first link of a chain being exact.
  int64_t depth(int64_t d) const;
};

float sum_of_squares(const std::vector<float>& z, const ThreadOrder&);

/// Up to 1024 threads, chunks of up to 16, either direction; and one chain.
std::vector<ThreadOrder> thread_orders();

}  // namespace assay::properties
