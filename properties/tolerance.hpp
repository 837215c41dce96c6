// What a declared arithmetic allows, in numbers that can be compared: for the cases of a suite, each subject's bound beside the magnitude
// of what it adds up, and the rtol and atol with which an allclose would accept exactly what the bound accepts at its widest.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "fixtures/bench/bench.hpp"
#include "fixtures/suite/suite.hpp"

namespace assay::properties {

/// Over all elements of one step, with one kind of data.
struct Allowance {
  /// The bound as a share of the sum of the magnitudes of the element's terms (of the element itself where nothing is summed).
  double median = 0, largest = 0;
  Term dominant = Term::operation;   // of the element with the largest
  /// |y - x| <= atol + rtol |x| holds for every y that the judge accepts: rtol is the output format's unit roundoff u, atol the largest
  /// (1 + u) E, and half a step of its subnormals. Both 0: one legal value everywhere.
  double rtol = 0, atol = 0;
  /// Of matrix products, as shares of the sum of the magnitudes too: the largest E + u |x| of an element, and the largest error |y - x| found.
  double allowed = 0, error = -1;
  double used = -1;                  // the largest share of its bound that the kernel used; -1: not measured
};

struct Tolerance {
  std::string contract, step;
  std::string subjects;              // that declare this arithmetic, "a, b"
  std::string settings;              // parameters that are not standard, without the extents
  int64_t k = 0;                     // of a matrix product; 0: it is none
  Format format = Format::bf16;      // of the output
  Allowance normal, sqrt_k;          // data: N(0,1), and that times 1/sqrt(K)
};

struct TolerancePlan {
  Suite suite;                 // its fills do not matter
  std::vector<const Subject*> subjects;
  bool measure = false;        // also run the kernels, on the bench's backend
  double multiply_adds = 0;    // those of cases that cost no more than this; 0: all
};

/// One entry for each case, arithmetic declared for it, and step that compares values. Told before each case: how many of how many, and which.
std::vector<Tolerance> tolerances(const TolerancePlan&, const BenchSettings&,
                                  const std::function<void(double done, size_t all, const std::string& what)>& progress = {});

}  // namespace assay::properties
