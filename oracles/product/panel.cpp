#include "oracles/product/panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "oracles/product/scan.hpp"

namespace assay::product {
namespace {

constexpr double kSmallest = 0x1p-250, kLargest = 0x1p250;

/// Whole vectors, and an odd number of cache lines: rows a power of two apart would share few sets of the caches.
int64_t padded_stride(int64_t k) { return (k + 7) / 8 * 8 | 8; }

/// An upper bound of a computed sum of n products of doubles that did not underflow: its error is at most n 2^-53 of it (product.hpp), and
/// the last two roundings here are covered by the rest.
double norm_above(double squares, int64_t n) { return std::sqrt(squares) * (1 + double(n + 4) * 0x1p-53); }

}  // namespace

void Panel::assign(int64_t k, std::span<const int64_t> rows, const Decode& decode) {
  terms = k, stride = padded_stride(k), ratio = widest = 0;
  special.clear();
  facts.assign(rows.size(), {});
  fit(values, rows.size() * size_t(stride));
  for (size_t i = 0; i < rows.size(); i++) add_row(int64_t(i), rows[i], decode);
}

void Panel::assign(int64_t k, int64_t first_row, int64_t end_row, const Decode& decode) {
  std::vector<int64_t> rows(size_t(end_row - first_row));
  std::iota(rows.begin(), rows.end(), first_row);
  assign(k, rows, decode);
}

void Panel::add_row(int64_t index, int64_t row, const Decode& decode) {
  double* first = values.data() + index * stride;
  decode(row, {first, size_t(terms)});
  std::fill(first + terms, first + stride, 0.0);
  const size_t first_special = special.size();
  RowFacts found = scan_row(first, stride);
  if (!found.finite) {
    for (int64_t k = 0; k < terms; k++)
      if (!std::isfinite(first[k])) special.push_back({k, std::exchange(first[k], 0.0)});
    found = scan_row(first, stride);
  }
  if (found.grid < kSmallest || found.largest >= kLargest)
    throw std::domain_error(
        fmt::format("row {} of a matrix product has entries of {:g} in units of {:g}; they must be multiples of 2^-250 below 2^250", row,
                    found.largest, found.grid));
  const double norm = norm_above(found.norm_squared, terms), binade = found.largest == 0 ? 1 : std::exp2(std::ilogb(found.largest));
  facts[size_t(index)] = {found.grid, norm, binade, first_special, special.size()};
  ratio = std::max(ratio, norm / found.grid), widest = std::max(widest, found.largest / found.grid);
}

double Panel::entry(int64_t row, int64_t k) const {
  const std::span<const Special> all = specials(row);
  const auto found = std::ranges::lower_bound(all, k, {}, &Special::k);
  return found != all.end() && found->k == k ? found->value : values[size_t(row * stride + k)];
}

std::span<const Special> Panel::specials(int64_t row) const {
  const Facts& f = facts[size_t(row)];
  return {special.data() + f.first_special, f.end_special - f.first_special};
}

}  // namespace assay::product
