// A tile of a matrix product as sm_90 kernels make it: one thread keeps two stages filled through TMA, a warpgroup multiplies them.
#include "kernels/ptx.h"
// The emulator's keywords come first.
#include "kernels/simt/twin/device_memory.hpp"

namespace simt::twin {
namespace {

using assay::Major;
using assay::Swizzle;

constexpr int kConsumers = 128, kThreads = 160, kRows = 64, kSteps = 5;

constexpr int to_1024(int bytes) { return (bytes + 1023) / 1024 * 1024; }

// `kWidth`: the swizzle's bytes, which are a step's bytes of k. MN-major B (16-bit types, a width of 128) lies with its columns together,
// a box for each 64 of them.
template <class T, int kN, int kWidth, bool kMnMajorB>
struct Shape {
  static constexpr Swizzle kSwizzle = kWidth == 128 ? Swizzle::bytes128 : kWidth == 64 ? Swizzle::bytes64 : Swizzle::bytes32;
  static constexpr int kElements = kWidth / sizeof(T), kK = kSteps * kElements;
  static constexpr int kABytes = kRows * kWidth, kBBytes = kN * kWidth;
  static constexpr int kBStart = to_1024(kABytes), kStage = kBStart + to_1024(kBBytes);
  using Wgmma = assay::Wgmma<T, kN, float, Major::k, kMnMajorB ? Major::mn : Major::k>;
};

template <class T, int kN, int kWidth, bool kMnMajorB>
__global__ void __launch_bounds__(kThreads)
    multiplies(const __grid_constant__ assay::TensorMap a_map, const __grid_constant__ assay::TensorMap b_map, std::uint32_t* out) {
  using S = Shape<T, kN, kWidth, kMnMajorB>;
  ASSAY_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ std::uint64_t full[2], empty[2];
  unsigned char* stages = aligned_to_1024(dynamic);
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      assay::mbarrier_init(&full[i], 1);
      assay::mbarrier_init(&empty[i], kConsumers);
    }
    assay::mbarrier_fence_init();
  }
  __syncthreads();
  if (threadIdx.x >= kConsumers) {
    for (int step = 0; step < kSteps && threadIdx.x == kConsumers; ++step) {
      unsigned char *a = stages + step % 2 * S::kStage, *b = a + S::kBStart;
      std::uint64_t* barrier = &full[step % 2];
      assay::mbarrier_wait(&empty[step % 2], static_cast<unsigned>(step / 2 + 1) % 2);
      assay::mbarrier_arrive_expect_tx(barrier, S::kABytes + S::kBBytes);
      assay::load_box(a, a_map, barrier, step * S::kElements, 0);
      if constexpr (kMnMajorB)
        for (int n = 0; n < kN; n += 64) assay::load_box(b + n * kWidth, b_map, barrier, n, step * S::kElements);
      else
        assay::load_box(b, b_map, barrier, step * S::kElements, 0);
    }
    return;
  }
  typename S::Wgmma::Sums sums = {};
  for (int step = 0; step < kSteps; ++step) {
    const unsigned char *a = stages + step % 2 * S::kStage, *b = a + S::kBStart;
    assay::mbarrier_wait(&full[step % 2], static_cast<unsigned>(step / 2) % 2);
    assay::wgmma_fence(sums);
#pragma unroll
    for (int k = 0; k < kWidth / 32; ++k)
      S::Wgmma::multiply(sums, assay::shared_matrix<S::kSwizzle>(a + k * 32, 16, 8 * kWidth),
                         kMnMajorB ? assay::shared_matrix<S::kSwizzle>(b + k * 16 * kWidth, 64 * kWidth, 8 * kWidth)
                                   : assay::shared_matrix<S::kSwizzle>(b + k * 32, 16, 8 * kWidth));
    assay::wgmma_commit();
    // The step before has been read: its stage may be filled while this step multiplies.
    assay::wgmma_wait<1>(sums);
    if (step > 0) assay::mbarrier_arrive(&empty[(step - 1) % 2]);
  }
  assay::wgmma_wait<0>(sums);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int i = 0; i < kN / 2; ++i) {
    std::uint32_t bits;
    memcpy(&bits, &sums[i], 4);
    out[(warp * 16 + lane / 4 + i / 2 % 2 * 8) * kN + i / 4 * 8 + lane % 4 * 2 + i % 2] = bits;
  }
}

template <class T, int kN, int kWidth = 128, bool kMnMajorB = false>
Words run() {
  using S = Shape<T, kN, kWidth, kMnMajorB>;
  constexpr int row_bytes = S::kK * sizeof(T);
  DeviceArray<unsigned char> a(operand(element_of<T>(), kStreamA, kRows * S::kK)), b(operand(element_of<T>(), kStreamB, kN * S::kK));
  assay::TensorMap a_map, b_map;
  check(assay::make_tensor_map<T>(&a_map, a.data(), S::kK, kRows, row_bytes, S::kElements, kRows, S::kSwizzle), "make_tensor_map");
  check(kMnMajorB ? assay::make_tensor_map<T>(&b_map, b.data(), kN, S::kK, kN * sizeof(T), 64, S::kElements, S::kSwizzle)
                  : assay::make_tensor_map<T>(&b_map, b.data(), S::kK, kN, row_bytes, S::kElements, kN, S::kSwizzle),
        "make_tensor_map");
  constexpr int bytes = 2 * S::kStage + 1024;
  const auto kernel = multiplies<T, kN, kWidth, kMnMajorB>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "cudaFuncSetAttribute");
  Answer out(kRows * kN);
  check(assay::launch(kernel, dim3(1), dim3(kThreads), bytes, nullptr, a_map, b_map, out.data()), "launch");
  return out.host();
}

template <class T, int kN, int kWidth = 128, bool kMnMajorB = false>
Exercise exercise(const char* name) {
  constexpr int k = Shape<T, kN, kWidth, kMnMajorB>::kK;
  return {name, run<T, kN, kWidth, kMnMajorB>, [] { return product({Unit::wgmma, element_of<T>(), Sum::fp32, kRows, kN, k, kMnMajorB}); }};
}

}  // namespace

std::vector<Exercise> wgmma_exercises() {
  using Bf16 = __nv_bfloat16;
  using E4m3 = __nv_fp8_e4m3;
  return {exercise<Bf16, 8>("wgmma.bf16.n8"),
          exercise<Bf16, 64>("wgmma.bf16.n64"),
          exercise<Bf16, 128>("wgmma.bf16.n128"),
          exercise<Bf16, 256>("wgmma.bf16.n256"),
          exercise<Bf16, 64, 64>("wgmma.bf16.n64.64"),
          exercise<Bf16, 96, 32>("wgmma.bf16.n96.32"),
          exercise<Bf16, 128, 128, true>("wgmma.bf16.n128.mn_major"),
          exercise<E4m3, 8>("wgmma.e4m3.n8"),
          exercise<E4m3, 96>("wgmma.e4m3.n96"),
          exercise<E4m3, 192>("wgmma.e4m3.n192"),
          exercise<E4m3, 256>("wgmma.e4m3.n256")};
}

}  // namespace simt::twin
