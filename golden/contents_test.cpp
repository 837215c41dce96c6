#include "golden/contents.hpp"

#include "fixtures/fill/fill.hpp"
#include "golden/file.hpp"
#include "golden/test_records.hpp"

namespace assay::golden {
namespace {

class ContentsFile : public InFolder {
 protected:
  std::filesystem::path path() const { return folder / "deep" / "reproducer.h5"; }

  static Contents made(const std::string& line) {
    const Reproducer r = parse_reproducer(line);
    return {.reproducer = r, .reason = "y[0, 0] is wrong", .operands = make_tensors(r.problem)};
  }
  std::string refused(const StoredContents& stored) const {
    write_stored_contents(path(), stored);
    return complaint([&] { read_contents(path()); });
  }
};

TEST_F(ContentsFile, ComesBackAsItWas) {
  for (const char* line : {"w4a16_gemv m=2 n=3 k=16 group=8 x_pad=5 fill=special seed=3 subject=w4a16_gemv law=conforms backend=emu",
                           "rope_neox fill=normal seed=1", "gptq_gemm act_order=1 fill=normal seed=1",
                           "fp8_scaled_gemm fill=special seed=2", "silu_and_mul rows=0"}) {
    const Contents before = made(line);
    write_contents(path(), before);
    EXPECT_TRUE(holds_contents(path()));
    const Contents after = read_contents(path());
    EXPECT_EQ(to_line(after.reproducer), to_line(before.reproducer));
    EXPECT_EQ(after.reason, before.reason);
    ASSERT_EQ(after.operands.size(), before.operands.size());
    for (size_t i = 0; i < after.operands.size(); i++) {
      const Tensor &a = after.operands[i], &b = before.operands[i];
      EXPECT_EQ(a.spec, b.spec);
      EXPECT_FALSE(a.random_signs);
      for (int64_t row = 0; row < a.spec.rows(); row++)
        for (int64_t column = 0; column < a.spec.width(); column++) ASSERT_EQ(a.code(row, column), b.code(row, column)) << line;
    }
  }
}

TEST_F(ContentsFile, GoldenRecordsAreNone) {
  write_file(path(), small_records());
  EXPECT_FALSE(holds_contents(path()));
  EXPECT_NE(complaint([&] { read_contents(path()); }).find("is no reproducer: want one that assay fuzz wrote"), std::string::npos);
  write_contents(path(), made("convert n=3"));
  EXPECT_NE(complaint([&] { read_file(path()); }).find("is no golden file"), std::string::npos);
}

TEST_F(ContentsFile, DamageIsFound) {
  write_contents(path(), made("convert n=3"));
  const std::string whole = contents(path());
  for (size_t at = 0; at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = char(damaged[at] ^ 4);
    std::ofstream(path(), std::ios::binary) << damaged;
    EXPECT_NE(complaint([&] { read_contents(path()); }), "no complaint") << at;
  }
  std::ofstream(path(), std::ios::binary) << whole.substr(0, whole.size() / 2);
  EXPECT_NE(complaint([&] { read_contents(path()); }).find("bytes after its first"), std::string::npos);
}

TEST_F(ContentsFile, OperandsMustBeThoseOfTheCase) {
  write_contents(path(), made("silu_and_mul rows=2 d=3 fill=normal seed=1"));
  const StoredContents good = read_stored_contents(path());
  EXPECT_EQ(refused(good), "no complaint");
  StoredContents other = good;
  other.line = "silu_and_mul rows=3 d=3";
  EXPECT_NE(refused(other).find("operand 'gate_up' is 2 x 6 bf16, the case wants 3 x 6 bf16"), std::string::npos) << refused(other);
  other.line = "no_such_contract rows=3";
  EXPECT_NE(refused(other).find("unknown contract"), std::string::npos) << refused(other);
  other = good, other.operands[0].name = "up_gate";
  EXPECT_NE(refused(other).find("has no operand 'gate_up'"), std::string::npos) << refused(other);
  other = good, other.operands.push_back(good.operands[0]), other.operands[1].name = "more";
  EXPECT_NE(refused(other).find("has 2 operands, the case wants 1"), std::string::npos) << refused(other);
}

TEST_F(ContentsFile, IndicesMustLieWithin) {
  write_contents(path(), made("gptq_gemm act_order=1 fill=normal seed=1"));
  StoredContents stored = read_stored_contents(path());
  auto perm = std::ranges::find(stored.operands, "perm", &TensorRecord::name);
  ASSERT_NE(perm, stored.operands.end());
  perm->words[0] = perm->words[1];
  EXPECT_NE(refused(stored).find("twice"), std::string::npos) << refused(stored);
  perm->words[0] = 1000000;
  EXPECT_NE(refused(stored).find("want a number below"), std::string::npos) << refused(stored);
}

TEST_F(ContentsFile, AFolderThatCannotBeMade) {
  file("taken", "");
  EXPECT_NE(complaint([&] { check_folder(folder / "taken" / "in"); }), "no complaint");
  EXPECT_NE(complaint([&] { check_folder(folder / "taken"); }), "no complaint");
}

}  // namespace
}  // namespace assay::golden
