#include "kernels/simt/runtime/test_device.hpp"

namespace simt {
namespace {

__global__ void reverses(int* data) {
  __shared__ int staged[1024];
  staged[threadIdx.x] = data[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  data[blockIdx.x * blockDim.x + threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x];
}

__global__ void counts(int* out) {
  const int odd = __syncthreads_count(threadIdx.x % 2);
  const int any = __syncthreads_or(threadIdx.x == 99), none = __syncthreads_or(threadIdx.x == 100);
  const int all = __syncthreads_and(threadIdx.x < 100), some = __syncthreads_and(threadIdx.x < 99);
  out[threadIdx.x] = odd * 10000 + (any != 0) * 1000 + (none != 0) * 100 + (all != 0) * 10 + (some != 0);
}

__global__ void early_exit(int* out) {
  if (threadIdx.x >= 40) return;
  __syncthreads();
  out[threadIdx.x] = __syncthreads_count(1);
}

__global__ void leaves_late(int* out) {
  for (unsigned i = 0; i < 3 + threadIdx.x / 32; ++i) __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void divergent(int* out) {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    out[0] = __syncthreads_or(1);
}

__global__ void barrier_in_one_warp_only(int* out) {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    __syncwarp(threadIdx.x == 40 ? 0x300u : 0x200u);
  out[threadIdx.x] = 1;
}

__global__ void indices(uint3* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = {threadIdx.x, threadIdx.y * 100 + blockIdx.x,
                                                                threadIdx.z * 100 + blockIdx.z};
}

__global__ void dynamic(float* out, int n) {
  ASSAY_DYNAMIC_SHARED(float, staged);
  out[threadIdx.x] = staged[threadIdx.x];
  __syncthreads();
  staged[threadIdx.x] = static_cast<float>(threadIdx.x);
  __syncthreads();
  if (out[threadIdx.x] != out[threadIdx.x]) out[threadIdx.x] = staged[n - 1 - static_cast<int>(threadIdx.x)];
}

using BarrierTest = Emulator;

TEST_F(BarrierTest, EveryThreadSeesWhatOthersWroteBefore) {
  for (unsigned threads : {1u, 31u, 32u, 33u, 256u, 1024u}) {
    DeviceVector<int> data(threads * 3);
    for (unsigned i = 0; i < threads * 3; ++i) data[i] = static_cast<int>(i);
    ASSERT_EQ(assay::launch(reverses, 3, threads, 0, nullptr, data.data()), cudaSuccess) << last_report();
    for (unsigned b = 0; b < 3; ++b)
      for (unsigned i = 0; i < threads; ++i) ASSERT_EQ(data[b * threads + i], static_cast<int>(b * threads + threads - 1 - i));
  }
}

TEST_F(BarrierTest, PredicatesAreGatheredFromTheWholeBlock) {
  DeviceVector<int> out(100);
  ASSERT_EQ(assay::launch(counts, 1, 100, 0, nullptr, out.data()), cudaSuccess) << last_report();
  for (int value : out.host()) EXPECT_EQ(value, 501010);
}

TEST_F(BarrierTest, ExitedThreadsCountAsArrived) {
  DeviceVector<int> out(64);
  ASSERT_EQ(assay::launch(early_exit, 1, 64, 0, nullptr, out.data()), cudaSuccess) << last_report();
  EXPECT_EQ(out[39], 40);
}

TEST_F(BarrierTest, AThreadMayLeaveWhileTheOthersWait) {
  DeviceVector<int> out(96);
  EXPECT_EQ(assay::launch(leaves_late, 1, 96, 0, nullptr, out.data()), cudaSuccess) << last_report();
  EXPECT_EQ(out[95], 1);
}

TEST_F(BarrierTest, TwoBarriersAtOnceAreReported) {
  DeviceVector<int> out(64);
  EXPECT_EQ(assay::launch(divergent, 1, 64, 0, nullptr, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"divergent", "thread (32,0,0)", "barrier_test.cpp:", "while others of its block wait", "same barrier"}));
  EXPECT_EQ(assay::launch(early_exit, 1, 64, 0, nullptr, out.data()), cudaSuccess) << last_report();
}

TEST_F(BarrierTest, ABarrierThatSomeNeverReachIsReported) {
  DeviceVector<int> out(64);
  EXPECT_EQ(assay::launch(barrier_in_one_warp_only, 1, 42, 0, nullptr, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"lane 0 calls __syncwarp with mask 00000200"}));
}

TEST_F(BarrierTest, IndicesCoverThreeDimensions) {
  DeviceVector<uint3> out(2 * 3 * 4 * 5 * 3 * 2);
  ASSERT_EQ(assay::launch(indices, dim3(2, 3, 4), dim3(5, 3, 2), 0, nullptr, out.data()), cudaSuccess) << last_report();
  const uint3 last = out[2 * 3 * 4 * 30 - 1];
  EXPECT_EQ(last.x, 4u);
  EXPECT_EQ(last.y, 201u);
  EXPECT_EQ(last.z, 103u);
}

TEST_F(BarrierTest, DynamicSharedMemoryStartsAsNan) {
  DeviceVector<float> out(64);
  for (int again = 0; again < 2; ++again) {
    ASSERT_EQ(assay::launch(dynamic, 1, 64, 64 * sizeof(float), nullptr, out.data(), 64), cudaSuccess) << last_report();
    for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], static_cast<float>(63 - i));
  }
}

}  // namespace
}  // namespace simt
