#include "kernels/simt/runtime/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>

#include "kernels/simt/checker/region.hpp"

namespace simt {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kAlignment = 256;
constexpr std::size_t kChunk = 16 << 20;
constexpr std::size_t kGuards[] = {std::size_t{8} << 30, kChunk};  // 8 GiB: what a 32-bit index of 4-byte elements reaches

std::mutex mutex;
std::map<std::uintptr_t, Allocation> all;  // by start

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

std::uintptr_t distance(const Allocation& allocation, std::uintptr_t address) {
  if (address < allocation.start) return allocation.start - address;
  return address < allocation.start + allocation.bytes ? 0 : address - allocation.start - allocation.bytes;
}

// Address space for `pages` bytes between two guards, both ends multiples of the chunk; 0 if there is none.
std::uintptr_t reserve(std::size_t pages, std::size_t guard, std::size_t& mapped) {
  mapped = round_up(pages, kChunk) + 2 * guard;
  void* mapping = mmap(nullptr, mapped + kChunk, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return 0;
  const auto low = reinterpret_cast<std::uintptr_t>(mapping), aligned = round_up(low, kChunk);
  if (aligned > low) munmap(mapping, aligned - low);
  if (low + kChunk > aligned) munmap(reinterpret_cast<void*>(aligned + mapped), low + kChunk - aligned);
  return aligned;
}

}  // namespace

void* allocate(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  const std::size_t usable = round_up(bytes ? bytes : 1, kAlignment), pages = round_up(usable, kPage);
  for (const std::size_t guard : kGuards) {
    std::size_t mapped = 0;
    const std::uintptr_t mapping = reserve(pages, guard, mapped);
    if (!mapping) continue;
    if (mprotect(reinterpret_cast<void*>(mapping + guard), pages, PROT_READ | PROT_WRITE)) {
      munmap(reinterpret_cast<void*>(mapping), mapped);
      return nullptr;
    }
    const std::uintptr_t start = mapping + guard + pages - usable;
    std::lock_guard lock(mutex);
    all[start] = {start, bytes, mapping, mapped};
    return reinterpret_cast<void*>(start);
  }
  return nullptr;
}

bool release(void* pointer) {
  const auto found = allocation_at(pointer);
  if (!found) return false;
  forget_region(found->start);
  {
    std::lock_guard lock(mutex);
    all.erase(found->start);
  }
  munmap(reinterpret_cast<void*>(found->mapping), found->mapped);
  return true;
}

std::vector<Allocation> allocations() {
  std::lock_guard lock(mutex);
  std::vector<Allocation> copy;
  for (const auto& [start, allocation] : all) copy.push_back(allocation);
  return copy;
}

std::optional<Allocation> allocation_at(const void* start) {
  std::lock_guard lock(mutex);
  const auto found = all.find(reinterpret_cast<std::uintptr_t>(start));
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

bool is_allocated(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  std::lock_guard lock(mutex);
  const auto after = all.upper_bound(address);
  return after != all.begin() && distance(std::prev(after)->second, address) == 0;
}

bool fits(const void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  std::lock_guard lock(mutex);
  auto after = all.upper_bound(address);
  if (after != all.end() && address + bytes > after->second.mapping) return false;
  if (after == all.begin()) return true;
  const Allocation& before = std::prev(after)->second;
  return address >= before.mapping + before.mapped || address + bytes <= before.start + before.bytes;
}

std::string locate(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  std::lock_guard lock(mutex);
  auto after = all.upper_bound(address), best = after;
  if (after != all.begin())
    if (const auto before = std::prev(after); after == all.end() || distance(before->second, address) <= distance(after->second, address))
      best = before;
  if (best == all.end() || address < best->second.mapping || address >= best->second.mapping + best->second.mapped)
    return "no device memory is near it";
  const Allocation& nearest = best->second;
  const char* side = address < nearest.start ? "before the start" : "past the end";
  return fmt::format("{} bytes {} of the allocation of {} bytes at {:#x}", distance(nearest, address), side, nearest.bytes, nearest.start);
}

}  // namespace simt
