// GPTQ checkpoints, 4 and 8 bits (AutoGPTQ, GPTQModel, vLLM's gptq kernels). With P = 32 / bits codes to a word, the first in
// the lowest bits:
//
//   qweight int32 [K/P, N]      code j of word [r, n] is that of k = P r + j
//   qzeros  int32 [K/G, N/P]    code j of word [g, c] is the stored zero of n = P c + j
//   scales  [K/G, N]            as they stand
//   g_idx   int32 [K]           the group of each k; absent: k / G
//
// Version 1 stores z - 1, version 2 stores z. The kernels of version 1 add 1 to the stored number and mask nothing: a stored 15 (of 8 bits:
// 255) means 16 (256). AutoGPTQ's Python path masks and reads 0 there. We follow the kernels; has_divergent_zero() finds such words, so
// that a report can say that two implementations differ by definition and not by mistake.
//
// act-order (desc_act): groups are not consecutive k. Kernels sort the rows of the weight by group when they load it, and gather the
// activations with the same permutation. The exllama kernels also regroup the codes of each word: even k in the low half, odd k in the
// high half, so that one mask yields the pairs of a half2.
#pragma once
#include "oracles/packings/packing.hpp"

namespace assay {

enum class GptqVersion : uint8_t { v1 = 1, v2 = 2 };

/// qweight. K is a multiple of 32 / bits.
Packing gptq_codes(int bits, int64_t k, int64_t n);

/// qzeros, as stored. N is a multiple of 32 / bits.
Packing gptq_zeros(int bits, int64_t groups, int64_t n);

/// qweight after the exllama shuffle: of 4 bits, code p of a word is that of k = 8r + {0, 2, 4, 6, 1, 3, 5, 7}[p]; of 8 bits nothing moves.
Packing exllama_codes(int bits, int64_t k, int64_t n);

/// The zero point that a stored number means: stored + 1 for version 1, never masked.
int gptq_zero(GptqVersion, uint32_t stored);

/// Whether some stored zero of version 1 is the largest code, which implementations read as 2^bits or as 0.
bool has_divergent_zero(int bits, std::span<const int32_t> qzeros);

// ---- act-order

/// 0 0 .. 0 1 1 .. 1 ..: the group of each k without act-order. K is a multiple of the group.
std::vector<int32_t> group_index(int64_t k, int64_t group);

/// The order that sorts g_idx: row j of the sorted weight is row order[j] of the checkpoint. Stable: within a group k ascends.
/// (torch.argsort promises no such thing; an order that is not stable gives the same products, summed in another order.) Throws
/// std::invalid_argument for a group below 0 or from `groups` on.
std::vector<int32_t> act_order(std::span<const int32_t> g_idx, int64_t groups);

/// Throws std::invalid_argument unless every number from 0 on stands there once.
void check_permutation(std::span<const int32_t> permutation);
std::vector<int32_t> inverse_permutation(std::span<const int32_t> permutation);

/// Rows of `width` codes in another order: row j of the result is row permutation[j].
std::vector<uint8_t> permuted_rows(std::span<const uint8_t> codes, int64_t width, std::span<const int32_t> permutation);

}  // namespace assay
