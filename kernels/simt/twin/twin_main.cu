// assay_twin [--only <part of a name>] [--list]: runs the exercises on the card and prints "<name> <hash>" for each, as h200.txt has them.
//
// Each runs three times and must repeat itself. One that fails gets the line "<name> error: <what>" instead, one that answers otherwise
// than its plain loop a line on stderr. After an illegal access CUDA refuses every later call of the process: look at those with --only.
// Exit 0: all repeated and agree with their loops; 1: not so; 2: bad usage, no device, or one that is no sm_90.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include "kernels/simt/twin/exercise.hpp"

namespace simt::twin {
namespace {

constexpr int kRuns = 3;

bool find_device() {
  cudaDeviceProp device;
  int driver = 0, runtime = 0;
  const cudaError_t error = cudaGetDeviceProperties(&device, 0);
  if (error != cudaSuccess) {
    std::fprintf(stderr, "assay_twin: no device: %s\n", cudaGetErrorString(error));
    return false;
  }
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  std::printf("# %s, driver %d, runtime %d\n", device.name, driver, runtime);
  if (device.major == 9 && device.minor == 0) return true;
  std::fprintf(stderr, "assay_twin: the device is sm_%d%d: only sm_90 has these instructions\n", device.major, device.minor);
  return false;
}

bool try_exercise(const Exercise& exercise) {
  const Words right = exercise.loop();
  Words answer = exercise.run();
  for (int run = 1; run < kRuns; ++run)
    if (exercise.run() != answer) throw std::runtime_error("another answer in run " + std::to_string(run + 1));
  std::printf("%s %s\n", exercise.name.c_str(), hash(answer).c_str());
  if (answer == right) return true;
  std::size_t differ = 0, first = 0;
  for (std::size_t i = answer.size(); i-- > 0;)
    if (answer[i] != right[i]) ++differ, first = i;
  std::fprintf(stderr, "%s: %zu of %zu words are not the plain loop's, first word %zu: %08x, loop %08x\n", exercise.name.c_str(), differ,
               answer.size(), first, answer[first], right[first]);
  return false;
}

int main_of(int count, char** words) {
  std::string only;
  bool list = false;
  for (int i = 1; i < count; ++i) {
    if (!std::strcmp(words[i], "--list")) {
      list = true;
    } else if (!std::strcmp(words[i], "--only") && i + 1 < count) {
      only = words[++i];
    } else {
      std::fprintf(stderr, "assay_twin: use [--only <part of a name>] [--list]\n");
      return 2;
    }
  }
  if (!list && !find_device()) return 2;
  bool good = true;
  for (const Exercise& exercise : exercises()) {
    if (exercise.name.find(only) == std::string::npos) continue;
    if (list) {
      std::printf("%s\n", exercise.name.c_str());
      continue;
    }
    try {
      good = try_exercise(exercise) && good;
    } catch (const std::exception& error) {
      std::printf("%s error: %s\n", exercise.name.c_str(), error.what());
      good = false;
    }
    std::fflush(stdout);
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace simt::twin

int main(int count, char** words) { return simt::twin::main_of(count, words); }
