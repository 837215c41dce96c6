#include "kernels/simt/runtime/streams.hpp"

#include <cstdint>
#include <functional>
#include <utility>

#include "kernels/launch.h"
#include "kernels/simt/runtime/test_device.hpp"

namespace simt {
namespace {

struct Two {
  int first, second;
};

__global__ void doubles(const int* in, int* out) { *out = 2 * *in; }
__global__ void adds(int* out, Two values) { *out += values.first + values.second; }
__attribute__((no_sanitize("undefined"))) __global__ void divides(int* out) { *out = 7 / *out; }

class Streams : public Emulator {
 protected:
  cudaStream_t stream = nullptr;
  DeviceVector<int> in{std::vector<int>{3}}, out{std::vector<int>{0}};

  void open(unsigned flags = cudaStreamNonBlocking) { ASSERT_EQ(cudaStreamCreateWithFlags(&stream, flags), cudaSuccess); }
  void TearDown() override {
    if (stream) {
      EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    }
    (void)cudaGetLastError();
    Emulator::TearDown();
  }
  cudaError_t launch_doubles(cudaStream_t on) { return assay::launch(doubles, 1, 1, 0, on, in.data(), out.data()); }
};

TEST_F(Streams, WorkWaitsUntilItsStreamIsWaitedFor) {
  open();
  ASSERT_EQ(launch_doubles(stream), cudaSuccess);
  ASSERT_EQ(assay::launch(adds, 1, 1, 0, stream, out.data(), Two{10, 20}), cudaSuccess);
  EXPECT_EQ(out[0], 0);
  in[0] = 5;
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(out[0], 40) << "in order, with the arguments of the call";
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(out[0], 40) << "and once";
}

TEST_F(Streams, TheDefaultStreamDoesNotWaitForANonBlockingOne) {
  open();
  ASSERT_EQ(cudaMemsetAsync(in.data(), 0, sizeof(int), stream), cudaSuccess);
  ASSERT_EQ(launch_doubles(nullptr), cudaSuccess);
  EXPECT_EQ(out[0], 6);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(in[0], 0);
}

TEST_F(Streams, TheDefaultStreamWaitsForABlockingOne) {
  open(cudaStreamDefault);
  ASSERT_EQ(cudaMemsetAsync(in.data(), 0, sizeof(int), stream), cudaSuccess);
  out[0] = 7;
  ASSERT_EQ(launch_doubles(nullptr), cudaSuccess);
  EXPECT_EQ(out[0], 0);
}

TEST_F(Streams, ACopyFromTheHostIsTakenAtOnce) {
  open();
  int host = 8;
  ASSERT_EQ(cudaMemcpyAsync(in.data(), &host, sizeof host, cudaMemcpyHostToDevice, stream), cudaSuccess);
  host = 9;
  EXPECT_EQ(in[0], 3);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(in[0], 8);
}

TEST_F(Streams, ACopyToTheHostHasEndedWhenTheCallReturns) {
  open();
  int host = 0;
  ASSERT_EQ(launch_doubles(stream), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(&host, out.data(), sizeof host, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(host, 6);
}

TEST_F(Streams, AFailureIsReportedByTheWaitAndEndsTheQueue) {
  open();
  ASSERT_EQ(assay::launch(divides, 1, 1, 0, stream, out.data()), cudaSuccess);
  ASSERT_EQ(launch_doubles(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorLaunchFailure);
  EXPECT_TRUE(reported({"divides", "division by zero"}));
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

TEST_F(Streams, ALimitOfTheCardIsReportedByTheLaunch) {
  open();
  EXPECT_EQ(assay::launch(doubles, 1, 2048, 0, stream, in.data(), out.data()), cudaErrorInvalidConfiguration);
}

TEST_F(Streams, WhatIsNoStreamIsRefused) {
  const auto none = reinterpret_cast<cudaStream_t>(std::uintptr_t{0x1000});
  EXPECT_EQ(launch_doubles(none), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamSynchronize(none), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(none), cudaErrorInvalidResourceHandle);
}

// ---- graphs

TEST_F(Streams, ACaptureIsDoneByEachLaunchOfItsGraphAndNotBefore) {
  open();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(launch_doubles(stream), cudaSuccess);
  ASSERT_EQ(assay::launch(adds, 1, 1, 0, stream, out.data(), Two{10, 20}), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(out[0], 0);
  for (int value : {3, 100}) {
    in[0] = value;
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(out[0], 2 * value + 30);
  }
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaErrorInvalidValue);
}

TEST_F(Streams, ALaunchOnTheDefaultStreamIsInNoGraph) {
  open();
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(launch_doubles(nullptr), cudaSuccess);
  EXPECT_EQ(out[0], 6);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(Streams, ALaunchOnTheDefaultStreamEndsTheCaptureOfABlockingOne) {
  open(cudaStreamDefault);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(launch_doubles(nullptr), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST_F(Streams, WhatCudaRefusesDuringACaptureEndsIt) {
  open();
  void* memory = nullptr;
  int host = 0;
  const std::pair<const char*, std::function<cudaError_t()>> calls[] = {
      {"cudaMalloc", [&] { return cudaMalloc(&memory, 16); }},
      {"cudaFree", [&] { return cudaFree(memory); }},
      {"cudaMemcpy", [&] { return cudaMemcpy(&host, out.data(), sizeof host, cudaMemcpyDeviceToHost); }},
      {"cudaMemset", [&] { return cudaMemset(out.data(), 0, sizeof host); }},
      {"cudaDeviceSynchronize", [] { return cudaDeviceSynchronize(); }},
      {"cudaStreamSynchronize", [&] { return cudaStreamSynchronize(stream); }},
  };
  for (const auto& [name, call] : calls) {
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(call(), cudaErrorStreamCaptureUnsupported) << name;
    EXPECT_EQ(launch_doubles(stream), cudaErrorStreamCaptureInvalidated) << name;
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated) << name;
    EXPECT_EQ(graph, nullptr) << name;
    EXPECT_EQ(call(), cudaSuccess) << name << " after the capture";
  }
}

TEST_F(Streams, CapturesBeginAndEndOnce) {
  open();
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace simt
