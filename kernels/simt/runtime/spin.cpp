// Waiting for memory: acquire loads, atomics that change nothing, and naps.
#include "kernels/simt/api.hpp"
#include "kernels/simt/runtime/block.hpp"
#include "kernels/simt/checker/watch.hpp"
#include "kernels/simt/runtime/seats.hpp"

namespace simt {
namespace {

// A value that the lane has not seen at this address lately: it goes on with something new.
void sight(Block& block, Lane& me, const void* address, std::uint64_t value) {
  if (me.sightings.known(address, value)) return;
  me.sightings.add(address, value);
  block.seat->moved();
}

}  // namespace

// Only a value seen before makes the lane wait, so that a load that finds what it needs costs no switch. Under a random schedule others
// may always come first.
std::uint32_t load_acquire(const std::uint32_t* address, Site site) {
  Block& block = *running;
  Lane& me = *block.lane;
  std::uint32_t value = __atomic_load_n(address, __ATOMIC_ACQUIRE);
  if (block.random() || me.sightings.known(address, value)) {
    block.wait_for_memory(me, site);
    value = __atomic_load_n(address, __ATOMIC_ACQUIRE);
  }
  sight(block, me, address, value);
  if (watching) watching->load_acquire(address, __builtin_return_address(0));
  return value;
}

void store_release(std::uint32_t* address, std::uint32_t value) {
  if (watching) watching->store_release(address, __builtin_return_address(0));
  if (__atomic_exchange_n(address, value, __ATOMIC_ACQ_REL) != value) running->seat->moved();
}

void atomic_changed_nothing(const void* address, std::uint64_t value, Site site) {
  Block& block = *running;
  Lane& me = *block.lane;
  if (me.sightings.known(address, value))
    block.wait_for_memory(me, site);
  else
    sight(block, me, address, value);
}

void atomic_changed_memory() { running->seat->moved(); }

// Sleeping is no sign of life for ever: a loop around a plain load may sleep between its looks.
void nap(Site site) {
  constexpr unsigned kLively = 10000;
  Block& block = *running;
  Lane& me = *block.lane;
  if (me.naps++ < kLively) block.seat->moved();
  block.wait_for_memory(me, site);
}

}  // namespace simt
