#include "kernels/simt/math/expansion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "kernels/simt/math/archive.hpp"

namespace simt {
namespace {

class ExpansionTest : public testing::Test {
 protected:
  ExpansionTest() {
    std::ifstream stream(SIMT_TABLES "/rcp.gz", std::ios::binary);
    file_ = {std::istreambuf_iterator<char>(stream), {}};
    EXPECT_EQ(unpack(file_, of_.entries, archive_), "");
  }

  std::string objection(const std::vector<unsigned char>& file, const char* architecture = "sm_90") {
    std::vector<std::uint32_t> untouched;
    std::string why = expand(file, architecture, of_, untouched);
    EXPECT_EQ(untouched.empty(), !why.empty());
    EXPECT_EQ(std::count(why.begin(), why.end(), '\n'), 0);
    return why;
  }

  const Domain& of_ = domain(Table::rcp);
  std::vector<unsigned char> file_;
  Archive archive_;
};

TEST_F(ExpansionTest, ATableSaysWhereItComesFrom) {
  EXPECT_EQ(archive_.label.architecture, "sm_90");
  EXPECT_EQ(archive_.label.name, "rcp");
  EXPECT_EQ(archive_.label.origin.find("NVIDIA "), 0u) << archive_.label.origin;
  EXPECT_EQ(pack(archive_), file_);
}

TEST_F(ExpansionTest, TheCommittedTablesExpand) { EXPECT_EQ(objection(file_), ""); }

// Of one byte and of two.
TEST_F(ExpansionTest, TheResultsMakeTheFileAgain) {
  for (Table table : {Table::rcp, Table::lg2_below_one}) {
    const Domain& of = domain(table);
    Archive archive;
    ASSERT_EQ(unpack(std::string(SIMT_TABLES "/") + of.name + ".gz", of.entries * of.width, archive), "");
    std::vector<std::uint32_t> results;
    ASSERT_EQ(expand(pack(archive, 1), "sm_90", of, results), "");
    std::vector<unsigned char> bytes;
    EXPECT_EQ(differences(of, results, bytes), "");
    EXPECT_TRUE(bytes == archive.bytes) << of.name;
  }
}

TEST_F(ExpansionTest, ResultsThatNoFileHoldsAreRefused) {
  std::vector<std::uint32_t> results = rounded(of_);
  std::vector<unsigned char> untouched;
  results[5] += 128;
  EXPECT_EQ(differences(of_, results, untouched), "table rcp: entry 5 is 128 ulp from the correctly rounded value");
  const Domain& finer = domain(Table::lg2_above_one);
  results = rounded(finer);
  results[1] = 0x2d000001u;  // 2^-37, and an ulp
  EXPECT_EQ(differences(finer, results, untouched), "table lg2_above_one: entry 1 uses bits below 2^-36");
  EXPECT_TRUE(untouched.empty());
}

TEST_F(ExpansionTest, ATableOfAnotherArchitectureIsRefused) {
  EXPECT_EQ(objection(file_, "sm_80"), "table rcp of sm_80: it was measured on sm_90, not on sm_80");
}

TEST_F(ExpansionTest, AnotherTableIsRefused) {
  archive_.label.name = "rsqrt";
  EXPECT_EQ(objection(pack(archive_)), "table rcp of sm_90: it holds rsqrt");
}

TEST_F(ExpansionTest, ATableOfTheWrongSizeIsRefused) {
  archive_.bytes.pop_back();
  EXPECT_EQ(objection(pack(archive_, 1)), "table rcp of sm_90: it has 8388607 entries (its label says 8388608), not 8388608");
  archive_.bytes.resize(of_.entries + 1000);
  EXPECT_NE(objection(pack(archive_, 1)).find("table rcp of sm_90: damaged: it is cut short or holds too much"), std::string::npos);
}

TEST_F(ExpansionTest, AChangedEntryIsRefused) {
  ++archive_.bytes[12345];
  EXPECT_NE(objection(pack(archive_, 1)).find("table rcp of sm_90: the results are not those measured (checksum)"), std::string::npos);
}

TEST_F(ExpansionTest, ADamagedFileIsRefused) {
  std::vector<unsigned char> flipped = file_, cut(file_.begin(), file_.begin() + 5000);
  flipped[60000] ^= 4;
  EXPECT_NE(objection(flipped).find("table rcp of sm_90: damaged: "), std::string::npos);
  EXPECT_NE(objection(cut).find("table rcp of sm_90: damaged: "), std::string::npos);
  EXPECT_NE(objection({}).find("table rcp of sm_90: damaged: "), std::string::npos);
  EXPECT_NE(objection({'n', 'o', 'n', 'e'}).find("table rcp of sm_90: damaged: "), std::string::npos);
}

TEST_F(ExpansionTest, AFileWithoutALabelIsRefused) {
  for (std::size_t i = 10; file_[i]; ++i) file_[i] = 'x';  // the comment stands after the header's ten bytes
  EXPECT_NE(objection(file_).find("its gzip comment does not say what it holds"), std::string::npos);
}

TEST_F(ExpansionTest, AFileThatIsNotThereIsRefused) {
  EXPECT_EQ(unpack(std::string(SIMT_TABLES "/nothing.gz"), 10, archive_), "cannot be read");
}

}  // namespace
}  // namespace simt
