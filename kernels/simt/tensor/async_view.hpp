// Shared memory as the asynchronous proxy (wgmma, TMA) sees it: what ordinary stores wrote shows only after fence.proxy.async.
//
// Kept in lines, for those that the proxy has touched. A fence takes effect where its thread next meets others or starts asynchronous
// work; from then on all that has been written to known lines shows, whoever wrote it: the fence of one thread covers for the others.
// A line that the proxy meets for the first time shows memory as it is then, or all ones (NaN) if the block has never fenced.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace simt {

class AsyncView {
 public:
  void clear() {
    if (!lines_.empty()) lines_.clear();
    fence_waits_ = fenced_ = false;
  }
  void fence() { fence_waits_ = true; }
  // Where a thread meets others or starts asynchronous work.
  void settle() {
    if (fence_waits_) publish();
  }

  // 16 bytes at an address that is a multiple of 16.
  const unsigned char* read16(const char* address);
  // A write by the proxy itself, into memory too.
  void write16(char* address, const void* bytes);

 private:
  static constexpr std::uintptr_t kLine = 128;
  using Line = std::array<unsigned char, kLine>;

  Line& line(std::uintptr_t start);
  void publish();

  std::unordered_map<std::uintptr_t, Line> lines_;
  bool fence_waits_ = false;
  bool fenced_ = false;
};

}  // namespace simt
