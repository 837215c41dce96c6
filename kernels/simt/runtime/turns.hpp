// The hot part of Block: who runs next, and the switch to it. For the sources of the runtime that switch.
#pragma once

#include <bit>

#include "kernels/simt/runtime/block.hpp"

namespace simt {

inline unsigned lowest(unsigned lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }

inline Lane* Block::pick() { return random_ ? pick_at_random() : pick_in_order(); }

// The lowest ready lane of the warp that ran last, else of the next warp that has one.
inline Lane* Block::pick_in_order() {
  for (unsigned tried = 0, w = warp_turn; tried < warp_count_; ++tried) {
    if (const unsigned ready = warps[w].ready) {
      warps[w].ready = ready & (ready - 1);
      warp_turn = w;
      return &lanes[w * 32 + lowest(ready)];
    }
    if (++w == warp_count_) w = 0;
  }
  return nullptr;
}

inline Lane& Block::pick_or_stall() {
  if (Lane* next = pick()) [[likely]]
    return *next;
  return look_again();
}

inline void Block::switch_to(Lane& next) {
  Lane& me = *lane;
  if (&next == &me) return;
  lane = &next;
  current = &next.thread;
  ++counts.switches;
  switch_fiber(me.fiber, next.fiber);
}

inline void Block::suspend() { switch_to(pick_or_stall()); }

}  // namespace simt
