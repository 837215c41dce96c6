// All 2^32 arguments: the finite positive ones and their negatives against the reference, NaN by class.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "kernels/common/test_errors.hpp"

namespace assay {
namespace {

constexpr std::uint32_t kInfinity = 0x7f800000u, kPiece = 1u << 20;

Worst worst_of_all(const Function& function) {
  std::atomic<std::uint32_t> next{0};
  std::mutex adding;
  Worst all;
  const auto work = [&] {
    for (std::uint32_t first; (first = next.fetch_add(kPiece)) < kInfinity;) {
      const Worst found = worst(function, first, first + kPiece, 1);
      std::lock_guard lock(adding);
      all.take(found);
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) workers.emplace_back(work);
  workers.clear();
  return all;
}

void expect_within_the_bound(const Function& function) {
  const Worst found = worst_of_all(function);
  testing::Test::RecordProperty("worst", std::to_string(found.error));
  std::printf("%s: worst error %.4f U at %a, bound %.2f U\n", function.name, found.error, static_cast<double>(found.argument),
              function.bound);
  EXPECT_LE(found.error, function.bound) << "at " << found.argument;
  EXPECT_EQ(found.even, 0u);
  for (std::uint32_t bits = kInfinity + 1; bits <= 0x7fffffffu; ++bits)
    if (!std::isnan(function.own(__uint_as_float(bits))) || !std::isnan(function.own(__uint_as_float(bits | 0x80000000u)))) FAIL() << bits;
}

TEST(ElementaryTest, TanhOfAllArgumentsIsWithinItsBound) { expect_within_the_bound(kTanh); }
TEST(ElementaryTest, ErfOfAllArgumentsIsWithinItsBound) { expect_within_the_bound(kErf); }

}  // namespace
}  // namespace assay
