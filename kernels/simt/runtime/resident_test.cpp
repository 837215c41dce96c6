#include "kernels/launch.h"
#include "kernels/ptx.h"
#include "kernels/simt/runtime/test_device.hpp"

namespace simt {
namespace {

// Each block adds its part once the block before it has: a striped reduction in a fixed order.
__global__ void chain(int* turn, float* sum, int descending) {
  const int place = descending ? static_cast<int>(gridDim.x - 1 - blockIdx.x) : static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0)
    while (assay::load_acquire(turn) != place) {
    }
  __syncthreads();
  if (threadIdx.x == 5) *sum = *sum * 1.5f + static_cast<float>(place);
  __syncthreads();
  if (threadIdx.x == 0) assay::store_release(turn, place + 1);
}

__global__ void grid_barrier(unsigned* arrived, int* data, int* out) {
  __shared__ int mine;
  mine = static_cast<int>(blockIdx.x);
  data[blockIdx.x] = static_cast<int>(blockIdx.x) * 3;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (assay::load_acquire(arrived) < gridDim.x) {
    }
  }
  __syncthreads();
  out[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x] + mine * 1000;
}

__global__ void lanes_wait_for_a_lane(int* flag, int* out) {
  if (threadIdx.x == 40)
    assay::store_release(flag, 7);
  else
    while (assay::load_acquire(flag) != 7) __nanosleep(20);
  out[threadIdx.x] = 1;
}

__global__ void waits_for_nobody(int* flag) {
  if (threadIdx.x == 0)
    while (assay::load_acquire(flag) == 0) {
    }
  __syncthreads();
}

__global__ void each_waits_for_the_next(int* flags) {
  while (assay::load_acquire(flags + (blockIdx.x + 1) % gridDim.x) == 0) {
  }
  assay::store_release(flags + blockIdx.x, 1);
}

__global__ void gives_up(int* flag, int* tries) {
  int n = 0;
  while (assay::load_acquire(flag) == 0 && ++n < 500) {
  }
  *tries = n;
}

class ResidentTest : public Emulator, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override { configure({.workers = GetParam()}); }
};

TEST_P(ResidentTest, BlocksTakeTurns) {
  std::vector<float> sums;
  for (std::uint64_t seed : {0, 0, 1, 2})
    for (int descending : {0, 1}) {
      configure({.workers = GetParam(), .schedule_seed = seed});
      DeviceVector<int> turn(1);
      DeviceVector<float> sum(1);
      ASSERT_EQ(assay::launch(chain, 40, 64, 0, nullptr, turn.data(), sum.data(), descending), cudaSuccess) << last_report();
      sums.push_back(sum[0]);
    }
  for (float sum : sums) EXPECT_EQ(sum, sums[0]);
}

TEST_P(ResidentTest, AllBlocksMayMeet) {
  DeviceVector<unsigned> arrived(1);
  DeviceVector<int> data(100), out(100);
  ASSERT_EQ(assay::launch(grid_barrier, 100, 32, 0, nullptr, arrived.data(), data.data(), out.data()), cudaSuccess) << last_report();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(out[i], (i + 1) % 100 * 3 + i * 1000);
}

TEST_P(ResidentTest, ThreadsOfABlockMayWaitForEachOther) {
  DeviceVector<int> flag(1), out(64);
  ASSERT_EQ(assay::launch(lanes_wait_for_a_lane, 1, 64, 0, nullptr, flag.data(), out.data()), cudaSuccess) << last_report();
  EXPECT_EQ(out.host(), std::vector<int>(64, 1));
}

TEST_P(ResidentTest, AWaitThatNobodyEndsIsReported) {
  DeviceVector<int> flag(1);
  EXPECT_EQ(assay::launch(waits_for_nobody, 3, 64, 0, nullptr, flag.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"waits_for_nobody", "deadlock", "1 thread waits (first (0,0,0)) for memory to change at",
                        "resident_test.cpp:", "63 threads wait (first (1,0,0)) at the barrier"}));
  flag[0] = 1;
  EXPECT_EQ(assay::launch(waits_for_nobody, 3, 64, 0, nullptr, flag.data()), cudaSuccess) << last_report();
}

TEST_P(ResidentTest, ACircleOfBlocksIsReported) {
  DeviceVector<int> flags(5);
  EXPECT_EQ(assay::launch(each_waits_for_the_next, 5, 1, 0, nullptr, flags.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"deadlock", "and 2 more resident blocks"}));
}

TEST_P(ResidentTest, MoreBlocksThanFitCannotMeet) {
  configure({.workers = GetParam(), .resident_blocks = 10});
  DeviceVector<unsigned> arrived(1);
  DeviceVector<int> data(100), out(100);
  EXPECT_EQ(assay::launch(grid_barrier, 100, 32, 0, nullptr, arrived.data(), data.data(), out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"deadlock", "90 blocks have not started", "resident_blocks is 10"}));
}

TEST_P(ResidentTest, ALoopThatGivesUpIsNoDeadlock) {
  DeviceVector<int> flag(1), tries(1);
  ASSERT_EQ(assay::launch(gives_up, 1, 1, 0, nullptr, flag.data(), tries.data()), cudaSuccess) << last_report();
  EXPECT_EQ(tries[0], 500);
}

INSTANTIATE_TEST_SUITE_P(Workers, ResidentTest, testing::Values(1, 2, 4));

}  // namespace
}  // namespace simt
