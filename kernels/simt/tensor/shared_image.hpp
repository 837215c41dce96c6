// A way to lay a matrix of 32 bytes of k out in shared memory for wgmma, for tests: written from the figures of the PTX ISA, by rows and
// 16-byte chunks, not by address bits as kernels/simt/tensor/shared_matrix.hpp does.
#pragma once

#include "kernels/simt/tensor/parameters.hpp"

namespace simt::tensor {

// `width`: 16 (no swizzle), 32, 64 or 128 bytes. `outer`: rows of A or columns of B, a multiple of 8; transposed: of width / 2.
struct SharedImage {
  int width, outer, element_bytes;
  bool transposed;

  // Within each 8 rows of `width` bytes, row r has its 16-byte chunks in this order.
  SIMT_BOTH int chunk(int row, int index) const {
    return width == 128 ? index ^ row % 8 : width == 64 ? index ^ (row / 2 % 4) : width == 32 ? index ^ (row / 4 % 2) : index;
  }
  // K-major tiles of wide rows start in the middle of a row, as the later steps of a deeper tile do.
  SIMT_BOTH int first_chunk() const { return !transposed && width >= 64 ? 2 : 0; }

  SIMT_BOTH int start() const { return 16 * first_chunk(); }
  SIMT_BOTH int leading() const {
    if (transposed) return width == 16 ? outer * 16 : width * 16;
    return width == 16 ? 128 : 16;
  }
  SIMT_BOTH int stride() const {
    if (transposed) return width == 16 ? 128 : width * 8;
    return width == 16 ? 256 : width * 8;
  }
  SIMT_BOTH int bytes() const { return transposed ? outer * 32 : outer * (width > 32 ? width : 32); }

  // Where element (row or column, k) starts.
  SIMT_BOTH int offset(int at, int k) const {
    if (!transposed) {
      const int byte = k * element_bytes;
      if (width == 16) return at / 8 * stride() + byte / 16 * leading() + at % 8 * 16 + byte % 16;
      return at / 8 * stride() + at % 8 * width + 16 * chunk(at, first_chunk() + byte / 16) + byte % 16;
    }
    if (width == 16) return at / 8 * stride() + k / 8 * leading() + k % 8 * 16 + at % 8 * 2;
    const int across = width / 2;
    return at / across * leading() + k / 8 * stride() + k % 8 * width + 16 * chunk(k, at % across / 8) + at % 8 * 2;
  }
};

}  // namespace simt::tensor
