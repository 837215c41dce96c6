// A random tile, and how many of its outputs the fast paths compute otherwise than the scalar model.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/simt/tensor/matrix.hpp"
#include "kernels/simt/tensor/operands.hpp"

namespace simt::tensor {

class TestTile {
 public:
  TestTile(const Parameters& parameters, int columns, int k, Draw draw, std::uint64_t seed)
      : p_(parameters), columns_(columns), k_(k), random_{seed} {
    a_.resize(size(kRows * k));
    b_.resize(size(columns * k));
    c_.resize(size(columns * kRows));
    d_.resize(c_.size());
    refill(draw);
  }

  void refill(Draw draw) {
    for (auto* operand : {&a_, &b_})
      for (auto& code : *operand) code = draw_input(p_.input, draw, random_);
    std::fill(c_.begin(), c_.end(), 0);
    const std::vector<std::uint32_t> sums = result(best_path());
    for (std::size_t i = 0; i < c_.size(); ++i) c_[i] = draw_addend(p_.accumulator, draw, random_, sums[i]);
  }

  Tile view() { return {.columns = columns_, .k = k_, .a = a_.data(), .b = b_.data(), .c = c_.data(), .d = d_.data()}; }

  std::vector<std::uint32_t> result(Path path) {
    multiply(p_, view(), path);
    return d_;
  }

  // Of all paths that the processor has.
  int differences() {
    const std::vector<std::uint32_t> right = result(Path::scalar);
    int differ = 0;
    for (Path path : {Path::avx2, Path::avx512})
      if (path <= best_path()) differ += count(right, result(path));
    return differ;
  }

  int differences_in_place(Path path) {
    const std::vector<std::uint32_t> right = result(Path::scalar);
    Tile tile = view();
    tile.d = c_.data();
    multiply(p_, tile, path);
    return count(right, c_);
  }

 private:
  static std::size_t size(int count) { return static_cast<std::size_t>(count); }
  static int count(const std::vector<std::uint32_t>& x, const std::vector<std::uint32_t>& y) {
    int differ = 0;
    for (std::size_t i = 0; i < x.size(); ++i) differ += x[i] != y[i];
    return differ;
  }

  Parameters p_;
  int columns_, k_;
  Random64 random_;
  std::vector<std::uint32_t> a_, b_, c_, d_;
};

// The depth of the instructions that the row describes.
inline int depth(const Parameters& p) { return p.input == Input::tf32 ? 8 : p.input == Input::bf16 || p.input == Input::fp16 ? 16 : 32; }

inline long differing_outputs(const Parameters& p, Draw draw, long outputs) {
  TestTile tile(p, 64, depth(p), draw, 1000 + static_cast<std::uint64_t>(draw));
  long differ = 0;
  for (long done = 0; done < outputs; done += 64 * kRows) {
    tile.refill(draw);
    differ += tile.differences();
  }
  return differ;
}

}  // namespace simt::tensor
