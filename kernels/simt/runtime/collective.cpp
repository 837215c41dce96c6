// Barriers and warp collectives, as device code calls them.
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "kernels/simt/api.hpp"
#include "kernels/simt/runtime/block.hpp"
#include "kernels/simt/checker/watch.hpp"
#include "kernels/simt/runtime/report.hpp"
#include "kernels/simt/runtime/turns.hpp"

namespace simt {
namespace {

bool same(Site a, Site b) { return a.line == b.line && (a.file == b.file || !std::strcmp(a.file, b.file)); }

// The texts are put together in functions that return, see fail().
std::string other_barrier(Site site, Site others) {
  return fmt::format(
      "this thread reached the barrier of {} while others of its block wait at the barrier of {}: all threads of a block must "
      "reach the same barrier",
      text(site), text(others));
}

std::string other_call(Site site, Collective kind, const Group& group) {
  return fmt::format(
      "this lane calls {} at {} while lanes {:08x} of its warp wait in {} at {} with the same mask {:08x}: all lanes of a mask "
      "must make the same call",
      name(kind), text(site), group.arrived, name(group.kind), text(group.site), group.mask);
}

std::string outside_mask(Collective kind, unsigned lane, unsigned mask) {
  return fmt::format("lane {} calls {} with mask {:08x}, which does not hold it: the mask must name every lane that makes the call", lane,
                     name(kind), mask);
}

std::string absent_source(int source, unsigned mask, unsigned lanes) {
  const char* why = mask >> source & 1 ? "which has exited or does not exist" : "which is not in the mask";
  return fmt::format("this lane reads lane {}, {} (mask {:08x}, lanes that take part {:08x}): a shuffle must read a lane that takes part",
                     source, why, mask, lanes);
}

}  // namespace

void barrier(Site site) { barrier_votes(false, site); }

Votes barrier_votes(bool yes, Site site) {
  Block& block = *running;
  if (block.barrier.arrived && !same(block.barrier.site, site)) [[unlikely]]
    fail(site, other_barrier(site, block.barrier.site));
  Lane& me = *block.lane;
  ++block.counts.barriers;
  block.barrier.site = site;
  block.barrier.yes += yes;
  if (++block.barrier.arrived < block.alive) {
    me.wait = {.what = Wait::For::barrier, .site = site};
    block.suspend();
  } else {
    block.release_barrier();
    block.warp_of(me).ready &= ~(1u << me.thread.lane);  // the last one goes on without a switch
    block.warp_turn = me.thread.warp;
  }
  return block.barrier.result;
}

Exchange exchange(Collective kind, unsigned mask, std::uint64_t value, Site site) {
  Block& block = *running;
  Lane& me = *block.lane;
  Warp& warp = block.warp_of(me);
  const unsigned lane = me.thread.lane, bit = 1u << lane;
  ++block.counts.collectives;
  if (!(mask & bit)) [[unlikely]]
    fail(site, outside_mask(kind, lane, mask));

  Group& group = mask == 0xffffffffu ? warp.whole : warp.group(mask);
  if (!group.arrived) {
    group.mask = mask;
    group.kind = kind;
    group.site = site;
  } else if (group.kind != kind || !same(group.site, site)) [[unlikely]] {
    fail(site, other_call(site, kind, group));
  }

  const unsigned phase = group.phase;
  group.slots[phase][lane] = value;
  group.arrived |= bit;
  if (group.arrived == (mask & warp.alive)) {
    if (kind == Collective::sync_warp && block.watch) block.watch->warp_sync(me.thread.warp, group.arrived);
    warp.complete(group);
    warp.ready &= ~bit;  // the last one goes on without a switch
  } else {
    me.wait = {.what = Wait::For::collective, .collective = kind, .mask = mask, .site = site};
    block.suspend();
  }
  group.unread[phase] &= ~bit;
  return {group.slots[phase], group.lanes[phase]};
}

unsigned active_mask() { return running->warp_of(*running->lane).alive; }

void* dynamic_shared() { return running->dynamic_shared; }

void fail_shuffle(Site site, int source, unsigned mask, unsigned lanes) { fail(site, absent_source(source, mask, lanes)); }

void fail(Site site, const char* text) { fail(site, std::string(text)); }

void fail(Site site, std::string&& text) {
  record_failure(*running, running->lane, site, std::exchange(text, {}));
  running->abandon();
}

}  // namespace simt
