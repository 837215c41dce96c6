#include "kernels/simt/runtime/seats.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "kernels/simt/runtime/block.hpp"
#include "kernels/simt/runtime/pool.hpp"
#include "kernels/simt/runtime/report.hpp"

namespace simt {

Seats::Seats(std::uint64_t blocks, unsigned permits, unsigned limit, std::function<void(Seat&)> sit)
    : blocks_(blocks),
      permits_(static_cast<unsigned>(std::min<std::uint64_t>(permits, blocks))),
      limit_(std::max(limit, permits_)),
      sit_(std::move(sit)) {}

Seat& Seats::open() {
  std::lock_guard lock(mutex_);
  Seat& first = add();
  for (unsigned i = 1; i < permits_; ++i) start();
  return first;
}

Seat& Seats::add() {
  Seat& seat = *seats_.emplace_back(std::make_unique<Seat>(*this));
  seat.permit = true;
  return seat;
}

void Seats::start() {
  on_pool_thread([this, &seat = add()] { sit_(seat); });
}

bool Seats::next(std::uint64_t& turn) {
  std::lock_guard lock(mutex_);
  if (stopped_ || next_ == blocks_) return false;
  turn = next_++;
  return true;
}

bool Seats::stall(Seat& seat) {
  std::unique_lock lock(mutex_);
  const std::uint64_t moves = total_moves();
  seat.quiet_rounds = moves == seat.moves_seen ? seat.quiet_rounds + 1 : 0;
  seat.moves_seen = moves;
  if (stopped_) return false;

  Seat* successor = nullptr;
  if (next_ < blocks_ && seats_.size() < limit_) {
    seat.permit = false;
    start();
  } else if (!waiting_.empty()) {
    successor = waiting_.front();
    waiting_.pop_front();
    seat.permit = false;
    successor->permit = true;
    successor->wake.notify_one();
  }
  if (everybody_quiet()) {
    report_deadlock(seat);
    stopped_ = true;
    for (auto& other : seats_) other->wake.notify_one();
    return false;
  }
  if (seat.permit) {  // nobody to pass it to: somebody else is running and will change memory, or this is the only block
    const bool alone = seats_.size() == 1;
    lock.unlock();
    if (!alone) std::this_thread::sleep_for(std::chrono::microseconds(20));
    return true;
  }
  waiting_.push_back(&seat);
  seat.wake.wait(lock, [&] { return seat.permit || stopped_; });
  return !stopped_;
}

void Seats::leave(Seat& seat) {
  std::lock_guard lock(mutex_);
  if (!waiting_.empty() && !stopped_) {
    waiting_.front()->permit = true;
    waiting_.front()->wake.notify_one();
    waiting_.pop_front();
  }
  moves_of_left_ += seat.moves;
  std::erase_if(seats_, [&](const auto& other) { return other.get() == &seat; });
  if (seats_.empty()) empty_.notify_all();
}

void Seats::wait() {
  std::unique_lock lock(mutex_);
  empty_.wait(lock, [&] { return seats_.empty(); });
}

void Seats::stop() {
  std::lock_guard lock(mutex_);
  stopped_ = true;
  for (auto& seat : seats_) seat->wake.notify_one();
}

std::uint64_t Seats::total_moves() const {
  std::uint64_t sum = moves_of_left_;
  for (const auto& seat : seats_) sum += seat->moves.load(std::memory_order_relaxed);
  return sum;
}

bool Seats::everybody_quiet() const {
  if (next_ < blocks_ && seats_.size() < limit_) return false;
  const std::uint64_t moves = total_moves();
  return std::ranges::all_of(seats_, [&](const auto& seat) { return seat->quiet_rounds >= kQuietRounds && seat->moves_seen == moves; });
}

void Seats::report_deadlock(const Seat& seat) const {
  std::string line = "deadlock, nobody changes what the threads wait for: ";
  unsigned shown = 0;
  for (const auto& other : seats_) {
    if (shown == 3) break;
    line += (shown++ ? "; block " : "block ") + text(other->block->lanes[0].thread.block_index) + ": " + describe_waits(*other->block);
  }
  if (seats_.size() > shown) line += "; and " + std::to_string(seats_.size() - shown) + " more resident blocks";
  if (next_ < blocks_)
    line +=
        "; " + std::to_string(blocks_ - next_) + " blocks have not started (Options::resident_blocks is " + std::to_string(limit_) + ")";
  line += "; a release store or an atomic by a thread that does not wait must set it";
  record_failure(*seat.block, nullptr, {}, line);
}

}  // namespace simt
