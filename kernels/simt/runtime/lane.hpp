// One emulated thread: what its code sees, its fiber, and what it waits for.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/simt/api.hpp"
#include "kernels/simt/runtime/fiber.hpp"

namespace simt {

// Why a lane is not running.
struct Wait {
  enum class For : std::uint8_t { nothing, barrier, collective, memory } what = For::nothing;
  Collective collective{};
  unsigned mask = 0;
  Site site{};
};

// The values that a lane saw in memory lately. Seeing one again means that it waits for another.
class Sightings {
 public:
  void clear() { count_ = 0; }

  bool known(const void* address, std::uint64_t value) const {
    for (unsigned i = 0; i < count_ && i < kKept; ++i)
      if (seen_[i].address == address && seen_[i].value == value) return true;
    return false;
  }

  void add(const void* address, std::uint64_t value) { seen_[count_++ % kKept] = {address, value}; }

 private:
  static constexpr unsigned kKept = 8;  // more addresses than a spin loop reads
  struct Sighting {
    const void* address;
    std::uint64_t value;
  };
  unsigned count_ = 0;
  Sighting seen_[kKept];
};

// cp.async copies of one thread: `landed` of them are in shared memory, `groups` holds the end of each committed group.
struct Copies {
  struct Copy {
    void* shared;
    const void* global;
    std::size_t bytes;  // that are read; zeros up to 16
  };
  std::vector<Copy> copies;
  std::vector<std::size_t> groups;
  std::size_t landed = 0;

  bool empty() const { return copies.empty() && groups.empty(); }
  void land(std::size_t until);
  void clear();
};

// Aligned, and in this order, so that a switch touches two cache lines of each lane.
struct alignas(64) Lane {
  Thread thread{};  // first: `current` points here
  alignas(64) Fiber fiber;
  Wait wait;
  bool alive = false;
  unsigned naps = 0;
  Sightings sightings;
  Copies copies;
};

}  // namespace simt
