// Regions of a contract's parameter space: each parameter's values fall into a few buckets (edges, powers of two and their neighbours,
// primes, multiples of 8; small, middle and large), and a case lies in the buckets of its values, in that of its fill, and in the pairs of
// these. Read off the parameters, so a new operation needs nothing here.
#pragma once
#include <string>
#include <vector>

#include "properties/generators/cases.hpp"

namespace assay::properties {

/// The bucket of a parameter's value, in words:
///   extents      "0", "1", "2..7"; then "2^n", "2^n-1", "2^n+1", "8n", "prime", "even", "odd", each alone (below 64), "middle" (below 512)
///                or "large"
///   paddings     "0"; "odd", "2n", "4n", "8n", each alone or "large" (from 64 on): what alignment they leave
///   few values   (at most 8) and words: the value itself
///   reals        "standard", "least", "most", "between"
std::string bucket_of(const Parameter&, const Value&);

/// The buckets that the parameter's range and unit allow for extents up to kLargestExtent, in the order of their first values.
std::vector<std::string> buckets(const Parameter&);

/// Those of them in which the contract has a legal and wanted case: standard values elsewhere, or extents equal to this one.
std::vector<std::string> legal_buckets(const Contract&, const Parameter&, const Wanted& = {});

inline constexpr int64_t kLargestExtent = 4095;

/// A value by buckets rather than by size: every octave and every kind of number is about as likely as any other. `least` stands for the
/// empty extent where there is one.
Value draw_in_regions(const Parameter&, const Below&);

/// How large a case to try next: `most` (see cost()), or a quarter, a sixteenth or a sixty-fourth of it, since what is wrong with large ones
/// often shows in small ones. Each size gets about the same time; of products, which are all of one tile where they are small, larger ones
/// get more of it.
double draw_size(const Contract&, double most, const Below&);

/// A legal case of such values that costs `size` at most, or `most` where few are so small.
Case draw_anywhere(const Contract&, double size, double most, const Below&, const Wanted& = {});

/// Where a case lies: "k=2^n middle", "fill=codes".
std::vector<std::string> regions_of(const Case&);

/// The pairs of its regions, sizes left aside: "k=2^n & fill=codes".
std::vector<std::string> region_pairs_of(const Case&);

/// Cases that differ from this one in one parameter, or in the fill: the first legal value of each other bucket.
struct Neighbour {
  std::string name, bucket;  // of the parameter or "fill", and the value's
  Case problem;
};
std::vector<Neighbour> neighbours(const Case&);

}  // namespace assay::properties
