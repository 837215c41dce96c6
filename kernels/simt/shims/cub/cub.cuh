// What emulated plug-ins have of CUB.
#pragma once

#include "kernels/simt/shims/cub/block/block_reduce.cuh"
#include "kernels/simt/shims/cub/block/block_scan.cuh"
#include "kernels/simt/shims/cub/warp/warp_reduce.cuh"
