// Open sets (contracts, subjects, laws) register themselves from their own file with a static Registered<T>. The libraries that hold them
// are OBJECT libraries, since a linker drops unnamed archive members; guard tests compare each registry with the files on disk.
#pragma once
#include <algorithm>
#include <string_view>
#include <vector>

namespace assay {

/// All registered T, by name.
template <class T>
std::vector<T>& registry() {
  static std::vector<T> all;
  return all;
}

template <class T>
struct Registered {
  explicit Registered(T entry) {
    auto& all = registry<T>();
    all.insert(std::upper_bound(all.begin(), all.end(), entry, [](const T& a, const T& b) { return a.name < b.name; }), std::move(entry));
  }
};

/// The entry of that name, or null.
template <class T>
const T* find(std::string_view name) {
  for (const T& entry : registry<T>())
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace assay
