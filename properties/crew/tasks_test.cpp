#include "properties/crew/tasks.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace assay::properties {
namespace {

/// "a b c": does a, and says that b c is left where a is "stop"; dies at "die".
Work work() {
  return [](const std::string& task, const Say& say) -> Answer {
    const std::string first = task.substr(0, task.find(' '));
    say(first);
    if (first == "die") raise(SIGKILL);
    return {.text = first + (first == "stop" ? "!" : " did " + task), .worn_out = first == "stop"};
  };
}

Tasks::Outcome read(const std::string& task, const Reply& reply) {
  const size_t space = task.find(' ');
  const std::string rest = space == task.npos ? "" : task.substr(space + 1);
  if (reply.died) return {reply.said.front() + "d", rest};
  return {reply.text, reply.text.ends_with('!') ? rest : ""};
}

TEST(Tasks, GoOnWithWhatIsLeftInAnotherProcess) {
  for (int jobs : {1, 3}) {
    Tasks tasks(jobs, {}, 0, work, read);
    const uint64_t a = tasks.submit("die stop go", false), b = tasks.submit("go", false), c = tasks.submit("die", true);
    EXPECT_EQ(tasks.take(b), "go did go");
    EXPECT_EQ(tasks.take(a), "died\tstop!\tgo did go");
    EXPECT_EQ(tasks.take(c), "died");
  }
}

TEST(Tasks, AreRememberedByTheirKey) {
  std::string folder = (std::filesystem::temp_directory_path() / "assay_tasks_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  for (int run = 0; run < 2; run++) {
    Tasks tasks(1, {}, 0, work, read);
    tasks.remember(folder + "/journal", "assay test", "me");
    const uint64_t a = tasks.submit(run ? "something else" : "die go", false, "first");
    EXPECT_EQ(tasks.take(a), "died\tgo did go");
    EXPECT_EQ(tasks.remembered(), run);
    EXPECT_EQ(tasks.take(tasks.submit("go", true)), "go did go");
  }
  std::filesystem::remove_all(folder);
}

TEST(Tasks, AreNotBegunWhenTimeIsUpUnlessTheyAreUrgent) {
  Tasks tasks(1, {}, 1e-9, work, read);
  EXPECT_EQ(tasks.take(tasks.submit("go", false)), std::nullopt);
  EXPECT_EQ(tasks.take(tasks.submit("go", true)), "go did go");
}

}  // namespace
}  // namespace assay::properties
