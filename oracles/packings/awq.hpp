// AWQ checkpoints (AutoAWQ "GEMM" version, vLLM's awq kernels), 4 bits and the 8-bit relative that vLLM repacks. With P = 32 / bits codes
// to a word and ORDER = {0, 2, 4, 6, 1, 3, 5, 7} (8 bits: {0, 2, 1, 3}):
//
//   qweight int32 [K, N/P]      code p of word [k, c] is that of n = P c + ORDER[p]
//   qzeros  int32 [K/G, N/P]    the same order; the zero point itself is stored, nothing is added
//   scales  [K/G, N]            as they stand
//
// The order puts columns 2i and 2i + 1 half a word apart, where one mask yields both halves of a half2.
#pragma once
#include "oracles/packings/packing.hpp"

namespace assay {

/// qweight (rows: K). N is a multiple of 32 / bits.
Packing awq_codes(int bits, int64_t k, int64_t n);

/// qzeros (rows: groups).
Packing awq_zeros(int bits, int64_t groups, int64_t n);

}  // namespace assay
