// Measurements as files: gzip, so that its own checksum covers the bytes, with a comment that says what they are and where they come from:
//   sm_90 ex2_positive entries=8388608 crc32=23c13dce; NVIDIA H200, driver 580.159, CUDA 13.0, 2026-11-29
// (`gzip -lv`, `file` and any hex viewer show it.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace simt {

struct Label {
  std::string architecture;    // "sm_90"
  std::string name;            // of the measurement, the file's name without .gz
  std::size_t entries = 0;     // bytes, words or hashes: the name says which
  std::uint32_t checksum = 0;  // CRC-32 of what the entries stand for: results for a table of differences, else the bytes themselves
  std::string origin;          // card, driver, toolkit, date
};

struct Archive {
  Label label;
  std::vector<unsigned char> bytes;
};

// `level`: zlib's, 1 to 9.
std::vector<unsigned char> pack(const Archive& archive, int level = 9);

// Empty, or one line that says what is wrong with the file; `archive` is then untouched. `size_limit`: bytes, unpacked.
std::string unpack(std::span<const unsigned char> file, std::size_t size_limit, Archive& archive);

// The same from a path.
std::string unpack(const std::string& path, std::size_t size_limit, Archive& archive);

std::uint32_t checksum(std::span<const unsigned char> bytes);

template <class Entry>
std::span<const unsigned char> bytes_of(const std::vector<Entry>& entries) {
  return {reinterpret_cast<const unsigned char*>(entries.data()), entries.size() * sizeof(Entry)};
}

}  // namespace simt
