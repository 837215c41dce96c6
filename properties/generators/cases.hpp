// Random cases of a contract, and smaller neighbours of a failing one. Everything is read off the contract's parameters, so a new
// operation needs nothing here.
#pragma once
#include <functional>
#include <vector>

#include "fixtures/case/case.hpp"

namespace assay::properties {

/// Uniform random numbers: below(n) in {0, ..., n-1}.
using Below = std::function<uint64_t(uint64_t n)>;

/// What a drawn case must be besides legal: taken by some subject. Null: anything.
using Wanted = std::function<bool(const Case&)>;

bool is_whole(const Parameter&);

/// A parameter that is a distance (standard value 0) and not an extent.
bool is_padding(const Parameter&);

/// A value for a parameter, legal or not.
using DrawValue = std::function<Value(const Parameter&)>;

/// What a case costs, in multiply-adds; where few are done with many elements or rows, these are filled, moved and compared.
double cost(const Case&);

/// A legal case that costs at most about `multiply_adds` and that is wanted, if 200 tries find one (else the standard case); `size` from 0 to 100
/// lets dimensions grow. Whole numbers come from small values, powers of two and their neighbours, multiples of 8, and divisors of what was
/// drawn before (a group of K).
Case draw_case(const Contract&, int size, double multiply_adds, const Below&, const Wanted& = {});

/// The same with values that the caller draws.
Case draw_case(const Contract&, const DrawValue&, double multiply_adds, const Below&, const Wanted& = {});

/// Legal cases that are strictly simpler than this one, boldest first: standard values, the least, halves and predecessors of each whole
/// number in turn (with what depends on it repaired), simpler fills, smaller seeds.
std::vector<Case> simpler(const Case&);

}  // namespace assay::properties
