#include "kernels/simt/runtime/test_device.hpp"

namespace simt {
namespace {

__global__ void waits_for_a_plain_load(volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void loops_in_one_lane(int* out, int rounds) {
  __shared__ int step;
  if (threadIdx.x == 0) step = rounds;
  __syncthreads();
  volatile int left = step;
  while (threadIdx.x == 7 && left != 0) {
  }
  __syncthreads();
  out[threadIdx.x] = step;
}

__global__ void counts(int* out, int rounds) {
  volatile int sum = 0;
  for (int i = 0; i < rounds; ++i) sum = sum + 1;
  __syncthreads();
  atomicAdd(out, sum);
}

using WatchdogTest = Emulator;

TEST_F(WatchdogTest, AnEndlessLoopIsReported) {
  DeviceVector<int> flag(1);
  for (int workers : {1, 2}) {
    configure({.workers = workers, .patience = 0.1});
    EXPECT_EQ(assay::launch(waits_for_a_plain_load, 3, 32, 0, nullptr, flag.data()), cudaErrorLaunchFailure);
    EXPECT_TRUE(reported({"waits_for_a_plain_load", "thread (0,0,0)", "0.1 s of processor time", "an endless loop"}));
  }
}

TEST_F(WatchdogTest, TheThreadThatLoopsIsNamedAndTheNextLaunchRuns) {
  configure({.workers = 1, .patience = 0.1});
  DeviceVector<int> out(64);
  EXPECT_EQ(assay::launch(loops_in_one_lane, 1, 64, 0, nullptr, out.data(), 3), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"loops_in_one_lane, block (0,0,0), thread (7,0,0)"}));
  EXPECT_EQ(assay::launch(counts, 2, 32, 0, nullptr, out.data(), 10), cudaSuccess) << last_report();
}

TEST_F(WatchdogTest, ALongKernelWhoseThreadsTakeTurnsIsLeftAlone) {
  configure({.workers = 1, .patience = 0.05});
  DeviceVector<int> out(1);
  ASSERT_EQ(assay::launch(counts, 1, 64, 0, nullptr, out.data(), 5000000), cudaSuccess) << last_report();
  EXPECT_EQ(out[0], 64 * 5000000);
}

}  // namespace
}  // namespace simt
