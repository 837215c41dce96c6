// mbarrier objects. A phase ends when all arrivals have come and all announced bytes have landed.
#include <cstring>

#include "kernels/simt/checker/watch.hpp"
#include "kernels/simt/runtime/seats.hpp"
#include "kernels/simt/tensor/together.hpp"

namespace simt {
namespace {

constexpr unsigned kMark = 1;  // of an initialised object; memory of zeros or ones is none
constexpr unsigned kMostArrivals = (1u << 20) - 1;

struct Object {
  std::uint64_t expected : 20;
  std::uint64_t missing : 20;
  std::int64_t bytes : 21;  // announced and not landed; negative if they landed before they were announced
  std::uint64_t phase : 1;
  std::uint64_t mark : 2;
};
static_assert(sizeof(Object) == 8);

Object load(const std::uint64_t* barrier, Site site) {
  if (reinterpret_cast<std::uintptr_t>(barrier) % 8) fail(site, "an mbarrier at an address that is no multiple of 8: it must be");
  Object state;
  std::memcpy(&state, barrier, 8);
  if (state.mark != kMark) fail(site, "an mbarrier that was never initialised: one thread calls mbarrier_init, then all meet at a barrier");
  return state;
}

void store(std::uint64_t* barrier, Object state) {
  if (state.missing == 0 && state.bytes == 0) {
    state.phase ^= 1;
    state.missing = state.expected;
  }
  std::memcpy(barrier, &state, 8);
  running->seat->moved();
}

bool ended(std::uint64_t* barrier, unsigned parity, Site site) {
  Object state = load(barrier, site);
  if (const std::int64_t bytes = running->bulk_copies.land(barrier, running->async_view)) {
    state.bytes -= bytes;
    store(barrier, state);
    if (watching) watching->mbarrier_release(barrier);
    state = load(barrier, site);
  }
  return state.phase != (parity & 1);
}

}  // namespace

void mbarrier_init(std::uint64_t* barrier, unsigned arrivals, Site site) {
  if (arrivals == 0 || arrivals > kMostArrivals) fail(site, "mbarrier_init with a count outside 1 .. 2^20 - 1");
  const Object state{.expected = arrivals, .missing = arrivals, .bytes = 0, .phase = 0, .mark = kMark};
  std::memcpy(barrier, &state, 8);
}

void mbarrier_arrive(std::uint64_t* barrier, unsigned count, Site site) {
  running->async_view.settle();
  Object state = load(barrier, site);
  if (count > state.missing) fail(site, "more arrivals at an mbarrier than its phase expects: mbarrier_init says how many");
  state.missing -= count;
  store(barrier, state);
  if (watching) watching->mbarrier_release(barrier);
}

void mbarrier_expect(std::uint64_t* barrier, unsigned bytes, Site site) {
  Object state = load(barrier, site);
  state.bytes += bytes;
  std::memcpy(barrier, &state, 8);  // no phase ends by an announcement
}

bool mbarrier_wait(std::uint64_t* barrier, unsigned parity, Site site) {
  if (!ended(barrier, parity, site)) {
    running->wait_for_memory(*running->lane, site);
    if (!ended(barrier, parity, site)) return false;
  }
  if (watching) watching->mbarrier_acquire(barrier);
  return true;
}

}  // namespace simt
