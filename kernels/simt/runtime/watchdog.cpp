#include "kernels/simt/runtime/watchdog.hpp"

#include <link.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <list>
#include <mutex>
#include <thread>

#include "kernels/simt/runtime/block.hpp"

namespace simt {
namespace {

struct Range {
  std::uintptr_t low = 0, high = 0;
};

// One host thread with its block, and how much processor time it had when the block last moved on.
struct Post {
  pthread_t thread;
  clockid_t clock;
  const Block* block;
  Range code;
  double patience;
  std::uint64_t moves = 0;
  double since = 0;
};

constinit thread_local std::atomic<const Post*> own_post = nullptr;

struct Guard {
  std::mutex mutex;
  std::list<Post> posts;
  bool started = false;
  pid_t owner = getpid();
};

// Never destroyed, and made afresh in a forked child, which has no watching thread.
Guard& guard() {
  static Guard* instance = new Guard;
  if (instance->owner != getpid()) instance = new Guard;
  return *instance;
}

double seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::uint64_t moves_of(const Block& block) {
  const auto count = [](const std::uint64_t& counter) { return __atomic_load_n(&counter, __ATOMIC_RELAXED); };
  return count(block.counts.switches) + count(block.counts.blocks) + count(block.counts.barriers) + count(block.counts.collectives);
}

// The executable segment that holds the kernel.
Range code_around(const void* kernel) {
  struct Search {
    std::uintptr_t address;
    Range found;
  } search{reinterpret_cast<std::uintptr_t>(kernel), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* argument) {
        auto& wanted = *static_cast<Search*>(argument);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          const std::uintptr_t low = info->dlpi_addr + header.p_vaddr, high = low + header.p_memsz;
          if (header.p_type == PT_LOAD && header.p_flags & PF_X && wanted.address >= low && wanted.address < high)
            wanted.found = {low, high};
        }
        return wanted.found.high ? 1 : 0;
      },
      &search);
  return search.found;
}

// The signal comes again at each look until it meets the kernel's own code.
void look(Post& post) {
  const double now = seconds(post.clock);
  if (const std::uint64_t moves = moves_of(*post.block); moves != post.moves) {
    post.moves = moves;
    post.since = now;
  } else if (now - post.since > post.patience) {
    pthread_kill(post.thread, kOverdueSignal);
  }
}

void patrol(Guard& watched) {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::lock_guard lock(watched.mutex);
    for (Post& post : watched.posts) look(post);
  }
}

}  // namespace

Watchdog::Watchdog(const Block& block, const void* kernel, double patience) : watching_(patience > 0) {
  if (!watching_) return;
  Post post{.thread = pthread_self(), .clock = {}, .block = &block, .code = code_around(kernel), .patience = patience};
  pthread_getcpuclockid(post.thread, &post.clock);
  post.moves = moves_of(block);
  post.since = seconds(post.clock);
  Guard& all = guard();
  std::lock_guard lock(all.mutex);
  all.posts.push_back(post);
  own_post = &all.posts.back();
  if (!std::exchange(all.started, true)) std::thread(patrol, std::ref(all)).detach();
}

Watchdog::~Watchdog() {
  if (!watching_) return;
  Guard& all = guard();
  std::lock_guard lock(all.mutex);
  const Post* own = own_post.exchange(nullptr);
  all.posts.remove_if([own](const Post& post) { return &post == own; });
}

bool is_overdue(const void* instruction) {
  const Post* post = own_post;
  const auto at = reinterpret_cast<std::uintptr_t>(instruction);
  return post && at >= post->code.low && at < post->code.high;
}

}  // namespace simt
