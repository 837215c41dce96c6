// The text of wgmma instructions: their register lists, which the assembler wants written out, and a row for each pair of types.
#pragma once

#include "kernels/launch.h"

#define ASSAY_WGMMA_HAS_COLUMNS(N) (N == 8 || N == 16 || N == 32 || N == 64 || N == 96 || N == 128 || N == 192 || N == 256)

#ifdef __CUDACC__

// "%30, %31" is ASSAY_NAMES_2(3), and so on for 4, 6, 8 and 10 names that begin with the same digits.
#define ASSAY_NAMES_2(t) "%" #t "0, %" #t "1"
#define ASSAY_NAMES_4(t) ASSAY_NAMES_2(t) ", %" #t "2, %" #t "3"
#define ASSAY_NAMES_6(t) ASSAY_NAMES_4(t) ", %" #t "4, %" #t "5"
#define ASSAY_NAMES_8(t) ASSAY_NAMES_6(t) ", %" #t "6, %" #t "7"
#define ASSAY_NAMES_10(t) ASSAY_NAMES_8(t) ", %" #t "8, %" #t "9"
#define ASSAY_NAMES_16 ASSAY_NAMES_10() ", " ASSAY_NAMES_6(1)
#define ASSAY_NAMES_20 ASSAY_NAMES_10() ", " ASSAY_NAMES_10(1)
#define ASSAY_NAMES_24 ASSAY_NAMES_20 ", " ASSAY_NAMES_4(2)
#define ASSAY_NAMES_32 ASSAY_NAMES_20 ", " ASSAY_NAMES_10(2) ", " ASSAY_NAMES_2(3)
#define ASSAY_NAMES_40 ASSAY_NAMES_20 ", " ASSAY_NAMES_10(2) ", " ASSAY_NAMES_10(3)
#define ASSAY_NAMES_48 ASSAY_NAMES_40 ", " ASSAY_NAMES_8(4)
#define ASSAY_NAMES_60 ASSAY_NAMES_40 ", " ASSAY_NAMES_10(4) ", " ASSAY_NAMES_10(5)
#define ASSAY_NAMES_64 ASSAY_NAMES_60 ", " ASSAY_NAMES_4(6)
#define ASSAY_NAMES_90 ASSAY_NAMES_60 ", " ASSAY_NAMES_10(6) ", " ASSAY_NAMES_10(7) ", " ASSAY_NAMES_10(8)
#define ASSAY_NAMES_96 ASSAY_NAMES_90 ", " ASSAY_NAMES_6(9)
#define ASSAY_NAMES_128 ASSAY_NAMES_90 ", " ASSAY_NAMES_10(9) ", " ASSAY_NAMES_10(10) ", " ASSAY_NAMES_10(11) ", " ASSAY_NAMES_8(12)

#define ASSAY_WORDS_2(c, i) c(d[i]), c(d[i + 1])
#define ASSAY_WORDS_4(c, i) ASSAY_WORDS_2(c, i), ASSAY_WORDS_2(c, i + 2)
#define ASSAY_WORDS_8(c, i) ASSAY_WORDS_4(c, i), ASSAY_WORDS_4(c, i + 4)
#define ASSAY_WORDS_16(c, i) ASSAY_WORDS_8(c, i), ASSAY_WORDS_8(c, i + 8)
#define ASSAY_WORDS_24(c, i) ASSAY_WORDS_16(c, i), ASSAY_WORDS_8(c, i + 16)
#define ASSAY_WORDS_32(c, i) ASSAY_WORDS_16(c, i), ASSAY_WORDS_16(c, i + 16)
#define ASSAY_WORDS_48(c, i) ASSAY_WORDS_32(c, i), ASSAY_WORDS_16(c, i + 32)
#define ASSAY_WORDS_64(c, i) ASSAY_WORDS_32(c, i), ASSAY_WORDS_32(c, i + 32)
#define ASSAY_WORDS_96(c, i) ASSAY_WORDS_64(c, i), ASSAY_WORDS_32(c, i + 64)
#define ASSAY_WORDS_128(c, i) ASSAY_WORDS_64(c, i), ASSAY_WORDS_64(c, i + 64)

// The macros below pass each other names of macros, not lists: a list would fall apart at its commas. nvcc knows operands by number alone:
// `accumulate` is the first after the accumulators, then come A, B and the immediates.
#define ASSAY_R(n1, n2, n3, n4, n5, n6, n7, n8) "{%" #n1 ", %" #n2 ", %" #n3 ", %" #n4 "}, %" #n5 ", p"
#define ASSAY_R_SCALED(n1, n2, n3, n4, n5, n6, n7, n8) ASSAY_R(n1, n2, n3, n4, n5, n6, n7, n8) ", %" #n6 ", %" #n7
#define ASSAY_R_16(n1, n2, n3, n4, n5, n6, n7, n8) ASSAY_R_SCALED(n1, n2, n3, n4, n5, n6, n7, n8) ", %" #n8
#define ASSAY_S(n1, n2, n3, n4, n5, n6, n7, n8) "%" #n1 ", %" #n2 ", p"
#define ASSAY_S_SCALED(n1, n2, n3, n4, n5, n6, n7, n8) ASSAY_S(n1, n2, n3, n4, n5, n6, n7, n8) ", %" #n3 ", %" #n4
#define ASSAY_S_16(n1, n2, n3, n4, n5, n6, n7, n8) ASSAY_S_SCALED(n1, n2, n3, n4, n5, n6, n7, n8) ", %" #n5 ", %" #n6
#define ASSAY_R_OPERANDS() "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)
#define ASSAY_R_SCALED_OPERANDS() ASSAY_R_OPERANDS(), "n"(kScaleA), "n"(kScaleB)
#define ASSAY_R_16_OPERANDS() ASSAY_R_SCALED_OPERANDS(), "n"(int{kTransB})
#define ASSAY_S_OPERANDS() "l"(a), "l"(b)
#define ASSAY_S_SCALED_OPERANDS() ASSAY_S_OPERANDS(), "n"(kScaleA), "n"(kScaleB)
#define ASSAY_S_16_OPERANDS() ASSAY_S_SCALED_OPERANDS(), "n"(int{kTransA}), "n"(int{kTransB})

// One instruction for one N.
#define ASSAY_WGMMA(N, names, WORDS, n0, n1, n2, n3, n4, n5, n6, n7, n8, letter, types, FORM, OPERANDS)           \
  if constexpr (kN == N)                                                                                          \
  asm volatile("{.reg .pred p; setp.ne.b32 p, %" #n0 ", 0; wgmma.mma_async.sync.aligned.m64n" #N types " {" names \
               "}, " FORM(n1, n2, n3, n4, n5, n6, n7, n8) ";}"                                                    \
               : WORDS(letter, 0)                                                                                 \
               : "r"(static_cast<int>(accumulate)), OPERANDS()                                                    \
               : "memory")
#define ASSAY_WGMMA_WIDE(...)                                                                             \
  ASSAY_WGMMA(8, ASSAY_NAMES_4(), ASSAY_WORDS_4, 4, 5, 6, 7, 8, 9, 10, 11, 12, __VA_ARGS__);              \
  ASSAY_WGMMA(16, ASSAY_NAMES_8(), ASSAY_WORDS_8, 8, 9, 10, 11, 12, 13, 14, 15, 16, __VA_ARGS__);         \
  ASSAY_WGMMA(32, ASSAY_NAMES_16, ASSAY_WORDS_16, 16, 17, 18, 19, 20, 21, 22, 23, 24, __VA_ARGS__);       \
  ASSAY_WGMMA(64, ASSAY_NAMES_32, ASSAY_WORDS_32, 32, 33, 34, 35, 36, 37, 38, 39, 40, __VA_ARGS__);       \
  ASSAY_WGMMA(96, ASSAY_NAMES_48, ASSAY_WORDS_48, 48, 49, 50, 51, 52, 53, 54, 55, 56, __VA_ARGS__);       \
  ASSAY_WGMMA(128, ASSAY_NAMES_64, ASSAY_WORDS_64, 64, 65, 66, 67, 68, 69, 70, 71, 72, __VA_ARGS__);      \
  ASSAY_WGMMA(192, ASSAY_NAMES_96, ASSAY_WORDS_96, 96, 97, 98, 99, 100, 101, 102, 103, 104, __VA_ARGS__); \
  ASSAY_WGMMA(256, ASSAY_NAMES_128, ASSAY_WORDS_128, 128, 129, 130, 131, 132, 133, 134, 135, 136, __VA_ARGS__)
#define ASSAY_WGMMA_NARROW(...)                                                                      \
  ASSAY_WGMMA(8, ASSAY_NAMES_2(), ASSAY_WORDS_2, 2, 3, 4, 5, 6, 7, 8, 9, 10, __VA_ARGS__);           \
  ASSAY_WGMMA(16, ASSAY_NAMES_4(), ASSAY_WORDS_4, 4, 5, 6, 7, 8, 9, 10, 11, 12, __VA_ARGS__);        \
  ASSAY_WGMMA(32, ASSAY_NAMES_8(), ASSAY_WORDS_8, 8, 9, 10, 11, 12, 13, 14, 15, 16, __VA_ARGS__);    \
  ASSAY_WGMMA(64, ASSAY_NAMES_16, ASSAY_WORDS_16, 16, 17, 18, 19, 20, 21, 22, 23, 24, __VA_ARGS__);  \
  ASSAY_WGMMA(96, ASSAY_NAMES_24, ASSAY_WORDS_24, 24, 25, 26, 27, 28, 29, 30, 31, 32, __VA_ARGS__);  \
  ASSAY_WGMMA(128, ASSAY_NAMES_32, ASSAY_WORDS_32, 32, 33, 34, 35, 36, 37, 38, 39, 40, __VA_ARGS__); \
  ASSAY_WGMMA(192, ASSAY_NAMES_48, ASSAY_WORDS_48, 48, 49, 50, 51, 52, 53, 54, 55, 56, __VA_ARGS__); \
  ASSAY_WGMMA(256, ASSAY_NAMES_64, ASSAY_WORDS_64, 64, 65, 66, 67, 68, 69, 70, 71, 72, __VA_ARGS__)

namespace assay::ptx {

template <class Input, class Sum>
struct WgmmaText {
  static_assert(kMissing<Input, Sum>, "wgmma with these types has no wrapper: add a row to kernels/ptx/wgmma_lists.h");
};

#define ASSAY_WGMMA_ROW(Input, Sum, Word, ALL_N, letter, types, kind)                                                          \
  template <>                                                                                                                  \
  struct WgmmaText<Input, Sum> {                                                                                               \
    template <int kN, bool kTransB, int kScaleA, int kScaleB, int kWords>                                                      \
    static __device__ __forceinline__ void from_registers(Word (&d)[kWords], const std::uint32_t (&a)[4], std::uint64_t b,     \
                                                          bool accumulate) {                                                   \
      ALL_N(letter, types, ASSAY_R##kind, ASSAY_R##kind##_OPERANDS);                                                           \
    }                                                                                                                          \
    template <int kN, bool kTransA, bool kTransB, int kScaleA, int kScaleB, int kWords>                                        \
    static __device__ __forceinline__ void from_shared(Word (&d)[kWords], std::uint64_t a, std::uint64_t b, bool accumulate) { \
      ALL_N(letter, types, ASSAY_S##kind, ASSAY_S##kind##_OPERANDS);                                                           \
    }                                                                                                                          \
  };
ASSAY_WGMMA_ROW(__nv_bfloat16, float, float, ASSAY_WGMMA_WIDE, "+f", "k16.f32.bf16.bf16", _16)
ASSAY_WGMMA_ROW(__half, float, float, ASSAY_WGMMA_WIDE, "+f", "k16.f32.f16.f16", _16)
ASSAY_WGMMA_ROW(__half, __half, std::uint32_t, ASSAY_WGMMA_NARROW, "+r", "k16.f16.f16.f16", _16)
ASSAY_WGMMA_ROW(Tf32, float, float, ASSAY_WGMMA_WIDE, "+f", "k8.f32.tf32.tf32", _SCALED)
ASSAY_WGMMA_ROW(__nv_fp8_e4m3, float, float, ASSAY_WGMMA_WIDE, "+f", "k32.f32.e4m3.e4m3", _SCALED)
ASSAY_WGMMA_ROW(__nv_fp8_e5m2, float, float, ASSAY_WGMMA_WIDE, "+f", "k32.f32.e5m2.e5m2", _SCALED)
ASSAY_WGMMA_ROW(__nv_fp8_e4m3, __half, std::uint32_t, ASSAY_WGMMA_NARROW, "+r", "k32.f16.e4m3.e4m3", _SCALED)
ASSAY_WGMMA_ROW(__nv_fp8_e5m2, __half, std::uint32_t, ASSAY_WGMMA_NARROW, "+r", "k32.f16.e5m2.e5m2", _SCALED)
ASSAY_WGMMA_ROW(std::int8_t, int, int, ASSAY_WGMMA_WIDE, "+r", "k32.s32.s8.s8", )

}  // namespace assay::ptx

#undef ASSAY_NAMES_10
#undef ASSAY_NAMES_128
#undef ASSAY_NAMES_16
#undef ASSAY_NAMES_2
#undef ASSAY_NAMES_20
#undef ASSAY_NAMES_24
#undef ASSAY_NAMES_32
#undef ASSAY_NAMES_4
#undef ASSAY_NAMES_40
#undef ASSAY_NAMES_48
#undef ASSAY_NAMES_6
#undef ASSAY_NAMES_60
#undef ASSAY_NAMES_64
#undef ASSAY_NAMES_8
#undef ASSAY_NAMES_90
#undef ASSAY_NAMES_96
#undef ASSAY_R
#undef ASSAY_R_16
#undef ASSAY_R_16_OPERANDS
#undef ASSAY_R_OPERANDS
#undef ASSAY_R_SCALED
#undef ASSAY_R_SCALED_OPERANDS
#undef ASSAY_S
#undef ASSAY_S_16
#undef ASSAY_S_16_OPERANDS
#undef ASSAY_S_OPERANDS
#undef ASSAY_S_SCALED
#undef ASSAY_S_SCALED_OPERANDS
#undef ASSAY_WGMMA
#undef ASSAY_WGMMA_NARROW
#undef ASSAY_WGMMA_ROW
#undef ASSAY_WGMMA_WIDE
#undef ASSAY_WORDS_128
#undef ASSAY_WORDS_16
#undef ASSAY_WORDS_2
#undef ASSAY_WORDS_24
#undef ASSAY_WORDS_32
#undef ASSAY_WORDS_4
#undef ASSAY_WORDS_48
#undef ASSAY_WORDS_64
#undef ASSAY_WORDS_8
#undef ASSAY_WORDS_96
#endif
