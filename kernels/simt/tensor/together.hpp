// For instructions that the 32 lanes of a warp execute as one: the first lane that goes on does the work of all.
#pragma once

#include "kernels/simt/api.hpp"
#include "kernels/simt/runtime/block.hpp"

namespace simt {

constexpr unsigned kWholeWarp = 0xffffffffu;

// The lanes meet, each with its request, which lives on its own stack until it goes on. For the first to go on: true, and the requests
// of all lanes; it does their work and nobody else does.
template <class Request>
bool first_of_warp(Collective kind, Request& mine, Request* (&all)[32], Site site) {
  mine.done = false;
  const Exchange given = exchange(kind, kWholeWarp, reinterpret_cast<std::uint64_t>(&mine), site);
  if (mine.done) return false;
  if (given.lanes != kWholeWarp)
    fail(site, "an instruction for a whole warp in one of which lanes have exited or never were: all 32 must execute it");
  for (int lane = 0; lane < 32; ++lane) {
    all[lane] = reinterpret_cast<Request*>(given.slots[lane]);
    all[lane]->done = true;
  }
  return true;
}

}  // namespace simt
