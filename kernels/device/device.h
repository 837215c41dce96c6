// Device memory and the description of the device: the only place that allocates, copies or frees it. The same source serves the GPU (the
// CUDA runtime) and the emulator (which supplies the runtime's functions over host memory).
//
// Functions that return const char*: null means done, otherwise one line that says what failed; the text is the calling thread's and stays
// valid until its next call of one of these functions. Everything here but device_queue_upload is synchronous: work launched before on any
// blocking stream is finished when a copy, a fill or device_synchronize returns.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "kernels/export.h"

struct assay_device {
  char name[256];
  int compute_major;  // compute capability, 9 and 0 for sm_90
  int compute_minor;
  int multiprocessors;
  int driver_version;   // 1000 * major + 10 * minor: the newest CUDA the driver supports
  int runtime_version;  // the same, of the runtime this image is linked with
  int memory_clock_khz;  // 0 if the device does not tell
  int memory_bus_bits;   // 0 if the device does not tell
  uint64_t global_memory_bytes;
};

// Describes the current device. Otherwise why there is none (no driver, no device, ...); `out` is then untouched.
ASSAY_EXPORT const char* device_query(assay_device* out);

// *pointer: `bytes` (>= 0) of device memory, aligned to 256 bytes at least, contents unspecified. 0 bytes give null.
ASSAY_EXPORT const char* device_allocate(size_t bytes, void** pointer);

// `pointer` from device_allocate, or null.
ASSAY_EXPORT const char* device_free(void* pointer);

// Copies `bytes` from host to device. 0 bytes touch no pointer.
ASSAY_EXPORT const char* device_upload(void* device, const void* host, size_t bytes);
// The same, in place for work that is launched on the default stream after it, and for all other work after device_synchronize. The host's
// memory is free when it returns.
ASSAY_EXPORT const char* device_queue_upload(void* device, const void* host, size_t bytes);

struct assay_copy {
  void* host;
  const void* device;
  size_t bytes;
};
// Copies from device to host, all of them with one wait for the device.
ASSAY_EXPORT const char* device_download(const assay_copy* copies, size_t count);

// Sets `bytes` bytes to `byte` (0 to 255).
ASSAY_EXPORT const char* device_fill(void* device, int byte, size_t bytes);

// Waits for all work; reports what a kernel did wrong since the last call.
ASSAY_EXPORT const char* device_synchronize();

// "cudaErrorInvalidValue: invalid argument"; never null.
ASSAY_EXPORT const char* device_error_text(cudaError_t error);

// What this image was compiled with, e.g. "CUDA 13.0, nvcc 13.0.88, sm_90, -fmad=false"; constant for the life of the image.
ASSAY_EXPORT const char* device_toolkit();
