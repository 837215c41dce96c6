// setmaxnreg: warpgroups of a block trade registers. All threads of a warpgroup call together, in a kernel whose launch bounds fix how many
// registers each thread starts with; what one warpgroup asks for, others must have given. The emulator has nothing to trade.
#pragma once

#include "kernels/launch.h"

namespace assay {

#ifdef __CUDACC__
#define ASSAY_SETMAXNREG(name, direction)                                                                          \
  template <int kRegisters>                                                                                        \
  __device__ __forceinline__ void name() {                                                                         \
    static_assert(kRegisters >= 24 && kRegisters <= 256 && kRegisters % 8 == 0, "a multiple of 8 from 24 to 256"); \
    asm volatile("setmaxnreg." direction ".sync.aligned.u32 %0;" ::"n"(kRegisters));                               \
  }
#else
#define ASSAY_SETMAXNREG(name, direction)                                                                          \
  template <int kRegisters>                                                                                        \
  void name() {                                                                                                    \
    static_assert(kRegisters >= 24 && kRegisters <= 256 && kRegisters % 8 == 0, "a multiple of 8 from 24 to 256"); \
  }
#endif
ASSAY_SETMAXNREG(take_registers, "inc")  // waits until there are so many
ASSAY_SETMAXNREG(give_registers, "dec")
#undef ASSAY_SETMAXNREG

}  // namespace assay
