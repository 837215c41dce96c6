// cuBLAS and cuBLASLt, loaded at run time, with the handles that a process needs once.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>
#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "kernels/common/outcome.h"

namespace assay {

class Library {
 public:
  // The process's one; it stays loaded, since its kernels are the context's.
  static Library& get() {
    static Library library;
    return library;
  }

  // Null, or why the libraries cannot be used, in one line.
  const char* unusable() const { return why.empty() ? nullptr : why.c_str(); }
  const char* version() const { return text.empty() ? nullptr : text.c_str(); }

  cublasHandle_t handle = nullptr;
  cublasLtHandle_t light = nullptr;

  // clang-format off
#define ASSAY_FUNCTION(name) decltype(&::name) name = nullptr;
#define ASSAY_FUNCTIONS(each)                                                                                                        \
  each(cublasCreate_v2) each(cublasSetWorkspace_v2) each(cublasGemmEx_64) each(cublasLtCreate) each(cublasLtGetVersion)              \
  each(cublasLtGetStatusString) each(cublasLtMatmul) each(cublasLtMatmulAlgoGetHeuristic) each(cublasLtMatmulDescCreate)             \
  each(cublasLtMatmulDescDestroy) each(cublasLtMatmulDescSetAttribute) each(cublasLtMatrixLayoutCreate)                              \
  each(cublasLtMatrixLayoutDestroy) each(cublasLtMatmulPreferenceCreate) each(cublasLtMatmulPreferenceDestroy)                       \
  each(cublasLtMatmulPreferenceSetAttribute)
  // clang-format on
  ASSAY_FUNCTIONS(ASSAY_FUNCTION)
#undef ASSAY_FUNCTION

  const char* outcome(const char* action, cublasStatus_t status) const {
    if (status == CUBLAS_STATUS_SUCCESS) return nullptr;
    std::snprintf(failure_line(), kFailureLine, "%s: %s", action, cublasLtGetStatusString(status));
    return failure_line();
  }

 private:
  std::string why, text;

  Library() {
    void* both[] = {opened("libcublasLt.so.13"), opened("libcublas.so.13")};  // the second needs the first
    if (!both[0] || !both[1]) return;
#define ASSAY_LOOK_UP(name)                                                       \
  for (void* library : both)                                                      \
    if (!name) name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name)); \
  if (!name && why.empty()) why = "cuBLAS has no function " #name;
    ASSAY_FUNCTIONS(ASSAY_LOOK_UP)
#undef ASSAY_LOOK_UP
    if (!why.empty()) return;
    const size_t version = cublasLtGetVersion();
    text = "cuBLAS " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
    const char* failure = outcome("a cuBLAS handle", cublasCreate_v2(&handle));
    if (!failure) failure = outcome("a cuBLASLt handle", cublasLtCreate(&light));
    if (failure) why = failure;
  }

  // Where the loader looks, then where toolkits put it.
  void* opened(const std::string& name) {
    const char* home = std::getenv("CUDA_HOME");
    const std::string toolkit = home && *home ? home : "/usr/local/cuda";
    std::string first;
    for (const std::string& folder : {std::string(), toolkit + "/lib64/", toolkit + "/lib/"}) {
      if (void* library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
      if (first.empty()) first = dlerror();
    }
    if (why.empty()) why = first;
    return nullptr;
  }
};
#undef ASSAY_FUNCTIONS

}  // namespace assay
