#include <cmath>

#include "oracles/contracts/test_contract.hpp"
#include "oracles/packings/fp8_scales.hpp"

namespace assay {
namespace {

Arithmetic declared(double log2_error = 0) {
  return Arithmetic()
      .with("scale", Round{Format::fp32})
      .with("quotient", Round{Format::fp32})
      .with("exponent", Fn{.function = "log2", .relative = log2_error});
}

struct Quantised {
  Posed p;

  Quantised(const char* scales, const char* layout, int64_t rows, int64_t d, int64_t group, double eps = 1e-10, double log2_error = 0)
      : p("fp8_quant_group",
          {{"rows", rows}, {"d", d}, {"group", group}, {"scales", std::string(scales)}, {"layout", std::string(layout)}, {"eps", eps}},
          declared(log2_error)) {}

  void set(int64_t row, int64_t column, double x) { p.set("x", row, column, x); }
  /// What the kernel is taken to have left.
  void leave(int64_t row, int64_t column, double scale) {
    Tensor& t = tensor(p.after, "scale");
    t.set_code(row, column, encode(t.spec.format, scale));
  }
  double scale(int64_t row, int64_t column) const { return p.expected(row, column, 0).value; }
  double code(int64_t row, int64_t column) const { return p.expected(row, column, 1).value; }
};

TEST(Fp8QuantGroup, EveryGroupHasTheScaleOfItsLargestMagnitude) {
  Quantised q("fp32", "row", 2, 24, 8);
  for (int64_t row = 0; row < 2; row++)
    for (int64_t i = 0; i < 24; i++) q.set(row, i, (i == 8 * (i / 8) + 7 ? -1 : 0.25) * double(1 + i / 8 + 3 * row));
  for (int64_t row = 0; row < 2; row++)
    for (int64_t g = 0; g < 3; g++) EXPECT_EQ(float(q.scale(row, g)), float(1 + g + 3 * row) / 448.0f);
  q.leave(1, 2, 0.5);
  EXPECT_EQ(q.code(1, 23), -12);
  EXPECT_EQ(q.code(1, 16), 3);
}

TEST(Fp8QuantGroup, TheLayoutSaysWhereScalesLie) {
  for (const char* layout : {"row", "column"}) {
    Quantised q("fp32", layout, 5, 16, 8);
    q.set(3, 9, 448);
    const bool by_rows = std::string_view(layout) == "row";
    const TensorSpec& spec = tensor(q.p.before, "scale").spec;
    EXPECT_EQ(spec.shape, by_rows ? (std::vector<int64_t>{5, 2}) : (std::vector<int64_t>{2, 5}));
    EXPECT_EQ(spec.strides[0], by_rows ? 2 : 8);
    EXPECT_EQ(by_rows ? q.scale(3, 1) : q.scale(1, 3), 1);
    by_rows ? q.leave(3, 1, 2) : q.leave(1, 3, 2);
    EXPECT_EQ(q.code(3, 9), 224);
  }
}

double above(double amax) {
  Quantised q("ue8m0", "row", 1, 8, 8);
  q.set(0, 3, amax);
  return q.scale(0, 0);
}

TEST(Fp8QuantGroup, PowersOfTwoAreNotBelowTheQuotient) {
  EXPECT_EQ(above(448), 1);
  EXPECT_EQ(above(450), 2);  // BF16 after 448
  EXPECT_EQ(above(446), 1);
  EXPECT_EQ(above(-224), 0.5);
  EXPECT_EQ(above(INFINITY), INFINITY);
  EXPECT_EQ(above(0), 0x1p-33);  // the least power that is not below 1e-10
  EXPECT_EQ(above(0x1p-120), 0x1p-33);
  for (int e = -24; e < 100; e++)
    for (double m : {1.0, 1.25, 1.7421875, 1.75, 1.7578125, 1.9921875})
      EXPECT_EQ(above(std::ldexp(m, e)), double(ue8m0_to_fp32(ue8m0_above(float(std::ldexp(m, e)) / 448.0f))));
}

TEST(Fp8QuantGroup, AnApproximateLogarithmMayGiveTheNeighbourAndNothingBetween) {
  const double just_above = double(std::nextafter(448.0f * 0x1p-9f, 1.0f));  // log2 of its quotient is -9 but for 2^-23
  for (double left : {0x1p-9, 0x1p-8, 0x1.8p-9, 0x1p-10, 0x1p-7}) {
    Quantised exact("ue8m0", "row", 1, 8, 8, just_above), rough("ue8m0", "row", 1, 8, 8, just_above, 0x1p-23);
    exact.leave(0, 0, left), rough.leave(0, 0, left);
    EXPECT_EQ(exact.scale(0, 0), 0x1p-8) << left;
    EXPECT_EQ(rough.scale(0, 0), left == 0x1p-9 ? 0x1p-9 : 0x1p-8) << left;
    Quantised at("ue8m0", "row", 1, 8, 8, 448 * 0x1p-9, 0x1p-23), below("ue8m0", "row", 1, 8, 8, 446 * 0x1p-9, 0x1p-23);
    at.leave(0, 0, left), below.leave(0, 0, left);
    EXPECT_EQ(at.scale(0, 0), left == 0x1p-8 ? 0x1p-8 : 0x1p-9) << left;
    EXPECT_EQ(below.scale(0, 0), 0x1p-9) << left;
  }
}

TEST(Fp8QuantGroup, PackedBytesAreThoseOfThePacking) {
  const int64_t rows = 5, groups = 6;
  Quantised q("packed", "column", rows, 8 * groups, 8);
  std::vector<float> scales;
  Random random(1);
  for (int64_t row = 0; row < rows; row++)
    for (int64_t g = 0; g < groups; g++) {
      const double amax = std::fabs(random.bf16(-20, 20));
      q.set(row, 8 * g + 5, amax);
      scales.push_back(float(amax) / 448.0f);
    }
  const std::vector<int32_t> words = packed_ue8m0({rows, groups}, scales);
  const Tensor& t = tensor(q.p.before, "scale");
  ASSERT_EQ(t.spec.elements(), int64_t(4 * words.size()));
  for (int64_t i = 0; i < t.spec.elements(); i++) {
    const uint64_t byte = uint32_t(words[size_t(i / 4)]) >> 8 * (i % 4) & 0xFF;
    EXPECT_EQ(encode(Format::ue8m0, q.scale(0, i)), byte) << i;
    tensor(q.p.after, "scale").set_code(0, i, byte);
  }
  for (int64_t row = 0; row < rows; row++)
    for (int64_t g = 0; g < groups; g++)
      EXPECT_EQ(q.code(row, 8 * g + 5),
                q.p.value("x", row, 8 * g + 5) / double(ue8m0_to_fp32(ue8m0_above(scales[size_t(row * groups + g)]))));
}

TEST(Fp8QuantGroup, AnInfiniteGroupPacksAs255AndItsFiniteElementsAreZero) {
  Quantised q("packed", "column", 1, 8, 8);
  q.set(0, 0, -INFINITY), q.set(0, 1, -3);
  EXPECT_TRUE(std::isnan(q.scale(0, 0)));
  tensor(q.p.after, "scale").set_code(0, 0, 0xFF);
  EXPECT_EQ(q.code(0, 0), -448);  // infinity / infinity
  EXPECT_EQ(q.code(0, 1), 0);
  EXPECT_TRUE(std::signbit(q.code(0, 1)));
}

TEST(Fp8QuantGroup, AGroupOfZerosHasTheScaleOfEps) {
  Quantised q("fp32", "row", 1, 8, 8);
  EXPECT_EQ(float(q.scale(0, 0)), 1e-10f / 448.0f);
  EXPECT_EQ(q.code(0, 0), -448);  // of a scale of 0, which is what stands there yet
  q.leave(0, 0, q.scale(0, 0));
  EXPECT_EQ(q.code(0, 0), 0);
}

TEST(Fp8QuantGroup, RefusalsSayWhatWouldBeRight) {
  auto why = [](int64_t d, int64_t group, const char* scales, const char* layout, int64_t pad) {
    const Parameters p({{"rows", int64_t{1}},
                        {"d", d},
                        {"group", group},
                        {"scales", std::string(scales)},
                        {"layout", std::string(layout)},
                        {"scale_pad", pad}});
    return find<Contract>("fp8_quant_group")->refuses(p).value_or("");
  };
  EXPECT_EQ(why(64, 32, "fp32", "row", 3), "");
  EXPECT_EQ(why(64, 32, "packed", "column", 0), "");
  EXPECT_EQ(why(64, 12, "fp32", "row", 0), "group=12: a chunk of eight must not straddle groups, so group must be a multiple of 8");
  EXPECT_EQ(why(64, 24, "fp32", "row", 0), "group=24 does not divide d=64");
  EXPECT_EQ(why(64, 32, "packed", "row", 0), "scales=packed: the words of a row are apart, so layout must be column");
  EXPECT_EQ(why(64, 32, "packed", "column", 1), "scales=packed: words lie without gaps, so scale_pad must be 0");
}

}  // namespace
}  // namespace assay
