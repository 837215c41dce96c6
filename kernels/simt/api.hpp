// What emulated device code may ask of the runtime, which lives in the program and serves every image.
//
// Plain declarations with default visibility and no inline body: a body here would exist in the program and in each image.
// All functions but run() are called by emulated threads only.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)
namespace simt {

// One emulated CUDA thread, as its own code sees it.
struct Thread {
  uint3 thread_index;
  uint3 block_index;
  dim3 block_dim;
  dim3 grid_dim;
  unsigned lane;  // within the warp
  unsigned warp;  // within the block
  unsigned rank;  // within the block
};

// The running thread; null outside kernels. initial-exec: one load, from images too, because the variable lives in the program.
#ifdef __SANITIZE_THREAD__
// For code of checked images it never changes, which spares the checker the look at each use.
extern __thread const Thread* const current __attribute__((tls_model("initial-exec")));
#else
extern __thread const Thread* current __attribute__((tls_model("initial-exec")));
#endif

// A place in a source file, for reports and for "is this the same barrier?".
struct Site {
  const char* file;
  int line;
};

enum class Collective : std::uint8_t {
  sync_warp,
  shuffle,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  ballot,
  all,
  any,
  reduce_add,
  reduce_min,
  reduce_max,
  reduce_and,
  reduce_or,
  reduce_xor,
  match_any,
  match_all,
  mma_sync,
  load_matrices,
  wgmma_fence,
  wgmma_multiply,
  wgmma_commit,
  wgmma_wait
};

// What the lanes of a warp gave to a collective: slots[i] is valid for the lanes i that took part, until this lane's next collective.
struct Exchange {
  const std::uint64_t* slots;
  std::uint64_t lanes;
};

struct Votes {
  int yes;
  int voters;
};

void barrier(Site site);
Votes barrier_votes(bool yes, Site site);
Exchange exchange(Collective kind, unsigned mask, std::uint64_t value, Site site);
unsigned active_mask();
void* dynamic_shared();

// Ends the launch with a report; `text` says what is wrong and what would be right.
[[noreturn]] void fail(Site site, const char* text);
[[noreturn]] void fail_shuffle(Site site, int source, unsigned mask, unsigned lanes);

// A thread that reads the same value again and again waits: these yield to the other threads and blocks of the launch.
std::uint32_t load_acquire(const std::uint32_t* address, Site site);
void store_release(std::uint32_t* address, std::uint32_t value);
void nap(Site site);
// An atomic operation on `address` left `value` as it was (a spin lock's failed try), or changed memory.
void atomic_changed_nothing(const void* address, std::uint64_t value, Site site);
void atomic_changed_memory();

// cp.async: a copy lands at the wait for its group, not before. Fills 16 bytes: `bytes` from global memory, then zeros.
void start_copy16(void* shared, const void* global, int bytes, Site site);
void commit_copies();
void wait_copies(int groups_left);

struct Launch {
  void (*call)(void* arguments);  // runs the kernel body for the current thread
  void* arguments;
  const void* kernel;
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared;
  Site site;
  cudaStream_t stream = nullptr;
  void* (*keep)(const void* arguments) = nullptr;  // a copy of the arguments that outlives the call, for a stream that does it later
  void (*drop)(void* arguments) = nullptr;         // ends such a copy
  const void* (*shared_anchor)() = nullptr;  // of a checked image: the address of one of its thread_locals, in the calling host thread
};

// Runs a whole grid, or queues it on a stream that is not the default one. cudaSuccess, cudaErrorLaunchFailure, or cudaErrorInvalidConfiguration/InvalidValue for a limit of the card;
// last_report() says what happened.
cudaError_t run(const Launch& launch);

}  // namespace simt
#pragma GCC visibility pop
