// The built program as a user meets it, run from tests.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

namespace assay::tools {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

inline const fs::path kProgram = ASSAY_PROGRAM;
inline const Words kQuickCheck{"check", "repeats.silu_and_mul", "--suite", "smoke", "--cases", "0"};

struct Ended {
  int code = -1;  // exit code, or minus the signal that ended it
  std::string out, err;
};

inline std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// An empty folder for one test, gone afterwards.
class CommandLine : public testing::Test {
 protected:
  fs::path folder;

  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "assay_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }

  /// Runs `assay`, for two minutes at most. Standard output goes to `out`, or to a file that is handed back.
  Ended assay(const Words& arguments, const char* images = nullptr, int out = -1, void (*on_broken_pipe)(int) = SIG_DFL) const {
    const fs::path scratch = folder.string() + ".streams";
    fs::create_directory(scratch);
    const pid_t child = fork();
    if (child == 0) become(arguments, images, scratch, out, on_broken_pipe);
    int status = 0;
    waitpid(child, &status, 0);
    const Ended ended{WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), contents(scratch / "out"), contents(scratch / "err")};
    fs::remove_all(scratch);
    return ended;
  }

  /// The same, killed as soon as it may be.
  Ended assay_killed(const Words& arguments, const std::function<bool()>& now) const {
    const fs::path scratch = folder.string() + ".streams";
    fs::create_directory(scratch);
    const pid_t child = fork();
    if (child == 0) become(arguments, nullptr, scratch, -1, SIG_DFL);
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0)
      if (now()) kill(child, SIGKILL);
    fs::remove_all(scratch);
    return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)};
  }

  /// A report without its line of seconds: all that two runs have in common.
  static std::string without_seconds(const fs::path& path) {
    std::istringstream lines(contents(path));
    std::string text;
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("  \"seconds\": ")) text += line + "\n";
    return text;
  }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  }

  std::set<std::string> names_in_folder() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
    return names;
  }

  void expect_bad_input(const Words& arguments, const std::string& part, const char* images = nullptr) const {
    const Ended ended = assay(arguments, images);
    const std::string shown = testing::PrintToString(arguments) + "\n" + ended.err;
    EXPECT_EQ(ended.code, 2) << shown;
    EXPECT_EQ(ended.out, "") << shown;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << shown;
    EXPECT_TRUE(ended.err.starts_with("assay: ") && ended.err.ends_with('\n')) << shown;
    EXPECT_NE(ended.err.find(part), std::string::npos) << "want: " << part << "\n" << shown;
    EXPECT_EQ(ended.err.find("internal error"), std::string::npos) << shown;
  }

 private:
  [[noreturn]] static void become(const Words& arguments, const char* images, const fs::path& scratch, int out,
                                  void (*on_broken_pipe)(int)) {
    std::vector<char*> argv{const_cast<char*>(kProgram.c_str())};
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    if (images)
      setenv("ASSAY_IMAGES", images, 1);
    else
      unsetenv("ASSAY_IMAGES");
    const int to = out >= 0 ? out : open((scratch / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(to, STDOUT_FILENO);
    dup2(open((scratch / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    std::signal(SIGPIPE, on_broken_pipe);
    alarm(120);
    execv(argv[0], argv.data());
    _exit(127);
  }
};

inline Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// One of fixtures/plugin/test_plugins.
inline std::string plugin(const std::string& fault) { return std::string(ASSAY_TEST_PLUGINS) + "/" + fault + ".so"; }

}  // namespace assay::tools
