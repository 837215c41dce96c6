#include "kernels/simt/runtime/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "kernels/simt/runtime/symbol.hpp"

namespace simt {
namespace {

struct Limit {
  const char* what;
  std::uint64_t asked;
  std::uint64_t allowed;
};

std::mutex mutex;
std::map<const void*, std::size_t> allowed_dynamic_shared;

std::size_t dynamic_shared_limit(const void* kernel) {
  std::lock_guard lock(mutex);
  const auto found = allowed_dynamic_shared.find(kernel);
  return found == allowed_dynamic_shared.end() ? 0 : found->second;
}

std::string broken_shape(dim3 grid, dim3 block) {
  const Limit limits[] = {
      {"block.x", block.x, 1024},
      {"block.y", block.y, 1024},
      {"block.z", block.z, 64},
      {"grid.x", grid.x, 2147483647},
      {"grid.y", grid.y, 65535},
      {"grid.z", grid.z, 65535},
      {"threads in the block", std::uint64_t{1} * block.x * block.y * block.z, 1024},
  };
  for (const Limit& limit : limits) {
    if (limit.asked == 0) return fmt::format("{} is 0: it must be at least 1", limit.what);
    if (limit.asked > limit.allowed) return fmt::format("{} is {}: sm_90 allows {}", limit.what, limit.asked, limit.allowed);
  }
  return {};
}

}  // namespace

Refusal broken_limit(const Launch& launch) {
  if (std::string broken = broken_shape(launch.grid, launch.block); !broken.empty()) return {cudaErrorInvalidConfiguration, broken};
  const std::size_t fixed = static_shared_bytes(launch.kernel), dynamic = launch.dynamic_shared, sum = fixed + dynamic;
  const std::string asked = fmt::format("{} bytes of shared memory ({} static, {} dynamic)", sum, fixed, dynamic);
  if (sum > kMaxSharedBytes) return {cudaErrorInvalidValue, fmt::format("{}: sm_90 allows {} in a block", asked, kMaxSharedBytes)};
  if (sum > kDefaultSharedBytes && dynamic > dynamic_shared_limit(launch.kernel))
    return {cudaErrorInvalidValue,
            fmt::format("{}: more than {} needs cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, {}) before",
                        asked, kDefaultSharedBytes, dynamic)};
  return {};
}

bool allow_dynamic_shared(const void* kernel, std::size_t bytes) {
  if (bytes + static_shared_bytes(kernel) > kMaxSharedBytes) return false;
  std::lock_guard lock(mutex);
  allowed_dynamic_shared[kernel] = bytes;
  return true;
}

}  // namespace simt
