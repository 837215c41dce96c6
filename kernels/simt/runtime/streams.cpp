#include "kernels/simt/runtime/streams.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace simt {
namespace {

enum class Capture : std::uint8_t { none, active, failed };

struct Stream {
  bool blocking = false;
  std::deque<Work> work;
  Capture capture = Capture::none;
  std::vector<Work> nodes;
};

using Nodes = std::vector<Work>;

std::recursive_mutex mutex;  // work that is done may queue more
std::map<cudaStream_t, Stream> streams;
std::map<cudaGraph_t, Nodes> graphs;
std::map<cudaGraphExec_t, Nodes> executables;
std::uintptr_t last_handle = 16;  // beyond the default stream's

template <class Handle>
Handle new_handle() {
  return reinterpret_cast<Handle>(last_handle += 16);
}

Stream* find(cudaStream_t handle) {
  const auto found = streams.find(handle);
  return found == streams.end() ? nullptr : &found->second;
}

cudaError_t finish(Stream& stream) {
  while (!stream.work.empty()) {
    const Work next = std::move(stream.work.front());
    stream.work.pop_front();
    if (const cudaError_t error = next(); error != cudaSuccess) return stream.work.clear(), error;
  }
  return cudaSuccess;
}

// Work on the default stream would have to wait for a captured one.
bool disturbs_capture() {
  bool any = false;
  for (auto& [handle, stream] : streams)
    if (stream.blocking && stream.capture != Capture::none) any = true, stream.capture = Capture::failed;
  return any;
}

}  // namespace

bool is_default(cudaStream_t stream) { return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread; }

cudaError_t open_stream(cudaStream_t* stream, bool blocking) {
  const std::lock_guard lock(mutex);
  *stream = new_handle<cudaStream_t>();
  streams[*stream] = {.blocking = blocking};
  return cudaSuccess;
}

cudaError_t close_stream(cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  Stream* closed = find(stream);
  if (!closed) return cudaErrorInvalidResourceHandle;
  finish(*closed);
  streams.erase(stream);
  return cudaSuccess;
}

cudaError_t enqueue(cudaStream_t stream, Work work) {
  if (is_default(stream)) {
    {
      const std::lock_guard lock(mutex);
      if (disturbs_capture()) return cudaErrorStreamCaptureImplicit;
      finish_blocking();
    }
    return work();
  }
  const std::lock_guard lock(mutex);
  Stream* queue = find(stream);
  if (!queue) return cudaErrorInvalidResourceHandle;
  if (queue->capture == Capture::failed) return cudaErrorStreamCaptureInvalidated;
  if (queue->capture == Capture::active)
    queue->nodes.push_back(std::move(work));
  else
    queue->work.push_back(std::move(work));
  return cudaSuccess;
}

bool is_captured(cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  const Stream* queue = find(stream);
  return queue && queue->capture != Capture::none;
}

cudaError_t finish(cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  if (is_default(stream)) return finish_blocking(), cudaSuccess;
  Stream* queue = find(stream);
  if (!queue) return cudaErrorInvalidResourceHandle;
  if (queue->capture != Capture::none) return queue->capture = Capture::failed, cudaErrorStreamCaptureUnsupported;
  finish(*queue);
  return cudaSuccess;
}

void finish_blocking() {
  const std::lock_guard lock(mutex);
  for (auto& [handle, stream] : streams)
    if (stream.blocking) finish(stream);
}

void finish_all() {
  const std::lock_guard lock(mutex);
  for (auto& [handle, stream] : streams) finish(stream);
}

cudaError_t refuse_while_capturing() {
  const std::lock_guard lock(mutex);
  bool any = false;
  for (auto& [handle, stream] : streams)
    if (stream.capture != Capture::none) any = true, stream.capture = Capture::failed;
  return any ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t begin_capture(cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  if (is_default(stream)) return cudaErrorStreamCaptureUnsupported;
  Stream* queue = find(stream);
  if (!queue) return cudaErrorInvalidResourceHandle;
  if (queue->capture != Capture::none) return cudaErrorIllegalState;
  queue->capture = Capture::active;
  return cudaSuccess;
}

cudaError_t end_capture(cudaStream_t stream, cudaGraph_t* graph) {
  const std::lock_guard lock(mutex);
  *graph = nullptr;
  Stream* queue = find(stream);
  if (!queue) return cudaErrorInvalidResourceHandle;
  const Capture was = std::exchange(queue->capture, Capture::none);
  Nodes nodes = std::exchange(queue->nodes, {});
  if (was == Capture::none) return cudaErrorIllegalState;
  if (was == Capture::failed) return cudaErrorStreamCaptureInvalidated;
  *graph = new_handle<cudaGraph_t>();
  graphs[*graph] = std::move(nodes);
  return cudaSuccess;
}

}  // namespace simt

using namespace simt;

extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  const std::lock_guard lock(mutex);
  const auto found = graphs.find(graph);
  if (found == graphs.end()) return cudaErrorInvalidValue;
  *executable = new_handle<cudaGraphExec_t>();
  executables[*executable] = found->second;
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  Nodes nodes;
  {
    const std::lock_guard lock(mutex);
    const auto found = executables.find(executable);
    if (found == executables.end()) return cudaErrorInvalidValue;
    nodes = found->second;
  }
  for (const Work& node : nodes)
    if (const cudaError_t error = enqueue(stream, node); error != cudaSuccess) return error;
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const std::lock_guard lock(mutex);
  return graphs.erase(graph) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  const std::lock_guard lock(mutex);
  return executables.erase(executable) ? cudaSuccess : cudaErrorInvalidValue;
}

}  // extern "C"
