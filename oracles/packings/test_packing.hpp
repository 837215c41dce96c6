// What the tests of the packings share: random contents, and the first line of what is thrown.
#pragma once
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

#include "oracles/packings/packing.hpp"

namespace assay {

inline std::vector<uint8_t> random_codes(const Packing& packing, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint8_t> codes(static_cast<size_t>(packing.entry_count()));
  for (uint8_t& code : codes) code = static_cast<uint8_t>(random() & packing.mask());
  return codes;
}

inline std::vector<int32_t> random_words(const Packing& packing, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int32_t> words(static_cast<size_t>(packing.word_count()));
  for (int32_t& word : words) word = static_cast<int32_t>(random());
  return words;
}

/// 0 .. n - 1 in some order.
inline std::vector<int32_t> random_permutation(int64_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int32_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

std::string message(auto&& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing thrown";
}

}  // namespace assay
