// The block that a host thread runs: its lanes, its barrier and the order in which lanes take turns.
//
// A block stays on one host thread from start to end. Everything here belongs to that thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kernels/simt/runtime/lane.hpp"
#include "kernels/simt/runtime/random.hpp"
#include "kernels/simt/session.hpp"
#include "kernels/simt/runtime/shared_memory.hpp"
#include "kernels/simt/runtime/stacks.hpp"
#include "kernels/simt/tensor/async_view.hpp"
#include "kernels/simt/tensor/bulk_copy.hpp"
#include "kernels/simt/runtime/warp.hpp"

namespace simt {

struct Seat;
class Watch;

struct Barrier {
  int arrived = 0;
  int yes = 0;
  Site site{};
  Votes result{};
};

struct Block {
  Block();
  ~Block();

  static constexpr unsigned kMaxThreads = 1024, kWarps = kMaxThreads / 32;

  // Runs the block to its end. False if a lane failed: the report is with the launch.
  bool run(const Launch& launch, Seat& seat, std::uint64_t number, std::uint64_t schedule);

  // For the running lane, which has noted what it waits for: others run until it is ready again.
  void suspend();
  // For the running lane: others run first; it goes on when all have had their turn.
  void wait_for_memory(Lane& me, Site site);
  // All threads have arrived: everybody goes on.
  void release_barrier();
  // The running lane has left the kernel.
  void exit(Lane& me);
  // Leaves the block for good, from whichever fiber.
  [[noreturn]] void abandon();

  Warp& warp_of(const Lane& me) { return warps[me.thread.warp]; }
  bool random() const { return random_.has_value(); }

  Lane* lane = nullptr;           // the running one
  std::unique_ptr<Lane[]> lanes;  // kMaxThreads; the first `threads` belong to the block
  Warp warps[kWarps];
  unsigned warp_turn = 0;  // the warp that ran last
  Barrier barrier;
  const Launch* launch = nullptr;
  Seat* seat = nullptr;
  std::uint64_t number = 0;  // of the block within the grid
  unsigned threads = 0;
  int alive = 0;
  char* dynamic_shared = nullptr;
  AsyncView async_view;
  BulkCopies bulk_copies;
  Stats counts;
  Watch* watch = nullptr;  // of a checked image

 private:
  void number_threads();
  void watch_launch();
  void begin(std::uint64_t number, std::uint64_t schedule);
  void make_lanes();
  Lane* pick();
  Lane* pick_in_order();
  Lane* pick_at_random();
  Lane& pick_or_stall();
  bool poll_again();
  Lane& look_again();
  void switch_to(Lane& next);

  unsigned prepared_ = 0;
  Fiber host_;
  std::unique_ptr<Stacks> stacks_;
  SharedMemory shared_memory_;
  std::unique_ptr<Watch> watch_;
  unsigned warp_count_ = 0;
  bool failed_ = false;
  std::optional<Random> random_;
};

// The block of this host thread, made on first use, and the lane's code.
Block& host_block();
// The block that is running here. Null outside a launch.
extern __thread Block* running __attribute__((tls_model("initial-exec")));

// fail() for a text that has been put together: takes it, because nothing on an abandoned stack is ever destroyed.
[[noreturn]] void fail(Site site, std::string&& text);

std::string text(uint3 index);

}  // namespace simt
