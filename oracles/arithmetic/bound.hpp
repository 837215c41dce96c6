// The allowed error of one element, as a sum of named terms, so that a verdict can say which part of the arithmetic the limit comes from.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

enum class Term : uint8_t {
  accumulate,     // roundings inside a sum or dot product
  promote,        // partial sums scaled and added to a wider accumulator
  combine,        // parts of a split sum rounded and added
  function,       // elementary functions and approximations
  operation,      // single operations rounded to nearest
  intermediate,   // a value materialised in a narrow format whose rounding is not certain
  underflow,      // results below the smallest normal number of the arithmetic, and overflow of an intermediate that ends in zero
};
inline constexpr int kTerms = 7;

std::string_view name(Term);

/// The formula behind a term, in one line.
std::string_view derivation(Term);

struct Bound {
  std::array<double, kTerms> of{};

  double& operator[](Term t) { return of[static_cast<size_t>(t)]; }
  double operator[](Term t) const { return of[static_cast<size_t>(t)]; }
  double total() const;
  Term dominant() const;
  /// Of the terms that stand for no sum, and so may err to one side in every element.
  double outside_sums() const;

  Bound& operator+=(const Bound&);
  Bound operator*(double factor) const;
};

/// "accumulate 3.1e-07 + operation 1.2e-08 = 3.2e-07"
std::string to_text(const Bound&);

}  // namespace assay
