#include "properties/crew/journal.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "oracles/parameters.hpp"

namespace assay::properties {
namespace {

namespace fs = std::filesystem;

class JournalFile : public testing::Test {
 protected:
  fs::path folder, path;

  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "assay_journal_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name, path = folder / "journal";
  }
  void TearDown() override { fs::remove_all(folder); }

  void write(int lines) const {
    Journal j;
    j.open(path, "assay fuzz", "me");
    for (int i = 0; i < lines; i++) j.add("key " + std::to_string(i), "value " + std::to_string(i) + "\tand more");
  }
  std::string text() const {
    std::ostringstream all;
    all << std::ifstream(path, std::ios::binary).rdbuf();
    return all.str();
  }
  void set(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }

  std::string complaint(const std::string& owner = "me") const {
    try {
      Journal j;
      j.open(path, "assay fuzz", owner);
    } catch (const BadInput& e) {
      return e.what();
    }
    return "no complaint";
  }
  int remembered(int lines) const {
    Journal j;
    j.open(path, "assay fuzz", "me");
    int found = 0;
    for (int i = 0; i < lines; i++) found += j.find("key " + std::to_string(i)) != nullptr;
    return found;
  }
};

TEST_F(JournalFile, RemembersWhatWasAdded) {
  write(3);
  Journal j;
  j.open(path, "assay fuzz", "me");
  ASSERT_NE(j.find("key 1"), nullptr);
  EXPECT_EQ(*j.find("key 1"), "value 1\tand more");
  EXPECT_EQ(j.find("key 3"), nullptr);
  EXPECT_EQ(j.last(), "value 2\tand more");
}

TEST_F(JournalFile, IsTornAnywhereAndLosesItsLastLineAtMost) {
  write(3);
  const std::string whole = text();
  for (size_t length = 0; length <= whole.size(); length++) {
    set(whole.substr(0, length));
    const auto ends = std::count(whole.begin(), whole.begin() + ptrdiff_t(length), '\n');
    EXPECT_EQ(remembered(3), std::max<ptrdiff_t>(ends - 1, 0)) << length;
    EXPECT_TRUE(text().ends_with('\n'));
    write(1);  // and goes on
    EXPECT_EQ(complaint(), "no complaint");
  }
}

TEST_F(JournalFile, IsDamaged) {
  write(3);
  const std::string whole = text();
  for (size_t at = 0; at + 1 < whole.size(); at++) {
    std::string damaged = whole;
    damaged[at] = char(damaged[at] ^ 1);
    set(damaged);
    EXPECT_NE(complaint(), "no complaint") << "byte " << at;
    EXPECT_EQ(text(), damaged);
  }
  const size_t first = whole.find('\n') + 1, second = whole.find('\n', first) + 1, third = whole.find('\n', second) + 1;
  set(whole.substr(0, first) + whole.substr(second));
  EXPECT_NE(complaint().find("line 2 is damaged"), std::string::npos) << complaint();
  set(whole.substr(0, first) + whole.substr(second, third - second) + whole.substr(first, second - first));
  EXPECT_NE(complaint().find("line 2 is damaged"), std::string::npos) << complaint();
}

TEST_F(JournalFile, OfAnotherRunOrNoneIsLeftAlone) {
  write(1);
  const std::string before = text();
  EXPECT_NE(complaint("you").find("is of another run (me), this one is you"), std::string::npos) << complaint("you");
  EXPECT_EQ(text(), before);
  for (const char* other : {"hello", "hello\n", "a\tb\n", "\n\n", "0123456789abcdef x\ty\n"}) {
    set(other);
    EXPECT_NE(complaint().find("is no journal of assay fuzz"), std::string::npos) << other << complaint();
    EXPECT_EQ(text(), other);
  }
  path = folder;
  EXPECT_NE(complaint().find("cannot be written"), std::string::npos) << complaint();
  path = "/dev/null";
  EXPECT_NE(complaint().find("is not a regular file"), std::string::npos) << complaint();
}

TEST_F(JournalFile, OfAnotherCommandIsLeftAlone) {
  write(1);
  Journal j;
  EXPECT_THROW(j.open(path, "assay check", "me"), BadInput);
}

TEST_F(JournalFile, HasOneWriter) {
  write(1);
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready) + pipe(done), 0);
  const pid_t child = fork();
  if (child == 0) {
    Journal j;
    j.open(path, "assay fuzz", "me");
    char byte = 0;
    _exit(::write(ready[1], &byte, 1) == 1 && ::read(done[0], &byte, 1) == 1 ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_NE(complaint().find("another run is writing to it"), std::string::npos) << complaint();
  ASSERT_EQ(::write(done[1], &byte, 1), 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(complaint(), "no complaint");
}

/// Lines written by a process that is killed in the midst of it: whole ones are all there, and followed by no gap.
TEST_F(JournalFile, SurvivesAKill) {
  for (int i = 0; i < 20; i++) {
    fs::remove(path);
    const pid_t child = fork();
    if (child == 0) {
      Journal j;
      j.open(path, "assay fuzz", "me");
      for (int k = 0;; k++) j.add("key " + std::to_string(k), std::string(200, 'x'));
    }
    while (!fs::exists(path) || fs::file_size(path) < size_t(5000 * (i + 1))) usleep(100);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::string written = text();
    const auto lines = std::count(written.begin(), written.end(), '\n') - 1;
    EXPECT_GT(lines, 0);
    EXPECT_EQ(remembered(int(lines) + 1), lines);
  }
}

}  // namespace
}  // namespace assay::properties
