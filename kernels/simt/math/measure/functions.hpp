// The functions of one argument whose bits are compared over all 2^32 arguments, written once for nvcc and for the emulator, and the hash
// they are compared by.
//
// To add one, add a line and run measure/ on the card; its hashes go to sm_90/hashes/<name>.gz.
#pragma once

#include "kernels/common/elementary.cuh"
#include "kernels/launch.h"

namespace simt::measure {

// The bare instructions: asm volatile, because ptxas folds an approximation of a constant with a better value than the hardware's.
#ifdef __CUDACC__
#define SIMT_INSTRUCTION(name, text)                       \
  __device__ inline float name(float x) {                  \
    float result;                                          \
    asm volatile(text " %0, %1;" : "=f"(result) : "f"(x)); \
    return result;                                         \
  }
SIMT_INSTRUCTION(ex2_ftz, "ex2.approx.ftz.f32")
SIMT_INSTRUCTION(rcp_ftz, "rcp.approx.ftz.f32")
SIMT_INSTRUCTION(rsqrt_ftz, "rsqrt.approx.ftz.f32")
SIMT_INSTRUCTION(lg2_ftz, "lg2.approx.ftz.f32")
SIMT_INSTRUCTION(tanh_approx, "tanh.approx.f32")
SIMT_INSTRUCTION(sin_ftz, "sin.approx.ftz.f32")
SIMT_INSTRUCTION(cos_ftz, "cos.approx.ftz.f32")
#undef SIMT_INSTRUCTION
#else
using simt::ex2_ftz;
using simt::lg2_ftz;
using simt::rcp_ftz;
using simt::rsqrt_ftz;
#endif

// X(name of the hash file, expression in x): the emulator has the bits.
#define SIMT_MODELLED_FUNCTIONS(X)                  \
  X(ex2_ftz, ex2_ftz(x))                            \
  X(rcp_ftz, rcp_ftz(x))                            \
  X(rsqrt_ftz, rsqrt_ftz(x))                        \
  X(lg2_ftz, lg2_ftz(x))                            \
  X(fast_expf, __expf(x))                           \
  X(exp2f, exp2f(x))                                \
  X(rsqrtf, rsqrtf(x))                              \
  X(reciprocal, __fdividef(1.0f, x))                \
  X(quotient, __fdividef(x, __fmaf_rn(x, x, 1.0f))) \
  X(silu, x / (1.0f + __expf(-x)))                  \
  X(sqrtf, __fsqrt_rn(x))                           \
  X(frcp_rn, __frcp_rn(x))                          \
  X(frsqrt_rn, __frsqrt_rn(x))                      \
  X(portable_tanh, assay::portable_tanh(x))         \
  X(portable_erf, assay::portable_erf(x))

// Hashed on the card only: the toolkit's library functions and instructions without a model.
#define SIMT_CARD_FUNCTIONS(X)        \
  X(expf, expf(x))                    \
  X(exp10f, exp10f(x))                \
  X(tanhf, tanhf(x))                  \
  X(erff, erff(x))                    \
  X(logf, logf(x))                    \
  X(log2f, log2f(x))                  \
  X(sinf, sinf(x))                    \
  X(cosf, cosf(x))                    \
  X(silu_expf, x / (1.0f + expf(-x))) \
  X(fast_logf, __logf(x))             \
  X(fast_log2f, __log2f(x))           \
  X(tanh_approx, tanh_approx(x))      \
  X(sin_ftz, sin_ftz(x))              \
  X(cos_ftz, cos_ftz(x))

constexpr std::uint32_t kBlocks = 4096;  // of arguments whose upper 12 bits are equal
constexpr std::uint32_t kBlockSize = 1u << 20;

// A block's hash is the sum of its terms, so their order does not matter. NaNs are one class.
__device__ inline std::uint64_t hash_term(std::uint32_t argument, float result) {
  std::uint32_t bits = __float_as_uint(result);
  if ((bits & 0x7fffffffu) > 0x7f800000u) bits = 0x7fffffffu;
  std::uint64_t word = static_cast<std::uint64_t>(argument) << 32 | bits;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

}  // namespace simt::measure
