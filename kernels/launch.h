// What every kernel source includes: the CUDA headers, ASSAY_EXPORT, assay::launch and ASSAY_DYNAMIC_SHARED.
//
// The same source compiles with nvcc for the GPU and with g++ for the emulator (kernels/simt). assay::launch starts a kernel with the
// arguments converted to its parameter types and returns what the launch itself answered: on the GPU the kernel still runs, in the
// emulator it has finished. Include this header before any other: under g++ it gives CUDA's keywords their meaning.
#pragma once

#include "kernels/export.h"

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

// T* name: the block's dynamic shared memory, aligned to 128 bytes.
#define ASSAY_DYNAMIC_SHARED(T, name)                                       \
  extern __shared__ __align__(128) unsigned char assay_dynamic_shared[];    \
  T* name = reinterpret_cast<T*>(assay_dynamic_shared)

namespace assay {

template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t dynamic_smem, cudaStream_t stream,
                   Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "assay::launch: as many arguments as the kernel has parameters");
  kernel<<<grid, block, dynamic_smem, stream>>>(static_cast<Parameters>(arguments)...);
  return cudaGetLastError();
}

// The same, and the kernel may start before the one ahead of it in the stream has ended: it waits for that itself (ptx/grid.h).
template <class... Parameters, class... Arguments>
cudaError_t launch_early(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t dynamic_smem, cudaStream_t stream,
                         Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "assay::launch_early: as many arguments as the kernel has parameters");
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = block, config.dynamicSmemBytes = dynamic_smem, config.stream = stream;
  config.attrs = &early, config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

}  // namespace assay
#else
#include "kernels/simt/device.hpp"
#endif
