// cp.async: copies of 16 bytes that land when their group is waited for, so that a missing wait shows.
#include <cstring>

#include "kernels/simt/api.hpp"
#include "kernels/simt/runtime/block.hpp"
#include "kernels/simt/checker/watch.hpp"

namespace simt {

void Copies::land(std::size_t until) {
  for (; landed < until; ++landed) {
    const Copy& copy = copies[landed];
    std::memset(copy.shared, 0, 16);
    if (copy.bytes > 0) std::memcpy(copy.shared, copy.global, copy.bytes);  // of no bytes, the address may be null
    if (watching) watching->land_copy(copy.shared);
  }
}

void Copies::clear() {
  copies.clear();
  groups.clear();
  landed = 0;
}

void start_copy16(void* shared, const void* global, int bytes, Site site) {
  if ((reinterpret_cast<std::uintptr_t>(shared) | reinterpret_cast<std::uintptr_t>(global)) & 15)
    fail(site, "cp_async16 with an address that is no multiple of 16: both addresses must be");
  if (bytes < 0 || bytes > 16) fail(site, "cp_async16_zfill of less than 0 or more than 16 bytes: it fills 16, the others with zeros");
  const auto read = static_cast<std::size_t>(bytes);
  if (watching) watching->start_copy(shared, global, read, __builtin_return_address(0));
  running->lane->copies.copies.push_back({shared, global, read});
}

void commit_copies() {
  Copies& copies = running->lane->copies;
  copies.groups.push_back(copies.copies.size());
}

void wait_copies(int groups_left) {
  Copies& copies = running->lane->copies;
  const auto left = static_cast<std::size_t>(groups_left), groups = copies.groups.size();
  if (left < groups) copies.land(copies.groups[groups - 1 - left]);
  if (copies.landed == copies.copies.size() && left == 0) copies.clear();
}

}  // namespace simt
