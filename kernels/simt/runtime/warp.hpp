// A warp: which lanes can run, and the collectives they meet in.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/simt/api.hpp"
#include "kernels/simt/tensor/warpgroup.hpp"

namespace simt {

// Lanes that meet under one mask. Double-buffered: the last to arrive goes on at once and may start the next exchange while the others
// have yet to read this one; they all have when the next one completes.
struct Group {
  unsigned mask = 0;
  unsigned arrived = 0;  // of the exchange being gathered
  unsigned phase = 0;
  Collective kind{};
  Site site{};
  unsigned unread[2] = {};  // lanes that took part and have not resumed since
  unsigned lanes[2] = {};   // lanes that took part
  alignas(64) std::uint64_t slots[2][32];

  bool idle() const { return !arrived && !unread[0] && !unread[1]; }
};

struct Warp {
  unsigned alive = 0;
  unsigned ready = 0;
  unsigned polling = 0;  // wait for memory to change
  Group whole;           // the mask of all lanes
  std::vector<std::unique_ptr<Group>> parts;
  WarpgroupWork warpgroup;

  void begin(unsigned lanes);
  // The group that gathers under `mask`, or an idle one.
  Group& group(unsigned mask);
  // Ends the exchange: everybody who arrived can run. Lanes of the mask that have exited are not waited for, as on the card.
  void complete(Group& group);
  // Completes what waited only for lanes that are gone. The lanes whose __syncwarp was.
  unsigned complete_without_exited();
};

}  // namespace simt
