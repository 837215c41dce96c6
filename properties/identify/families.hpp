// What the families have in common: how outputs are rounded, inputs by fill, and the end of an identification.
#pragma once
#include "properties/identify/sieve.hpp"

namespace assay::properties {

/// How a result becomes the output's format.
struct OutputRounding {
  std::string name;
  uint64_t (*encode)(Format, double);
};
/// To nearest even, toward zero, to nearest with ties away from zero.
const std::vector<OutputRounding>& output_roundings();

/// The operands of a case with that fill, named by its line.
Input drawn(const Case&, Fill, uint64_t seed);

/// Three inputs of each fill, then further ones, until `tries` in a row tell no candidates apart.
void sift(Sieve&, const Case&, const std::vector<Fill>&, int tries = 24);

/// What the sieve left, and what the subject declares beside it.
Identification concluded(const Sieve&, const Subject&, const Case&);
/// The same for what other sieves found. Main loops whose order is declared are left to who can replay them.
void conclude(Identification&, const Subject&, const std::vector<Candidate>& survivors);

Family silu_family();
Family norm_family();
Family gemv_family();
std::vector<Family> quantiser_families();
std::vector<Family> product_families();

}  // namespace assay::properties
