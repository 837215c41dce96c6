// Kernels that use the instructions of kernels/ptx.h the way real ones do, for both machines: the same source answers on a card and in the
// emulator, and a hash of everything it wrote says whether the answers are the same (h200.txt holds a card's).
//
// Each exercise also has a plain loop, which says what the answer must be without running any kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace simt::twin {

using Words = std::vector<std::uint32_t>;

struct Exercise {
  std::string name;            // "<group>.<what>", no spaces
  std::function<Words()> run;  // on the device; throws std::runtime_error with what CUDA said
  std::function<Words()> loop;
};

// In a fixed order; names are unique.
std::vector<Exercise> exercises();

// What the sources offer, one function each.
std::vector<Exercise> ldmatrix_exercises();
std::vector<Exercise> gemm_exercises();
std::vector<Exercise> box_exercises();
std::vector<Exercise> wgmma_exercises();
std::vector<Exercise> ring_exercises();
std::vector<Exercise> split_exercises();

// 16 hexadecimal digits: FNV-1a, 64 bits, over the bytes of the words, the least significant first.
std::string hash(const Words& words);

}  // namespace simt::twin
