// Number formats: every question about one is answered here, for host values and by integer arithmetic alone. Codes are the bits as
// they lie in memory, in the low bits of a uint64_t. No CUDA header is used, so a kernel's conversions can be judged by these.
//
// Layouts: OCP 8-bit Floating Point Specification 1.0 (E4M3FN, E5M2), OCP Microscaling 1.0 (UE8M0), IEEE 754 (FP32, FP16), and BF16 as
// the upper half of FP32. INT4 comes as stored nibbles: u4b8 means code - 8, u4 means the code itself (its zero point is an operand).
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "oracles/formats/exact.hpp"

namespace assay {

enum class Format : uint8_t { fp32, bf16, fp16, e4m3fn, e5m2, ue8m0, int8, u4b8, u4, int32, int64 };
inline constexpr int kFormats = 11;

/// What becomes of values beyond the largest finite one: clamp to it, or the format's infinity (NaN where it has none).
enum class Overflow : uint8_t { saturate, to_infinity };

struct FormatInfo {
  Format format;
  std::string_view name;
  int bits;
  int exponent_bits, fraction_bits, bias;   // floating-point formats; fraction bits as stored
  bool floating, has_infinity, has_nan, has_sign;
  double max_finite, min_normal, min_subnormal;   // smallest positive ones; for integers 1
};

const FormatInfo& info(Format);
std::optional<Format> format_named(std::string_view name);

/// The value of a code. Exact for every code of every format (int64 beyond 2^53 excepted, which throws). NaN and infinities as a double's.
double decode(Format, uint64_t code);

/// Round to nearest, ties to even, once, from an exact value; a zero keeps its sign where the format has one.
/// UE8M0 rounds to the nearest power of two by exponent (ties up in log scale do not arise: 1.5 * 2^e goes to the even exponent code);
/// zero and negative values are outside its domain and throw std::domain_error.
uint64_t encode(Format, const Exact&, Overflow = Overflow::to_infinity);

/// The same from a double, infinities and NaN included (saturate: infinity clamps; NaN becomes the format's NaN, and throws
/// std::domain_error where there is none).
uint64_t encode(Format, double, Overflow = Overflow::to_infinity);

bool is_nan(Format, uint64_t code);
bool is_infinite(Format, uint64_t code);
uint64_t canonical_nan(Format);   // 7FFFFFFF, 7FFF, 7F...: as the GPU writes it

/// A whole number that orders non-NaN codes as their values, +0 and -0 alike; neighbours differ by one.
int64_t rank(Format, uint64_t code);
uint64_t code_of_rank(Format, int64_t rank);

/// The next representable value up or down (infinity after the largest finite one where the format has it; std::out_of_range past the end).
uint64_t next_up(Format, uint64_t code);
uint64_t next_down(Format, uint64_t code);

/// Number of codes: 2^bits (formats of at most 32 bits); codes are 0 .. code_count - 1.
uint64_t code_count(Format);

/// The distance between neighbouring values at abs(value): 2^(floor(log2 abs(value)) - fraction_bits), the subnormal step below the
/// smallest normal. Floating-point formats.
double ulp(Format, double value);

}  // namespace assay
