// Declared arithmetic from text: the inverse of Arithmetic::text().
//
//   dot: tensor core bf16, 4 chains of 1024 k, added in fp32 in order; bias: 1 fp32 rounding; multiply-adds fused or not
//
// text      stage ("; " stage)* ("; multiply-adds fused" | "; multiply-adds fused or not")? ("; subnormals flushed")?
// stage     slot ": " (sum | function | roundings | "rounded to " format | dot)
// sum       format " sum of depth " n (" (" words ")")?         or  format " sum in any order": n = terms - 1
// function  name " within " figures (", nothing sure below " x)? (" (" source ")")?
//           figures: "0", or x " relative", x " |x| relative", x " |x| absolute" joined by " + "; x is a number or m "*2^" e
// roundings n " " format " rounding" "s"?
// dot       instruction promotion* order combination, each as describe(Dot) prints it. The parenthesis of a known instruction may be left
//           out, and so may the number of chains: "chains of 128 k". Without an order it is undeclared.
//
// Words in parentheses may hold anything whose parentheses are balanced.
#pragma once
#include <string_view>

#include "oracles/arithmetic/arithmetic.hpp"

namespace assay {

/// `terms`: of the sums that are declared (K of a product). Throws BadInput naming the stage, the place and what would be legal.
Arithmetic parse_arithmetic(std::string_view text, int64_t terms);

}  // namespace assay
