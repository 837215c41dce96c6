// Streams and graphs of the emulated device. Work on the default stream is done at once; work on any other waits until somebody waits for
// it, as late as CUDA's rules allow: a launch on the wrong stream then meets memory as it was before the work that it should have followed.
//
// The default stream first finishes what blocking streams hold; non-blocking ones it does not know. While a stream is captured its work
// becomes nodes of a graph, and calls that CUDA refuses meanwhile (allocating, synchronising, copies and fills that are not queued) end the
// capture: cudaStreamEndCapture then gives no graph. Every capture counts as cudaStreamCaptureModeGlobal.
#pragma once

#include <cuda_runtime.h>

#include <functional>

namespace simt {

using Work = std::function<cudaError_t()>;

// The default stream's three handles; the emulator has one host thread as far as streams go.
bool is_default(cudaStream_t stream);

cudaError_t open_stream(cudaStream_t* stream, bool blocking);
// Finishes its work first.
cudaError_t close_stream(cudaStream_t stream);

// Does the work (default stream), queues it, or adds it to the graph. cudaErrorInvalidResourceHandle for what is no stream.
cudaError_t enqueue(cudaStream_t stream, Work work);
bool is_captured(cudaStream_t stream);

// Do what a stream, the blocking ones, or all hold. After a failure the rest of that stream is dropped; the failure's own call notes it.
cudaError_t finish(cudaStream_t stream);
void finish_blocking();
void finish_all();

// cudaErrorStreamCaptureUnsupported if any stream is captured, and that capture has then failed.
cudaError_t refuse_while_capturing();
cudaError_t begin_capture(cudaStream_t stream);
cudaError_t end_capture(cudaStream_t stream, cudaGraph_t* graph);

}  // namespace simt
