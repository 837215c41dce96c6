// mma.sync and ldmatrix.
#include <cstring>

#include "kernels/simt/checker/watch.hpp"
#include "kernels/simt/tensor/fragment.hpp"
#include "kernels/simt/tensor/instruction.hpp"
#include "kernels/simt/tensor/together.hpp"

namespace simt {
namespace {

constexpr int kColumns = 8;

struct MultiplyRequest {
  const WarpMultiply* what;
  bool done;
};

struct LoadRequest {
  const void* row;
  std::uint32_t* registers;
  bool done;
};

// The codes of A or B: element (outer, k) at to[outer * outer_step + k * k_step].
template <class PlaceOf>
void gather(int per_register, int registers, const std::uint32_t* const (&words)[32], PlaceOf place, int outer_step, int k_step,
            std::uint32_t* to) {
  for (int lane = 0; lane < 32; ++lane)
    for (int index = 0; index < registers; ++index)
      for (int element = 0; element < per_register; ++element) {
        const tensor::Place at = place(per_register, lane, index, element);
        to[at.outer * outer_step + at.k * k_step] = unpack(per_register, words[lane][index], element);
      }
}

void multiply_all(const MultiplyRequest* const (&all)[32]) {
  const WarpMultiply& what = *all[0]->what;
  const std::uint32_t *a_words[32], *b_words[32];
  for (int lane = 0; lane < 32; ++lane) {
    a_words[lane] = all[lane]->what->a_registers;
    b_words[lane] = all[lane]->what->b_registers;
  }
  const int per_register = packed(what.a), depth = what.k / (per_register * 4);
  std::uint32_t a[tensor::kMaxDepth * tensor::kRows], b[tensor::kMaxDepth * kColumns], c[kColumns * tensor::kRows];
  gather(per_register, 2 * depth, a_words, tensor::place_in_a, 1, tensor::kRows, a);
  gather(per_register, depth, b_words, tensor::place_in_b, what.k, 1, b);
  const int per_word = what.result == Result::fp16 ? 2 : 1;
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      const tensor::Place at = tensor::place_in_c(lane, i);
      c[at.outer * tensor::kRows + at.k] = unpack(per_word, all[lane]->what->c_registers[i / per_word], i % per_word);
    }
  multiply_tile(tensor::Family::mma_sync, what.a, what.b, what.result, {.columns = kColumns, .k = what.k, .a = a, .b = b, .c = c, .d = c});
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; i += per_word) {
      std::uint32_t word = 0;
      for (int j = 0; j < per_word; ++j) {
        const tensor::Place at = tensor::place_in_c(lane, i + j);
        word |= c[at.outer * tensor::kRows + at.k] << (16 * j);
      }
      all[lane]->what->d_registers[i / per_word] = word;
    }
}

void load_all(int count, bool transposed, const LoadRequest* const (&all)[32]) {
  for (int matrix = 0; matrix < count; ++matrix) {
    std::uint16_t elements[8][8];
    for (int row = 0; row < 8; ++row) std::memcpy(elements[row], all[matrix * 8 + row]->row, 16);
    for (int lane = 0; lane < 32; ++lane) {
      const int outer = lane / 4, inner = lane % 4 * 2;
      const auto at = [&](int i) -> std::uint32_t { return transposed ? elements[inner + i][outer] : elements[outer][inner + i]; };
      all[lane]->registers[matrix] = at(0) | at(1) << 16;
    }
  }
}

}  // namespace

void multiply_in_warp(const WarpMultiply& what, Site site) {
  MultiplyRequest mine{&what, false}, *all[32];
  if (first_of_warp(Collective::mma_sync, mine, all, site)) multiply_all(all);
}

void load_matrices(int count, bool transposed, const void* row, std::uint32_t* registers, Site site) {
  if (current->lane < static_cast<unsigned>(count) * 8 && reinterpret_cast<std::uintptr_t>(row) & 15)
    fail(site, "ldmatrix with a row address that is no multiple of 16: rows of 8x8 matrices are 16 bytes, aligned to 16");
  if (watching && current->lane < static_cast<unsigned>(count) * 8) watching->read16(row, __builtin_return_address(0));
  LoadRequest mine{row, registers, false}, *all[32];
  if (first_of_warp(Collective::load_matrices, mine, all, site)) load_all(count, transposed, all);
}

}  // namespace simt
