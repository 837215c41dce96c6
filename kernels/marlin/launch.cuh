// The host's side of a product with weights in Marlin tiles: arguments, workspace, launches.
#pragma once

#include <algorithm>

#include "kernels/common/arguments.h"
#include "kernels/marlin/combine.cuh"
#include "kernels/marlin/gather.cuh"

namespace assay::marlin {

inline constexpr int kOneGroup = 31;  // group_shift that leaves nothing of k

// What every product of this family gets, in the units of its header.
struct Arguments {
  void* y;
  int64_t y_stride;
  const void* x;
  int64_t x_stride;
  const void* w;
  const void* scale;
  const uint32_t* zeros;
  const int* perm;
  const int* g_idx;
  void* workspace;
  int64_t workspace_bytes;
  int64_t m, n, k, group, sms;
};

template <class Weights, int kRowGroups, bool kActOrder>
cudaError_t launch_multiply(const Problem<typename Weights::Element>& p, cudaStream_t stream) {
  constexpr auto kernel = multiply<Weights, kRowGroups, kActOrder>;
  constexpr int shared = sizeof(Shared<Weights, kRowGroups>);
  static_assert(kBlocksFit<Weights, kRowGroups, kActOrder>);
  cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  // All of the memory that L1 leaves, for kBlocks: only act-order reads by way of L1.
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
  if (error != cudaSuccess) return error;
  return launch(kernel, dim3(static_cast<unsigned>(stripes(p.line))), dim3(kThreads), shared, stream, p);
}

template <class Weights, bool kActOrder>
cudaError_t launch_rows(const Problem<typename Weights::Element>& p, cudaStream_t stream) {
  switch (row_groups(p.m)) {
    case 1: return launch_multiply<Weights, 1, kActOrder>(p, stream);
    case 2: return launch_multiply<Weights, 2, kActOrder>(p, stream);
    case 4: return launch_multiply<Weights, 4, kActOrder>(p, stream);
    default: return launch_multiply<Weights, kMaxRowGroups, kActOrder>(p, stream);
  }
}

// Whether some tile begins in one stripe and ends in another.
inline bool is_divided(const Line& line) { return line.length % line.slices != 0 && line.length < line.end; }

template <class T>
cudaError_t launch_combine(const Problem<T>& p, cudaStream_t stream) {
  const int rows = 8 * row_groups(p.m), blocks = static_cast<int>(ceil_divide(std::min(rows, p.m), kCombinedRows));
  return launch_early(combine<T>, dim3(static_cast<unsigned>(stripes(p.line) - 1), static_cast<unsigned>(blocks)),
                      dim3(64, kCombinedRows), 0, stream, p, rows);
}

template <class T>
cudaError_t launch_gather(T* to, const Arguments& a, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(ceil_divide(a.k, kGatherThreads)), static_cast<unsigned>(std::min<int64_t>(a.m, 1024)));
  return launch(gather<T>, grid, dim3(kGatherThreads), 0, stream, to, static_cast<const T*>(a.x), a.x_stride, a.perm, static_cast<int>(a.m),
                static_cast<int>(a.k));
}

// Checks what is common to the family and runs the product.
template <class Weights>
cudaError_t run(const Arguments& a, cudaStream_t stream) {
  using T = typename Weights::Element;
  constexpr int slice_k = kSliceK<Weights>;
  if (!shape_fits(a.m, a.n, a.k, a.sms, slice_k)) return cudaErrorInvalidValue;
  if (a.y_stride < a.n || a.x_stride < a.k || !span_fits<T>(a.m, a.y_stride, a.n) || !span_fits<T>(a.m, a.x_stride, a.k))
    return cudaErrorInvalidValue;
  const auto* x = static_cast<const T*>(a.x);
  auto* y = static_cast<T*>(a.y);
  const auto is_base = [](const void* pointer) { return pointer && is_aligned(pointer, 16); };
  if (!is_usable(x) || !is_usable(y) || !is_base(a.w) || !is_base(a.scale) || !is_base(a.workspace)) return cudaErrorInvalidValue;
  if (!is_aligned(a.zeros, 16) || !is_aligned(a.perm, 4) || !is_aligned(a.g_idx, 4)) return cudaErrorInvalidValue;
  if (a.workspace_bytes < workspace_bytes(a.m, a.n, a.k, a.sms, slice_k)) return cudaErrorInvalidValue;

  Problem<T> p{};
  p.y = y, p.x = x, p.w = static_cast<const uint4*>(a.w);
  p.scale = static_cast<const T*>(a.scale), p.zeros = a.zeros, p.g_idx = a.g_idx;
  p.partials = static_cast<float*>(a.workspace);
  p.y_stride = a.y_stride, p.x_stride = a.x_stride;
  p.m = static_cast<int>(a.m), p.n = static_cast<int>(a.n), p.k = static_cast<int>(a.k);
  p.cut_slice = p.k % slice_k ? p.k / slice_k : -1;
  p.channelwise = a.group == a.k;
  p.group_shift = p.channelwise ? kOneGroup : __builtin_ctzll(static_cast<unsigned long long>(a.group));
  p.vector_y = is_aligned(y, 8) && a.y_stride % 4 == 0;
  p.line = line_of(a.m, a.n, a.k, a.sms, slice_k);

  if (a.perm || !is_aligned(x, 16) || a.x_stride % 8 != 0) {
    T* copy = reinterpret_cast<T*>(static_cast<unsigned char*>(a.workspace) + partial_bytes(p.line, a.m));
    if (const cudaError_t error = launch_gather(copy, a, stream); error != cudaSuccess) return error;
    p.x = copy, p.x_stride = a.k;
  }
  cudaError_t error = cudaErrorInvalidValue;
  if constexpr (Weights::kActOrders) {
    error = p.g_idx ? launch_rows<Weights, true>(p, stream) : launch_rows<Weights, false>(p, stream);
  } else {
    if (!p.g_idx) error = launch_rows<Weights, false>(p, stream);
  }
  if (error != cudaSuccess || !is_divided(p.line)) return error;
  return launch_combine(p, stream);
}

}  // namespace assay::marlin
