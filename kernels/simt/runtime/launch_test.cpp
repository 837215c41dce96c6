#include <set>

#include "kernels/simt/runtime/test_device.hpp"

namespace simt {
namespace {

__global__ void marks(int* out) { out[blockIdx.x] += 1; }

__global__ void typed(float* out, float a, int b, unsigned char c) { *out = a + static_cast<float>(b) + static_cast<float>(c); }

__global__ void static_and_dynamic(int* out) {
  __shared__ int fixed[8 << 10];
  ASSAY_DYNAMIC_SHARED(int, flexible);
  fixed[threadIdx.x] = 1;
  flexible[0] = 2;
  *out = fixed[0] + flexible[0];
}

__global__ void norm(float* out, const float* x, int n) {
  __shared__ float parts[8];
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += 256) sum = __fmaf_rn(x[blockIdx.x * n + i], x[blockIdx.x * n + i], sum);
  for (int offset = 16; offset; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  for (int i = 1; i < 8; ++i) parts[0] = threadIdx.x == 0 ? parts[0] + parts[i] : parts[0];
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < n; i += 256) out[blockIdx.x * n + i] = x[blockIdx.x * n + i] * rsqrtf(parts[0]);
}

__global__ void misses_a_barrier(int* out) {
  __shared__ int staged[64];
  staged[threadIdx.x] = static_cast<int>(threadIdx.x + 100 * blockIdx.x);
  out[blockIdx.x * 64 + threadIdx.x] = staged[63 - threadIdx.x];
}

__global__ void last_writer(int* out) {
  if (threadIdx.x < 2) *out = static_cast<int>(blockIdx.x * 2 + threadIdx.x);
}

__global__ void throws(int* out) {
  if (*out == 0) throw 1;
}

__global__ void launches(int* out) { assay::launch(marks, 1, 1, 0, nullptr, out); }

using LaunchTest = Emulator;

TEST_F(LaunchTest, ArgumentsAreConvertedToTheParameters) {
  DeviceVector<float> out(1);
  ASSERT_EQ(assay::launch(typed, dim3(1), dim3(1), 0, nullptr, out.data(), 1, 2.9, 258), cudaSuccess) << last_report();
  EXPECT_EQ(out[0], 5.0f);
}

TEST_F(LaunchTest, LimitsOfTheCardAreNamed) {
  DeviceVector<int> out(1);
  const auto refused = [&](dim3 grid, dim3 block) { return assay::launch(marks, grid, block, 0, nullptr, out.data()); };
  EXPECT_EQ(refused(1, 1025), cudaErrorInvalidConfiguration);
  EXPECT_TRUE(reported({"marks", "launch_test.cpp:", "block.x is 1025: sm_90 allows 1024"}));
  EXPECT_EQ(refused(1, dim3(32, 33)), cudaErrorInvalidConfiguration);
  EXPECT_TRUE(reported({"threads in the block is 1056"}));
  EXPECT_EQ(refused(1, dim3(1, 1, 65)), cudaErrorInvalidConfiguration);
  EXPECT_TRUE(reported({"block.z is 65: sm_90 allows 64"}));
  EXPECT_EQ(refused(dim3(1, 65536), 1), cudaErrorInvalidConfiguration);
  EXPECT_TRUE(reported({"grid.y is 65536: sm_90 allows 65535"}));
  EXPECT_EQ(refused(dim3(1, 1, 65536), 1), cudaErrorInvalidConfiguration);
  EXPECT_EQ(refused(dim3(2147483648u), 1), cudaErrorInvalidConfiguration);
  EXPECT_EQ(refused(0, 1), cudaErrorInvalidConfiguration);
  EXPECT_TRUE(reported({"grid.x is 0"}));
  EXPECT_EQ(refused(1, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(refused(1, 1), cudaSuccess);
}

TEST_F(LaunchTest, SharedMemoryBeyondTheDefaultMustBeAskedFor) {
  DeviceVector<int> out(1);
  const auto launch = [&](std::size_t bytes) { return assay::launch(static_and_dynamic, 1, 64, bytes, nullptr, out.data()); };
  EXPECT_EQ(launch(16 << 10), cudaSuccess) << last_report();
  EXPECT_EQ(launch((16 << 10) + 1), cudaErrorInvalidValue);
  EXPECT_TRUE(reported({"49153 bytes of shared memory (32768 static, 16385 dynamic)", "cudaFuncSetAttribute"}));
  ASSERT_EQ(cudaFuncSetAttribute(static_and_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 195 << 10), cudaSuccess);
  EXPECT_EQ(launch(195 << 10), cudaSuccess) << last_report();
  EXPECT_EQ(out[0], 3);
  EXPECT_EQ(launch((195 << 10) + 1), cudaErrorInvalidValue);
  EXPECT_TRUE(reported({"sm_90 allows 232448"}));
  EXPECT_EQ(cudaFuncSetAttribute(static_and_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 196 << 10), cudaErrorInvalidValue);
}

TEST_F(LaunchTest, TheNumberOfWorkersDoesNotChangeABit) {
  std::vector<float> x(40 * 1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(static_cast<int>(i * 2654435761u >> 8)) * 0x1p-20f;
  DeviceVector<float> in(x);
  std::vector<std::vector<float>> results;
  for (int workers : {1, 2, 4})
    for (std::uint64_t seed : {0, 5}) {
      configure({.workers = workers, .schedule_seed = seed});
      DeviceVector<float> out(x.size());
      ASSERT_EQ(assay::launch(norm, 40, 256, 0, nullptr, out.data(), in.data(), 1000), cudaSuccess) << last_report();
      results.push_back(out.host());
    }
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST_F(LaunchTest, ARandomScheduleShowsAMissingBarrier) {
  std::set<std::vector<int>> results;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    configure({.workers = 1, .schedule_seed = seed});
    DeviceVector<int> out(64 * 8);
    ASSERT_EQ(assay::launch(misses_a_barrier, 8, 64, 0, nullptr, out.data()), cudaSuccess);
    results.insert(out.host());
  }
  EXPECT_EQ(results.size(), 4u);
}

TEST_F(LaunchTest, TheScheduleFollowsTheSeedAndTheLaunch) {
  const auto writers = [](std::uint64_t seed) {
    configure({.workers = 1, .schedule_seed = seed});
    std::vector<int> result;
    DeviceVector<int> out(1);
    for (int launch = 0; launch < 20; ++launch) {
      EXPECT_EQ(assay::launch(last_writer, 50, 64, 0, nullptr, out.data()), cudaSuccess);
      result.push_back(out[0]);
    }
    return result;
  };
  EXPECT_EQ(writers(0), std::vector<int>(20, 99));
  EXPECT_EQ(writers(3), writers(3));
  EXPECT_NE(writers(3), writers(4));
  const auto drawn = writers(3);
  EXPECT_GT(std::set<int>(drawn.begin(), drawn.end()).size(), 10u);
}

TEST_F(LaunchTest, SampledBlocksAreThoseThatRunsBlockNames) {
  for (std::uint64_t sampled : {1, 2, 3, 7, 50, 99, 100, 200})
    for (std::uint64_t blocks : {1, 2, 3, 10, 100, 137}) {
      const Options options{.workers = 2, .schedule_seed = sampled % 3, .sample_blocks = sampled, .sample_seed = blocks};
      configure(options);
      for (std::uint64_t launch = 0; launch < 3; ++launch) {
        DeviceVector<int> out(blocks);
        ASSERT_EQ(assay::launch(marks, static_cast<unsigned>(blocks), 1, 0, nullptr, out.data()), cudaSuccess) << last_report();
        std::uint64_t count = 0;
        for (std::uint64_t block = 0; block < blocks; ++block) {
          ASSERT_EQ(out[block], runs_block(options, launch, block, blocks)) << sampled << ' ' << blocks << ' ' << block;
          count += static_cast<std::uint64_t>(out[block]);
        }
        EXPECT_EQ(count, std::min(sampled, blocks));
        EXPECT_EQ(out[0], 1);
        EXPECT_EQ(out[blocks - 1], sampled > 1 || blocks == 1);
      }
    }
}

TEST_F(LaunchTest, SamplesOfTwoSeedsDiffer) {
  const auto chosen = [](std::uint64_t seed, std::uint64_t launch) {
    std::vector<std::uint64_t> blocks;
    for (std::uint64_t block = 0; block < 100000; ++block)
      if (runs_block({.sample_blocks = 20, .sample_seed = seed}, launch, block, 100000)) blocks.push_back(block);
    return blocks;
  };
  EXPECT_EQ(chosen(1, 0).size(), 20u);
  EXPECT_EQ(chosen(1, 0), chosen(1, 0));
  EXPECT_NE(chosen(1, 0), chosen(2, 0));
  EXPECT_NE(chosen(1, 0), chosen(1, 1));
}

TEST_F(LaunchTest, AnExceptionInAKernelIsReported) {
  DeviceVector<int> out(1);
  EXPECT_EQ(assay::launch(throws, 1, 32, 0, nullptr, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"throws", "exception"}));
}

TEST_F(LaunchTest, AKernelThatLaunchesAKernelIsReported) {
  DeviceVector<int> out(1);
  EXPECT_EQ(assay::launch(launches, 1, 32, 0, nullptr, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"dynamic parallelism"}));
}

TEST_F(LaunchTest, StatisticsCountTheWork) {
  DeviceVector<int> out(10);
  ASSERT_EQ(assay::launch(marks, 10, 33, 0, nullptr, out.data()), cudaSuccess);
  EXPECT_EQ(stats().launches, 1u);
  EXPECT_EQ(stats().blocks, 10u);
  EXPECT_EQ(stats().threads, 330u);
}

}  // namespace
}  // namespace simt
