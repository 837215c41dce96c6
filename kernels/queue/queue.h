// Queues of work: streams that the default stream does not wait for, and graphs captured from them. The same source serves the GPU (the
// CUDA runtime) and the emulator, where work in a queue is done when it is waited for and not before.
//
// Functions that return const char*: null means done, otherwise one line that says what failed; the text is the calling thread's and stays
// valid until its next call of one of these functions.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/export.h"

// A non-blocking stream. Closing it leaves its work to end by itself.
ASSAY_EXPORT const char* queue_open(cudaStream_t* queue);
ASSAY_EXPORT const char* queue_close(cudaStream_t queue);
// Waits for all its work; reports what a kernel did wrong since the last call.
ASSAY_EXPORT const char* queue_wait(cudaStream_t queue);

// Queue a copy of `bytes` within device memory.
ASSAY_EXPORT const char* queue_copy(cudaStream_t queue, void* to, const void* from, size_t bytes);
// Queue a kernel of one thread that ends after about `microseconds`. The emulator, which does not begin before it must, queues nothing.
ASSAY_EXPORT const char* queue_hold(cudaStream_t queue, int microseconds);

// What is queued between the two becomes a graph, and is not done. Calls that CUDA refuses during a capture of mode
// cudaStreamCaptureModeGlobal make queue_end_capture fail; *graph is then null, and the queue free again.
ASSAY_EXPORT const char* queue_begin_capture(cudaStream_t queue);
ASSAY_EXPORT const char* queue_end_capture(cudaStream_t queue, cudaGraphExec_t* graph);
ASSAY_EXPORT const char* queue_graph(cudaStream_t queue, cudaGraphExec_t graph);  // queues all of it
ASSAY_EXPORT const char* queue_drop_graph(cudaGraphExec_t graph);

// Fills all shared memory of every multiprocessor with the byte, and waits. The emulator hands out shared memory full of ones as it is.
ASSAY_EXPORT const char* queue_fill_shared(int byte);
