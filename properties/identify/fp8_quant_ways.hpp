// What the steps of an FP8 quantiser may be.
#pragma once
#include <algorithm>
#include <cmath>

#include "kernels/simt/math/card.hpp"
#include "properties/identify/families.hpp"

namespace assay::properties::quantiser {

inline constexpr float kMost = 448.0f;                       // the largest E4M3
inline constexpr float kLeastRowScale = 1.0f / (448 * 512);  // the floor of fp8_quant_token
inline constexpr float kLeastPower = 1e-10f;                 // of fp8_quant_group, where scales are powers of two

/// `roundings`: what to declare where the operation is no single IEEE one; 0: it is.
struct Way {
  std::string name;
  float (*of)(float, float);
  int roundings = 0;
};

inline const Way kScales[] = {{"amax / 448", [](float amax, float) { return amax / kMost; }},
                              {"amax * (1 / 448)", [](float amax, float) { return amax * (1.0f / kMost); }, 2},
                              {"__fdividef(amax, 448)", [](float amax, float) { return simt::card::fast_divide(amax, kMost); }, 5}};

inline const Way kQuotients[] = {
    {"x / scale", [](float x, float scale) { return x / scale; }},
    {"x * (1 / scale)", [](float x, float scale) { return x * (1.0f / scale); }, 2},
    {"__fdividef(x, scale)", [](float x, float scale) { return simt::card::fast_divide(x, scale); }, 5},
    {"x * __fdividef(1, scale)", [](float x, float scale) { return x * simt::card::fast_reciprocal(scale); }, 6},
    {"x * scale", [](float x, float scale) { return x * scale; }, 1}};

/// `before`, `after`: the least that amax and the scale may be.
struct Floor {
  std::string name;
  float before, after;
};

struct Power {
  std::string name;
  float (*of)(float scale);
};

inline float power(int exponent) { return std::ldexp(1.0f, exponent); }
inline int floor_log2(float s) { return std::ilogb(s); }
inline float power_above(float s) { return power(floor_log2(s) + (s != power(floor_log2(s)))); }
inline float power_below(float s) { return power(floor_log2(s)); }
inline float nearest_power(float s) { return power(int(std::nearbyint(std::log2(s)))); }
/// ceil of a logarithm that was rounded to FP32 before: what is a few ulp above a power of two becomes that power.
inline float power_above_rounded_log(float s) { return power(int(std::ceil(float(std::log2(double(s)))))); }

inline const Power kPowers[] = {{"the least that is not below, by the bits", power_above},
                                {"2^ceil(log2 s), the logarithm rounded to FP32 first", power_above_rounded_log},
                                {"the greatest that is not above", power_below},
                                {"the nearest", nearest_power}};

/// Codes of quotients, saturating.
struct Coding {
  std::string name;
  uint64_t (*of)(float);
};
inline uint64_t saturated(double q) { return encode(Format::e4m3fn, q, Overflow::saturate); }
inline const Coding kCodings[] = {
    {"to nearest even", [](float q) { return saturated(q); }},
    {"toward zero", [](float q) { return output_roundings()[1].encode(Format::e4m3fn, std::clamp(q, -kMost, kMost)); }},
    {"to FP16 first, then to nearest even",
     [](float q) { return saturated(decode(Format::fp16, encode(Format::fp16, double(q), Overflow::saturate))); }},
    {"to BF16 first, then to nearest even",
     [](float q) { return saturated(decode(Format::bf16, encode(Format::bf16, double(q), Overflow::saturate))); }}};

/// What becomes of a NaN: clamping drops it, which way depends on the order of minimum and maximum.
struct OfNan {
  std::string name;
  double code;
};
inline const OfNan kNans[] = {{"448", kMost}, {"-448", -kMost}, {"NaN", NAN}};

}  // namespace assay::properties::quantiser
