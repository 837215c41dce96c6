// Inline PTX that kernels need, one wrapper an instruction: the instruction under nvcc, its model in the emulator.
//
// Kernels write no `asm` themselves, so that g++ can compile them. What has no wrapper has no model: add both together.
#pragma once

#include "kernels/ptx/copy.h"
#include "kernels/ptx/grid.h"
#include "kernels/ptx/logic.h"
#include "kernels/ptx/matrix.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/memory.h"
#include "kernels/ptx/registers.h"
#include "kernels/ptx/tensor_map.h"
#include "kernels/ptx/wgmma.h"
