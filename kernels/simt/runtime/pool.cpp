#include "kernels/simt/runtime/pool.hpp"

#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace simt {
namespace {

struct Pool {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::function<void()>> tasks;
  unsigned idle = 0;
  unsigned kept = 0;
  pid_t owner = getpid();
};

// Never destroyed: threads may outlive main's static objects. A forked child has none of its parent's threads and starts afresh.
Pool& pool() {
  static Pool* instance = new Pool;
  if (instance->owner != getpid()) instance = new Pool;
  return *instance;
}

void serve(Pool& pool) {
  std::unique_lock lock(pool.mutex);
  while (!pool.tasks.empty() || pool.idle < pool.kept) {
    ++pool.idle;
    pool.wake.wait(lock, [&] { return !pool.tasks.empty() || pool.idle > pool.kept; });
    --pool.idle;
    if (pool.tasks.empty()) return;
    auto task = std::move(pool.tasks.front());
    pool.tasks.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
}

}  // namespace

void on_pool_thread(std::function<void()> task) {
  Pool& threads = pool();
  std::lock_guard lock(threads.mutex);
  threads.tasks.push_back(std::move(task));
  if (threads.idle < threads.tasks.size()) std::thread([&threads] { serve(threads); }).detach();
  threads.wake.notify_one();
}

void keep_pool_threads(unsigned kept) {
  Pool& threads = pool();
  std::lock_guard lock(threads.mutex);
  threads.kept = kept;
  threads.wake.notify_all();
}

}  // namespace simt
