// wgmma of one warp: what has been issued and has not taken effect, and whether the registers may be read.
//
// The tensor core may read its operands from shared memory and write its results at any time before the wait for the group. Here it
// does both at the last moment, the wait, so that operands overwritten too early and results read too early show.
#pragma once

#include <array>
#include <vector>

#include "kernels/simt/checker/watch.hpp"
#include "kernels/simt/tensor/api.hpp"
#include "kernels/simt/tensor/async_view.hpp"

namespace simt {

struct PendingMultiply {
  WarpgroupMultiply what;
  int quarter;  // of the 64 rows
  std::array<std::array<std::uint32_t, 4>, 32> a;
  std::array<std::uint32_t*, 32> d;
  bool undefined;  // without a fence before it: the result is all ones (NaN)
  Moment start;    // of its reads, for the checker
  const void* code;
};

// What wgmma left in the accumulators of all lanes when it was waited for.
struct LeftBehind {
  std::array<std::uint32_t*, 32> d;
  std::size_t words;
  std::vector<std::uint32_t> values;
};

class WarpgroupWork {
 public:
  bool empty() const { return pending_.empty() && left_.empty() && groups_.empty() && !fenced_; }
  void clear();
  void fence() { fenced_ = true; }
  void issue(PendingMultiply work);
  void commit() { groups_.push_back(pending_.size()); }
  // What wait() will read, for the checker: by the warp's first lane, as soon as it waits.
  void end_reads(std::size_t groups_left) const;
  void wait(std::size_t groups_left, AsyncView& view);

 private:
  void order_registers(PendingMultiply& work);

  std::vector<PendingMultiply> pending_;
  std::vector<std::size_t> groups_;  // the end of each committed group
  std::vector<LeftBehind> left_;
  bool fenced_ = false;  // since the last wait
};

}  // namespace simt
