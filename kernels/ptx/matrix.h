// ldmatrix and mma.sync: matrices in the registers of a warp. All 32 lanes call together.
//
// Registers are 32-bit words that hold elements as the PTX ISA lays them out ("Matrix Fragments for mma.m16n8k*"). The emulator answers
// with the bits of an H200 (kernels/simt/tensor); FP8 on sm_90 is what CUDA 13.0's compiler makes of the instruction.
#pragma once

#include "kernels/launch.h"
#ifndef __CUDACC__
#include "kernels/simt/tensor/api.hpp"
#endif

namespace assay {

// An FP32 word of which the tensor core reads the first 19 bits.
struct Tf32 {
  std::uint32_t bits;
};

template <class...>
inline constexpr bool kMissing = false;

#ifdef __CUDACC__
#define ASSAY_PTX __device__ __forceinline__
#else
#define ASSAY_PTX inline
#endif

#ifdef __CUDACC__

// Loads matrices of 8 rows of 16 bytes: lane i names row i % 8 of matrix i / 8; register m of lane i gets elements 2 * (i % 4) and the
// next of row i / 4 of matrix m, transposed: of column i / 4.
#define ASSAY_LDMATRIX(name, kind, count, list, ...)                                                                                 \
  ASSAY_PTX void name(std::uint32_t(&r)[count], const void* row) {                                                                   \
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));                                                   \
    asm volatile("ldmatrix.sync.aligned.m8n8." kind ".shared.b16 " list ", [%" #count "];" : __VA_ARGS__ : "r"(address) : "memory"); \
  }
#define ASSAY_LDMATRICES(suffix, kind)                                                  \
  ASSAY_LDMATRIX(ldmatrix_x1##suffix, "x1" kind, 1, "{%0}", "=r"(r[0]))                 \
  ASSAY_LDMATRIX(ldmatrix_x2##suffix, "x2" kind, 2, "{%0, %1}", "=r"(r[0]), "=r"(r[1])) \
  ASSAY_LDMATRIX(ldmatrix_x4##suffix, "x4" kind, 4, "{%0, %1, %2, %3}", "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]))
ASSAY_LDMATRICES(, "")
ASSAY_LDMATRICES(_trans, ".trans")
#undef ASSAY_LDMATRICES
#undef ASSAY_LDMATRIX

namespace ptx {

template <class A, class B, class Accumulator, int K>
struct Mma {
  static_assert(kMissing<A, B>, "mma.sync with these types and this k has no wrapper: add a row to kernels/ptx/matrix.h");
};

// D and C of four registers, A and B of 2 * depth and depth, where depth is 1 or 2.
#define ASSAY_MMA_4(A, B, Accumulator, Word, letter, K, shape, a_list, b_list, c_list, ...)                                    \
  template <>                                                                                                                  \
  struct Mma<A, B, Accumulator, K> {                                                                                           \
    template <class Registers>                                                                                                 \
    static __device__ __forceinline__ void run(Word (&d)[4], const Registers& a, const std::uint32_t* b, const Word (&c)[4]) { \
      asm volatile("mma.sync.aligned." shape " {%0, %1, %2, %3}, " a_list ", " b_list ", " c_list ";"                          \
                   : "=" letter(d[0]), "=" letter(d[1]), "=" letter(d[2]), "=" letter(d[3])                                    \
                   : __VA_ARGS__, letter(c[0]), letter(c[1]), letter(c[2]), letter(c[3]));                                     \
    }                                                                                                                          \
  };
#define ASSAY_MMA_2(A, B, K, shape, a_list, b_list, c_list, ...)                                                  \
  template <>                                                                                                     \
  struct Mma<A, B, __half, K> {                                                                                   \
    template <class Registers>                                                                                    \
    static __device__ __forceinline__ void run(std::uint32_t (&d)[2], const Registers& a, const std::uint32_t* b, \
                                               const std::uint32_t (&c)[2]) {                                     \
      asm volatile("mma.sync.aligned." shape " {%0, %1}, " a_list ", " b_list ", " c_list ";"                     \
                   : "=r"(d[0]), "=r"(d[1])                                                                       \
                   : __VA_ARGS__, "r"(c[0]), "r"(c[1]));                                                          \
    }                                                                                                             \
  };
#define ASSAY_DEEP "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])
#define ASSAY_SHALLOW "r"(a[0]), "r"(a[1]), "r"(b[0])
#define ASSAY_MMA_DEEP(A, B, Accumulator, Word, letter, K, shape) \
  ASSAY_MMA_4(A, B, Accumulator, Word, letter, K, shape, "{%4, %5, %6, %7}", "{%8, %9}", "{%10, %11, %12, %13}", ASSAY_DEEP)
#define ASSAY_MMA_SHALLOW(A, K, shape) \
  ASSAY_MMA_4(A, A, float, float, "f", K, shape, "{%4, %5}", "{%6}", "{%7, %8, %9, %10}", ASSAY_SHALLOW)

ASSAY_MMA_DEEP(__nv_bfloat16, __nv_bfloat16, float, float, "f", 16, "m16n8k16.row.col.f32.bf16.bf16.f32")
ASSAY_MMA_DEEP(__half, __half, float, float, "f", 16, "m16n8k16.row.col.f32.f16.f16.f32")
ASSAY_MMA_DEEP(Tf32, Tf32, float, float, "f", 8, "m16n8k8.row.col.f32.tf32.tf32.f32")
ASSAY_MMA_DEEP(__nv_fp8_e4m3, __nv_fp8_e4m3, float, float, "f", 32, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
ASSAY_MMA_DEEP(__nv_fp8_e5m2, __nv_fp8_e5m2, float, float, "f", 32, "m16n8k32.row.col.f32.e5m2.e5m2.f32")
ASSAY_MMA_DEEP(std::int8_t, std::int8_t, int, int, "r", 32, "m16n8k32.row.col.s32.s8.s8.s32")
ASSAY_MMA_DEEP(std::uint8_t, std::uint8_t, int, int, "r", 32, "m16n8k32.row.col.s32.u8.u8.s32")
ASSAY_MMA_DEEP(std::int8_t, std::uint8_t, int, int, "r", 32, "m16n8k32.row.col.s32.s8.u8.s32")
ASSAY_MMA_DEEP(std::uint8_t, std::int8_t, int, int, "r", 32, "m16n8k32.row.col.s32.u8.s8.s32")
ASSAY_MMA_SHALLOW(__nv_bfloat16, 8, "m16n8k8.row.col.f32.bf16.bf16.f32")
ASSAY_MMA_SHALLOW(__half, 8, "m16n8k8.row.col.f32.f16.f16.f32")
ASSAY_MMA_2(__half, __half, 16, "m16n8k16.row.col.f16.f16.f16.f16", "{%2, %3, %4, %5}", "{%6, %7}", "{%8, %9}", ASSAY_DEEP)
ASSAY_MMA_2(__half, __half, 8, "m16n8k8.row.col.f16.f16.f16.f16", "{%2, %3}", "{%4}", "{%5, %6}", ASSAY_SHALLOW)
ASSAY_MMA_2(__nv_fp8_e4m3, __nv_fp8_e4m3, 32, "m16n8k32.row.col.f16.e4m3.e4m3.f16", "{%2, %3, %4, %5}", "{%6, %7}", "{%8, %9}", ASSAY_DEEP)
ASSAY_MMA_2(__nv_fp8_e5m2, __nv_fp8_e5m2, 32, "m16n8k32.row.col.f16.e5m2.e5m2.f16", "{%2, %3, %4, %5}", "{%6, %7}", "{%8, %9}", ASSAY_DEEP)
#undef ASSAY_MMA_SHALLOW
#undef ASSAY_MMA_DEEP
#undef ASSAY_SHALLOW
#undef ASSAY_DEEP
#undef ASSAY_MMA_2
#undef ASSAY_MMA_4

}  // namespace ptx

#define ASSAY_MMA_CALL(A, B, Accumulator, K) ptx::Mma<A, B, Accumulator, K>::run(d, a, b, c)
#define ASSAY_SITE

#else

#define ASSAY_LDMATRICES(count)                                                                                      \
  inline void ldmatrix_x##count(std::uint32_t(&r)[count], const void* row, simt::Site site = simt::here()) {         \
    simt::load_matrices(count, false, row, r, site);                                                                 \
  }                                                                                                                  \
  inline void ldmatrix_x##count##_trans(std::uint32_t(&r)[count], const void* row, simt::Site site = simt::here()) { \
    simt::load_matrices(count, true, row, r, site);                                                                  \
  }
ASSAY_LDMATRICES(1)
ASSAY_LDMATRICES(2)
ASSAY_LDMATRICES(4)
#undef ASSAY_LDMATRICES

namespace ptx {

template <class T>
constexpr simt::Operand operand() {
  if constexpr (std::is_same_v<T, __nv_bfloat16>)
    return simt::Operand::bf16;
  else if constexpr (std::is_same_v<T, __half>)
    return simt::Operand::fp16;
  else if constexpr (std::is_same_v<T, Tf32>)
    return simt::Operand::tf32;
  else if constexpr (std::is_same_v<T, __nv_fp8_e4m3>)
    return simt::Operand::e4m3;
  else if constexpr (std::is_same_v<T, __nv_fp8_e5m2>)
    return simt::Operand::e5m2;
  else if constexpr (std::is_same_v<T, std::int8_t>)
    return simt::Operand::s8;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return simt::Operand::u8;
  else
    static_assert(kMissing<T>, "a tensor core takes __nv_bfloat16, __half, Tf32, __nv_fp8_e4m3, __nv_fp8_e5m2, int8_t and uint8_t");
}

template <class T>
constexpr simt::Result result() {
  if constexpr (std::is_same_v<T, float>)
    return simt::Result::fp32;
  else if constexpr (std::is_same_v<T, __half>)
    return simt::Result::fp16;
  else
    return simt::Result::s32;
}

// The instructions that nvcc's side has.
template <class A, class B, class Accumulator, int K>
constexpr bool has_mma() {
  constexpr simt::Operand a = operand<A>(), b = operand<B>();
  constexpr bool integers = (a == simt::Operand::s8 || a == simt::Operand::u8) && (b == simt::Operand::s8 || b == simt::Operand::u8);
  if (integers || std::is_same_v<Accumulator, int>) return integers && std::is_same_v<Accumulator, int> && K == 32;
  if (a != b) return false;
  if (a == simt::Operand::bf16) return std::is_same_v<Accumulator, float> && (K == 8 || K == 16);
  if (a == simt::Operand::fp16) return K == 8 || K == 16;
  if (a == simt::Operand::tf32) return std::is_same_v<Accumulator, float> && K == 8;
  return K == 32;
}

template <class A, class B, class Accumulator, int K>
void mma(void* d, const std::uint32_t* a, const std::uint32_t* b, const void* c, simt::Site site) {
  static_assert(has_mma<A, B, Accumulator, K>(), "mma.sync with these types and this k has no wrapper: add a row to kernels/ptx/matrix.h");
  simt::multiply_in_warp(
      {operand<A>(), operand<B>(), result<Accumulator>(), K, a, b, static_cast<const std::uint32_t*>(c), static_cast<std::uint32_t*>(d)},
      site);
}

}  // namespace ptx

#define ASSAY_MMA_CALL(A, B, Accumulator, K) ptx::mma<A, B, Accumulator, K>(d, a, b, c, site)
#define ASSAY_SITE , simt::Site site = simt::here()

#endif

// D = A*B + C, m16n8k8: `T` is Tf32 with 4 registers of A and 2 of B, or __nv_bfloat16 or __half with 2 and 1.
template <class T, int Registers>
ASSAY_PTX void mma_m16n8k8(float (&d)[4], const std::uint32_t (&a)[2 * Registers], const std::uint32_t (&b)[Registers],
                           const float (&c)[4] ASSAY_SITE) {
  static_assert(Registers == (std::is_same_v<T, Tf32> ? 2 : 1), "mma_m16n8k8: TF32 takes 4 registers of A and 2 of B, other types 2 and 1");
  ASSAY_MMA_CALL(T, T, float, 8);
}
// FP16 accumulators, two in a register.
template <class T>
ASSAY_PTX void mma_m16n8k8(std::uint32_t (&d)[2], const std::uint32_t (&a)[2], const std::uint32_t (&b)[1],
                           const std::uint32_t (&c)[2] ASSAY_SITE) {
  ASSAY_MMA_CALL(T, T, __half, 8);
}

// D = A*B + C, m16n8k16: __nv_bfloat16 or __half.
template <class T>
ASSAY_PTX void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], const float (&c)[4] ASSAY_SITE) {
  ASSAY_MMA_CALL(T, T, float, 16);
}
template <class T>
ASSAY_PTX void mma_m16n8k16(std::uint32_t (&d)[2], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                            const std::uint32_t (&c)[2] ASSAY_SITE) {
  ASSAY_MMA_CALL(T, T, __half, 16);
}

// D = A*B + C, m16n8k32: __nv_fp8_e4m3 or __nv_fp8_e5m2.
template <class T>
ASSAY_PTX void mma_m16n8k32(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], const float (&c)[4] ASSAY_SITE) {
  ASSAY_MMA_CALL(T, T, float, 32);
}
template <class T>
ASSAY_PTX void mma_m16n8k32(std::uint32_t (&d)[2], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                            const std::uint32_t (&c)[2] ASSAY_SITE) {
  ASSAY_MMA_CALL(T, T, __half, 32);
}
// Integers: int8_t or uint8_t, also mixed; wraps.
template <class A, class B = A>
ASSAY_PTX void mma_m16n8k32(int (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], const int (&c)[4] ASSAY_SITE) {
  ASSAY_MMA_CALL(A, B, int, 32);
}

#undef ASSAY_SITE
#undef ASSAY_MMA_CALL
#undef ASSAY_PTX

}  // namespace assay
