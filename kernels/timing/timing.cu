#include "kernels/launch.h"

#include "kernels/timing/timing.h"

#include <chrono>
#include <new>

#include "kernels/common/outcome.h"
#ifdef __CUDACC__
#include "kernels/timing/clocks.h"
#endif

namespace assay {
namespace {

constexpr int kCopyThreads = 256, kCopyLoads = 4;  // 16-byte loads in flight of a thread

__global__ void do_nothing() {}

__global__ void copy_words(uint4* to, const uint4* from, int64_t count) {
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kCopyThreads * kCopyLoads + threadIdx.x;
  uint4 words[kCopyLoads];
#pragma unroll
  for (int i = 0; i < kCopyLoads; i++)
    if (first + i * kCopyThreads < count) words[i] = from[first + i * kCopyThreads];
#pragma unroll
  for (int i = 0; i < kCopyLoads; i++)
    if (first + i * kCopyThreads < count) to[first + i * kCopyThreads] = words[i];
}

#ifdef __CUDACC__
// Reads all of `words`, which are zeros: what they displace from the L2 cache is written back here and now.
__global__ void read_words(uint4* words, int64_t count) {
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kCopyThreads * kCopyLoads + threadIdx.x;
  unsigned any = 0;
#pragma unroll
  for (int i = 0; i < kCopyLoads; i++)
    if (first + i * kCopyThreads < count) any |= words[first + i * kCopyThreads].x;
  if (any) words[first] = make_uint4(0, 0, 0, 0);  // never: the compiler must not drop the loads
}

cudaError_t flush(void* memory, size_t bytes) {
  const auto count = static_cast<int64_t>(bytes / sizeof(uint4));
  constexpr int kWords = kCopyThreads * kCopyLoads;
  return launch(read_words, static_cast<unsigned>((count + kWords - 1) / kWords), kCopyThreads, 0, nullptr, static_cast<uint4*>(memory), count);
}

// Host memory that the device reads: it holds its queue until `open` is the ticket of the measurement.
struct Gate {
  volatile unsigned open;
  volatile unsigned expired;  // the ticket whose patience ended
};

constexpr long long kPatience = 4'000'000;  // cycles, 2 ms at 2 GHz: 1024 queued launches at 2 us each, the most a device's queue holds

__global__ void hold(Gate* gate, unsigned ticket) {
  const long long start = clock64();
  while (gate->open != ticket) {
    if (clock64() - start > kPatience) {
      gate->expired = ticket;
      return;
    }
    __nanosleep(100);
  }
}
#endif

}  // namespace
}  // namespace assay

#ifdef __CUDACC__
struct assay_timing {
  void* flush = nullptr;
  size_t flush_bytes = 0;
  unsigned ticket = 0;
  assay::Gate* gate = nullptr;
  cudaEvent_t first = nullptr, last = nullptr;
};

const char* timing_open(void* flush, size_t flush_bytes, assay_timing** timing) {
  using assay::outcome;
  auto* opened = new assay_timing{.flush = flush, .flush_bytes = flush_bytes};
  *timing = nullptr;
  void* gate = nullptr;
  const char* why = outcome("host memory that the device reads", cudaHostAlloc(&gate, sizeof(assay::Gate), cudaHostAllocMapped));
  if (!why) opened->gate = new (gate) assay::Gate{};
  if (!why && flush_bytes) why = outcome("clearing what flushes", cudaMemset(flush, 0, flush_bytes));
  if (!why) why = outcome("an event", cudaEventCreate(&opened->first));
  if (!why) why = outcome("an event", cudaEventCreate(&opened->last));
  if (why)
    timing_close(opened);
  else
    *timing = opened;
  return why;
}

void timing_close(assay_timing* timing) {
  if (!timing) return;
  if (timing->last) cudaEventDestroy(timing->last);
  if (timing->first) cudaEventDestroy(timing->first);
  if (timing->gate) cudaFreeHost(timing->gate);
  delete timing;
}

const char* timing_begin(assay_timing* timing) {
  using assay::outcome;
  timing->ticket++;
  if (timing->flush_bytes)
    if (const char* why = outcome("flushing", assay::flush(timing->flush, timing->flush_bytes))) return why;
  if (const char* why = outcome("holding the device", assay::launch(assay::hold, 1, 1, 0, nullptr, timing->gate, timing->ticket)))
    return why;
  return outcome("recording an event", cudaEventRecord(timing->first));
}

const char* timing_end(assay_timing* timing, double* seconds, int* queued) {
  using assay::outcome;
  const char* why = outcome("recording an event", cudaEventRecord(timing->last));
  *queued = timing->gate->expired != timing->ticket;
  timing->gate->open = timing->ticket;
  if (!why) why = outcome("waiting for the work", cudaEventSynchronize(timing->last));
  float milliseconds = 0;
  if (!why) why = outcome("reading the time", cudaEventElapsedTime(&milliseconds, timing->first, timing->last));
  *seconds = double(milliseconds) * 1e-3;
  return why;
}
#else
struct assay_timing {
  std::chrono::steady_clock::time_point start;
};

const char* timing_open(void*, size_t, assay_timing** timing) { return *timing = new assay_timing, nullptr; }
void timing_close(assay_timing* timing) { delete timing; }
const char* timing_begin(assay_timing* timing) { return timing->start = std::chrono::steady_clock::now(), nullptr; }

const char* timing_end(assay_timing* timing, double* seconds, int* queued) {
  *seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - timing->start).count();
  *queued = 1;
  return assay::outcome("waiting for the work", cudaDeviceSynchronize());
}
#endif

const char* timing_launch_nothing() { return assay::outcome("launching nothing", assay::launch(assay::do_nothing, 1, 1, 0, nullptr)); }

const char* timing_copy(void* to, const void* from, size_t bytes, int by_kernel) {
  if (bytes == 0) return nullptr;
  if (!by_kernel) return assay::outcome("copying", cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, nullptr));
  const auto count = static_cast<int64_t>(bytes / sizeof(uint4));
  const auto blocks =
      static_cast<unsigned>((count + assay::kCopyThreads * assay::kCopyLoads - 1) / (assay::kCopyThreads * assay::kCopyLoads));
  return assay::outcome("copying", assay::launch(assay::copy_words, blocks, assay::kCopyThreads, 0, nullptr, static_cast<uint4*>(to),
                                                 static_cast<const uint4*>(from), count));
}

const char* timing_card(assay_timing_card* card) {
  int device = 0, l2_bytes = 0;
  if (const char* why = assay::outcome("current device", cudaGetDevice(&device))) return why;
  if (const char* why = assay::outcome("size of the L2 cache", cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device)))
    return why;
  *card = {};
  card->l2_bytes = static_cast<uint64_t>(l2_bytes);
#ifdef __CUDACC__
  assay::Management().read(device, *card);
#endif
  return nullptr;
}
