#include "kernels/simt/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>

namespace simt {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kAlignment = 256;
constexpr std::size_t kGuard = 1 << 20;  // on either side: what an index that is off by some rows reaches

struct Allocation {
  std::size_t bytes;
  char* mapping;
  std::size_t mapped;
};

std::mutex mutex;
std::map<std::uintptr_t, Allocation> allocations;

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

std::uintptr_t distance(std::uintptr_t start, const Allocation& allocation, std::uintptr_t address) {
  if (address < start) return start - address;
  return address < start + allocation.bytes ? 0 : address - start - allocation.bytes;
}

}  // namespace

void* allocate(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  const std::size_t usable = round_up(bytes ? bytes : 1, kAlignment), pages = round_up(usable, kPage), mapped = pages + 2 * kGuard;
  void* mapping = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  auto* low = static_cast<char*>(mapping);
  if (mprotect(low + kGuard, pages, PROT_READ | PROT_WRITE)) {
    munmap(mapping, mapped);
    return nullptr;
  }
  char* start = low + kGuard + pages - usable;
  std::lock_guard lock(mutex);
  allocations[reinterpret_cast<std::uintptr_t>(start)] = {bytes, low, mapped};
  return start;
}

bool release(void* pointer) {
  std::lock_guard lock(mutex);
  const auto found = allocations.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == allocations.end()) return false;
  munmap(found->second.mapping, found->second.mapped);
  allocations.erase(found);
  return true;
}

bool fits(const void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  std::lock_guard lock(mutex);
  auto after = allocations.upper_bound(address);
  if (after != allocations.end() && address + bytes > reinterpret_cast<std::uintptr_t>(after->second.mapping)) return false;
  if (after == allocations.begin()) return true;
  const auto& [start, allocation] = *std::prev(after);
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(allocation.mapping) + allocation.mapped;
  return address >= end || address + bytes <= start + allocation.bytes;
}

std::string locate(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  std::lock_guard lock(mutex);
  auto after = allocations.upper_bound(address), best = allocations.end();
  if (after != allocations.end()) best = after;
  if (after != allocations.begin()) {
    const auto before = std::prev(after);
    if (best == allocations.end() || distance(before->first, before->second, address) <= distance(best->first, best->second, address))
      best = before;
  }
  if (best == allocations.end() || distance(best->first, best->second, address) > kGuard) return "no device memory is near it";
  const auto& [start, allocation] = *best;
  const char* side = address < start ? "before the start" : "past the end";
  return fmt::format("{} bytes {} of the allocation of {} bytes at {:#x}", distance(start, allocation, address), side, allocation.bytes,
                     start);
}

}  // namespace simt
