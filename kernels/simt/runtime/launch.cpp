// A launch: limits, which blocks in which order, on how many host threads.
#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "kernels/simt/api.hpp"
#include "kernels/simt/runtime/block.hpp"
#include "kernels/simt/checker/watch.hpp"
#include "kernels/simt/runtime/errors.hpp"
#include "kernels/simt/runtime/limits.hpp"
#include "kernels/simt/math/library.hpp"
#include "kernels/simt/runtime/pool.hpp"
#include "kernels/simt/runtime/random.hpp"
#include "kernels/simt/runtime/report.hpp"
#include "kernels/simt/runtime/seats.hpp"
#include "kernels/simt/runtime/streams.hpp"
#include "kernels/simt/session.hpp"
#include "kernels/simt/runtime/watchdog.hpp"

namespace simt {
namespace {

struct Session {
  std::mutex launching;  // one launch at a time, from whichever host thread
  Options options;
  std::mutex counting;
  Stats stats;
};

Session session;

// The blocks of a launch in the order in which they start.
class Order {
 public:
  Order(const Options& options, std::uint64_t launch, std::uint64_t blocks, std::uint64_t schedule) : count_(blocks) {
    if (options.sample_blocks && options.sample_blocks < blocks) {
      sample_ = sample(options, launch, blocks);
      count_ = sample_.size();
    }
    if (!schedule || count_ < 2) return;
    offset_ = mix(schedule, 1) % count_;
    do stride_ = 1 + mix(schedule++, 2) % (count_ - 1);
    while (std::gcd(stride_, count_) != 1);
  }

  std::uint64_t count() const { return count_; }

  std::uint64_t operator[](std::uint64_t turn) const {
    const auto place = static_cast<std::uint64_t>((static_cast<unsigned __int128>(turn) * stride_ + offset_) % count_);
    return sample_.empty() ? place : sample_[place];
  }

 private:
  static std::vector<std::uint64_t> sample(const Options& options, std::uint64_t launch, std::uint64_t blocks);

  std::uint64_t count_, stride_ = 1, offset_ = 0;
  std::vector<std::uint64_t> sample_;
};

// The interior blocks are cut into as many stretches as there are samples left, and each gives one.
struct Stretch {
  std::uint64_t first, length;
};

Stretch stretch(std::uint64_t index, std::uint64_t count, std::uint64_t blocks) {
  const unsigned __int128 interior = blocks - 2;
  const auto begin = static_cast<std::uint64_t>(interior * index / count), end = static_cast<std::uint64_t>(interior * (index + 1) / count);
  return {1 + begin, end - begin};
}

std::uint64_t drawn_block(const Options& options, std::uint64_t launch, std::uint64_t index, std::uint64_t blocks) {
  const Stretch from = stretch(index, options.sample_blocks - 2, blocks);
  return from.first + mix(mix(options.sample_seed, launch), index) % from.length;
}

std::vector<std::uint64_t> Order::sample(const Options& options, std::uint64_t launch, std::uint64_t blocks) {
  std::vector<std::uint64_t> chosen{0};
  for (std::uint64_t i = 0; i + 2 < options.sample_blocks; ++i) chosen.push_back(drawn_block(options, launch, i, blocks));
  if (options.sample_blocks > 1) chosen.push_back(blocks - 1);
  return chosen;
}

void count(Stats& counts) {
  std::lock_guard lock(session.counting);
  session.stats.blocks += counts.blocks;
  session.stats.threads += counts.threads;
  session.stats.switches += counts.switches;
  session.stats.collectives += counts.collectives;
  session.stats.barriers += counts.barriers;
  counts = {};
}

unsigned workers(const Options& options) {
  return options.workers > 0 ? static_cast<unsigned>(options.workers) : std::max(1u, std::thread::hardware_concurrency());
}

unsigned resident_blocks(const Options& options) {
  return static_cast<unsigned>(std::max(1, options.resident_blocks > 0 ? options.resident_blocks : options.multiprocessors));
}

void run_blocks(const Launch& launch, const Order& order, std::uint64_t schedule) {
  const auto sit = [&](Seat& seat) {
    Block& block = host_block();
    const Watchdog watchdog(block, launch.kernel, session.options.patience);
    for (std::uint64_t turn; seat.seats.next(turn); seat.moved())
      if (!block.run(launch, seat, order[turn], schedule)) seat.seats.stop();
    block.seat = nullptr;
    count(block.counts);
    seat.seats.leave(seat);
  };
  keep_pool_threads(workers(session.options) - 1);
  Seats seats(order.count(), workers(session.options), resident_blocks(session.options), sit);
  sit(seats.open());
  seats.wait();
}

}  // namespace

namespace {

cudaError_t start(const Launch& launch) {
  std::lock_guard lock(session.launching);
  const std::uint64_t number = session.stats.launches++;
  begin_reporting();
  const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  const std::uint64_t schedule = session.options.schedule_seed ? mix(session.options.schedule_seed, number) | 1 : 0;
  begin_watching(launch, number);
  run_blocks(launch, Order(session.options, number, blocks, schedule), schedule);
  end_watching();
  const cudaError_t error = failed() ? cudaErrorLaunchFailure : cudaSuccess;
  note_launch(error);
  return error;
}

// A launch whose arguments outlive the call that made it.
Work kept(const Launch& launch) {
  const std::shared_ptr<void> arguments(launch.keep(launch.arguments), launch.drop);
  return [later = launch, arguments]() mutable {
    later.arguments = arguments.get();
    return start(later);
  };
}

}  // namespace

cudaError_t run(const Launch& launch) {
  if (current) fail(launch.site, "a kernel launches a kernel: dynamic parallelism is not emulated, launch from the host");
  if (const Refusal refusal = broken_limit(launch); refusal.error != cudaSuccess) {
    std::lock_guard lock(session.launching);
    session.stats.launches++;
    begin_reporting();
    record_refusal(launch, refusal.text);
    return refusal.error;
  }
  return enqueue(launch.stream, is_default(launch.stream) ? Work([&launch] { return start(launch); }) : kept(launch));
}

void configure(const Options& options) {
  std::lock_guard lock(session.launching);
  session.options = options;
  session.stats = {};
  clear_report();
  forget_library_calls();
  clear_findings();
}

const Options& options() { return session.options; }

Stats stats() {
  std::lock_guard lock(session.counting);
  return session.stats;
}

bool runs_block(const Options& options, std::uint64_t launch, std::uint64_t block, std::uint64_t blocks) {
  if (block >= blocks) return false;
  if (!options.sample_blocks || options.sample_blocks >= blocks || block == 0) return true;
  if (options.sample_blocks == 1) return false;
  if (block == blocks - 1) return true;
  if (options.sample_blocks == 2) return false;
  const std::uint64_t count = options.sample_blocks - 2;
  // The stretch that holds the block: its index is the largest whose start is not past it.
  auto index = static_cast<std::uint64_t>((static_cast<unsigned __int128>(block - 1) * count) / (blocks - 2));
  if (index + 1 < count && stretch(index + 1, count, blocks).first <= block) ++index;
  return drawn_block(options, launch, index, blocks) == block;
}

}  // namespace simt
