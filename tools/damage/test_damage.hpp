// What the quick and the thorough test of damage share.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "tools/damage/damage.hpp"
#include "tools/damage/ordeal.hpp"

namespace assay::tools {

/// Texts of some kilobytes: what takes a gigabyte to read them has believed a length.
inline constexpr double kMostMemory = 1e9;

/// Every reader, or those with $ASSAY_READER in their names, against `most` damaged texts, or $ASSAY_DAMAGED (or fewer: Reader::rarer), with
/// seeds from `first` on.
inline void expect_all_endure(uint64_t first, uint64_t most) {
  std::string folder = (std::filesystem::temp_directory_path() / "assay_damage_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  if (const char* chosen = std::getenv("ASSAY_DAMAGED")) most = std::strtoull(chosen, nullptr, 10);
  const char* named = std::getenv("ASSAY_READER");
  for (const Reader& reader : readers(folder)) {
    if (named && reader.name.find(named) == reader.name.npos) continue;
    for (const std::string& whole : reader.whole) EXPECT_NO_THROW(reader.read(whole)) << reader.name << " refuse what is whole";
    const uint64_t count = most / reader.rarer;
    const Endured e = endure(reader, first, count);
    std::cout << fmt::format("{:<24} {} damaged: {} refused, {} read; {:.0f} MB\n", reader.name, count, e.refused, e.accepted, e.peak / 1e6)
              << std::flush;
    EXPECT_EQ(e.fault, "");
    EXPECT_EQ(e.refused + e.accepted, count) << reader.name;
    EXPECT_GT(e.refused, 0u) << reader.name;
    EXPECT_TRUE(reader.sizes || e.peak < kMostMemory) << reader.name;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace assay::tools
