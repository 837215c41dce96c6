#include "properties/generators/region.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "fixtures/fill/random.hpp"

namespace assay::properties {
namespace {

std::string extent(int64_t n) { return bucket_of(whole("n", 0, 1 << 20, 1, ""), n); }
std::string padding(int64_t n) { return bucket_of(whole("pad", 0, 4096, 0, ""), n); }

TEST(Region, ExtentsByKindAndSize) {
  EXPECT_EQ(extent(0), "0");
  EXPECT_EQ(extent(1), "1");
  EXPECT_EQ(extent(5), "2..7");
  EXPECT_EQ(extent(8), "2^n");
  EXPECT_EQ(extent(63), "2^n-1");
  EXPECT_EQ(extent(65), "2^n+1 middle");
  EXPECT_EQ(extent(72), "8n middle");
  EXPECT_EQ(extent(13), "prime");
  EXPECT_EQ(extent(100), "even middle");
  EXPECT_EQ(extent(1001), "odd large");
  EXPECT_EQ(extent(512), "2^n large");
}

TEST(Region, PaddingsByTheAlignmentTheyLeave) {
  EXPECT_EQ(padding(0), "0");
  EXPECT_EQ(padding(3), "odd");
  EXPECT_EQ(padding(6), "2n");
  EXPECT_EQ(padding(12), "4n");
  EXPECT_EQ(padding(64), "8n large");
}

TEST(Region, OtherParametersByTheirValues) {
  EXPECT_EQ(bucket_of(whole("version", 1, 2, 1, ""), int64_t{2}), "2");
  EXPECT_EQ(bucket_of(word("dtype", {"bf16", "fp16"}, ""), std::string("fp16")), "fp16");
  const Parameter epsilon = real("epsilon", 0, 1, 1e-6, "");
  EXPECT_EQ(bucket_of(epsilon, 1e-6), "standard");
  EXPECT_EQ(bucket_of(epsilon, 0.0), "least");
  EXPECT_EQ(bucket_of(epsilon, 0.5), "between");
  EXPECT_EQ(bucket_of(epsilon, 1.0), "most");
}

TEST(Region, BucketsAreThoseThatTheUnitAllows) {
  const std::vector<std::string> all = buckets(whole("k", 64, 1 << 20, 64, "", 64));
  EXPECT_EQ(all, (std::vector<std::string>{"2^n middle", "8n middle", "2^n large", "8n large"}));
}

TEST(Region, LegalBucketsAreThoseWithLegalCases) {
  const Contract& gemv = *find<Contract>("w4a16_gemv");
  auto parameter = [&](const char* name) { return *std::ranges::find(gemv.parameters, name, &Parameter::name); };
  const std::vector<std::string> k = legal_buckets(gemv, parameter("k")), group = legal_buckets(gemv, parameter("group"));
  EXPECT_EQ(k, (std::vector<std::string>{"2^n", "8n", "2^n middle", "8n middle", "2^n large", "8n large"}));  // multiples of 8
  EXPECT_EQ(group, k);                                                                                        // of which k is a multiple
  EXPECT_EQ(legal_buckets(gemv, parameter("k"), [](const Case& c) { return c.parameters.whole("k") < 64; }),
            (std::vector<std::string>{"2^n", "8n"}));
  EXPECT_EQ(legal_buckets(gemv, parameter("m")), buckets(parameter("m")));
}

/// Every bucket of every parameter of every contract is drawn, unless the contract itself refuses all cases of it.
TEST(Region, EveryBucketIsDrawn) {
  for (const Contract& contract : registry<Contract>())
    for (const Parameter& p : contract.parameters) {
      const Stream random(1, contract.name + p.name);
      uint64_t index = 0;
      std::set<std::string> missing;
      for (const std::string& bucket : buckets(p)) missing.insert(bucket);
      for (int i = 0; i < 20000; i++) missing.erase(bucket_of(p, draw_in_regions(p, [&](uint64_t n) { return random.below(n, index++); })));
      EXPECT_TRUE(missing.empty()) << contract.name << " " << p.name << ": " << missing.size() << " missing, e.g. " << *missing.begin();
    }
}

TEST(Region, SizesGetTheirShareOfTheTime) {
  const auto counts = [](const char* contract, uint64_t all) {
    std::map<double, int> of_size;
    for (uint64_t i = 0; i < all; i++) {
      const Below below = [&](uint64_t n) {
        EXPECT_EQ(n, all);
        return i;
      };
      of_size[draw_size(*find<Contract>(contract), 64, below)]++;
    }
    return of_size;
  };
  EXPECT_EQ(counts("silu_and_mul", 85), (std::map<double, int>{{64, 1}, {16, 4}, {4, 16}, {1, 64}}));
  EXPECT_EQ(counts("bf16_gemm", 15), (std::map<double, int>{{64, 1}, {16, 2}, {4, 4}, {1, 8}}));
}

TEST(Region, SmallCasesWhereThereAreSome) {
  const Stream random(7, "region");
  uint64_t index = 0;
  const Below below = [&](uint64_t n) { return random.below(n, index++); };
  for (int i = 0; i < 50; i++) {
    EXPECT_LE(cost(draw_anywhere(*find<Contract>("silu_and_mul"), 2000, 1e6, below)), 2000);
    const double marlin = cost(draw_anywhere(*find<Contract>("w4a16_gemm"), 1, 1e6, below));  // a tile has more
    EXPECT_GT(marlin, 1);
    EXPECT_LE(marlin, 1e6);
  }
}

TEST(Region, NeighboursDifferInOneBucket) {
  const Case c = parse_case("w4a16_gemv m=2 n=8 k=64 group=8 fill=exact seed=3");
  const std::vector<Neighbour> all = neighbours(c);
  EXPECT_GT(all.size(), 40u);
  for (const Neighbour& n : all) {
    EXPECT_EQ(refusal(n.problem), std::nullopt);
    const std::vector<std::string> here = regions_of(c), there = regions_of(n.problem);
    int differ = 0;
    for (size_t i = 0; i < here.size(); i++) differ += here[i] != there[i];
    EXPECT_EQ(differ, 1) << n.problem;
  }
}

}  // namespace
}  // namespace assay::properties
