// Each CASE must fail to compile with a message that names what to use instead (tests in kernels/CMakeLists.txt).
#include "kernels/ptx.h"

#if CASE == 1
__global__ void kernel(float* x) { x[0] = __tanhf(x[1]); }
#elif CASE == 2
__global__ void kernel(float* x) { x[0] = std::exp(x[1]); }
#elif CASE == 3
__global__ void kernel(float* x) { asm volatile("mov.f32 %0, %1;" : "=f"(x[0]) : "f"(x[1])); }
#elif CASE == 4
__global__ void kernel(float* x) { x[0] = __shfl_xor(x[0], 1); }
#elif CASE == 5
__global__ void kernel(int* x) { x[0] = cooperative_groups::this_thread_block(); }
#elif CASE == 6
__global__ void kernel(float* x) { x[0] = __logf(x[1]); }
#elif CASE == 7
__global__ void kernel() { nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, __half> fragment; }
#elif CASE == 8
__global__ void kernel(float (&d)[4], std::uint32_t (&a)[4], std::uint32_t (&b)[2]) { assay::mma_m16n8k16<__nv_fp8_e4m3>(d, a, b, d); }
#elif CASE == 9
__global__ void kernel(float (&d)[20], assay::SharedMatrix m) { assay::Wgmma<__nv_bfloat16, 40>::multiply(d, m, m); }
#elif CASE == 10
__global__ void kernel(std::uint32_t (&d)[16], assay::SharedMatrix m) { assay::Wgmma<__nv_bfloat16, 64, __half>::multiply(d, m, m); }
#else
// What has a model compiles.
__global__ void kernel(float* x) {
  x[0] = std::sqrt(x[0]) + std::fma(x[1], x[2], x[3]) + fabsf(x[0]) + floorf(x[1]) + __expf(x[2]) + expf(x[3]);
}
#endif
