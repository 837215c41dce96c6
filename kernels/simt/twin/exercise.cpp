#include "kernels/simt/twin/exercise.hpp"

#include <cstdio>
#include <iterator>

namespace simt::twin {

std::vector<Exercise> exercises() {
  std::vector<Exercise> all;
  for (auto* group : {ldmatrix_exercises, gemm_exercises, box_exercises, wgmma_exercises, ring_exercises, split_exercises}) {
    std::vector<Exercise> more = group();
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return all;
}

std::string hash(const Words& words) {
  std::uint64_t state = 0xcbf29ce484222325;
  for (const std::uint32_t word : words)
    for (int shift = 0; shift < 32; shift += 8) state = (state ^ (word >> shift & 0xff)) * 0x100000001b3;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(state));
  return text;
}

}  // namespace simt::twin
