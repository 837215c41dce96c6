// What the vendor's libraries take for the same product: cuBLAS for 16-bit operands, cuBLASLt for FP8 and INT8. For speed alone: nothing is
// judged against it. The libraries are looked for at run time (libcublas.so.13, libcublasLt.so.13), and a machine without them gets a line
// that says so. There is no emulated flavour.
//
// Functions that return const char*: null means done, otherwise one line that says what failed; the text is the calling thread's and stays
// valid until its next call of one of these functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/export.h"

// Element format of x and w, with the formats of y and of the accumulator.
enum assay_baseline_operand {
  baseline_bf16 = 0,  // y BF16, FP32
  baseline_fp16 = 1,  // y FP16, FP32
  baseline_e4m3 = 2,  // y BF16, the tensor cores' own (fast accumulation), FP32 scales of x and w
  baseline_int8 = 3,  // y INT32, INT32
};

// y[m][n] = sum_k x[m][k] * w[n][k]; all three dense and row-major, bases aligned to 256 bytes. m, n, k > 0.
struct assay_baseline_product {
  int operand;  // assay_baseline_operand
  int64_t m, n, k;
  const void* x;
  const void* w;
  void* y;
  const float* scale;  // e4m3: one FP32 in device memory, of x and of w; 16-byte aligned, else cuBLASLt refuses
  void* workspace;     // what the libraries may use as they like
  size_t workspace_bytes;
};

struct assay_baseline;

// Asks the library for the algorithm it thinks best for these shapes. Copies the description; the memory in it stays the caller's.
ASSAY_EXPORT const char* baseline_open(const assay_baseline_product* product, assay_baseline** baseline);
// Queues the product on the default stream.
ASSAY_EXPORT const char* baseline_run(assay_baseline* baseline);
ASSAY_EXPORT void baseline_close(assay_baseline* baseline);

// Null, or why there is no baseline on this machine.
ASSAY_EXPORT const char* baseline_unusable();

// "cuBLAS 13.1.0", or null where the libraries are not found.
ASSAY_EXPORT const char* baseline_version();
