#include "kernels/launch.h"

#include "kernels/rope_cache/rope_cache.h"

#include "kernels/common/arguments.h"

namespace assay {
namespace {

constexpr int kFrequenciesPerBlock = 32;
constexpr int kPositionsPerBlock = 8;
constexpr int64_t kMaxPositions = int64_t{1} << 24;

// 2/pi to nearest; pi/2 = kHalfPi1 + kHalfPi2 + kHalfPi3 within 2^-109. The header says which bits each part holds and why.
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kHalfPi1 = 0x1.921fb54p+0;
constexpr double kHalfPi2 = 0x1.10b46p-30;
constexpr double kHalfPi3 = 0x1.1a62633145c07p-54;

// Adding and subtracting 1.5 * 2^52 rounds a double below 2^51 to the nearest integer.
constexpr double kRoundToInteger = 0x1.8p52;

struct Reduced {
  double remainder;  // in [-pi/4, pi/4], and a little beyond
  double quadrant;   // 0, 1, 2 or 3 quarter turns were taken off
};

__device__ __forceinline__ Reduced reduce(double angle) {
  const double turns = __dadd_rn(__fma_rn(angle, kTwoOverPi, kRoundToInteger), -kRoundToInteger);
  double remainder = __fma_rn(-turns, kHalfPi1, angle);
  remainder = __fma_rn(-turns, kHalfPi2, remainder);
  remainder = __fma_rn(-turns, kHalfPi3, remainder);
  return {remainder, __fma_rn(-4.0, floor(__dmul_rn(turns, 0.25)), turns)};
}

// r - r^3/3! + ... + r^17/17!
__device__ __forceinline__ double sine_polynomial(double r) {
  const double z = __dmul_rn(r, r);
  double series = 0x1.952c77030ad4ap-49;                 // 1/17!
  series = __fma_rn(z, series, -0x1.ae7f3e733b81fp-41);  // 1/15!
  series = __fma_rn(z, series, 0x1.6124613a86d09p-33);   // 1/13!
  series = __fma_rn(z, series, -0x1.ae64567f544e4p-26);  // 1/11!
  series = __fma_rn(z, series, 0x1.71de3a556c734p-19);   // 1/9!
  series = __fma_rn(z, series, -0x1.a01a01a01a01ap-13);  // 1/7!
  series = __fma_rn(z, series, 0x1.1111111111111p-7);    // 1/5!
  series = __fma_rn(z, series, -0x1.5555555555555p-3);   // 1/3!
  return __fma_rn(__dmul_rn(r, z), series, r);
}

// 1 - r^2/2! + ... + r^16/16!
__device__ __forceinline__ double cosine_polynomial(double r) {
  const double z = __dmul_rn(r, r);
  double series = 0x1.ae7f3e733b81fp-45;                 // 1/16!
  series = __fma_rn(z, series, -0x1.93974a8c07c9dp-37);  // 1/14!
  series = __fma_rn(z, series, 0x1.1eed8eff8d898p-29);   // 1/12!
  series = __fma_rn(z, series, -0x1.27e4fb7789f5cp-22);  // 1/10!
  series = __fma_rn(z, series, 0x1.a01a01a01a01ap-16);   // 1/8!
  series = __fma_rn(z, series, -0x1.6c16c16c16c17p-10);  // 1/6!
  series = __fma_rn(z, series, 0x1.5555555555555p-5);    // 1/4!
  series = __fma_rn(z, series, -0.5);                    // 1/2!
  return __fma_rn(z, series, 1.0);
}

// threadIdx.x: frequencies; threadIdx.y and the blocks: positions.
__global__ void __launch_bounds__(kFrequenciesPerBlock* kPositionsPerBlock)
    tabulate(float* __restrict__ cache, const float* __restrict__ inv_freq, int64_t max_position, int64_t rot_dim) {
  const int64_t position = static_cast<int64_t>(blockIdx.x) * kPositionsPerBlock + threadIdx.y;
  if (position >= max_position) return;
  const int64_t half = rot_dim / 2;
  float* cosines = cache + position * rot_dim;
  float* sines = cosines + half;

  for (int64_t i = threadIdx.x; i < half; i += kFrequenciesPerBlock) {
    // Reduce the exact angle to the quarter turn around zero.
    const Reduced angle = reduce(__dmul_rn(static_cast<double>(position), static_cast<double>(inv_freq[i])));
    const double s = sine_polynomial(angle.remainder);
    const double c = cosine_polynomial(angle.remainder);

    // Turn back: a quarter turn maps (cos, sin) to (-sin, cos).
    const bool odd = angle.quadrant == 1.0 || angle.quadrant == 3.0;
    const bool cosine_negative = angle.quadrant == 1.0 || angle.quadrant == 2.0;
    const bool sine_negative = angle.quadrant >= 2.0;
    const double cosine = odd ? s : c;
    const double sine = odd ? c : s;
    cosines[i] = static_cast<float>(cosine_negative ? -cosine : cosine);
    sines[i] = static_cast<float>(sine_negative ? -sine : sine);
  }
}

}  // namespace
}  // namespace assay

cudaError_t rope_cache(float* cache, const float* inv_freq, int64_t max_position, int64_t rot_dim, cudaStream_t stream) {
  using namespace assay;
  if (max_position < 0 || max_position > kMaxPositions || rot_dim < 0 || rot_dim % 2 != 0) return cudaErrorInvalidValue;
  if (!span_fits<float>(max_position, rot_dim, rot_dim)) return cudaErrorInvalidValue;
  if (max_position == 0 || rot_dim == 0) return cudaSuccess;
  if (!is_usable(cache) || !is_usable(inv_freq)) return cudaErrorInvalidValue;

  const auto blocks = static_cast<unsigned>(ceil_divide(max_position, kPositionsPerBlock));
  return launch(tabulate, dim3(blocks), dim3(kFrequenciesPerBlock, kPositionsPerBlock), 0, stream, cache, inv_freq, max_position, rot_dim);
}
