#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "tools/damage/test_damage.hpp"

namespace assay::tools {
namespace {

TEST(Damage, IsTheSameForTheSameSeedAndNearlyAlwaysDamage) {
  const std::vector<std::string> whole{"a case line m=1 n=2", std::string(2000, 'x')};
  int left = 0;
  for (uint64_t seed = 0; seed < 1000; seed++) {
    const std::string text = damaged(whole, seed);
    EXPECT_EQ(text, damaged(whole, seed));
    left += std::ranges::count(whole, text) > 0;
  }
  EXPECT_LT(left, 300);
}

TEST(Damage, IsEnduredByEveryReader) { expect_all_endure(0, 500); }

TEST(Ordeal, NamesCrashesHangsAndWrongExceptions) {
  auto fault = [](std::function<void(const std::string&)> read) { return endure({"reader", {"text"}, std::move(read)}, 5, 3).fault; };
  EXPECT_EQ(fault([](const std::string&) {}), "");
  EXPECT_EQ(fault([](const std::string&) { throw std::runtime_error("no"); }), "");
  EXPECT_EQ(fault([](const std::string&) { throw std::runtime_error(""); }), "reader at seed 5: a complaint of 0 characters: ");
  EXPECT_EQ(fault([](const std::string&) { throw std::out_of_range("x"); }), "reader at seed 5: an internal error: x");
  EXPECT_EQ(fault([](const std::string&) { raise(SIGKILL); }), "reader at seed 5: a crash, signal 9");
  EXPECT_EQ(fault([](const std::string&) { raise(SIGALRM); }), "reader at seed 5: a hang");
  EXPECT_EQ(fault([](const std::string&) { _exit(3); }), "reader at seed 5: the process ended with 3");
}

}  // namespace
}  // namespace assay::tools
