// Clocks and driver as the management library tells them (libnvidia-ml, which comes with the driver and is looked for at run time).
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>

#include "kernels/timing/timing.h"

namespace assay {

// The library's C interface, NVML API reference: nvmlReturn_t is 0 for success, nvmlClockType_t 1 the SMs', 2 the memory's.
class Management {
 public:
  Management() : library(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) { usable = call<int()>("nvmlInit_v2") == 0; }
  ~Management() {
    if (usable) call<int()>("nvmlShutdown");
    if (library) dlclose(library);
  }
  Management(const Management&) = delete;

  // Leaves what nothing tells as it is.
  void read(int device, assay_timing_card& card) {
    char bus[32] = {};
    void* handle = nullptr;
    if (!usable || cudaDeviceGetPCIBusId(bus, sizeof bus, device) != cudaSuccess) return;
    call<int(char*, unsigned)>("nvmlSystemGetDriverVersion", card.driver, unsigned(sizeof card.driver));
    if (call<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2", static_cast<const char*>(bus), &handle) != 0) return;
    card.sm_mhz = clock("nvmlDeviceGetClockInfo", handle, 1);
    card.sm_highest_mhz = clock("nvmlDeviceGetMaxClockInfo", handle, 1);
    card.memory_mhz = clock("nvmlDeviceGetClockInfo", handle, 2);
  }

 private:
  void* library;
  bool usable = false;

  template <class Function, class... Arguments>
  int call(const char* name, Arguments... arguments) {
    auto* function = library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
    return function ? function(arguments...) : -1;
  }

  int clock(const char* name, void* handle, int which) {
    unsigned mhz = 0;
    return call<int(void*, int, unsigned*)>(name, handle, which, &mhz) == 0 ? int(mhz) : 0;
  }
};

}  // namespace assay
