#include "tools/report/speed.hpp"

#include <gtest/gtest.h>

#include "tools/report/table.hpp"
#include "tools/report/test_speeds.hpp"

namespace assay::report {
namespace {

void expect_line(const std::string& text, const std::string& line) {
  EXPECT_NE(text.find(line + "\n"), std::string::npos) << line << "\n" << text;
}

TEST(Table, ColumnsAreAsWideAsTheirWidestCell) {
  Table table({"name", "x"}, "  ");
  table.add({"a", "1"});
  table.add({"longer", "12345", "and a remark"});
  EXPECT_EQ(table.text(), "  name        x\n  a           1\n  longer  12345  and a remark\n");
}

TEST(SpeedText, SaysWhatItWasMeasuredWith) {
  const std::string text = to_text(card({1, 64}));
  expect_line(text, "card      NVIDIA H200, 132 multiprocessors, driver 580.1; images CUDA 13.0, sm_90");
  expect_line(text, "library   cuBLAS 13.1.0");
  expect_line(text, "clocks    SM 1980 MHz with the ceilings, 1755 MHz at the end (limit 1980 MHz), memory 3201 MHz");
  expect_line(text, "ceilings  copy 4.00 TB/s (1.00 GiB read and written), bf16 800 TFLOP/s (cuBLAS bf16, 8192^3)");
  expect_line(text, "timing    medians between CUDA events; before each, 256 MiB read to flush L2; an empty kernel takes 2.000 us");
}

TEST(SpeedText, ARowHoldsTimeRatesShareOfTheRooflineAndTheRatio) {  // 8,667,136 bytes and 2 * 2^24 operations in 11 us
  expect_line(
      to_text(card({1})),
      "  case                            MB  GFLOP  time us  spread   TB/s  TFLOP/s  roofline us        reached  cuBLAS bf16 us  ratio");
  expect_line(
      to_text(card({1})),
      "  m=1 n=4096 k=4096 group=128  8.667  0.034    11.00  10.0 %  0.788    3.050        2.167  19.7 % memory           42.00   3.82");
}

TEST(SpeedText, TheHeadlineHasAColumnForEachMAndTheCrossover) {
  const std::string text = to_text(card({1, 8, 16, 64}));
  expect_line(text, "Speed-up over cuBLAS bf16 (its time / the subject's) by M, and the M where it crosses 1");
  EXPECT_NE(text.find("M=1   M=8  M=16  M=64\n"), std::string::npos) << text;
  EXPECT_NE(text.find("w4a16_gemv  n=4096 k=4096 group=128  3.82  2.33  1.62  0.57  wins up to M = 3"), std::string::npos) << text;
}

TEST(SpeedText, WithoutALibraryTheRatioIsAbsentWithTheReason) {
  const std::string text = to_text(card({1, 8}, false));
  expect_line(text, "library   none: libcublasLt.so.13: no such file");
  expect_line(text, "no ratio to cuBLAS bf16: libcublasLt.so.13: no such file");
  expect_line(text, "memory? the matrix rate is unknown: the roofline counts bytes alone");
  EXPECT_NE(text.find("bf16 unknown (libcublasLt.so.13: no such file)"), std::string::npos) << text;
  EXPECT_EQ(text.find("Speed-up"), std::string::npos) << text;
}

TEST(SpeedText, ATimeWithTheHostsPartIsMarked) {
  SpeedReport r = card({1});
  r.speeds[0].time->queued = false;
  EXPECT_NE(to_text(r).find("11.00*"), std::string::npos);
  expect_line(to_text(r), "* the device began before all of the work was queued: the host's launching is in the time");
}

TEST(SpeedText, EachReasonNotToMeasureIsSaidOnceWithHowOften) {
  SpeedReport r = card({1});
  r.speeds.insert(r.speeds.end(), {unmeasured("too large", false), unmeasured("too large", false), unmeasured("wrong", true)});
  const std::string text = to_text(r);
  expect_line(text, "  skip: too large (2 cases: rows=2 d=8, ...)");
  expect_line(text, "  FAIL: wrong (1 case: rows=2 d=8)");
  EXPECT_NE(text.find("1 measured, 3 not; shapes bench, cuda (NVIDIA H200)"), std::string::npos) << text;
}

TEST(SpeedText, OperandsOfAnotherFormatHaveATableOfTheirOwn) {
  SpeedReport r = card({1, 2});
  r.speeds[1].rivals.insert(r.speeds[1].rivals.begin(), {.name = "cuBLAS fp16", .time = spread_of({40e-6}), .absent = {}});
  const std::string text = to_text(r);
  EXPECT_NE(text.find("cuBLAS fp16 us  ratio  cuBLAS bf16 us  ratio\n"), std::string::npos) << text;
  EXPECT_NE(text.find("reached  cuBLAS bf16 us  ratio\n"), std::string::npos) << text;
}

TEST(SpeedText, OfTheEmulatorSaysThatItIsNoGpusTime) {
  SpeedReport r = card({1});
  r.backend = "emu", r.ceilings = {};
  r.speeds[0].roofline = {}, r.speeds[0].rivals.clear();
  const std::string text = to_text(r);
  EXPECT_TRUE(text.starts_with("Host time of the emulator (emu, CUDA 13.0, sm_90): it says nothing of a GPU's.\n")) << text;
  expect_line(text, "  m=1 n=4096 k=4096 group=128         0.011  10.0 %        5               1525201");
  for (const char* word : {"TB/s", "roofline", "cuBLAS", "clocks"}) EXPECT_EQ(text.find(word), std::string::npos) << word;
}

TEST(SpeedExitCode, IsOfTheWorstThatHappened) {
  const std::vector<Speed> measured = card({1}).speeds;
  EXPECT_EQ(exit_code(measured), 0);
  EXPECT_EQ(exit_code(std::vector<Speed>()), 3);
  EXPECT_EQ(exit_code({unmeasured("too large", false)}), 3);
  EXPECT_EQ(exit_code({measured[0], unmeasured("too large", false)}), 0);
  EXPECT_EQ(exit_code({measured[0], unmeasured("wrong", true)}), 1);
}

}  // namespace
}  // namespace assay::report
