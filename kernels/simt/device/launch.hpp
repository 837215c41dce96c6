// assay::launch for the emulator.
#pragma once

#include <tuple>
#include <utility>

#include "kernels/simt/device/keywords.hpp"

namespace simt {

// A grid and where it was written, so that a report can name the launch.
struct Grid {
  dim3 size;
  Site site;
  Grid(dim3 grid, Site at = here()) : size(grid), site(at) {}
  Grid(unsigned x, Site at = here()) : size(x), site(at) {}
  Grid(int x, Site at = here()) : size(static_cast<unsigned>(x)), site(at) {}
};

#ifdef __SANITIZE_THREAD__
inline thread_local char simt_image_anchor;
inline const void* shared_anchor() { return &simt_image_anchor; }
#else
constexpr const void* (*shared_anchor)() = nullptr;
#endif

}  // namespace simt

namespace assay {

template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), simt::Grid grid, dim3 block, std::size_t dynamic_smem, cudaStream_t stream,
                   Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "assay::launch: as many arguments as the kernel has parameters");
  struct Call {
    void (*kernel)(Parameters...);
    std::tuple<Parameters...> arguments;
  } call{kernel, std::tuple<Parameters...>(static_cast<Parameters>(arguments)...)};
  return simt::run({
      .call = [](void* packed) { std::apply(static_cast<Call*>(packed)->kernel, static_cast<Call*>(packed)->arguments); },
      .arguments = &call,
      .kernel = reinterpret_cast<const void*>(kernel),
      .grid = grid.size,
      .block = block,
      .dynamic_shared = dynamic_smem,
      .site = grid.site,
      .stream = stream,
      .keep = [](const void* packed) -> void* { return new Call(*static_cast<const Call*>(packed)); },
      .drop = [](void* packed) { delete static_cast<Call*>(packed); },
      .shared_anchor = simt::shared_anchor,
  });
}

// Not early here: the kernel ahead of it has finished.
template <class... Parameters, class... Arguments>
cudaError_t launch_early(void (*kernel)(Parameters...), simt::Grid grid, dim3 block, std::size_t dynamic_smem, cudaStream_t stream,
                         Arguments&&... arguments) {
  return launch(kernel, grid, block, dynamic_smem, stream, static_cast<Arguments&&>(arguments)...);
}

}  // namespace assay

// The toolkit's headers have the forms that take a kernel for nvcc alone.
template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}

template <class... Parameters>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*kernel)(Parameters...), int threads,
                                                          std::size_t dynamic_smem) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void*>(kernel), threads, dynamic_smem);
}
