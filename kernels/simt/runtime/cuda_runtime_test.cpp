#include <cstdint>

#include "kernels/launch.h"
#include "kernels/ptx.h"
#include "kernels/simt/runtime/test_device.hpp"

namespace simt {
namespace {

__attribute__((no_sanitize("undefined"))) __global__ void reads(const float* x, long long i, float* out) {
  if (threadIdx.x == 7) *out = x[i];
}

__global__ void writes_shared(int past) {
  ASSAY_DYNAMIC_SHARED(int, staged);
  if (threadIdx.x == 3) staged[256 + past] = 1;
}

__attribute__((noinline)) int deep(int n, int* out) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(n);
  *out = frame[0];
  return n == 0 ? 0 : deep(n - 1, out) + 1 + frame[0] - frame[0];
}

__global__ void recurses(int* out) { *out = deep(*out, out + 1); }

__attribute__((no_sanitize("undefined"))) __global__ void divides(int* out) { out[0] = out[1] / out[2]; }

__global__ void copies(const float4* in, float* out, int wait) {
  ASSAY_DYNAMIC_SHARED(float4, staged);
  assay::cp_async16(staged + threadIdx.x, in + threadIdx.x);
  assay::cp_async_commit();
  assay::cp_async16(staged + 32 + threadIdx.x, in + 32 + threadIdx.x);
  assay::cp_async_commit();
  if (wait == 1) assay::cp_async_wait<1>();
  if (wait == 2) assay::cp_async_wait<0>();
  __syncthreads();
  out[threadIdx.x] = staged[31 - threadIdx.x].x;
  out[32 + threadIdx.x] = staged[63 - threadIdx.x].y;
}

__global__ void copies_askew(const float* in) {
  ASSAY_DYNAMIC_SHARED(float, staged);
  assay::cp_async16(staged, in + 1);
}

__global__ void copies_a_part(const float4* in, float4* out, int bytes) {
  ASSAY_DYNAMIC_SHARED(float4, staged);
  assay::cp_async16_zfill(staged, in, bytes);
  assay::cp_async_commit();
  assay::cp_async_wait<0>();
  out[0] = staged[0];
}

using CudaRuntimeTest = Emulator;

TEST_F(CudaRuntimeTest, AReadFarOutsideIsReportedWithTheAllocation) {
  DeviceVector<float> x(100), out(1);
  ASSERT_EQ(assay::launch(reads, 2, 32, 0, nullptr, x.data(), 99, out.data()), cudaSuccess) << last_report();
  EXPECT_EQ(assay::launch(reads, 2, 32, 0, nullptr, x.data(), 1100, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"reads", "block (0,0,0)", "thread (7,0,0)", "no memory at address",
                        "4000 bytes past the end of the allocation of 400 bytes", "in simt::"}));
  EXPECT_STREQ(cudaGetErrorString(cudaErrorLaunchFailure), last_report().c_str());
  EXPECT_EQ(assay::launch(reads, 2, 32, 0, nullptr, x.data(), -3000, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"before the start"}));
  EXPECT_EQ(assay::launch(reads, 2, 32, 0, nullptr, reinterpret_cast<const float*>(64), 0, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"no memory at address 0x40", "no device memory is near it"}));
  EXPECT_EQ(assay::launch(reads, 2, 32, 0, nullptr, x.data(), 0, out.data()), cudaSuccess) << last_report();
}

TEST_F(CudaRuntimeTest, FaultsOfManyWorkersEndOneLaunch) {
  configure({.workers = 4});
  DeviceVector<float> x(100), out(1);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(assay::launch(reads, 40, 128, 0, nullptr, x.data(), 100000, out.data()), cudaErrorLaunchFailure);
    EXPECT_EQ(assay::launch(reads, 40, 128, 0, nullptr, x.data(), 5, out.data()), cudaSuccess) << last_report();
  }
}

TEST_F(CudaRuntimeTest, AWritePastDynamicSharedMemoryIsReported) {
  EXPECT_EQ(assay::launch(writes_shared, 1, 32, 1024, nullptr, -1), cudaSuccess) << last_report();
  EXPECT_EQ(assay::launch(writes_shared, 1, 32, 1024, nullptr, 0), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"writes_shared", "thread (3,0,0)"}));
}

TEST_F(CudaRuntimeTest, AStackOverflowIsReported) {
  DeviceVector<int> out(std::vector<int>{10, 0});
  ASSERT_EQ(assay::launch(recurses, 1, 1, 0, nullptr, out.data()), cudaSuccess) << last_report();
  out[0] = 100000;
  EXPECT_EQ(assay::launch(recurses, 1, 1, 0, nullptr, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"recurses", "stack of 262144 bytes is used up"}));
}

TEST_F(CudaRuntimeTest, ADivisionByZeroIsReported) {
  DeviceVector<int> out(std::vector<int>{0, 1, 0});
  EXPECT_EQ(assay::launch(divides, 1, 1, 0, nullptr, out.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"division by zero"}));
}

TEST_F(CudaRuntimeTest, CopiesLandAtTheirWait) {
  DeviceVector<float4> in(64);
  for (int i = 0; i < 64; ++i) in[i] = {static_cast<float>(i), static_cast<float>(i), 0, 0};
  DeviceVector<float> out(64);
  for (int wait : {0, 1, 2}) {
    ASSERT_EQ(assay::launch(copies, 1, 32, 1024, nullptr, in.data(), out.data(), wait), cudaSuccess) << last_report();
    EXPECT_EQ(out[0] == 31.0f, wait >= 1);
    EXPECT_EQ(out[32] == 63.0f, wait >= 2);
  }
}

TEST_F(CudaRuntimeTest, AnAsyncCopyOfLessThan16BytesFillsWithZeros) {
  DeviceVector<float4> in(1), out(1);
  in[0] = {1, 2, 3, 4};
  for (int bytes = 0; bytes <= 16; bytes += 4) {
    out[0] = {-1, -1, -1, -1};
    ASSERT_EQ(assay::launch(copies_a_part, 1, 1, 16, nullptr, in.data(), out.data(), bytes), cudaSuccess) << last_report();
    const float got[4] = {out[0].x, out[0].y, out[0].z, out[0].w};
    for (int i = 0; i < 4; ++i) EXPECT_EQ(got[i], 4 * i < bytes ? static_cast<float>(i + 1) : 0.0f) << bytes;
  }
  ASSERT_EQ(assay::launch(copies_a_part, 1, 1, 16, nullptr, static_cast<const float4*>(nullptr), out.data(), 0), cudaSuccess);
  EXPECT_EQ(assay::launch(copies_a_part, 1, 1, 16, nullptr, in.data(), out.data(), 17), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"cp_async16_zfill", "more than 16 bytes", "cuda_runtime_test.cpp:"}));
}

TEST_F(CudaRuntimeTest, AMisalignedAsyncCopyIsReported) {
  DeviceVector<float> in(64);
  EXPECT_EQ(assay::launch(copies_askew, 1, 32, 1024, nullptr, in.data()), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"cp_async16", "multiple of 16", "cuda_runtime_test.cpp:"}));
}

TEST_F(CudaRuntimeTest, AFailureIsAnsweredOnceMoreBySynchronising) {
  EXPECT_EQ(assay::launch(writes_shared, 1, 32, 1024, nullptr, 100), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(assay::launch(writes_shared, 1, 32, 1024, nullptr, 100), cudaErrorLaunchFailure);
  EXPECT_EQ(assay::launch(writes_shared, 1, 32, 1024, nullptr, -100), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(CudaRuntimeTest, MemoryIsCopiedWithinItsBounds) {
  int host[4] = {1, 2, 3, 4}, back[4] = {};
  int* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, sizeof host), cudaSuccess);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(device) % 256, 0u);
  EXPECT_EQ(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemset(device, 0xff, 4), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(back, device, sizeof host, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
  EXPECT_EQ(back[0], -1);
  EXPECT_EQ(back[3], 4);
  EXPECT_EQ(cudaMemcpy(device, host, sizeof host + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(device + 3, 0, 8), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(device - 1, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(CudaRuntimeTest, TheDeviceIsAnH200) {
  configure({.multiprocessors = 78});
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  EXPECT_EQ(value, 78);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
  EXPECT_EQ(value, 232448);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, reads, 256, 0), cudaSuccess);
  EXPECT_EQ(value, 8);
}

}  // namespace
}  // namespace simt
