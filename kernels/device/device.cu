#include "kernels/launch.h"

#include "kernels/device/device.h"

#include <cstdio>
#include <cstring>
#include <mutex>

#include "kernels/common/outcome.h"

namespace assay {
namespace {

// 0 if the device does not tell: attributes are a convenience, not a condition.
int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, device) == cudaSuccess) return value;
  (void)cudaGetLastError();
  return 0;
}

#ifdef __CUDACC__
// Runs take and leave memory some hundred times a second, and cudaFree waits for the whole device each time: what has been freed stays with
// this process, up to so many bytes.
constexpr uint64_t kKept = uint64_t{1} << 28;

cudaError_t pool(cudaMemPool_t* found) {
  static cudaMemPool_t made = nullptr;
  *found = made;
  if (made) return cudaSuccess;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaError_t error = cudaGetDevice(&properties.location.id);
  if (error == cudaSuccess) error = cudaMemPoolCreate(&made, &properties);
  uint64_t kept = kKept;
  if (error == cudaSuccess) error = cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &kept);
  *found = made;
  return error;
}

// On the default stream, where all uses of the memory end before it is freed.
cudaError_t allocate(void** pointer, size_t bytes) {
  cudaMemPool_t from = nullptr;
  const cudaError_t error = pool(&from);
  return error == cudaSuccess ? cudaMallocFromPoolAsync(pointer, bytes, from, nullptr) : error;
}
cudaError_t release(void* pointer) { return cudaFreeAsync(pointer, nullptr); }

// Pinned memory through which copies go without waiting for each other: a wait takes as long as the GPU is at other processes' work. What is
// larger goes directly.
class Staging {
 public:
  cudaError_t upload(void* device, const void* host, size_t bytes) {
    const std::lock_guard lock(mutex);
    if (bytes > kBytes) return cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
    cudaError_t error = ready();
    if (error == cudaSuccess && bytes > kBytes - used) error = wait();
    if (error != cudaSuccess) return error;
    std::memcpy(memory + used, host, bytes);
    error = cudaMemcpyAsync(device, memory + used, bytes, cudaMemcpyHostToDevice, nullptr);
    used += bytes;
    return error;
  }

  cudaError_t download(const assay_copy* copies, size_t count) {
    const std::lock_guard lock(mutex);
    cudaError_t error = ready();
    if (error == cudaSuccess && used) error = wait();
    size_t first = 0;
    for (size_t i = 0; i < count && error == cudaSuccess; i++) {
      const assay_copy& c = copies[i];
      if (c.bytes > kBytes) {
        error = cudaMemcpy(c.host, c.device, c.bytes, cudaMemcpyDeviceToHost);
        continue;
      }
      if (c.bytes > kBytes - used) error = take(copies, first, i), first = i;
      if (error == cudaSuccess) error = cudaMemcpyAsync(memory + used, c.device, c.bytes, cudaMemcpyDeviceToHost, nullptr);
      used += c.bytes;
    }
    return error == cudaSuccess ? take(copies, first, count) : error;
  }

 private:
  static constexpr size_t kBytes = size_t{4} << 20;  // what waits cost more than copies: at PCIe's pace a tenth of a millisecond
  std::mutex mutex;
  char* memory = nullptr;
  size_t used = 0;  // by copies that may be under way

  cudaError_t ready() { return memory ? cudaSuccess : cudaMallocHost(&memory, kBytes); }
  cudaError_t wait() {
    used = 0;
    return cudaStreamSynchronize(nullptr);
  }
  cudaError_t take(const assay_copy* copies, size_t first, size_t end) {
    const cudaError_t error = wait();
    size_t at = 0;
    for (size_t i = first; i < end && error == cudaSuccess; i++)
      if (copies[i].bytes <= kBytes) std::memcpy(copies[i].host, memory + at, copies[i].bytes), at += copies[i].bytes;
    return error;
  }
};

Staging& staging() {
  static Staging one;
  return one;
}
cudaError_t upload(void* device, const void* host, size_t bytes) { return staging().upload(device, host, bytes); }
cudaError_t download(const assay_copy* copies, size_t count) { return staging().download(copies, count); }
#else
cudaError_t upload(void* device, const void* host, size_t bytes) { return cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice); }
cudaError_t download(const assay_copy* copies, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (copies[i].bytes)
      if (const cudaError_t error = cudaMemcpy(copies[i].host, copies[i].device, copies[i].bytes, cudaMemcpyDeviceToHost)) return error;
  return cudaSuccess;
}
cudaError_t allocate(void** pointer, size_t bytes) { return cudaMalloc(pointer, bytes); }
cudaError_t release(void* pointer) { return cudaFree(pointer); }
#endif

}  // namespace
}  // namespace assay

const char* device_query(assay_device* out) {
  using assay::outcome;
  int count = 0;
  if (const char* why = outcome("no CUDA device", cudaGetDeviceCount(&count))) return why;
  if (count == 0) return outcome("no CUDA device", cudaErrorNoDevice);

  int device = 0;
  assay_device found{};
  cudaDeviceProp properties{};
  if (const char* why = outcome("current device", cudaGetDevice(&device))) return why;
  if (const char* why = outcome("device properties", cudaGetDeviceProperties(&properties, device))) return why;
  if (const char* why = outcome("driver version", cudaDriverGetVersion(&found.driver_version))) return why;
  if (const char* why = outcome("runtime version", cudaRuntimeGetVersion(&found.runtime_version))) return why;

  std::snprintf(found.name, sizeof found.name, "%s", properties.name);
  found.compute_major = properties.major;
  found.compute_minor = properties.minor;
  found.multiprocessors = properties.multiProcessorCount;
  found.global_memory_bytes = properties.totalGlobalMem;
  found.memory_clock_khz = assay::attribute(cudaDevAttrMemoryClockRate, device);
  found.memory_bus_bits = assay::attribute(cudaDevAttrGlobalMemoryBusWidth, device);
  *out = found;
  return nullptr;
}

const char* device_allocate(size_t bytes, void** pointer) {
  *pointer = nullptr;
  if (bytes == 0) return nullptr;
  char action[64];
  std::snprintf(action, sizeof action, "allocating %zu bytes", bytes);
  return assay::outcome(action, assay::allocate(pointer, bytes));
}

const char* device_free(void* pointer) { return pointer == nullptr ? nullptr : assay::outcome("freeing", assay::release(pointer)); }

const char* device_queue_upload(void* device, const void* host, size_t bytes) {
  return bytes == 0 ? nullptr : assay::outcome("uploading", assay::upload(device, host, bytes));
}

const char* device_upload(void* device, const void* host, size_t bytes) {
  const char* why = device_queue_upload(device, host, bytes);
  return why ? why : device_synchronize();
}

const char* device_download(const assay_copy* copies, size_t count) {
  return assay::outcome("downloading", assay::download(copies, count));
}

const char* device_fill(void* device, int byte, size_t bytes) {
  if (bytes == 0) return nullptr;
  if (const char* why = assay::outcome("filling", cudaMemset(device, byte, bytes))) return why;
  return device_synchronize();  // a fill of device memory is asynchronous
}

const char* device_synchronize() { return assay::outcome("synchronising", cudaDeviceSynchronize()); }

const char* device_error_text(cudaError_t error) { return assay::describe("", error); }

const char* device_toolkit() {
  static char text[128];
  static const bool written = [] {
    int length = std::snprintf(text, sizeof text, "CUDA %d.%d", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
#ifdef __CUDACC__
    length += std::snprintf(text + length, sizeof text - length, ", nvcc %d.%d.%d", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__,
                            __CUDACC_VER_BUILD__);
    constexpr int architectures[] = {__CUDA_ARCH_LIST__};
    for (int architecture : architectures) length += std::snprintf(text + length, sizeof text - length, ", sm_%d", architecture / 10);
    std::snprintf(text + length, sizeof text - length, ", %s", ASSAY_ARITHMETIC_FLAGS);
#else
    std::snprintf(text + length, sizeof text - length, " headers, emulated, host compiler %s", __VERSION__);
#endif
    return true;
  }();
  (void)written;
  return text;
}
