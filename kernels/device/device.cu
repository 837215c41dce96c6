#include "kernels/launch.h"

#include "kernels/device/device.h"

#include <cstdio>

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
  return assay::outcome(action, cudaMalloc(pointer, bytes));
}

const char* device_free(void* pointer) { return pointer == nullptr ? nullptr : assay::outcome("freeing", cudaFree(pointer)); }

const char* device_upload(void* device, const void* host, size_t bytes) {
  if (bytes == 0) return nullptr;
  if (const char* why = assay::outcome("uploading", cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice))) return why;
  return device_synchronize();  // a copy from pageable memory may return before its data has reached the device
}

const char* device_download(void* host, const void* device, size_t bytes) {
  if (bytes == 0) return nullptr;
  return assay::outcome("downloading", cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
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
