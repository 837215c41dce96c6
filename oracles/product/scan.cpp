#include "oracles/product/scan.hpp"

#include <cmath>

namespace assay::product {
namespace {

// Lanes in the compiler's vector extension: reductions of doubles are not vectorised by themselves.
using Reals = double __attribute__((vector_size(kLanes * sizeof(double))));
using Bits = int64_t __attribute__((vector_size(kLanes * sizeof(double))));

constexpr int64_t kMagnitude = INT64_MAX, kInfinity = int64_t{0x7FF} << 52, kFraction = (int64_t{1} << 52) - 1;

/// The lowest bit of a magnitude as a power of two: x minus x without that bit, which for a power of two is zero. Infinity for zero.
inline Reals lowest_bits(Bits magnitude) {
  const Bits none{}, without = (magnitude & kFraction) == 0 ? none : magnitude & (magnitude - 1);
  return magnitude == 0 ? Reals{} + INFINITY : Reals(magnitude) - Reals(without);   // casts of vectors keep the bits
}

}  // namespace

RowFacts scan_row(const double* row, int64_t padded_k) {
  Reals grid = Reals{} + INFINITY, squares{}, largest{};
  Bits special{};
  for (int64_t k = 0; k < padded_k; k += kLanes) {
    Bits bits;
    __builtin_memcpy(&bits, row + k, sizeof bits);
    bits &= kMagnitude;
    const Reals x = Reals(bits), lowest = lowest_bits(bits);
    special |= bits >= kInfinity;
    grid = lowest < grid ? lowest : grid;
    largest = x > largest ? x : largest;
    squares += x * x;
  }
  RowFacts facts{.grid = INFINITY};
  for (int i = 0; i < kLanes; i++) {
    facts.grid = std::fmin(facts.grid, grid[i]);
    facts.largest = std::fmax(facts.largest, largest[i]);
    facts.norm_squared += squares[i];
    facts.finite &= special[i] == 0;
  }
  return facts;
}

}  // namespace assay::product
