#include "kernels/simt/checker/watch.hpp"

#include <link.h>

#include <algorithm>
#include <optional>

#include "kernels/simt/runtime/block.hpp"
#include "kernels/simt/runtime/symbol.hpp"

namespace simt {

__thread Watch* watching = nullptr;

namespace {

std::optional<LaunchWatch> under_way;

// Ordinals grow from launch to launch, so that what a cell remembers of an earlier launch is known to be old.
std::uint64_t next_ordinal = 1;

// The block of thread-local memory of this thread that holds the address: the static shared memory of an image.
struct StaticShared {
  std::uintptr_t address;
  std::uintptr_t start = 0;
  std::size_t bytes = 0;
};

StaticShared static_shared_around(const void* anchor) {
  StaticShared found{.address = reinterpret_cast<std::uintptr_t>(anchor)};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* argument) {
        auto& wanted = *static_cast<StaticShared*>(argument);
        const auto start = reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data);
        for (int i = 0; start && i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_TLS || wanted.address - start >= header.p_memsz) continue;
          wanted.start = start;
          wanted.bytes = header.p_memsz;
          return 1;
        }
        return 0;
      },
      &found);
  return found;
}

// The variables of the image but for the runtime's own.
std::vector<Variable> shared_variables(const void* kernel, std::size_t bytes) {
  std::vector<Variable> all = thread_locals(kernel);
  std::erase_if(all, [](const Variable& variable) { return variable.name == "simt_image_anchor"; });
  std::ranges::sort(all, {}, &Variable::offset);
  if (all.empty()) all.push_back({"static shared memory", 0, bytes});  // a stripped image
  return all;
}

}  // namespace

LaunchWatch::LaunchWatch(const Launch& launch, std::uint64_t launch_number)
    : number(launch_number),
      blocks(std::min(std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z, Record::kLastOrdinal)),
      released(blocks * sizeof(std::uint32_t)) {
  if (next_ordinal + blocks > Record::kLastOrdinal) {
    next_ordinal = 1;
    clear_cells();
  }
  first = next_ordinal;
  next_ordinal += blocks;
}

void begin_watching(const Launch& launch, std::uint64_t number) {
  under_way.reset();
  if (!launch.shared_anchor) return;
  describe_the_rest();
  under_way.emplace(launch, number);
}

void end_watching() { under_way.reset(); }
const LaunchWatch* launch_watch() { return under_way ? &*under_way : nullptr; }

Watch::Watch(const Block& block, char* memory, std::size_t size, std::size_t guard)
    : block_(block),
      dynamic_(Region::Space::dynamic_shared, reinterpret_cast<std::uintptr_t>(memory), size, true),
      dynamic_low_(dynamic_.start - guard),
      dynamic_span_(size + 2 * guard) {}

void Watch::begin_launch(const Launch& launch) {
  const bool started_over = launch_ && launch_watch()->first < first_ordinal_;
  launch_ = launch_watch();
  first_ordinal_ = launch_->first;
  if (started_over) dynamic_.cells.clear();
  const StaticShared found = static_shared_around(launch.shared_anchor());
  static_ = std::make_unique<Region>(Region::Space::static_shared, found.start, found.bytes, true);
  static_->variables = shared_variables(launch.kernel, found.bytes);
}

void Watch::begin_block(const char* dynamic_shared, std::size_t dynamic_bytes) {
  ordinal_ = launch_->first + block_.number % launch_->blocks;
  clock_ = 1;
  last_barrier_ = last_release_ = 0;
  any_acquired_ = false;
  std::fill_n(synced_, block_.threads, 0);
  std::fill_n(acquired_, block_.threads, 0);
  std::fill_n(arrived_, block_.threads, 0);
  mbarriers_.clear();
  dynamic_.mark(dynamic_.placed, dynamic_.placed_bytes, 0);
  dynamic_.placed = reinterpret_cast<std::uintptr_t>(dynamic_shared) - dynamic_.start;
  dynamic_.placed_bytes = dynamic_bytes;
  dynamic_.mark(dynamic_.placed, dynamic_.placed_bytes, kElement | kWritable);
  for (const Variable& variable : static_->variables) static_->mark(variable.offset, variable.bytes, kElement | kWritable);
  if (block_.number >= launch_->blocks) dynamic_.cells.clear(), static_->cells.clear();  // ordinals repeat
}

// What one lane has acquired comes before what its warp does after it has met.
void Watch::warp_sync(unsigned warp, unsigned lanes) {
  const std::uint32_t now = tick();
  std::uint32_t acquired = 0, arrived = 0;
  const auto each = [=](auto act) {
    for (unsigned left = lanes; left; left &= left - 1) act(warp * 32 + static_cast<unsigned>(__builtin_ctz(left)));
  };
  each([&](unsigned rank) { acquired = std::max(acquired, acquired_[rank]), arrived = std::max(arrived, arrived_[rank]); });
  each([&](unsigned rank) { synced_[rank] = now, acquired_[rank] = acquired, arrived_[rank] = arrived; });
}

void Watch::acquire() {
  acquired_[current->rank] = tick();
  any_acquired_ = true;
}

// Whoever arrived before the last one is taken to have been waited for too.
void Watch::mbarrier_acquire(const void* mbarrier) {
  std::uint32_t& arrived = arrived_[current->rank];
  arrived = std::max(arrived, mbarriers_[mbarrier]);
}

void Watch::release() {
  last_release_ = tick();
  __atomic_store_n(launch_->released.as<std::uint32_t>() + (ordinal_ - launch_->first), last_release_, __ATOMIC_RELEASE);
}

bool Watch::ordered(Record prior, Record mine, bool shared, Crowd crowd) const {
  if (prior.ordinal() < launch_->first) return true;
  if (crowd == Crowd::grid) return any_acquired_;
  if (prior.ordinal() != ordinal_) {
    const auto* released = launch_->released.as<std::uint32_t>() + (prior.ordinal() - launch_->first);
    return shared || (any_acquired_ && prior.clock() < __atomic_load_n(released, __ATOMIC_ACQUIRE));
  }
  return moment(mine.rank()).follows(prior, crowd);
}

bool Moment::follows(Record prior, Crowd crowd) const {
  if (crowd == Crowd::one && prior.rank() == rank) return true;
  if (prior.clock() < barrier || prior.clock() == Record::kLastClock) return true;
  if (prior.clock() < arrived || (prior.clock() < release && prior.clock() < acquired)) return true;
  return crowd <= Crowd::warp && prior.warp() == rank / 32 && prior.clock() < synced;
}

}  // namespace simt
