#include "kernels/simt/tensor/async_view.hpp"

#include <cstring>

namespace simt {

AsyncView::Line& AsyncView::line(std::uintptr_t start) {
  const auto [found, is_new] = lines_.try_emplace(start);
  if (is_new) {
    if (fenced_)
      std::memcpy(found->second.data(), reinterpret_cast<const void*>(start), kLine);
    else
      found->second.fill(0xff);
  }
  return found->second;
}

void AsyncView::publish() {
  for (auto& [start, content] : lines_) std::memcpy(content.data(), reinterpret_cast<const void*>(start), kLine);
  fence_waits_ = false;
  fenced_ = true;
}

const unsigned char* AsyncView::read16(const char* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return line(at / kLine * kLine).data() + at % kLine;
}

void AsyncView::write16(char* address, const void* bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  Line& known = line(at / kLine * kLine);
  std::memcpy(address, bytes, 16);
  std::memcpy(known.data() + at % kLine, bytes, 16);
}

}  // namespace simt
