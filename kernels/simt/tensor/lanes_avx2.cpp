// The fast path for processors without AVX-512: 8 lanes.
#if defined(__x86_64__)
#include <immintrin.h>

#include "kernels/simt/tensor/matrix.hpp"

#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#define SIMT_LANES 8
#include "kernels/simt/tensor/lanes.hpp"

namespace simt::tensor {

void multiply_avx2(const Parameters& p, const Tile& tile, std::uint8_t (*bad)[kRows]) { Lanes::multiply(p, tile, bad); }

}  // namespace simt::tensor
#pragma GCC pop_options
#endif
