// What an implementation declares of its rounding: a short list of named stages. A contract evaluates its formula stage by stage and
// turns the declaration into a bound (tracked.hpp); nothing else about a kernel enters its tolerance.
#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "oracles/arithmetic/dot.hpp"

namespace assay {

/// A sum or dot product rounded to nearest in `accumulator`, in any order in which no term passes more than `depth` roundings on its way
/// into the result (products either exact or fused with the addition).
struct Sum {
  Format accumulator = Format::fp32;
  int64_t depth = 0;
  std::string order;   // in words, for the report
  bool operator==(const Sum&) const = default;
};

/// An elementary function f evaluated at a rounded argument: abs(result - f(x)) <= abs(f(x)) * (relative + abs(x) * relative_per_argument)
/// + abs(x) * absolute_per_argument; results below `smallest` may lose everything.
struct Fn {
  std::string function;
  double relative = 0, relative_per_argument = 0, absolute_per_argument = 0, smallest = 0x1p-126;
  std::string source;   // where the figures come from
  bool operator==(const Fn&) const = default;
};

/// `count` correctly rounded operations in `format`, one after the other.
struct Ops {
  Format format = Format::fp32;
  int count = 1;
  bool operator==(const Ops&) const = default;
};

/// A value materialised in a format: the rounding is part of what the implementation computes, not an error of it.
struct Round {
  Format to = Format::bf16;
  bool operator==(const Round&) const = default;
};

using Stage = std::variant<Sum, Dot, Fn, Ops, Round>;

/// What a stage is, in words: "a sum", "a dot product", ...
std::string_view kind_of(const Stage&);

/// Whether a * b + c is evaluated with one rounding or two. Either: the compiler chooses, perhaps anew for each product. Its error is at
/// most the sum of both variants' errors, and at most that of two roundings: fused, RN(ab + c) = (ab + c)(1 + d1); apart, (ab (1 + d2) + c)
/// (1 + d3), whose bound |ab| u (1 + u) + |ab + c| u contains |ab + c| u. So `either` is bounded as `never` is, but where a stage that is
/// exact for one variant (a slot that is materialised) is not for the other; contracts bound it by roundings there.
enum class Contraction : uint8_t { never, always, either };

class Arithmetic {
 public:
  Contraction contraction = Contraction::never;
  bool flush_subnormals = false;

  Arithmetic& with(std::string slot, Stage stage);

  /// The stage declared for a slot of the contract; std::invalid_argument naming the slot if it is missing or of another kind.
  const Sum& sum(std::string_view slot) const;
  const Dot& dot(std::string_view slot) const;
  const Dot* dot_if_any(std::string_view slot) const;
  const Fn& fn(std::string_view slot) const;
  const Ops& ops(std::string_view slot) const;
  /// The materialising rounding of a slot, or null if the value stays in its wide format.
  const Round* round(std::string_view slot) const;
  /// Whether a slot that may hold either a materialising rounding or a count of roundings holds the former.
  bool materialises(std::string_view slot) const;
  bool declares(std::string_view slot) const { return find(slot) != nullptr; }
  const std::vector<std::pair<std::string, Stage>>& all() const { return stages; }

  /// One line: "sum: fp32 sum of depth 23 (...); mean: 1 fp32 rounding; rsqrt: rsqrtf within 5*2^-24 relative (...)". parse_arithmetic
  /// (parse.hpp) is its inverse.
  std::string text() const;

 private:
  std::vector<std::pair<std::string, Stage>> stages;
  const Stage* find(std::string_view slot) const;
};

/// Unit roundoff of round-to-nearest in a floating-point format: 2^-(fraction bits + 1).
double unit_roundoff(Format);

/// (1+u)^n - 1 rounded up, for n roundings to nearest in the format.
double growth(Format, int64_t roundings);

// Functions of the GPU, with the error that NVIDIA documents (CUDA C++ Programming Guide, "Mathematical Functions"; PTX ISA for the
// .approx instructions). The guide counts ulp against the correctly rounded result, hence the extra half.
namespace gpu {
Fn rsqrtf();    // 2 ulp: relative 2.5 * 2^-23
Fn fast_expf(); // __expf: ex2.approx (2 ulp) of RN(x * 0x3FB8AA3B), a constant 0.224 * 2^-24 off log2(e)
}  // namespace gpu

}  // namespace assay
