#include "properties/crew/hashes.hpp"

#include <array>
#include <fstream>

namespace assay::properties {
namespace {

constexpr uint64_t kOffset = 0xcbf29ce484222325, kPrime = 0x100000001b3;

}  // namespace

uint64_t hash_of_text(std::string_view text, uint64_t before) {
  uint64_t hash = kOffset ^ before;
  for (const char c : text) hash = (hash ^ uint8_t(c)) * kPrime;
  return hash;
}

uint64_t hash_of_file(const std::string& path) {
  uint64_t hash = kOffset;
  std::ifstream file(path, std::ios::binary);
  for (std::array<uint64_t, 512> words{}; file.read(reinterpret_cast<char*>(words.data()), sizeof words), file.gcount() > 0; words = {})
    for (const uint64_t word : words) hash = (hash ^ word) * kPrime;
  return hash;
}

uint64_t hash_of_code(const Subject& subject, const BenchSettings& settings) {
  if (!subject.plugin.empty()) return hash_of_file(subject.plugin);
  return hash_of_file(Image::path_of(settings.image.empty() ? subject.image : settings.image, settings.backend));
}

}  // namespace assay::properties
