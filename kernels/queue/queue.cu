#include "kernels/common/outcome.h"
#include "kernels/launch.h"
#include "kernels/queue/queue.h"

namespace assay {
namespace {

#ifdef __CUDACC__
constexpr long long kCyclesPerMicrosecond = 2000;  // at 2 GHz, about what an H200 clocks

__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) __nanosleep(100);
}

__global__ void fill_shared(unsigned word, int words) {
  ASSAY_DYNAMIC_SHARED(volatile unsigned, shared);
  for (int i = threadIdx.x; i < words; i += blockDim.x) shared[i] = word;
}

// As many blocks as there are multiprocessors, each so large that no two share one.
cudaError_t fill_all_shared(int byte) {
  int device = 0, multiprocessors = 0, bytes = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (error == cudaSuccess) error = cudaFuncSetAttribute(fill_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (error == cudaSuccess)
    error = launch(fill_shared, static_cast<unsigned>(multiprocessors), 1024, static_cast<size_t>(bytes), nullptr,
                   static_cast<unsigned>(byte) * 0x01010101u, bytes / 4);
  return error == cudaSuccess ? cudaDeviceSynchronize() : error;
}
#endif

}  // namespace
}  // namespace assay

using assay::outcome;

const char* queue_open(cudaStream_t* queue) {
  *queue = nullptr;
  return outcome("opening a stream", cudaStreamCreateWithFlags(queue, cudaStreamNonBlocking));
}

const char* queue_close(cudaStream_t queue) { return outcome("closing a stream", cudaStreamDestroy(queue)); }

const char* queue_wait(cudaStream_t queue) { return outcome("waiting for a stream", cudaStreamSynchronize(queue)); }

const char* queue_copy(cudaStream_t queue, void* to, const void* from, size_t bytes) {
  if (bytes == 0) return nullptr;
  return outcome("queueing a copy", cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, queue));
}

const char* queue_hold(cudaStream_t queue, int microseconds) {
#ifdef __CUDACC__
  return outcome("holding a stream", assay::launch(assay::spin, 1, 1, 0, queue, microseconds * assay::kCyclesPerMicrosecond));
#else
  (void)queue, (void)microseconds;
  return nullptr;
#endif
}

const char* queue_begin_capture(cudaStream_t queue) {
  return outcome("beginning a capture", cudaStreamBeginCapture(queue, cudaStreamCaptureModeGlobal));
}

const char* queue_end_capture(cudaStream_t queue, cudaGraphExec_t* executable) {
  *executable = nullptr;
  cudaGraph_t graph = nullptr;
  if (const char* why = outcome("ending the capture", cudaStreamEndCapture(queue, &graph))) return why;
  const char* why = outcome("making a graph executable", cudaGraphInstantiate(executable, graph, 0));
  cudaGraphDestroy(graph);
  return why;
}

const char* queue_graph(cudaStream_t queue, cudaGraphExec_t graph) { return outcome("launching a graph", cudaGraphLaunch(graph, queue)); }

const char* queue_drop_graph(cudaGraphExec_t graph) { return outcome("dropping a graph", cudaGraphExecDestroy(graph)); }

const char* queue_fill_shared(int byte) {
#ifdef __CUDACC__
  return outcome("filling shared memory", assay::fill_all_shared(byte));
#else
  (void)byte;
  return nullptr;
#endif
}
