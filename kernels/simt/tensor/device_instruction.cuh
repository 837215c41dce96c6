// The tensor-core instructions of an sm_90 device, each as a tile of 64 rows that a block multiplies: for device_differential.cu.
//
// An instruction takes operands a code a word, brings them into registers and shared memory, and leaves the sums. Registers are filled
// after fragment.hpp and shared memory after shared_image.hpp, so that the card judges both layouts too.
#pragma once

#include "kernels/ptx.h"
#include "kernels/simt/tensor/dot.hpp"
#include "kernels/simt/tensor/fragment.hpp"
#include "kernels/simt/tensor/shared_image.hpp"

namespace simt::tensor {

constexpr int kBlockRows = 64;
constexpr int kInstructionThreads = 128;  // the first of the block

template <class T>
constexpr Input input_of() {
  if constexpr (std::is_same_v<T, __nv_bfloat16>)
    return Input::bf16;
  else if constexpr (std::is_same_v<T, __half>)
    return Input::fp16;
  else if constexpr (std::is_same_v<T, assay::Tf32>)
    return Input::tf32;
  else if constexpr (std::is_same_v<T, __nv_fp8_e5m2>)
    return Input::e5m2;
  else
    return Input::e4m3;  // integers: any code of 8 bits
}

template <class Sum>
constexpr Accumulator accumulator_of() {
  return std::is_same_v<Sum, __half> ? Accumulator::fp16 : Accumulator::fp32;
}

// What the block's shared memory holds. Codes: a[row * kStride + i], b[column * kStride + i]; sums: [row * columns + column].
struct TileMemory {
  std::uint32_t *a, *b, *c, *d;
  unsigned char *a_image, *b_image;
};

template <class A, class B, int N, int K, class Sum>
struct InstructionTypes {
  static constexpr int kColumns = N, kDepth = K, kElementBytes = sizeof(A), kPacked = 4 / kElementBytes;
  static constexpr int kStride = K + 1;  // one more than K, so that neighbouring columns are in other banks
  static constexpr bool kInteger = std::is_same_v<Sum, int>, kASigned = std::is_same_v<A, std::int8_t>,
                        kBSigned = std::is_same_v<B, std::int8_t>;
  static constexpr Input kInput = input_of<A>();
  static constexpr Accumulator kAccumulator = accumulator_of<Sum>();
  static constexpr int kSumsPerWord = std::is_same_v<Sum, __half> ? 2 : 1;
  using Word = std::conditional_t<std::is_same_v<Sum, __half>, std::uint32_t, Sum>;

  template <int kWords, class PlaceOf>
  static __device__ void gather(std::uint32_t (&words)[kWords], const std::uint32_t* codes, PlaceOf place) {
    for (int i = 0; i < kWords; ++i) {
      words[i] = 0;
      for (int e = 0; e < kPacked; ++e) {
        const Place at = place(kPacked, static_cast<int>(threadIdx.x) % 32, i, e);
        words[i] |= codes[at.outer * kStride + at.k] << (32 / kPacked * e);
      }
    }
  }
  // The index of accumulator i of this thread in TileMemory's sums.
  static __device__ int index(int i) {
    const Place at = place_in_c(static_cast<int>(threadIdx.x) % 32, i);
    return (static_cast<int>(threadIdx.x) / 32 * kRows + at.k) * N + at.outer;
  }
  static constexpr int kRows = 16;

  template <int kWords>
  static __device__ void load_sums(Word (&words)[kWords], const std::uint32_t* c) {
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      std::uint32_t bits = c[index(i * kSumsPerWord)];
      if constexpr (kSumsPerWord == 2) bits |= c[index(2 * i + 1)] << 16;
      memcpy(&words[i], &bits, 4);
    }
  }
  template <int kWords>
  static __device__ void store_sums(const Word (&words)[kWords], std::uint32_t* d) {
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      std::uint32_t bits;
      memcpy(&bits, &words[i], 4);
      d[index(i * kSumsPerWord)] = kSumsPerWord == 2 ? bits & 0xffff : bits;
      if constexpr (kSumsPerWord == 2) d[index(2 * i + 1)] = bits >> 16;
    }
  }
};

// mma.sync: four warps, each with 16 of the rows.
template <class A, class B, int K, class Sum>
struct WarpInstruction : InstructionTypes<A, B, 8, K, Sum> {
  using Types = InstructionTypes<A, B, 8, K, Sum>;
  static constexpr Family kFamily = Family::mma_sync;
  static constexpr SharedImage kAImage{16, 0, 1, false}, kBImage{16, 0, 1, false};
  static constexpr bool kImages = false;
  static constexpr int kScaleB = 1;

  static __device__ void run(const TileMemory& m) {
    constexpr int registers = K * sizeof(A) / 16;
    std::uint32_t a[2 * registers], b[registers];
    Types::gather(a, m.a + threadIdx.x / 32 * 16 * Types::kStride, place_in_a);
    Types::gather(b, m.b, place_in_b);
    typename Types::Word sums[4 / Types::kSumsPerWord];
    Types::load_sums(sums, m.c);
    if constexpr (Types::kInteger)
      assay::mma_m16n8k32<A, B>(sums, a, b, sums);
    else if constexpr (K == 8)
      assay::mma_m16n8k8<A>(sums, a, b, sums);
    else if constexpr (K == 16)
      assay::mma_m16n8k16<A>(sums, a, b, sums);
    else
      assay::mma_m16n8k32<A>(sums, a, b, sums);
    Types::store_sums(sums, m.d);
  }
};

// wgmma. `kWidth`: bytes of the swizzle, 16 for none.
template <class T, int N, class Sum, bool kFromRegisters, int kWidth, bool kTransposed = false, int kScale = 1>
struct WarpgroupInstruction : InstructionTypes<T, T, N, 32 / sizeof(T), Sum> {
  using Types = InstructionTypes<T, T, N, 32 / sizeof(T), Sum>;
  static constexpr Family kFamily = Family::wgmma;
  static constexpr SharedImage kAImage{kWidth, kBlockRows, sizeof(T), kTransposed}, kBImage{kWidth, N, sizeof(T), kTransposed};
  static constexpr bool kImages = true;
  static constexpr int kScaleB = kScale;
  static constexpr assay::Swizzle kSwizzle = kWidth == 128  ? assay::Swizzle::bytes128
                                             : kWidth == 64 ? assay::Swizzle::bytes64
                                             : kWidth == 32 ? assay::Swizzle::bytes32
                                                            : assay::Swizzle::none;
  static constexpr assay::Major kMajor = kTransposed ? assay::Major::mn : assay::Major::k;
  using Wgmma = assay::Wgmma<T, N, Sum, kFromRegisters ? assay::Major::k : kMajor, kMajor, 1, kScale>;

  static __device__ assay::SharedMatrix matrix(const unsigned char* image, const SharedImage& layout) {
    return assay::shared_matrix<kSwizzle>(image + layout.start(), layout.leading(), layout.stride());
  }

  static __device__ void run(const TileMemory& m) {
    typename Wgmma::Sums sums;
    Types::load_sums(sums, m.c);
    std::uint32_t a[4];
    Types::gather(a, m.a + threadIdx.x / 32 * 16 * Types::kStride, place_in_a);
    constexpr SharedImage a_layout = kAImage, b_layout = kBImage;
    assay::wgmma_fence(sums, a);
    if constexpr (kFromRegisters)
      Wgmma::multiply(sums, a, matrix(m.b_image, b_layout));
    else
      Wgmma::multiply(sums, matrix(m.a_image, a_layout), matrix(m.b_image, b_layout));
    assay::wgmma_commit();
    assay::wgmma_wait<0>(sums);
    Types::store_sums(sums, m.d);
  }
};

}  // namespace simt::tensor
