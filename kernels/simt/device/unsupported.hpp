// What the emulator has no model for is a compile error that names what to use instead.
//
// Functions carry the error attribute, which speaks when a call survives to code generation; templates and `asm` fail at once.
#pragma once

#include <cmath>

#include "kernels/simt/device/keywords.hpp"
#include "kernels/simt/device/unsupported_std.hpp"

#define SIMT_NO_MODEL(name, instead) \
  __attribute__((error(#name " has no bit model in the emulator (see device/approximation.hpp for those that have): use " instead)))

#define SIMT_APPROXIMATION(name, instead) SIMT_NO_MODEL(name, instead) float name(float) noexcept

// Hardware approximations whose bits are not modelled. The library function of the same purpose runs, and the session notes it.
SIMT_APPROXIMATION(__logf, "logf");
SIMT_APPROXIMATION(__log2f, "log2f");
SIMT_APPROXIMATION(__log10f, "log10f");
SIMT_APPROXIMATION(__sinf, "sinf");
SIMT_APPROXIMATION(__cosf, "cosf");
SIMT_APPROXIMATION(__tanf, "tanf");
SIMT_APPROXIMATION(__tanhf, "tanhf");
SIMT_APPROXIMATION(__exp10f, "exp10f, or exp2f of the scaled argument");
SIMT_NO_MODEL(__powf, "powf, or exp2f of the scaled exponent") float __powf(float, float) noexcept;
extern "C" {
SIMT_APPROXIMATION(lgammaf, "a device function of your own");
SIMT_APPROXIMATION(tgammaf, "a device function of your own");
}
#undef SIMT_APPROXIMATION
#undef SIMT_NO_MODEL

namespace simt {
template <class...>
constexpr bool kNever = false;
}

// Warp functions without a mask left CUDA with sm_70.
#define SIMT_LEGACY(name)                                                                                                       \
  template <class... Arguments>                                                                                                 \
  int name(Arguments...) {                                                                                                      \
    static_assert(simt::kNever<Arguments...>, #name " has no mask and is not in CUDA for sm_70 and newer: use " #name "_sync"); \
    return 0;                                                                                                                   \
  }
SIMT_LEGACY(__shfl)
SIMT_LEGACY(__shfl_up)
SIMT_LEGACY(__shfl_down)
SIMT_LEGACY(__shfl_xor)
SIMT_LEGACY(__ballot)
SIMT_LEGACY(__any)
SIMT_LEGACY(__all)
#undef SIMT_LEGACY

namespace nvcuda::wmma {
template <class... Arguments>
struct unsupported {
  static_assert(simt::kNever<Arguments...>, "wmma fragments have no published layout and no model: use the wrappers of kernels/ptx.h");
};
template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment : unsupported<Use, T, Layout> {};
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
}  // namespace nvcuda::wmma

namespace cooperative_groups {
#define SIMT_NO_GROUP(name, instead)                                                                                \
  template <class... None>                                                                                          \
  int name(None...) {                                                                                               \
    static_assert(simt::kNever<None...>, "cooperative groups are not emulated: instead of " #name " use " instead); \
    return 0;                                                                                                       \
  }
SIMT_NO_GROUP(this_thread_block, "threadIdx and __syncthreads")
SIMT_NO_GROUP(this_grid, "load_acquire and store_release of kernels/ptx.h")
SIMT_NO_GROUP(this_cluster, "one block per problem")
SIMT_NO_GROUP(coalesced_threads, "__activemask and the *_sync functions")
#undef SIMT_NO_GROUP
}  // namespace cooperative_groups

// A host compiler cannot assemble PTX. System headers say __asm__, which stays.
#define asm                                                                                                 \
  static_assert(false, "inline PTX cannot be emulated: call a wrapper of kernels/ptx.h, or add one there"); \
  __asm__
