#include "properties/fuzz/crew.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "oracles/parameters.hpp"

namespace assay::properties {
namespace {

/// Answers with the task and the process; some tasks do worse.
Work work() {
  return [](const std::string& task) -> Answer {
    if (task == "dies") raise(SIGKILL);
    if (task == "ends") _exit(7);
    if (task == "hangs") pause();
    if (task == "refuses") throw BadInput("no such thing");
    return {task + " by " + std::to_string(getpid()), task == "wears out"};
  };
}

TEST(Crew, DoesEveryTaskOnce) {
  Crew crew(3, 60, work);
  std::map<uint64_t, std::string> answers;
  for (uint64_t i = 0; i < 50; i++) {
    if (!crew.has_room()) {
      const Reply r = crew.wait();
      EXPECT_TRUE(answers.emplace(r.task, r.text).second);
    }
    crew.start(i, "task " + std::to_string(i));
  }
  while (crew.is_busy()) {
    const Reply r = crew.wait();
    EXPECT_TRUE(answers.emplace(r.task, r.text).second);
  }
  ASSERT_EQ(answers.size(), 50u);
  for (const auto& [task, text] : answers) EXPECT_TRUE(text.starts_with("task " + std::to_string(task) + " by ")) << text;
}

Reply reply_to(Crew& crew, const std::string& task) {
  crew.start(1, task);
  return crew.wait();
}

TEST(Crew, SaysHowAProcessEndedAndGoesOn) {
  Crew crew(1, 60, work);
  Reply r = reply_to(crew, "dies");
  EXPECT_TRUE(r.died);
  EXPECT_EQ(r.text, "the process died: Killed");
  r = reply_to(crew, "ends");
  EXPECT_EQ(r.text, "the process ended itself with code 7");
  r = reply_to(crew, "works");
  EXPECT_FALSE(r.died);
  EXPECT_TRUE(r.text.starts_with("works by "));
}

TEST(Crew, EndsWhatDoesNotAnswer) {
  Crew crew(1, 0.2, work);
  const Reply r = reply_to(crew, "hangs");
  EXPECT_TRUE(r.died);
  EXPECT_EQ(r.text, "no answer within 0.2 s");
}

TEST(Crew, ReplacesAProcessThatIsWornOut) {
  Crew crew(1, 60, work);
  auto process = [&](const std::string& task) { return reply_to(crew, task).text.substr(task.size()); };
  const std::string first = process("works");
  EXPECT_EQ(process("works"), first);
  EXPECT_EQ(process("wears out"), first);
  EXPECT_NE(process("works"), first);
}

TEST(Crew, HandsOnBadInput) {
  Crew crew(1, 60, work);
  crew.start(1, "refuses");
  EXPECT_THROW(crew.wait(), BadInput);
  Crew other(1, 60, []() -> Work { throw BadInput("no image"); });
  other.start(1, "works");
  EXPECT_THROW(other.wait(), BadInput);
}

}  // namespace
}  // namespace assay::properties
