// The fast path for processors with AVX-512: 16 lanes. The pragma comes after everything that is not to be compiled so.
#if defined(__x86_64__)
#include <immintrin.h>

#include "kernels/simt/tensor/matrix.hpp"

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#define SIMT_LANES 16
#include "kernels/simt/tensor/lanes.hpp"

namespace simt::tensor {

void multiply_avx512(const Parameters& p, const Tile& tile, std::uint8_t (*bad)[kRows]) { Lanes::multiply(p, tile, bad); }

}  // namespace simt::tensor
#pragma GCC pop_options
#endif
