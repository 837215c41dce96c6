#include "kernels/simt/math/measure/modelled.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "kernels/simt/math/measure/functions.hpp"

namespace simt::measure {
namespace {

template <class Function>
std::uint64_t block_hash(std::uint32_t block, Function function) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < kBlockSize; ++i) {
    const std::uint32_t argument = block * kBlockSize + i;
    sum += hash_term(argument, function(__uint_as_float(argument)));
  }
  return sum;
}

#define SIMT_MODELLED(name, expression) {#name, [](std::uint32_t block) { return block_hash(block, [](float x) { return expression; }); }},
constexpr Modelled kModelled[] = {SIMT_MODELLED_FUNCTIONS(SIMT_MODELLED)};
#undef SIMT_MODELLED

}  // namespace

std::span<const Modelled> modelled_functions() { return kModelled; }

std::vector<std::uint32_t> differing_blocks(const Modelled& function, std::span<const std::uint64_t> measured, std::uint32_t step) {
  std::atomic<std::uint32_t> next{0};
  std::mutex adding;
  std::vector<std::uint32_t> differing;
  const auto work = [&] {
    for (std::uint32_t block; (block = next.fetch_add(step)) < kBlocks;) {
      if (function.block_hash(block) == measured[block]) continue;
      std::lock_guard lock(adding);
      differing.push_back(block);
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 1; i < std::max(1u, std::thread::hardware_concurrency()); ++i) workers.emplace_back(work);
  work();
  workers.clear();
  std::sort(differing.begin(), differing.end());
  return differing;
}

}  // namespace simt::measure
