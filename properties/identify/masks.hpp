// The masks of order.hpp, planted into the operands of a matrix product and read off its results.
#pragma once
#include "properties/identify/order.hpp"
#include "properties/identify/product.hpp"

namespace assay::properties {

/// The order in which the subject sums the products of an element, of rows and columns as the case has them.
Order order_of(Bench&, const Subject&, const Case&, const ProductKind&);

/// "k=0 to 15 meet in one sum, k=16 to 31 in the next; ..." of the first blocks, and how many pairs of terms showed it.
std::string evidence(const Order&);

}  // namespace assay::properties
