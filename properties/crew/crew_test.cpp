#include "properties/crew/crew.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "oracles/parameters.hpp"

namespace assay::properties {
namespace {

/// Answers with the task and the process; some tasks do worse.
Work work() {
  return [](const std::string& task, const Say& say) -> Answer {
    if (task == "dies") raise(SIGKILL);
    if (task == "ends") _exit(7);
    if (task == "exits") std::exit(3);
    if (task == "hangs") pause();
    if (task == "closes") {
      for (int file = 3; file < 256; file++) close(file);
      pause();
    }
    if (task == "leaves a child" && fork() == 0) pause();
    if (task == "asserts") {
      std::printf("to nowhere\n"), std::fprintf(stderr, "first\nk.c:12: n < 4\x1b failed\n");
      std::abort();
    }
    if (task == "floods")
      for (int i = 0; i < 100000; i++) std::fprintf(stderr, "%09d\n", i), std::printf("%09d\n", i);
    if (task == "allocates")
      for (std::vector<std::vector<char>> all;;) all.emplace_back(1 << 20, 'x');
    if (task == "tells") {
      say("first"), say("second");
      raise(SIGKILL);
    }
    if (task == "goes on")
      for (int i = 0; i < 8; i++) usleep(50000), say("on");
    if (task == "refuses") throw BadInput("no such thing");
    return {task + " by " + std::to_string(getpid()), task == "wears out"};
  };
}

TEST(Crew, DoesEveryTaskOnce) {
  Crew crew(3, {}, work);
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
  Crew crew(1, {}, work);
  Reply r = reply_to(crew, "dies");
  EXPECT_TRUE(r.died);
  EXPECT_EQ(r.text, "the process died: Killed");
  r = reply_to(crew, "ends");
  EXPECT_EQ(r.text, "the process ended itself with code 7");
  r = reply_to(crew, "works");
  EXPECT_FALSE(r.died);
  EXPECT_TRUE(r.text.starts_with("works by "));
}

TEST(Crew, QuotesTheLastLineOnStandardError) {
  Crew crew(1, {}, work);
  EXPECT_EQ(reply_to(crew, "floods").text.substr(0, 9), "floods by");
  EXPECT_EQ(reply_to(crew, "asserts").text, "the process died: Aborted; the last it said: 'k.c:12: n < 4\\x1b failed'");
  EXPECT_EQ(reply_to(crew, "dies").text, "the process died: Killed");
  EXPECT_EQ(reply_to(crew, "exits").text, "the process ended itself with code 3");
}

TEST(Crew, KnowsHowFarATaskWas) {
  Crew crew(1, {}, work);
  const Reply r = reply_to(crew, "tells");
  EXPECT_EQ(r.text, "the process died: Killed");
  EXPECT_EQ(r.said, (std::vector<std::string>{"first", "second"}));
  EXPECT_TRUE(reply_to(crew, "works").said.empty());
}

TEST(Crew, EndsWhatAllocatesWithoutEnd) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "memory is not limited under ASan";
#endif
  Crew crew(1, {.bytes = 5e8}, work);
  const Reply r = reply_to(crew, "allocates");
  EXPECT_TRUE(r.died);
  EXPECT_EQ(r.text, "out of memory");
  EXPECT_FALSE(reply_to(crew, "works").died);
}

TEST(Crew, EndsWhatClosesItsSocketAndStays) {
  Crew crew(1, {}, work);
  EXPECT_EQ(reply_to(crew, "closes").text, "the process died: Killed");
}

TEST(Crew, TakesWhatAProcessStartedWithIt) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    Crew crew(1, {}, work);
    EXPECT_FALSE(reply_to(crew, "leaves a child").died);
  }
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "blocks as long as somebody holds the other end";
  close(ends[0]);
}

TEST(Crew, OfNoJobsIsThisProcess) {
  Crew crew(0, {}, work);
  EXPECT_EQ(reply_to(crew, "works").text, "works by " + std::to_string(getpid()));
  EXPECT_FALSE(crew.is_busy());
  EXPECT_THROW(crew.start(1, "refuses"), BadInput);
}

TEST(Crew, TimeBeginsAnewWithEveryLineSaid) {
  Crew crew(1, {.patience = 0.3}, work);
  EXPECT_FALSE(reply_to(crew, "goes on").died) << "0.4 s in all";
}

TEST(Crew, EndsWhatDoesNotAnswer) {
  Crew crew(1, {.patience = 0.2}, work);
  const Reply r = reply_to(crew, "hangs");
  EXPECT_TRUE(r.died);
  EXPECT_EQ(r.text, "no answer within 0.2 s");
  EXPECT_TRUE(r.hung);
}

TEST(Crew, ReplacesAProcessThatIsWornOut) {
  Crew crew(1, {}, work);
  auto process = [&](const std::string& task) { return reply_to(crew, task).text.substr(task.size()); };
  const std::string first = process("works");
  EXPECT_EQ(process("works"), first);
  EXPECT_EQ(process("wears out"), first);
  EXPECT_NE(process("works"), first);
}

TEST(Crew, HandsOnBadInput) {
  Crew crew(1, {}, work);
  crew.start(1, "refuses");
  EXPECT_THROW(crew.wait(), BadInput);
  Crew other(1, {}, []() -> Work { throw BadInput("no image"); });
  other.start(1, "works");
  EXPECT_THROW(other.wait(), BadInput);
}

}  // namespace
}  // namespace assay::properties
