// What the checker knows of the block that a host thread runs, and the check of one access.
//
// Time in a block is a clock that moves at every barrier, completed __syncwarp and atomic operation. Two accesses by different threads race
// unless the later thread has passed, since the earlier access, a barrier, a __syncwarp of their warp, or an acquire after a release.
#pragma once

#include <atomic>
#include <memory>
#include <unordered_map>

#include "kernels/simt/api.hpp"
#include "kernels/simt/checker/record.hpp"
#include "kernels/simt/checker/region.hpp"

namespace simt {

struct Block;

// atomic_write also reads what is there; atomic_store does not.
enum class Access : std::uint8_t { read, write, atomic_read, atomic_store, atomic_write };
constexpr bool writes(Access access) { return access != Access::read && access != Access::atomic_read; }
constexpr bool is_atomic(Access access) { return access >= Access::atomic_read; }

// What the blocks of one launch share: block n of the grid has the ordinal `first` + n, and released[n] is its clock at its last release.
struct LaunchWatch {
  LaunchWatch(const Launch& launch, std::uint64_t number);

  std::uint64_t number;
  std::uint64_t blocks;  // remembered; a block beyond shares the ordinal of another
  std::uint64_t first;
  Pages released;
};

// What orders the accesses of a thread, as of a moment: clocks of the block.
struct Moment {
  unsigned rank;  // of the thread
  std::uint32_t clock, barrier, release, acquired, arrived, synced;

  // Whether an access by a thread or crowd of the same block lies before it.
  bool follows(Record prior, Crowd crowd) const;
};

class Watch {
 public:
  Watch(const Block& block, char* dynamic_memory, std::size_t dynamic_size, std::size_t dynamic_guard);

  void begin_launch(const Launch& launch);
  void begin_block(const char* dynamic_shared, std::size_t dynamic_bytes);

  // What orders accesses.
  void barrier() { last_barrier_ = tick(); }
  void warp_sync(unsigned warp, unsigned lanes);
  void acquire();
  void release();
  // The same within the block: arrivals and bytes at an mbarrier, and a thread that has seen its phase end.
  void mbarrier_release(const void* mbarrier) { mbarriers_[mbarrier] = tick(); }
  void mbarrier_acquire(const void* mbarrier);

  // 16 bytes of a copy start, and land. A bulk copy (TMA) lands while another thread waits than the one that started it, of rank `starter`.
  void start_copy(void* shared, const void* global, std::size_t bytes, const void* code);
  void land_copy(void* shared);
  void land_bulk_copy(void* shared, unsigned starter);

  // A warp starts an asynchronous read of shared memory (wgmma), and 16 bytes of it when it is waited for: what was written since, or not
  // in order before the start, races with it, and so does what is written before the wait.
  Moment start_read();
  void end_read(const void* shared, const Moment& start, const void* code);

  // One access by the running thread. Memory that is no region (stacks, constants, arguments) is not checked.
  void read16(const void* address, const void* code);
  void check_range(Access access, const void* address, std::size_t bytes, const void* code);
  // The acquire loads and release stores of kernels/ptx.h.
  void load_acquire(const std::uint32_t* address, const void* code);
  void store_release(const std::uint32_t* address, const void* code);
  void misaligned(bool store, const void* address, std::size_t alignment, const char* type, const void* code);
  void index_out_of_bounds(const char* array, std::int64_t index, const char* file, unsigned line, const void* code);

 private:
  friend struct Hook;

  // What lies so close to an image's shared variables belongs to nothing that its kernels may touch.
  static constexpr std::size_t kBeside = 64;

  std::uint32_t tick() { return clock_ += clock_ < Record::kLastClock; }
  Record me() const;
  Moment moment(unsigned rank) const {
    return {rank, clock_, last_barrier_, last_release_, acquired_[rank], arrived_[rank], synced_[rank]};
  }
  Region* region_at(std::uintptr_t address);
  template <Access access, unsigned size>
  void check_sized(const void* address, const void* code);
  void races(Access access, const Region& region, std::size_t offset, unsigned bytes, const void* code);
  void write_cell(Access access, const Region& region, std::size_t offset, unsigned mask, const void* code);
  void read_cell(Access access, const Region& region, std::size_t offset, unsigned mask, const void* code);
  void add_reader(Cell& cell, Record mine, unsigned mask, bool shared);
  void join_readers(Cell& cell, Record reader, Record mine, bool shared);
  bool ordered(Record prior, Record mine, bool shared, Crowd crowd) const;
  void bad_state(Access access, const Region& region, std::ptrdiff_t offset, unsigned bytes, const void* code);
  void race(Access access, const Region& region, std::size_t offset, Record other, bool other_wrote, const void* code);
  void find(Finding::Kind kind, std::string buffer, std::string what, const void* code) const;

  const Block& block_;
  const LaunchWatch* launch_ = nullptr;
  std::uint64_t first_ordinal_ = 0, ordinal_ = 0;
  std::uint32_t clock_ = 0, last_barrier_ = 0, last_release_ = 0;
  std::uint32_t synced_[1024], acquired_[1024];  // a thread's clock at its last __syncwarp and acquire in this block
  std::uint32_t arrived_[1024];  // the last arrival at any mbarrier that a thread has waited for
  std::unordered_map<const void*, std::uint32_t> mbarriers_;  // the last arrival at each
  bool any_acquired_ = false;
  Region dynamic_;
  std::uintptr_t dynamic_low_;  // with the unmapped surroundings
  std::size_t dynamic_span_;
  std::unique_ptr<Region> static_;
};

// Of this host thread, while it runs a block of a checked image; else null.
extern __thread Watch* watching __attribute__((tls_model("initial-exec")));

// The launch under way, for the seats that join it. Null unless its image is checked.
const LaunchWatch* launch_watch();
void begin_watching(const Launch& launch, std::uint64_t number);
void end_watching();

void record_finding(Finding finding, const void* code);
void clear_findings();

}  // namespace simt
