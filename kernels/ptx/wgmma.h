// wgmma: products of 64 rows by 8 to 256 columns, by the 4 warps of a warpgroup, in the background.
//
//   wgmma_fence(d);                                   // registers written before are what wgmma sees
//   Wgmma<__nv_bfloat16, 128>::multiply(d, a, b);     // once or more: D = A*B + D
//   wgmma_commit(); wgmma_wait<0>(d);                 // only now d holds the sums
//
// A and B lie in shared memory as SharedMatrix says, A may be in registers. What ordinary stores wrote there needs fence_async_proxy()
// by the writers and a barrier first. The emulator reads memory and writes d at the wait, the last moment that the GPU may.
#pragma once

#include "kernels/ptx/matrix.h"
#include "kernels/ptx/wgmma_lists.h"

namespace assay {

#ifdef __CUDACC__
enum class Swizzle : unsigned { none = 0, bytes128 = 1, bytes64 = 2, bytes32 = 3 };
#define ASSAY_PTX __device__ __forceinline__
#else
using simt::Swizzle;
#define ASSAY_PTX inline
#endif

// A matrix in shared memory, in units of 8 rows of 16, 32, 64 or 128 bytes (the swizzle's width; none: 16). K-major: a row is a row of A
// or a column of B, its bytes run along k; `stride` leads from 8 rows to the next 8, `leading` (no swizzle only) from 16 bytes of k to
// the next. MN-major (16-bit types): a row is one k, its bytes run along rows of A or columns of B; with a swizzle `leading` leads to the
// next width of them and `stride` from 8 of k to the next 8, without it is the other way round. Offsets in bytes, multiples of 16.
// The start is a multiple of 16, and of 8 widths unless the matrix starts further along k within the same rows.
struct SharedMatrix {
#ifdef __CUDACC__
  std::uint64_t descriptor;
#else
  simt::SharedMatrix description;
#endif
};

template <Swizzle kSwizzle>
ASSAY_PTX SharedMatrix shared_matrix(const void* start, unsigned leading, unsigned stride) {
#ifdef __CUDACC__
  const auto field = [](unsigned bytes) { return static_cast<std::uint64_t>((bytes & 0x3ffff) >> 4); };
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(start));
  return {field(address) | field(leading) << 16 | field(stride) << 32 | static_cast<std::uint64_t>(kSwizzle) << 62};
#else
  return {{static_cast<const char*>(start), leading, stride, kSwizzle}};
#endif
}

enum class Major { k, mn };

// `Input` is __nv_bfloat16, __half (k = 16), Tf32 (8), __nv_fp8_e4m3, __nv_fp8_e5m2 or int8_t (32); `Sum` float, __half or int. A scale of
// -1 negates the operand.
template <class Input, int N, class Sum = float, Major kMajorA = Major::k, Major kMajorB = Major::k, int kScaleA = 1, int kScaleB = 1>
struct Wgmma {
  static_assert(ASSAY_WGMMA_HAS_COLUMNS(N), "wgmma with this N has no wrapper: add it to kernels/ptx/wgmma_lists.h");
  static_assert((kScaleA == 1 || kScaleA == -1) && (kScaleB == 1 || kScaleB == -1), "wgmma scales operands by 1 or -1");
  static constexpr bool kWide = sizeof(Input) == 2;  // 16-bit types
  static_assert(kWide || (kMajorA == Major::k && kMajorB == Major::k), "only 16-bit types may be MN-major");

  using Word = std::conditional_t<std::is_same_v<Sum, __half>, std::uint32_t, Sum>;
  static constexpr int kRegisters = std::is_same_v<Sum, __half> ? N / 4 : N / 2;
  using Sums = Word[kRegisters];

#ifdef __CUDACC__
  static __device__ __forceinline__ void multiply(Sums& d, const std::uint32_t (&a)[4], SharedMatrix b, bool accumulate = true) {
    ptx::WgmmaText<Input, Sum>::template from_registers<N, kMajorB == Major::mn, kScaleA, kScaleB>(d, a, b.descriptor, accumulate);
  }
  static __device__ __forceinline__ void multiply(Sums& d, SharedMatrix a, SharedMatrix b, bool accumulate = true) {
    ptx::WgmmaText<Input, Sum>::template from_shared<N, kMajorA == Major::mn, kMajorB == Major::mn, kScaleA, kScaleB>(
        d, a.descriptor, b.descriptor, accumulate);
  }
#else
  static void multiply(Sums& d, const std::uint32_t (&a)[4], SharedMatrix b, bool accumulate = true, simt::Site site = simt::here()) {
    static_assert(kMajorA == Major::k, "A in registers has no major");
    start(d, a, {}, b, accumulate, site);
  }
  static void multiply(Sums& d, SharedMatrix a, SharedMatrix b, bool accumulate = true, simt::Site site = simt::here()) {
    start(d, nullptr, a, b, accumulate, site);
  }

 private:
  static constexpr bool has() {
    if constexpr (std::is_same_v<Sum, int>) return std::is_same_v<Input, std::int8_t> && kScaleA == 1 && kScaleB == 1;
    if constexpr (std::is_same_v<Sum, __half>)
      return std::is_same_v<Input, __half> || std::is_same_v<Input, __nv_fp8_e4m3> || std::is_same_v<Input, __nv_fp8_e5m2>;
    return std::is_same_v<Sum, float> && !std::is_same_v<Input, std::int8_t> && !std::is_same_v<Input, std::uint8_t>;
  }
  static void start(Sums& d, const std::uint32_t* a_registers, SharedMatrix a, SharedMatrix b, bool accumulate, simt::Site site) {
    static_assert(has(), "wgmma with these types has no wrapper: add a row to kernels/ptx/wgmma_lists.h");
    simt::wgmma_multiply({ptx::operand<Input>(), ptx::result<Sum>(), N, a_registers, a.description, b.description, kMajorA == Major::mn,
                          kMajorB == Major::mn, kScaleA, kScaleB, accumulate, reinterpret_cast<std::uint32_t*>(d)},
                         site);
  }
#endif
};

// Fence and wait take the accumulators, and the fence the registers of A, so that the compiler moves no access to them past it.
#ifdef __CUDACC__
namespace ptx {
template <int kWords>
ASSAY_PTX void pin(float (&d)[kWords]) {
#pragma unroll
  for (int i = 0; i < kWords; ++i) asm volatile("" : "+f"(d[i])::"memory");
}
template <class Word, int kWords>
ASSAY_PTX void pin(Word (&d)[kWords]) {
#pragma unroll
  for (int i = 0; i < kWords; ++i) asm volatile("" : "+r"(d[i])::"memory");
}
}  // namespace ptx

template <class... Sums>
ASSAY_PTX void wgmma_fence(Sums&... sums) {
  (ptx::pin(sums), ...);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
ASSAY_PTX void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Waits until at most kGroupsLeft of the warpgroup's groups are under way.
template <int kGroupsLeft, class... Sums>
ASSAY_PTX void wgmma_wait(Sums&... sums) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kGroupsLeft) : "memory");
  (ptx::pin(sums), ...);
}
// What this thread wrote to shared memory is seen by wgmma and TMA that start after it (by other threads: after a barrier too).
ASSAY_PTX void fence_async_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
#else
inline void wgmma_fence(simt::Site site = simt::here()) { simt::wgmma_fence(site); }
template <class Word, int kWords>
void wgmma_fence(Word (&)[kWords], simt::Site site = simt::here()) {
  simt::wgmma_fence(site);
}
template <class Word, int kWords, class Other, int kMore>
void wgmma_fence(Word (&)[kWords], Other (&)[kMore], simt::Site site = simt::here()) {
  simt::wgmma_fence(site);
}
inline void wgmma_commit(simt::Site site = simt::here()) { simt::wgmma_commit(site); }
template <int kGroupsLeft>
void wgmma_wait(simt::Site site = simt::here()) {
  simt::wgmma_wait(kGroupsLeft, site);
}
template <int kGroupsLeft, class Word, int kWords>
void wgmma_wait(Word (&)[kWords], simt::Site site = simt::here()) {
  simt::wgmma_wait(kGroupsLeft, site);
}
template <int kGroupsLeft, class Word, int kWords, int kMore>
void wgmma_wait(Word (&)[kWords], Word (&)[kMore], simt::Site site = simt::here()) {
  simt::wgmma_wait(kGroupsLeft, site);
}
inline void fence_async_proxy() { simt::fence_async_proxy(); }
#endif
#undef ASSAY_PTX

}  // namespace assay
