// The error state of the emulated CUDA runtime.
#pragma once

#include <cuda_runtime.h>

namespace simt {

// A launch has ended so. The next synchronising call answers a failure once more, as on the card, where the launch itself cannot know.
void note_launch(cudaError_t error);

}  // namespace simt
