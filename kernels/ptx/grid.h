// griddepcontrol: a kernel that assay::launch_early started and the one ahead of it in the stream. In the emulator a kernel has finished
// before the next one starts.
#pragma once

#include "kernels/launch.h"

namespace assay {

#ifdef __CUDACC__

// Until the kernel ahead has ended and what it wrote can be read.
__device__ __forceinline__ void wait_for_grid_ahead() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

// The kernel behind may start once every block has called this or ended, where it finds room.
__device__ __forceinline__ void let_next_grid_start() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

#else

inline void wait_for_grid_ahead() {}
inline void let_next_grid_start() {}

#endif

}  // namespace assay
