#include "properties/accept_rules.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace assay::properties {
namespace {

/// 32,768 results of a product of 2048 terms, rounded to FP16.
std::vector<Compared> honest() {
  std::mt19937_64 bits(1);
  std::normal_distribution<double> normal(0, std::sqrt(2048.0));
  std::vector<Compared> all;
  for (int i = 0; i < 32768; i++) {
    const double exact = normal(bits), rounded = decode(Format::fp16, encode(Format::fp16, exact));
    all.push_back({rounded, rounded, exact, 2048 * 2 / M_PI});
  }
  return all;
}

std::set<std::string> accepting(const std::vector<Compared>& all) {
  std::set<std::string> names;
  for (const AcceptRule& r : accept_rules())
    if (r.accepts(all, Format::fp16)) names.emplace(r.name);
  return names;
}

std::vector<Compared> with(auto&& fault) {
  std::vector<Compared> all = honest();
  for (size_t i = 0; i < all.size(); i++) all[i].found = fault(i, all[i].found);
  return all;
}

TEST(AcceptRules, AllAcceptWhatIsRight) { EXPECT_EQ(accepting(honest()).size(), accept_rules().size()); }

/// As measured of the same rules elsewhere, on 64 x 512 FP16 outputs.
TEST(AcceptRules, LetPassWhatTheyAreKnownFor) {
  const auto column = accepting(with([](size_t i, double y) { return i % 64 == 5 ? 0 : y; }));
  EXPECT_EQ(column, (std::set<std::string>{"vLLM mean 0.04", "FlashInfer cosine", "FlashInfer 1, 1", "FlashInfer 92.5 %"}));
  const auto scaled = accepting(with([](size_t, double y) { return 1.04 * y; }));
  for (const char* rule : {"FlashInfer cosine", "DeepGEMM diff", "CUTLASS 0.1"}) EXPECT_TRUE(scaled.contains(rule)) << rule;
  for (const char* rule : {"torch defaults", "vLLM 1e-2", "ggml NMSE"}) EXPECT_FALSE(scaled.contains(rule)) << rule;
  const auto element = accepting(with([](size_t i, double y) { return i == 777 ? 0 : y; }));
  for (const char* rule : {"vLLM mean 0.04", "FlashInfer cosine", "DeepGEMM diff", "ggml NMSE"}) EXPECT_TRUE(element.contains(rule)) << rule;
  for (const char* rule : {"torch defaults", "CUTLASS 0.1"}) EXPECT_FALSE(element.contains(rule)) << rule;
}

TEST(AcceptRules, NoneAcceptsNaN) { EXPECT_TRUE(accepting(with([](size_t i, double y) { return i == 3 ? NAN : y; })).size() <= 1); }

TEST(AcceptRules, ExpectedInfinitiesMatchThemselves) {
  std::vector<Compared> all = honest();
  all[7] = {INFINITY, INFINITY, INFINITY, INFINITY};
  for (const char* rule : {"torch defaults", "CUTLASS 0.1", "BLAS gauge"}) EXPECT_TRUE(accepting(all).contains(rule)) << rule;
}

}  // namespace
}  // namespace assay::properties
