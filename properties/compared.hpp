// A run's outputs as the accept rules of other suites look at them.
#pragma once
#include <vector>

#include "fixtures/bench/bench.hpp"
#include "properties/accept_rules.hpp"

namespace assay::properties {

struct ComparedOutput {
  Format format = Format::bf16;
  std::vector<Compared> elements;  // empty where the launch failed, or the step is a copy
};

/// Found, expected and exact values of what the contract's last step judges, as far as the run computed it and `sample` (null: all) holds
/// it.
ComparedOutput compared(const Subject&, const Case&, const Tensors& before, const Run&, const Computed& sample = {});

/// What each of accept_rules() says of it.
std::vector<bool> ask_others(const ComparedOutput&);

}  // namespace assay::properties
