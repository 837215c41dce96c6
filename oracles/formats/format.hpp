// Number formats: every question about one is answered here, for host values and by integer arithmetic alone. Codes are the bits as
// they lie in memory, in the low bits of a uint64_t; one with bits above throws std::out_of_range. No CUDA header is used, so a
// kernel's conversions can be judged by these.
//
// Layouts: OCP 8-bit Floating Point Specification 1.0 (E4M3FN, E5M2), OCP Microscaling 1.0 (UE8M0), IEEE 754 (FP32, FP16), and BF16 as
// the upper half of FP32. INT4 comes as stored nibbles: u4b8 means code - 8, u4 means the code itself (its zero point is an operand).
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "oracles/formats/exact.hpp"

namespace assay {

enum class Format : uint8_t { fp32, bf16, fp16, e4m3fn, e5m2, ue8m0, int8, u4b8, u4, int32, int64 };
inline constexpr int kFormats = 11;

/// What becomes of values beyond the largest finite one: clamp to it, or the format's infinity (NaN where it has none; an integer
/// format has neither and throws std::domain_error). Beyond means after rounding: 464 is still 448 in E4M3FN.
enum class Overflow : uint8_t { saturate, to_infinity };

struct FormatInfo {
  Format format;
  std::string_view name;
  int bits;
  int exponent_bits, fraction_bits, bias;  // floating-point formats; fraction bits as stored
  bool floating, has_infinity, has_nan;
  bool has_sign;                                 // negative values exist
  bool has_zero;                                 // UE8M0 alone has none
  double max_finite, min_normal, min_subnormal;  // smallest positive ones; for integers 1. int64: the largest double that fits
};

const FormatInfo& info(Format);
std::span<const FormatInfo> formats();  // all of them, in the order of the enumeration
std::optional<Format> format_named(std::string_view name);

/// The value of a code. Exact for every code of every format (int64 beyond 2^53 throws std::domain_error). NaN and infinities as a
/// double's.
double decode(Format, uint64_t code);

/// The values of codes of 8 bits or more as they lie in memory, in the machine's order of bytes; as decode() gives them, and fast.
void decode(Format, const std::byte* codes, std::span<double> values);

/// Round to nearest, ties to even, once, from an exact value; a zero keeps its sign where the format has one.
/// UE8M0 rounds to the nearest power of two, and 1.5 * 2^e, half-way, goes to the even exponent code; what is below its smallest value
/// becomes that; zero and negative values are outside its domain and throw std::domain_error.
uint64_t encode(Format, const Exact&, Overflow = Overflow::to_infinity);

/// The same from a double, infinities and NaN included (saturate: infinity clamps; NaN becomes the format's NaN, and throws
/// std::domain_error where there is none).
uint64_t encode(Format, double, Overflow = Overflow::to_infinity);

bool is_nan(Format, uint64_t code);
bool is_infinite(Format, uint64_t code);

/// 7FFFFFFF, 7FFF, 7F, and FF for UE8M0: as the GPU writes it, and the only NaN that encode returns. std::domain_error without a NaN.
uint64_t canonical_nan(Format);

/// A whole number that orders non-NaN codes as their values, +0 and -0 alike; neighbours differ by one. For integers the value itself.
/// NaN throws std::domain_error.
int64_t rank(Format, uint64_t code);
int64_t lowest_rank(Format);   // of -infinity where there is one
int64_t highest_rank(Format);  // of infinity where there is one

/// The code of a rank (zero comes back as +0); std::out_of_range outside lowest_rank .. highest_rank.
uint64_t code_of_rank(Format, int64_t rank);

/// The next representable value up or down (infinity after the largest finite one where the format has it; std::out_of_range past the
/// end; a zero that is reached is +0).
uint64_t next_up(Format, uint64_t code);
uint64_t next_down(Format, uint64_t code);

/// Number of codes: 2^bits (formats of at most 32 bits, else std::domain_error); codes are 0 .. code_count - 1.
uint64_t code_count(Format);

/// The distance between neighbouring values at abs(value): 2^(floor(log2 abs(value)) - fraction_bits), the subnormal step below the
/// smallest normal, whatever the largest finite value. Integers: 1. Infinities and NaN throw std::domain_error.
double ulp(Format, double value);

}  // namespace assay
