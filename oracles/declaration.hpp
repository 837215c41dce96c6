// Declarations from outside: text against the slots of a contract.
#pragma once
#include <string_view>

#include "oracles/contract.hpp"

namespace assay {

/// What is assumed of an implementation that declares nothing: every slot, fused multiply-adds or not, subnormals flushed or not.
Arithmetic undeclared_arithmetic(const Contract&, const Parameters&);

/// The text (arithmetic/parse.hpp) as a declaration for these parameters: slots that are needed and not named get what is assumed. Slots
/// of other parameters (a bias that is not there) are let through and left out. Throws BadInput naming the stage and what would be legal.
Arithmetic declared_arithmetic(const Contract&, const Parameters&, std::string_view text);

/// "dot: a dot product; bias: a count of roundings": the slots of all legal values of words and switches, needed ones first.
std::string slots_text(const Contract&);

/// Parameters at their standard values, with every combination of words and of whole numbers that are 0 or 1.
std::vector<Parameters> variants_of(const Contract&);

}  // namespace assay
