// The control panel of the emulator for the program that holds it: how launches run, and what the last one had to say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simt {

struct Options {
  int workers = 0;                  // host threads that run blocks at the same time; 0: one for each core
  std::uint64_t schedule_seed = 0;  // 0: lanes, warps and blocks in order; else their order is drawn from this seed
  std::uint64_t sample_blocks = 0;  // a launch runs at most so many of its blocks; 0: all
  std::uint64_t sample_seed = 0;    // which ones, but for the first and the last
  int resident_blocks = 0;          // blocks of a launch that may wait for each other; 0: one for each multiprocessor
  double patience = 60;             // seconds of processor time for which one thread may run without meeting others; 0: for ever
  int multiprocessors = 132;        // what cudaDeviceGetAttribute answers; an H200 has 132
};

// What configure() set last.
const Options& options();

// Sums since configure().
struct Stats {
  std::uint64_t launches = 0;
  std::uint64_t blocks = 0;  // that ran
  std::uint64_t threads = 0;
  std::uint64_t switches = 0;     // lane resumptions
  std::uint64_t collectives = 0;  // arrivals of lanes
  std::uint64_t barriers = 0;
};

// From now on launches follow `options`. Counts launches from 0 again, clears the last report, the statistics
// and the library functions called.
// Not while a launch runs.
void configure(const Options& options);

// One line about the last launch that failed: kernel, block, thread, place, what is wrong and what would be right. Empty if none did.
const std::string& last_report();

Stats stats();

// The toolkit's library functions that kernels have called since configure(), such as {"expf", "tanhf"}. The emulator evaluates them within
// their documented errors, not with the card's bits: if there are any, the outputs support no claim about bits.
std::vector<std::string> library_functions_called();

// Whether the launch with this number since configure() runs this block of `blocks`. Depends on nothing but its arguments.
// The first and the last block always run (the first alone if sample_blocks is 1); the others are one from each stretch of equal length.
bool runs_block(const Options& options, std::uint64_t launch, std::uint64_t block, std::uint64_t blocks);

}  // namespace simt
