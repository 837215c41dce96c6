#include "properties/identify/thread_order.hpp"

#include <fmt/format.h>

#include <cmath>

namespace assay::properties {
namespace {

/// Exchanges between lanes, each adding the other's.
float tree(std::vector<float> lanes, bool far_first) {
  const size_t count = lanes.size();
  for (size_t step = 1; step < count; step *= 2) {
    const size_t distance = far_first ? count / 2 / step : step;
    std::vector<float> next(count);
    for (size_t i = 0; i < count; i++) next[i] = lanes[i] + lanes[i ^ distance];
    lanes = next;
  }
  return lanes[0];
}

}  // namespace

std::string ThreadOrder::name() const {
  if (threads == 1) return "one chain in ascending order";
  return fmt::format("{} chains over chunks of {}, lanes from the {}, {}", threads, chunk, far_first ? "farthest" : "nearest",
                     threads == 32   ? "one warp"
                     : warps_in_turn ? "warps in turn"
                                     : "warps likewise");
}

int64_t ThreadOrder::depth(int64_t d) const {
  if (threads == 1) return d - 1;
  const int64_t links = chunk * (((d + chunk - 1) / chunk + threads - 1) / threads), warps = (threads + 31) / 32;
  return links - 1 + 5 + (warps_in_turn ? warps - 1 : int64_t(std::ceil(std::log2(double(warps)))));
}

float sum_of_squares(const std::vector<float>& z, const ThreadOrder& o) {
  std::vector<float> chains(size_t(o.threads), 0.0f);
  for (size_t i = 0; i < z.size(); i++) {
    float& chain = chains[i / size_t(o.chunk) % size_t(o.threads)];
    chain = std::fma(z[i], z[i], chain);
  }
  if (o.threads == 1) return chains[0];
  std::vector<float> warps;
  for (size_t first = 0; first < chains.size(); first += 32)
    warps.push_back(tree(std::vector<float>(chains.begin() + int64_t(first), chains.begin() + int64_t(first) + 32), o.far_first));
  if (!o.warps_in_turn) return tree(warps, o.far_first);
  float sum = warps[0];
  for (size_t i = 1; i < warps.size(); i++) sum += warps[i];
  return sum;
}

std::vector<ThreadOrder> thread_orders() {
  std::vector<ThreadOrder> all{{.threads = 1, .chunk = 1}};
  for (int64_t threads : {32, 64, 128, 256, 512, 1024})
    for (int64_t chunk : {1, 2, 4, 8, 16})
      for (bool far : {true, false})
        for (bool in_turn : {false, true})
          if (threads > 32 || !in_turn) all.push_back({threads, chunk, far, in_turn});
  return all;
}

}  // namespace assay::properties
