// The product for processors with AVX-512; compiled with -march=x86-64-v4 (CMakeLists.txt), so nothing else may stand here: a function that
// another file emits too might be merged into this file's copy of it. The test product.symbols looks for such.
#if defined(__x86_64__)
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"   // GCC 12 says both of its own _mm512_undefined_pd
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define ASSAY_PATH avx512
#define ASSAY_PATH_NAME "avx512"
#define Eigen Eigen_avx512
#include "oracles/product/eigen_product.hpp"
#endif
