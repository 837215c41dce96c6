// Seeded defects, each in an image of its own, each found with the right diagnosis; controls in which nothing is found.
#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/simt/checker/checker.hpp"
#include "kernels/simt/checker/defects/defect.h"
#include "kernels/simt/runtime/test_device.hpp"

namespace simt {
namespace {

using Kind = Finding::Kind;

// The first finding of that kind, or the report of the failed launch.
struct Expected {
  const char* defect;
  std::optional<Kind> kind;  // none: the launch fails
  const char* buffer;
  std::uint64_t block;
  unsigned thread;
  const char* words;  // in the line
};

const Expected kDefects[] = {
    {"read_past_end", Kind::out_of_bounds_read, "x", 3, 63, "byte 0 after its end"},
    {"read_before_start", Kind::out_of_bounds_read, "x", 0, 0, "byte 4 before its start"},
    {"write_past_end", Kind::out_of_bounds_write, "y", 3, 63, "writes 4 bytes out of bounds of 'y': byte 0 after its end"},
    {"write_before_start", Kind::out_of_bounds_write, "y", 0, 0, "byte 4 before its start"},
    {"read_far", Kind::out_of_bounds_read, "x", 0, 5, "byte 1198880 after its end"},
    {"read_row_gap", Kind::out_of_bounds_read, "x", 1, 63, "in the gap after row 1"},
    {"write_row_gap", Kind::out_of_bounds_write, "y", 2, 63, "in the gap after row 2"},
    {"overflowing_index", Kind::out_of_bounds_read, "x", 0, 3, "byte 8587837428 before its start"},
    {"missing_syncthreads", Kind::race, "tile", 0, 32, "no barrier lies between"},
    {"war_across_iterations", Kind::race, "tile", 0, 0, "read"},
    {"missing_syncwarp", Kind::race, "tile", 0, 1, "no barrier or __syncwarp lies between"},
    {"uninitialised_shared", Kind::uninitialised_read, "sums", 0, 2, "byte 8, which nobody has written"},
    {"uninitialised_output", Kind::uninitialised_read, "y", 0, 0, "row 0, column 0, which nobody has written"},
    {"uninitialised_dynamic_shared", Kind::uninitialised_read, "dynamic shared memory", 0, 32, "byte 128"},
    {"write_to_input", Kind::write_to_input, "x", 0, 7, "row 0, column 7, which is an input"},
    {"misaligned_float4", Kind::misaligned, "x", 0, 0, "no multiple of 16"},
    {"misaligned_uint2", Kind::misaligned, "words", 0, 0, "no multiple of 8"},
    {"divergent_barrier", {}, "", 0, 0, "all threads of a block must reach the same barrier"},
    {"exit_before_barrier", Kind::uninitialised_read, "tile", 0, 0, "byte 252, which nobody has written"},
    {"shuffle_of_absent_lanes", {}, "", 0, 0, "which has exited or does not exist"},
    {"shuffle_outside_mask", {}, "", 0, 0, "which is not in the mask"},
    {"blocks_write_the_same", Kind::race, "y", 1, 0, "thread (0,0,0) of block (0,0,0) wrote; blocks of a launch have no order"},
    {"threads_write_the_same", Kind::race, "y", 0, 1, "row 0, column 0, which thread (0,0,0) wrote"},
    {"atomic_and_plain", Kind::race, "z", 0, 40, "updated atomically"},
    {"reads_another_blocks_row", Kind::race, "z", 1, 0, "row 1, column 0, which thread (0,0,0) of block (0,0,0) read"},
    {"missing_copy_wait", Kind::missing_wait, "tile", 0, 0, "a copy has yet to land"},
    {"copy_without_barrier", Kind::race, "tile", 0, 1, "which thread (0,0,0) wrote"},
    {"copy_from_past_end", Kind::out_of_bounds_read, "x", 0, 16, "reads 16 bytes out of bounds of 'x': byte 256, in the gap after row 0"},
    {"filled_copy_from_past_end", Kind::out_of_bounds_read, "x", 0, 16,
     "reads 4 bytes out of bounds of 'x': byte 256, in the gap after row 0"},
    {"dynamic_shared_past_end", Kind::out_of_bounds_write, "dynamic shared memory", 0, 63, "byte 0 after its end"},
    {"dynamic_shared_before_start", Kind::out_of_bounds_read, "dynamic shared memory", 0, 0, "byte 4 before its start"},
    {"static_shared_index", Kind::index_out_of_bounds, "'float [64]'", 0, 63, "index 64"},
    {"static_shared_pointer", Kind::out_of_bounds_write, "tile", 0, 63, "byte 0 after its end"},
    {"ldmatrix_without_barrier", Kind::race, "tile", 0, 32, "which thread (0,0,0) wrote; no barrier lies between"},
    {"ldmatrix_before_copy_lands", Kind::missing_wait, "tile", 0, 0, "byte 256, where a copy has yet to land"},
    {"ldmatrix_past_end", Kind::out_of_bounds_read, "dynamic shared memory", 0, 47, "reads 16 bytes out of bounds"},
    {"ldmatrix_of_unwritten", Kind::uninitialised_read, "tile", 0, 16, "byte 256, which nobody has written"},
    {"copy_into_rows_being_read", Kind::race, "tile", 0, 0, "which thread (15,0,0) read"},
    {"wgmma_without_barrier", Kind::race, "tile", 0, 32, "no barrier lies between"},
    {"wgmma_operand_overwritten", Kind::race, "tile", 0, 0, "which thread (0,0,0) wrote"},
    {"wgmma_of_unwritten", Kind::uninitialised_read, "tile", 0, 0, "byte 128, which nobody has written"},
    {"wgmma_before_bulk_copy_lands", Kind::missing_wait, "tile", 0, 0, "byte 0, where a copy has yet to land"},
    {"bulk_copy_over_operand", Kind::missing_wait, "tile", 0, 0, "byte 0, where a copy has yet to land"},
    {"read_before_bulk_copy_lands", Kind::missing_wait, "tile", 0, 0, "byte 0, where a copy has yet to land"},
    {"bulk_copy_past_end", Kind::out_of_bounds_write, "dynamic shared memory", 0, 0, "byte 0 after its end"},
};

const char* const kControls[] = {"control_tile",   "control_warp", "control_last_block", "control_copy",  "control_filled_copy",
                                 "control_halves", "control_flag", "control_histogram",  "control_half_tile",
                                 "control_ldmatrix", "control_wgmma", "control_bulk_copy"};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.defect; }

// What a defect may bring with it: a read before the write it does not wait for, and the access that a wrong index leads to.
bool follows(Kind found, Kind expected) {
  return (expected == Kind::race && found == Kind::uninitialised_read) ||
         (expected == Kind::index_out_of_bounds && found == Kind::out_of_bounds_write);
}

// Three views of four rows with canaries around them, as the bench describes them.
class Defects : public Emulator {
 protected:
  static constexpr std::size_t kMargin = 128, kWords = 2 * kMargin + kRows * kStride;

  void describe_view(DeviceVector<float>& memory, const char* tensor, Elements::Use use) {
    ASSERT_TRUE(
        describe(memory.data(),
                 {.name = tensor, .use = use, .first = kMargin * 4, .element_bytes = 4, .shape = {kRows, kColumns}, .strides = {kStride}}));
  }

  cudaError_t launch(const std::string& name) {
    void* image = dlopen((std::string(SIMT_TEST_DEFECTS "/") + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!image) throw std::runtime_error(dlerror());
    DeviceVector<float> y(kWords), x(kWords, 1.0f), z(kWords);
    auto* numbers = reinterpret_cast<int*>(z.data() + kMargin);
    for (int i = 0; i < kRows * kStride; ++i) numbers[i] = i;
    describe_view(y, "y", Elements::Use::output);
    describe_view(x, "x", Elements::Use::input);
    describe_view(z, "z", Elements::Use::inout);
    const auto run = reinterpret_cast<decltype(&defect)>(dlsym(image, "defect"));
    const cudaError_t error = run(y.data() + kMargin, x.data() + kMargin, numbers);
    dlclose(image);
    return error;
  }

  static std::string all_findings() {
    std::string lines;
    for (const Finding& finding : checker_findings()) lines += std::string("\n  ") + simt::name(finding.kind) + ": " + finding.text;
    return lines.empty() ? " nothing" : lines;
  }
};

class SeededDefect : public Defects, public testing::WithParamInterface<Expected> {};

TEST_P(SeededDefect, IsFoundWithTheRightDiagnosis) {
  const Expected& expected = GetParam();
  const cudaError_t error = launch(expected.defect);
  const auto findings = checker_findings();
  if (!expected.kind) {
    EXPECT_EQ(error, cudaErrorLaunchFailure) << all_findings();
    EXPECT_TRUE(reported({expected.defect, "block (0,0,0)", expected.words}));
    EXPECT_TRUE(findings.empty()) << all_findings();
    return;
  }
  const auto found = std::ranges::find(findings, *expected.kind, &Finding::kind);
  ASSERT_NE(found, findings.end()) << "found" << all_findings();
  EXPECT_EQ(found->buffer, expected.buffer);
  EXPECT_EQ(found->block, expected.block);
  EXPECT_EQ(found->thread, expected.thread) << found->text;
  EXPECT_NE(found->text.find(expected.words), std::string::npos) << found->text;
  EXPECT_NE(found->text.find(std::string("kernel ") + expected.defect + ", block ("), std::string::npos) << found->text;
  for (const Finding& finding : findings)
    EXPECT_TRUE(finding.kind == *expected.kind || follows(finding.kind, *expected.kind)) << finding.text;
}

TEST_P(SeededDefect, IsFoundByAnyScheduleAndNumberOfWorkers) {
  const Expected& expected = GetParam();
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    configure({.workers = 1 + static_cast<int>(seed % 3), .schedule_seed = seed});
    const cudaError_t error = launch(expected.defect);
    const auto findings = checker_findings();
    if (!expected.kind)
      EXPECT_EQ(error, cudaErrorLaunchFailure);
    else
      EXPECT_NE(std::ranges::find(findings, *expected.kind, &Finding::kind), findings.end()) << seed << all_findings();
  }
}

INSTANTIATE_TEST_SUITE_P(All, SeededDefect, testing::ValuesIn(kDefects), [](const auto& info) { return std::string(info.param.defect); });

class Control : public Defects, public testing::WithParamInterface<const char*> {};

TEST_P(Control, HasNoFinding) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    configure({.workers = 1 + static_cast<int>(seed % 3), .schedule_seed = seed});
    EXPECT_EQ(launch(GetParam()), cudaSuccess) << last_report();
    EXPECT_TRUE(checker_findings().empty()) << all_findings();
  }
}

INSTANTIATE_TEST_SUITE_P(All, Control, testing::ValuesIn(kControls), [](const auto& info) { return std::string(info.param); });

TEST_F(Defects, AFindingIsToldOnceWithItsCountAndForgottenByConfigure) {
  launch("uninitialised_output");
  ASSERT_EQ(checker_findings().size(), 1u) << all_findings();
  EXPECT_EQ(checker_findings()[0].count, std::uint64_t{kRows * kColumns});
  EXPECT_EQ(checker_findings()[0].launch, 0u);
  launch("uninitialised_output");
  ASSERT_EQ(checker_findings().size(), 2u) << all_findings();
  EXPECT_EQ(checker_findings()[1].launch, 1u);
  configure({.workers = 1});
  EXPECT_TRUE(checker_findings().empty());
}

TEST_F(Defects, OnlyAllocationsCanBeDescribed) {
  int local = 0;
  EXPECT_FALSE(describe(&local, {.name = "local"}));
  DeviceVector<int> memory(4);
  EXPECT_FALSE(describe(memory.data() + 1, {.name = "inside"}));
  EXPECT_TRUE(describe(memory.data(), {.name = "whole"}));
}

}  // namespace
}  // namespace simt
