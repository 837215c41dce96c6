#include "tools/assay/in_depth.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace assay::tools {
namespace {

/// While it lives, what the process writes to its output goes nowhere.
class Silence {
 public:
  Silence() : output((std::fflush(stdout), dup(STDOUT_FILENO))) {
    if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) dup2(nowhere, STDOUT_FILENO), close(nowhere);
  }
  ~Silence() {
    std::fflush(stdout);
    if (output >= 0) dup2(output, STDOUT_FILENO), close(output);
  }
  Silence(const Silence&) = delete;

 private:
  int output;
};

}  // namespace

std::vector<properties::Portrait> in_depth(const std::vector<const Subject*>& subjects, const std::vector<properties::Cell>& cells,
                                           const std::vector<Case>& cases, const BenchSettings& settings,
                                           const std::optional<properties::Limits>& limits, std::vector<std::string>& notes) {
  if (!limits) return properties::portraits(subjects, cells, cases, settings);
  std::vector<const Subject*> survive;
  for (const Subject* s : subjects) {
    const properties::Reply told = properties::in_child(*limits, [&] {
      properties::portraits({s}, cells, cases, settings);
      return std::string();
    });
    if (told.died)
      notes.push_back(fmt::format("{} is not looked at in depth: {}", s->name, told.text));
    else
      survive.push_back(s);
  }
  const Silence silence;
  return properties::portraits(survive, cells, cases, settings);
}

}  // namespace assay::tools
