// Where the blocks of one launch sit: how many run at the same time, how many more wait for each other, and whether anybody still moves.
//
// A seat is a host thread with its block. `permits` seats run; a seat whose lanes all wait for memory passes its permit on, to a block
// that has not started yet or to the seat that has waited longest. With one permit the order is fixed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace simt {

struct Block;
class Seats;

struct Seat {
  explicit Seat(Seats& launch) : seats(launch) {}

  Seats& seats;
  std::atomic<std::uint64_t> moves = 0;  // things this seat did that another may have waited for; written by its own thread alone
  std::uint64_t quiet_rounds = 0;        // how often all its lanes looked at memory in vain since anybody moved
  std::uint64_t moves_seen = 0;
  bool permit = false;
  std::condition_variable wake;
  Block* block = nullptr;  // the one it runs

  void moved() { moves.store(moves.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
};

class Seats {
 public:
  // `sit(seat)` runs on another host thread: it takes blocks and runs them until next() has none, then calls leave().
  Seats(std::uint64_t blocks, unsigned permits, unsigned limit, std::function<void(Seat&)> sit);

  // Opens the first seats; the caller has the first one. The others are started on threads of the pool.
  Seat& open();
  // The number of a block that nobody runs yet, into `turn`.
  bool next(std::uint64_t& turn);
  // The seat's lanes all wait for memory. Returns when it may look again; false: the launch has failed, abandon the block.
  bool stall(Seat& seat);
  // The seat has no more blocks. It is gone when this returns.
  void leave(Seat& seat);
  // Waits until every seat has left.
  void wait();
  // A failure: no further block starts, waiting ones are abandoned.
  void stop();
  bool stopped() const { return stopped_; }

 private:
  Seat& add();
  void start();
  std::uint64_t total_moves() const;
  bool everybody_quiet() const;
  void report_deadlock(const Seat& seat) const;

  // Rounds in which every resident block looked at everything it waits for and found no change. Loops that give up after so many tries
  // are the only ones that need more than one.
  static constexpr std::uint64_t kQuietRounds = 1000;

  std::mutex mutex_;
  std::condition_variable empty_;
  std::uint64_t blocks_, next_ = 0;
  unsigned permits_, limit_;
  std::atomic<bool> stopped_ = false;
  std::function<void(Seat&)> sit_;
  std::vector<std::unique_ptr<Seat>> seats_;  // those that have not left
  std::uint64_t moves_of_left_ = 0;
  std::deque<Seat*> waiting_;
};

}  // namespace simt
