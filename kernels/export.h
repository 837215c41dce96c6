// How a kernel's launch function leaves its image: unmangled and visible, all else hidden.
#pragma once

#define ASSAY_EXPORT extern "C" __attribute__((visibility("default")))
