#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "oracles/formats/format.hpp"

namespace assay {
namespace {

void expect_same(Format format, const std::vector<uint64_t>& codes) {
  const size_t size = size_t(info(format).bits / 8);
  std::vector<std::byte> bytes(codes.size() * size);
  for (size_t i = 0; i < codes.size(); i++) std::memcpy(&bytes[i * size], &codes[i], size);
  std::vector<double> values(codes.size());
  decode(format, bytes.data(), values);
  for (size_t i = 0; i < codes.size(); i++) {
    const double want = decode(format, codes[i]);
    if (std::isnan(want)) EXPECT_TRUE(std::isnan(values[i])) << info(format).name << " " << codes[i];
    else EXPECT_EQ(std::bit_cast<uint64_t>(values[i]), std::bit_cast<uint64_t>(want)) << info(format).name << " " << codes[i];
  }
}

TEST(Rows, DecodeAsTheirCodes) {
  for (Format format : {Format::bf16, Format::fp16, Format::e4m3fn, Format::e5m2, Format::ue8m0, Format::int8}) {
    std::vector<uint64_t> all(code_count(format));
    for (size_t i = 0; i < all.size(); i++) all[i] = i;
    expect_same(format, all);
  }
  std::mt19937_64 bits(1);
  std::vector<uint64_t> some(10000), of_53_bits(1000);
  for (uint64_t& code : some) code = uint32_t(bits());
  for (uint64_t& code : of_53_bits) code = uint64_t(int64_t(bits()) >> 11);
  expect_same(Format::fp32, some);
  expect_same(Format::int32, some);
  expect_same(Format::int64, of_53_bits);
}

TEST(Rows, CodesThatShareBytesAreRefused) {
  std::byte code{};
  double value;
  EXPECT_THROW(decode(Format::u4b8, &code, {&value, 1}), std::domain_error);
  EXPECT_THROW(decode(Format::u4, &code, {&value, 1}), std::domain_error);
}

}  // namespace
}  // namespace assay
