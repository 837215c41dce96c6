// The layout that Marlin kernels read (IST-DASLab Marlin, vLLM's gptq_marlin): codes in the order in which the lanes of a warp need them as
// B fragments of mma.m16n8k16, so that a lane's share of a tile is one 16-byte load and needs no shuffle.
//
// Codes. A tile is 16 k by 64 n, tiles [K/16][N/64]: row kt of the tensor [K/16, 2N] (8 bits: [K/16, 4N]) holds the tiles of k = 16 kt ..
// side by side, 128 (256) words each. With th = 0 .. 31 the lane, wp = 0 .. 3 a run of 16 columns, r = 2 (th % 4) and c = 16 wp + th / 4:
//
//   4 bits   word 4 th + wp        codes at (r, c) (r+8, c) (r, c+8) (r+8, c+8) (r+1, c) (r+9, c) (r+1, c+8) (r+9, c+8)
//   8 bits   word 8 th + 2 wp      codes at (r, c) (r+8, c) (r+1, c) (r+9, c);  the next word the same of column c+8
//
// Scales. With groups along K (G < K) position p of each run of 64 columns holds column p/8 + 8 (p % 8): what the lanes of one th / 4 need
// for their eight columns lies together. With one group (channelwise), and for a bias, position p of each run of 32 holds column
// 2 (p/8) + {0, 1, 8, 9, 16, 17, 24, 25}[p % 8]: the columns of a lane's accumulators, since the scale is applied to these.
//
// Zero points. Permuted by the run of 64 always (they are applied to every fragment), then interleaved {0, 2, 4, 6, 1, 3, 5, 7} (8 bits:
// {0, 2, 1, 3}) and packed along n: code i of word c is what stands at position P c + interleave[i]. Nothing is added to them.
#pragma once
#include "oracles/packings/packing.hpp"

namespace assay {

/// K is a multiple of 16, N of 64; bits 4 or 8.
Packing marlin_codes(int bits, int64_t k, int64_t n);

/// Scales [groups, N] where K has several groups: N is a multiple of 64.
Packing marlin_grouped_scales(int64_t groups, int64_t n);

/// Scales [1, N] where K is one group, and biases: N is a multiple of 32.
Packing marlin_single_scales(int64_t n);

/// Zero points [groups, N], N a multiple of 64.
Packing marlin_zeros(int bits, int64_t groups, int64_t n);

}  // namespace assay
