// One way to compute a matrix product: main loop, scales, epilogue.
#pragma once
#include "properties/identify/product.hpp"
#include "properties/identify/replay.hpp"

namespace assay::properties {

/// Where the scale of a weight, or of a sum, comes in.
enum class Scaling : uint8_t { absent, weight_rounded, weight_exact, two_products, promoted, two_steps };

struct Dequantisation {
  std::string name = "none";
  Scaling scaling = Scaling::absent;
  Format format = Format::fp32;  // of a rounded weight
  bool fused = true;             // of a scale at promotion
};

/// A whole candidate.
struct Product {
  Loop loop;
  Dequantisation dequantisation;
  Epilogue epilogue;
};

/// Its results for all rows and the columns of the views.
std::vector<OutputCode> outputs(const Product&, Views&, const Tensors& operands);

/// How it is declared, and what of it cannot be.
void declare(Candidate&, const Product&, const ProductKind&);

/// The ways in which scales may come into a loop.
std::vector<Dequantisation> dequantisations(const ProductKind&, const Case&, const Loop&);

}  // namespace assay::properties
