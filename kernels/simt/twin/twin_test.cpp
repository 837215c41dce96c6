#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "kernels/simt/session.hpp"
#include "kernels/simt/twin/exercise.hpp"

namespace simt::twin {

// For GoogleTest's messages.
void PrintTo(const Exercise& exercise, std::ostream* out) { *out << exercise.name; }

namespace {

// Name and hash a line; what begins with # is a remark.
std::map<std::string, std::string> recorded_on_a_card() {
  std::map<std::string, std::string> hashes;
  std::ifstream file(SIMT_TWIN_HASHES);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name;
    words >> name >> hashes[name];
  }
  return hashes;
}

class TwinTest : public testing::TestWithParam<Exercise> {
 protected:
  void SetUp() override { configure({.workers = 2}); }
  void TearDown() override { configure({}); }
};

TEST_P(TwinTest, AnswersAsThePlainLoop) {
  const Words answer = GetParam().run(), right = GetParam().loop();
  ASSERT_EQ(answer.size(), right.size());
  for (std::size_t i = 0; i < answer.size(); ++i) ASSERT_EQ(answer[i], right[i]) << "word " << i;
}

TEST_P(TwinTest, AnswersTheSameInEveryOrder) {
  const Words answer = GetParam().run();
  for (std::uint64_t seed : {1, 2, 3}) {
    configure({.workers = 1, .schedule_seed = seed});
    EXPECT_EQ(GetParam().run(), answer) << "seed " << seed;
  }
}

TEST_P(TwinTest, AnswersAsTheCard) {
  const auto hashes = recorded_on_a_card();
  const auto found = hashes.find(GetParam().name);
  if (found == hashes.end()) GTEST_SKIP() << "not yet recorded on a card";
  EXPECT_EQ(hash(GetParam().run()), found->second);
}

std::string test_name(const testing::TestParamInfo<Exercise>& info) {
  std::string name = info.param.name;
  for (char& letter : name)
    if (letter == '.') letter = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, TwinTest, testing::ValuesIn(exercises()), test_name);

TEST(TwinHashes, AreOfExercises) {
  std::set<std::string> names;
  for (const Exercise& exercise : exercises()) EXPECT_TRUE(names.insert(exercise.name).second) << exercise.name;
  for (const auto& [name, value] : recorded_on_a_card()) {
    EXPECT_TRUE(names.count(name)) << name;
    EXPECT_EQ(value.size(), 16u) << name;
  }
}

}  // namespace
}  // namespace simt::twin
