// The part of the CUDA runtime that kernels, launchers and harnesses use, over the emulated device. Work on the default stream has finished
// when a call returns, and work on others when they are waited for (streams.hpp). Events are accepted and order nothing: waiting for one
// waits for everything.
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/simt/api.hpp"
#include "kernels/simt/runtime/errors.hpp"
#include "kernels/simt/runtime/limits.hpp"
#include "kernels/simt/runtime/memory.hpp"
#include "kernels/simt/runtime/streams.hpp"
#include "kernels/simt/runtime/symbol.hpp"
#include "kernels/simt/session.hpp"

namespace simt {
namespace {

constexpr int kCudaVersion = 13000;
constexpr std::size_t kDeviceBytes = std::size_t{141} << 30;  // an H200

// What the calls of this host thread answered last, and a failed launch that no synchronising call has reported yet.
thread_local cudaError_t last_error = cudaSuccess;
std::atomic<cudaError_t> failed_launch = cudaSuccess;

cudaError_t answer(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

// A failure that launches which have ended left behind.
cudaError_t report_failure() { return answer(failed_launch.exchange(cudaSuccess)); }

cudaError_t synchronise() {
  if (const cudaError_t refused = refuse_while_capturing(); refused != cudaSuccess) return answer(refused);
  finish_all();
  return report_failure();
}

// What the default stream does for itself first: waits for blocking streams.
cudaError_t synchronise_default() {
  if (const cudaError_t refused = refuse_while_capturing(); refused != cudaSuccess) return answer(refused);
  finish_blocking();
  return report_failure();
}

bool are_valid(const void* to, const void* from, std::size_t bytes) {
  return bytes == 0 || (to && from && fits(to, bytes) && fits(from, bytes));
}

cudaError_t copy(void* to, const void* from, std::size_t bytes) {
  if (const cudaError_t error = synchronise_default(); error != cudaSuccess) return error;
  if (!are_valid(to, from, bytes)) return answer(cudaErrorInvalidValue);
  if (bytes) std::memmove(to, from, bytes);
  return cudaSuccess;
}

// From memory that the host may page out a copy is taken now, and a copy to such memory has ended when the call returns; in a graph both
// ends are read and written at each launch.
cudaError_t copy_queued(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (is_default(stream)) return copy(to, from, bytes);
  if (!are_valid(to, from, bytes)) return answer(cudaErrorInvalidValue);
  if (bytes == 0) return cudaSuccess;
  const auto* first = static_cast<const char*>(from);
  const bool captured = is_captured(stream), take_now = !captured && !is_allocated(from), wait = !captured && !is_allocated(to);
  std::vector<char> taken(first, first + (take_now ? bytes : 0));
  const cudaError_t queued = enqueue(stream, [=, taken = std::move(taken)] {
    return std::memmove(to, taken.empty() ? from : taken.data(), bytes), cudaSuccess;
  });
  if (queued != cudaSuccess || !wait) return answer(queued);
  return cudaStreamSynchronize(stream);
}

cudaError_t fill(void* to, int value, std::size_t bytes) {
  if (const cudaError_t error = synchronise_default(); error != cudaSuccess) return error;
  if (!are_valid(to, to, bytes)) return answer(cudaErrorInvalidValue);
  if (bytes) std::memset(to, value, bytes);
  return cudaSuccess;
}

cudaError_t fill_queued(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  if (is_default(stream)) return fill(to, value, bytes);
  if (!are_valid(to, to, bytes)) return answer(cudaErrorInvalidValue);
  if (bytes == 0) return cudaSuccess;
  return answer(enqueue(stream, [=] { return std::memset(to, value, bytes), cudaSuccess; }));
}

cudaError_t allocate_into(void** pointer, std::size_t bytes) {
  if (!pointer) return answer(cudaErrorInvalidValue);
  if (const cudaError_t refused = refuse_while_capturing(); refused != cudaSuccess) return answer(refused);
  *pointer = bytes ? allocate(bytes) : nullptr;
  return bytes && !*pointer ? answer(cudaErrorMemoryAllocation) : cudaSuccess;
}

// Waits for all work first, as cudaFree does.
cudaError_t free_now(void* pointer) {
  if (!pointer) return cudaSuccess;
  if (const cudaError_t refused = refuse_while_capturing(); refused != cudaSuccess) return answer(refused);
  finish_all();
  return release(pointer) ? cudaSuccess : answer(cudaErrorInvalidValue);
}

cudaError_t check_device(int device) { return device == 0 ? cudaSuccess : answer(cudaErrorInvalidDevice); }

// A handle that is no null pointer; nothing hides behind it.
template <class Handle>
cudaError_t make_handle(Handle* handle) {
  *handle = reinterpret_cast<Handle>(std::uintptr_t{16});
  return cudaSuccess;
}

bool attribute(cudaDeviceAttr which, int& value) {
  switch (which) {
    case cudaDevAttrMultiProcessorCount: return value = options().multiprocessors, true;
    case cudaDevAttrComputeCapabilityMajor: return value = 9, true;
    case cudaDevAttrComputeCapabilityMinor: return value = 0, true;
    case cudaDevAttrWarpSize: return value = 32, true;
    case cudaDevAttrMaxThreadsPerBlock: return value = 1024, true;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return value = kMaxThreadsPerMultiprocessor, true;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return value = kMaxBlocksPerMultiprocessor, true;
    case cudaDevAttrMaxSharedMemoryPerBlock: return value = kDefaultSharedBytes, true;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return value = kMaxSharedBytes, true;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return value = kSharedBytesPerMultiprocessor, true;
    case cudaDevAttrReservedSharedMemoryPerBlock: return value = kReservedSharedBytesPerBlock, true;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor: return value = 65536, true;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY: return value = 1024, true;
    case cudaDevAttrMaxBlockDimZ: return value = 64, true;
    case cudaDevAttrMaxGridDimX: return value = 2147483647, true;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ: return value = 65535, true;
    case cudaDevAttrL2CacheSize: return value = 50 << 20, true;
    case cudaDevAttrCooperativeLaunch: return value = 0, true;
    default: return false;
  }
}

}  // namespace

void note_launch(cudaError_t error) { failed_launch = error == cudaErrorLaunchFailure ? error : cudaSuccess; }

}  // namespace simt

using namespace simt;

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) { return allocate_into(pointer, bytes); }
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t) { return allocate_into(pointer, bytes); }
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned) { return allocate_into(pointer, bytes); }
cudaError_t cudaMallocHost(void** pointer, size_t bytes) { return allocate_into(pointer, bytes); }
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) { return allocate_into(pointer, bytes); }
cudaError_t cudaFree(void* pointer) { return free_now(pointer); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return free_now(pointer); }
cudaError_t cudaFreeHost(void* pointer) { return cudaFree(pointer); }

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) { return copy(to, from, bytes); }
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) { return copy_queued(to, from, bytes, stream); }
cudaError_t cudaMemset(void* to, int value, size_t bytes) { return fill(to, value, bytes); }
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) { return fill_queued(to, value, bytes, stream); }

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind) {
  return copy(static_cast<char*>(const_cast<void*>(symbol)) + offset, from, bytes);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind) {
  return copy(to, static_cast<const char*>(symbol) + offset, bytes);
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *free = *total = kDeviceBytes;
  return cudaSuccess;
}

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last_error; }

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorLaunchFailure: return "cudaErrorLaunchFailure";
    case cudaErrorNotSupported: return "cudaErrorNotSupported";
    case cudaErrorInvalidResourceHandle: return "cudaErrorInvalidResourceHandle";
    case cudaErrorIllegalState: return "cudaErrorIllegalState";
    case cudaErrorStreamCaptureUnsupported: return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorStreamCaptureInvalidated: return "cudaErrorStreamCaptureInvalidated";
    case cudaErrorStreamCaptureImplicit: return "cudaErrorStreamCaptureImplicit";
    default: return "unrecognized error code";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidConfiguration:
    case cudaErrorLaunchFailure: return last_report().c_str();
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidDevice: return "invalid device ordinal: the emulator has device 0";
    case cudaErrorNotSupported: return "not supported by the emulator";
    case cudaErrorInvalidResourceHandle: return "invalid resource handle";
    case cudaErrorIllegalState: return "the operation cannot be performed in the present state";
    case cudaErrorStreamCaptureUnsupported: return "operation not permitted when stream is capturing";
    case cudaErrorStreamCaptureInvalidated: return "operation failed due to a previous error during capture";
    case cudaErrorStreamCaptureImplicit: return "operation would make the legacy stream depend on a capturing blocking stream";
    default: return "unrecognized error code";
  }
}

cudaError_t cudaDeviceSynchronize() { return synchronise(); }
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return open_stream(stream, true); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) { return open_stream(stream, flags != cudaStreamNonBlocking); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return answer(close_stream(stream)); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (is_default(stream)) return synchronise_default();
  const cudaError_t error = answer(finish(stream));
  return error == cudaSuccess ? report_failure() : error;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) { return answer(begin_capture(stream)); }
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) { return answer(end_capture(stream, graph)); }
cudaError_t cudaEventCreate(cudaEvent_t* event) { return make_handle(event); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return make_handle(event); }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return synchronise(); }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
// An emulator's time says nothing about the card's.
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t) { return answer(cudaErrorNotSupported); }

cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
cudaError_t cudaSetDevice(int device) { return check_device(device); }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = kCudaVersion, cudaSuccess; }
cudaError_t cudaDriverGetVersion(int* version) { return *version = kCudaVersion, cudaSuccess; }

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  return attribute(which, *value) ? cudaSuccess : answer(cudaErrorNotSupported);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  *properties = {};
  std::strcpy(properties->name, "SIMT emulator (sm_90)");
  properties->major = 9;
  properties->warpSize = 32;
  properties->totalGlobalMem = kDeviceBytes;
  properties->multiProcessorCount = options().multiprocessors;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsPerMultiProcessor = kMaxThreadsPerMultiprocessor;
  properties->maxBlocksPerMultiProcessor = kMaxBlocksPerMultiprocessor;
  properties->sharedMemPerBlock = kDefaultSharedBytes;
  properties->sharedMemPerBlockOptin = kMaxSharedBytes;
  properties->sharedMemPerMultiprocessor = kSharedBytesPerMultiprocessor;
  properties->reservedSharedMemPerBlock = kReservedSharedBytesPerBlock;
  properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
  properties->l2CacheSize = 50 << 20;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute which, int value) {
  if (which != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;  // the others are hints
  return value >= 0 && allow_dynamic_shared(kernel, static_cast<std::size_t>(value)) ? cudaSuccess : answer(cudaErrorInvalidValue);
}

// By threads and shared memory; registers are not known here.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int threads, size_t dynamic_shared) {
  if (threads <= 0 || threads > 1024) return answer(cudaErrorInvalidValue);
  const unsigned by_threads = kMaxThreadsPerMultiprocessor / ((static_cast<unsigned>(threads) + 31) / 32 * 32);
  const std::size_t shared = static_shared_bytes(kernel) + dynamic_shared + kReservedSharedBytesPerBlock;
  const auto by_shared = static_cast<unsigned>(kSharedBytesPerMultiprocessor / shared);
  *blocks = static_cast<int>(std::min({kMaxBlocksPerMultiprocessor, by_threads, by_shared}));
  return cudaSuccess;
}

}  // extern "C"
