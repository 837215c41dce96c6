#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tools/report/test_speeds.hpp"

namespace assay::report {
namespace {

using nlohmann::json;

TEST(SpeedJson, HoldsWhatTheTextRounds) {
  const json j = json::parse(to_json(card({1, 8, 16, 64})));
  EXPECT_EQ(j["library"], "cuBLAS 13.1.0");
  EXPECT_EQ(j["ceilings"]["copy_bytes_per_second"], 4e12);
  EXPECT_EQ(j["ceilings"]["matrix"][0]["operands"], "bf16");
  ASSERT_EQ(j["speeds"].size(), 4u);
  const json& first = j["speeds"][0];
  EXPECT_EQ(first["case"], "w4a16_gemv m=1 n=4096 k=4096 group=128 fill=normal seed=0");
  EXPECT_NEAR(first["share_of_roofline"].get<double>(), 8667136 / 4e12 / 11e-6, 1e-9);
  EXPECT_NEAR(first["rivals"][0]["ratio"].get<double>(), 42.0 / 11, 1e-9);
  EXPECT_EQ(first["seconds"]["repeats"], 5);
  ASSERT_EQ(j["headlines"].size(), 1u);
  EXPECT_EQ(j["headlines"][0]["points"].size(), 4u);
  EXPECT_EQ(j["headlines"][0]["crossover"]["at"].size(), 1u);
}

TEST(SpeedJson, SaysWhyThereIsNoTime) {
  SpeedReport r = card({1}, false);
  r.speeds.push_back(unmeasured("y[0, 0] is \"wrong\"", true));
  const json j = json::parse(to_json(r));
  EXPECT_EQ(j["speeds"][0]["rivals"][0]["absent"], "libcublasLt.so.13: no such file");
  EXPECT_EQ(j["speeds"][1]["unmeasured"], "y[0, 0] is \"wrong\"");
  EXPECT_EQ(j["exit_code"], 1);
}

}  // namespace
}  // namespace assay::report
