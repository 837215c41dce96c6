// How the host functions of an image say what failed: null means done, otherwise one line that is the calling thread's and stays valid
// until its next call of one of them.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>

namespace assay {

// The line of the last failure.
inline char* failure_line() {
  static thread_local char line[320];
  return line;
}
inline constexpr size_t kFailureLine = 320;

inline const char* describe(const char* action, cudaError_t error) {
  std::snprintf(failure_line(), kFailureLine, "%s%s%s: %s", action, *action ? ": " : "", cudaGetErrorName(error),
                cudaGetErrorString(error));
  return failure_line();
}

inline const char* outcome(const char* action, cudaError_t error) {
  if (error == cudaSuccess) return nullptr;
  (void)cudaGetLastError();  // a launch checked later must not inherit this one
  return describe(action, error);
}

}  // namespace assay
