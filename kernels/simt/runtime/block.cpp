#include "kernels/simt/runtime/block.hpp"

#include <bit>

#include "kernels/simt/checker/watch.hpp"
#include "kernels/simt/runtime/fault.hpp"
#include "kernels/simt/runtime/report.hpp"
#include "kernels/simt/runtime/seats.hpp"
#include "kernels/simt/runtime/turns.hpp"

namespace simt {

__thread Block* running = nullptr;
__thread const Thread* current = nullptr;

namespace {

// What every fiber does: run the kernel for its thread, block after block.
void live() {
  fiber_started();
  for (;;) {
    Block& block = *running;
    bool threw = false;
    try {
      block.launch->call(block.launch->arguments);
    } catch (...) {
      threw = true;  // the report abandons this stack, which must not happen while the exception lives
    }
    if (threw) fail({}, "a C++ exception left the kernel: device code must not throw");
    block.exit(*block.lane);
  }
}

}  // namespace

Block& host_block() {
  // On the heap: of thread-local memory, a library that is loaded while the program runs gets little.
  thread_local const auto block = std::make_unique<Block>();
  return *block;
}

Block::Block() = default;
Block::~Block() = default;

bool Block::run(const Launch& what, Seat& at, std::uint64_t block_number, std::uint64_t schedule) {
  const bool another = &at != seat;  // a seat serves one launch
  launch = &what;
  seat = &at;
  running = this;
  threads = what.block.x * what.block.y * what.block.z;
  make_lanes();
  if (another) number_threads(), watch_launch();
  begin(block_number, schedule);
  seat->block = this;

  lane = pick();
  current = &lane->thread;
  watching = watch;
  switch_fiber(host_, lane->fiber);

  watching = nullptr;
  at.block = nullptr;
  current = nullptr;
  lane = nullptr;
  running = nullptr;
  if (failed_)
    for (unsigned i = 0; i < threads; ++i) prepare(lanes[i].fiber, (*stacks_)[i], Stacks::colour(i), live);
  return !failed_;
}

void Block::make_lanes() {
  if (!stacks_) {
    host_.stack = host_stack();
    catch_faults();
    stacks_ = std::make_unique<Stacks>(kMaxThreads);
    lanes = std::make_unique<Lane[]>(kMaxThreads);
  }
  for (; prepared_ < threads; ++prepared_) prepare(lanes[prepared_].fiber, (*stacks_)[prepared_], Stacks::colour(prepared_), live);
}

// What stays the same from block to block.
void Block::number_threads() {
  const dim3 size = launch->block;
  uint3 thread{0, 0, 0};
  for (unsigned i = 0; i < threads; ++i) {
    lanes[i].thread = {thread, {}, size, launch->grid, i % 32, i / 32, i};
    if (++thread.x == size.x) thread.x = 0, ++thread.y;
    if (thread.y == size.y) thread.y = 0, ++thread.z;
  }
}

void Block::watch_launch() {
  watch = nullptr;
  if (!launch->shared_anchor) return;
  if (!watch_) watch_ = std::make_unique<Watch>(*this, shared_memory_.low(), SharedMemory::size(), SharedMemory::kGuard);
  watch = watch_.get();
  watch->begin_launch(*launch);
}

void Block::begin(std::uint64_t block_number, std::uint64_t schedule) {
  number = block_number;
  const dim3 grid = launch->grid;
  const uint3 index{static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
                    static_cast<unsigned>(number / grid.x / grid.y)};
  for (unsigned i = 0; i < threads; ++i) {
    Lane& lane = lanes[i];
    lane.thread.block_index = index;
    lane.alive = true;
    lane.wait.what = Wait::For::nothing;
    lane.naps = 0;
    lane.sightings.clear();
    if (!lane.copies.empty()) lane.copies.clear();
  }
  warp_count_ = (threads + 31) / 32;
  for (unsigned w = 0; w < warp_count_; ++w) warps[w].begin(threads - w * 32 >= 32 ? ~0u : (1u << (threads - w * 32)) - 1);
  warp_turn = 0;
  alive = static_cast<int>(threads);
  barrier = {};
  async_view.clear();
  bulk_copies.clear();
  failed_ = false;
  random_ = schedule ? std::optional(Random{mix(schedule, number)}) : std::nullopt;
  dynamic_shared = shared_memory_.place(launch->dynamic_shared);
  if (watch) watch->begin_block(dynamic_shared, launch->dynamic_shared);
  ++counts.blocks;
  counts.threads += threads;
}

Lane* Block::pick_at_random() {
  const unsigned first = random_->below(warp_count_);
  for (unsigned tried = 0; tried < warp_count_; ++tried) {
    const unsigned w = (first + tried) % warp_count_;
    unsigned ready = warps[w].ready;
    if (!ready) continue;
    for (unsigned skip = random_->below(static_cast<unsigned>(std::popcount(ready))); skip; --skip) ready &= ready - 1;
    warps[w].ready &= ~(1u << lowest(ready));
    return &lanes[w * 32 + lowest(ready)];
  }
  return nullptr;
}

Lane& Block::look_again() {
  for (;;) {
    if (!poll_again()) {
      record_failure(*this, nullptr, {},
                     "no thread of the block can go on: " + describe_waits(*this) +
                         "; all threads of a block must reach the same barrier, all lanes of a mask the same call");
      abandon();
    }
    if (Lane* next = pick()) return *next;
  }
}

// Lets the lanes look again that wait for memory, after other blocks had their turn. False if there are none.
bool Block::poll_again() {
  unsigned polling = 0;
  for (unsigned w = 0; w < warp_count_; ++w) polling |= warps[w].polling;
  if (!polling) return false;
  if (!seat->seats.stall(*seat)) abandon();
  for (unsigned w = 0; w < warp_count_; ++w) {
    warps[w].ready |= warps[w].polling;
    warps[w].polling = 0;
  }
  return true;
}

void Block::wait_for_memory(Lane& me, Site site) {
  warp_of(me).polling |= 1u << me.thread.lane;
  me.wait = {.what = Wait::For::memory, .site = site};
  suspend();
}

void Block::release_barrier() {
  async_view.settle();
  for (unsigned i = 0; i < warp_count_; ++i) warps[i].ready = warps[i].alive;
  barrier.result = {barrier.yes, barrier.arrived};
  barrier.arrived = barrier.yes = 0;
  if (watch) watch->barrier();
}

// A thread that has left is waited for no more: hardware counts it as arrived. Copies that it never waited for never land.
void Block::exit(Lane& me) {
  me.alive = false;
  Warp& warp = warp_of(me);
  warp.alive &= ~(1u << me.thread.lane);
  if (--alive == 0) return switch_fiber(me.fiber, host_);
  if (const unsigned synced = warp.complete_without_exited(); watch && synced) watch->warp_sync(me.thread.warp, synced);
  if (barrier.arrived && barrier.arrived == alive) release_barrier();
  switch_to(pick_or_stall());
}

void Block::abandon() {
  failed_ = true;
  Lane& me = *lane;
  switch_fiber(me.fiber, host_);
  __builtin_unreachable();
}

}  // namespace simt
