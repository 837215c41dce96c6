#include "tools/tensors/safetensors.hpp"

#include <gtest/gtest.h>

#include "fixtures/fill/fill.hpp"
#include "fixtures/fill/random.hpp"
#include "tools/tensors/test_safetensors.hpp"

namespace assay::tools {
namespace {

const std::filesystem::path kFile = std::filesystem::temp_directory_path() / ("assay_" + std::to_string(getpid()) + ".safetensors");

class Safetensors : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(kFile); }

  static std::string complaint(const std::string& text) {
    written(kFile, text);
    try {
      read_safetensors(kFile);
    } catch (const BadInput& e) {
      return e.what();
    }
    return "no complaint";
  }
  static std::string of_header(const std::string& header, const std::string& data = "abcdefgh") {
    return complaint(safetensors_text(header, data));
  }
};

TEST_F(Safetensors, ComeBackAsTheyWere) {
  const Tensors operands = make_tensors(parse_case("rope_neox tokens=3 q_heads=2 q_pad=5 fill=special seed=4"));
  written(kFile, safetensors_of(operands));
  const std::vector<GivenTensor> read = read_safetensors(kFile);
  ASSERT_EQ(read.size(), operands.size());
  for (const GivenTensor& t : read) {
    const Tensor& o = tensor(operands, t.name);
    EXPECT_EQ(t.format, o.spec.format);
    EXPECT_EQ(t.shape, o.spec.shape);
    const std::vector<std::byte> bytes = t.read();
    const auto row_bytes = size_t(o.spec.width() * o.spec.element_bytes());
    ASSERT_EQ(bytes.size(), row_bytes * size_t(o.spec.rows()));
    for (int64_t row = 0; row < o.spec.rows(); row++)
      EXPECT_TRUE(std::equal(o.row_data(row), o.row_data(row) + row_bytes, bytes.data() + size_t(row) * row_bytes)) << t.name << row;
  }
}

TEST_F(Safetensors, UnsignedOnesAreCodesAndOthersFitNothing) {
  written(
      kFile,
      safetensors_text(
          R"({"c": {"dtype": "U16", "shape": [2], "data_offsets": [0, 4]}, "d": {"dtype": "F4", "shape": [8], "data_offsets": [4, 8]}})",
          "abcdefgh"));
  const std::vector<GivenTensor> read = read_safetensors(kFile);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].bits, 16);
  EXPECT_FALSE(read[0].format);
  EXPECT_EQ(read[1].bits, 0);
}

TEST_F(Safetensors, ADamagedFileIsRefusedInOneLine) {
  const std::string good = R"({"a": {"dtype": "I8", "shape": [8], "data_offsets": [0, 8]}})";
  EXPECT_EQ(of_header(good), "no complaint");
  EXPECT_NE(complaint("").find("is 0 bytes long"), std::string::npos);
  EXPECT_NE(complaint(safetensors_text(good, "").substr(0, 30)).find("has a header of 60 bytes: want at most 22"), std::string::npos);
  EXPECT_NE(complaint("\xff\xff\xff\xff\xff\xff\xff\xff{}").find("want at most 2"), std::string::npos);
  const std::vector<std::pair<const char*, const char*>> bad{
      {"[]", "no JSON object"},
      {R"({"a")", "no JSON object"},
      {"\xff\xfe", "no JSON object"},
      {R"({"a": 3})", "'a' has no dtype, shape or data_offsets"},
      {R"({"a": {"dtype": 3, "shape": [8], "data_offsets": [0, 8]}})", "has no dtype"},
      {R"({"a": {"dtype": "I8", "shape": [-8], "data_offsets": [0, 8]}})", "has shape [-8]"},
      {R"({"a": {"dtype": "I8", "shape": 8, "data_offsets": [0, 8]}})", "has shape 8"},
      {R"({"a": {"dtype": "I8", "shape": [8.5], "data_offsets": [0, 8]}})", "has shape [8.5]"},
      {R"({"a": {"dtype": "I8", "shape": [18446744073709551615], "data_offsets": [0, 8]}})", "want whole numbers from 0 to 2^48"},
      {R"({"a": {"dtype": "I8", "shape": [8], "data_offsets": [0, 9]}})", "has data_offsets [0,9]: want the ends of a part of 8 bytes"},
      {R"({"a": {"dtype": "I8", "shape": [8], "data_offsets": [8, 0]}})", "has data_offsets [8,0]"},
      {R"({"a": {"dtype": "I8", "shape": [8], "data_offsets": [0]}})", "has data_offsets [0]"},
      {R"({"a": {"dtype": "BF16", "shape": [8], "data_offsets": [0, 8]}})", "has 8 bytes, want 16 for 8 elements of BF16"},
      {R"({"a": {"dtype": "I8", "shape": [281474976710656, 281474976710656], "data_offsets": [0, 8]}})", "has 8 bytes"},
      {R"({"a": {"dtype": "I8", "shape": [4], "data_offsets": [0, 4]}})", "has 8 bytes of data, its tensors end at 4"},
      {R"({"a": {"dtype": "I8", "shape": [4], "data_offsets": [4, 8]}})", "behind a gap"},
      {R"({"a": {"dtype": "I8", "shape": [8], "data_offsets": [0, 8]}, "b": {"dtype": "I8", "shape": [4], "data_offsets": [4, 8]}})",
       "'b' begins at byte 4 of the data, inside"},
      {R"({"a": {"dtype": "I8", "shape": [8], "data_offsets": [0, 8]}, "a": {"dtype": "I8", "shape": [8], "data_offsets": [0, 8]}})",
       "'a' is there twice"}};
  for (const auto& [header, part] : bad) {
    const std::string said = of_header(header);
    EXPECT_NE(said.find(part), std::string::npos) << header << "\n" << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    EXPECT_NE(said.find(kFile.string()), std::string::npos) << said;
  }
}

/// What is wrong with every file is said, whatever became of its header; what is read of the others lies inside the file.
TEST_F(Safetensors, DamagedHeadersAreRefusedOrReadInside) {
  const std::string whole = safetensors_of(make_tensors(parse_case("fp8_scaled_gemm m=2 n=3 k=16 bias=1 fill=normal seed=1")));
  const Stream random(7, "damage");
  uint64_t index = 0, refused = 0;
  constexpr int kFiles = 1000;
  auto below = [&](uint64_t n) { return random.below(n, index++); };
  for (int i = 0; i < kFiles; i++) {
    std::string damaged = whole;
    for (uint64_t changes = 1 + below(4); changes > 0; changes--) {
      const uint64_t at = below(damaged.size());
      switch (below(4)) {
        case 0: damaged[at] = char(below(256)); break;
        case 1: damaged[at] = "0123456789[]{},:\"-e."[below(20)]; break;
        case 2: damaged.erase(at, 1 + below(8)); break;
        default: damaged.insert(at, std::string(1 + below(8), "0123456789[]{}"[below(14)]));
      }
      if (damaged.empty()) break;
    }
    written(kFile, damaged);
    try {
      for (const GivenTensor& t : read_safetensors(kFile))
        if (t.bits > 0) {
          EXPECT_EQ(t.read().size(), size_t(elements_of(t.shape)) * size_t(t.bits / 8));
        }
    } catch (const BadInput& e) {
      refused++;
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
    }
  }
  EXPECT_GT(refused, uint64_t(kFiles) / 2);  // the others were changed in their elements or names alone
}

}  // namespace
}  // namespace assay::tools
