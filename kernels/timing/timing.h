// How long work on the default stream takes. On the GPU between two CUDA events, with the L2 cache flushed before and the device held until
// all of the work is queued, so that neither a warm cache nor the host's launching is in the time; on the emulator, where everything has
// finished when a call returns, the host's clock.
//
// Functions that return const char*: null means done, otherwise one line that says what failed; the text is the calling thread's and stays
// valid until its next call of one of these functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/export.h"

struct assay_timing;

// `flush`: device memory of `flush_bytes` (a multiple of 16), more than the L2 cache holds, set to zero now and read before every measurement;
// with 0 bytes nothing is flushed. Reading leaves clean lines: dirty ones, as a flush by writing leaves them, are written back while the
// work under measurement runs, which took 1.7 us of a 60 MB read on an H200. It stays the caller's, and must live until timing_close.
ASSAY_EXPORT const char* timing_open(void* flush, size_t flush_bytes, assay_timing** timing);
ASSAY_EXPORT void timing_close(assay_timing* timing);

// What is launched on the default stream between the two is measured; timing_end waits for it.
ASSAY_EXPORT const char* timing_begin(assay_timing* timing);
// *seconds: the time; its resolution is the events', about half a microsecond. *queued: 1, or 0 where the device began before all of the
// work was queued (more launches than the device's queue holds, or work that waits for the device): the host's part is then in the time.
ASSAY_EXPORT const char* timing_end(assay_timing* timing, double* seconds, int* queued);

// Queues a kernel of one thread that does nothing: what a launch itself takes.
ASSAY_EXPORT const char* timing_launch_nothing();

// Queues a copy of `bytes` (a multiple of 16) within device memory, both ends aligned to 16 bytes: by a kernel, or by cudaMemcpyAsync.
ASSAY_EXPORT const char* timing_copy(void* to, const void* from, size_t bytes, int by_kernel);

struct assay_timing_card {
  uint64_t l2_bytes;
  char driver[80];     // "580.159.04"; empty where nothing tells
  int sm_mhz;          // at this moment; 0 where nothing tells
  int sm_highest_mhz;  // the card's limit
  int memory_mhz;      // at this moment
};

// What the card is doing. The clocks come from the driver's management library, if there is one.
ASSAY_EXPORT const char* timing_card(assay_timing_card* card);
