#include "oracles/product/product.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "oracles/product/certify.hpp"
#include "oracles/product/sums.hpp"

namespace assay::product {
namespace {

void check(const Panel& a, const Panel& b, std::span<const Range> ranges) {
  if (a.k() != b.k()) throw std::logic_error("rows of " + std::to_string(a.k()) + " times rows of " + std::to_string(b.k()));
  for (const Range& r : ranges)
    if (r.first < 0 || r.end < r.first || r.end > a.k())
      throw std::logic_error("k from " + std::to_string(r.first) + " to " + std::to_string(r.end) + " of " + std::to_string(a.k()));
}

/// Radii from the sums of magnitudes if there are any, else from the rows' norms.
void certify(const Panel& a, const Panel& b, int64_t terms, Tile& tile) {
  const double error = double(terms) * 0x1p-53 * above(2);   // and its own two roundings
  std::vector<double> grid, norms(size_t(tile.columns));
  for (int64_t j = 0; j < tile.columns; j++) grid.push_back(b.grid(j));
  fit(tile.radius, tile.value.size());
  for (int64_t i = 0; i < tile.rows; i++) {
    if (tile.magnitude.empty())
      for (int64_t j = 0; j < tile.columns; j++) norms[size_t(j)] = a.norm(i) * b.norm(j) * above(2);
    const double* bound = tile.magnitude.empty() ? norms.data() : &tile.magnitude[tile.at(i, 0)];
    certify_row({tile.columns, bound, grid.data(), a.grid(i)}, error, &tile.radius[tile.at(i, 0)]);
  }
}

void put_specials(const Panel& a, const Panel& b, std::span<const Range> ranges, Tile& tile) {
  if (!a.has_specials() && !b.has_specials()) return;
  for (int64_t i = 0; i < tile.rows; i++)
    for (int64_t j = 0; j < tile.columns; j++) {
      const double special = special_sum(a, i, b, j, ranges);
      if (special == 0) continue;
      tile.value[tile.at(i, j)] = special;
      if (!tile.radius.empty()) tile.radius[tile.at(i, j)] = 0;
    }
}

}  // namespace

double special_sum(const Panel& a, int64_t row, const Panel& b, int64_t column, std::span<const Range> ranges) {
  double sum = 0;
  auto add = [&](std::span<const Special> specials) {
    for (const Special& s : specials)
      for (const Range& r : ranges)
        if (r.first <= s.k && s.k < r.end && !std::isnan(sum)) sum += a.entry(row, s.k) * b.entry(column, s.k);
  };
  add(a.specials(row)), add(b.specials(column));
  return sum;
}

void multiply(const Panel& a, const Panel& b, std::span<const Range> ranges, Wanted wanted, Tile& tile) {
  check(a, b, ranges);
  tile.rows = a.rows(), tile.columns = b.rows();
  const size_t elements = size_t(tile.rows * tile.columns);
  fit(tile.value, elements), fit(tile.magnitude, wanted.magnitude ? elements : 0), fit(tile.squares, wanted.squares ? elements : 0);
  tile.partials.clear(), tile.radius.clear();
  if (elements == 0) return;
  const Part left{a, {0, a.rows()}}, right{b, {0, b.rows()}};
  sum_terms(left, right, ranges, {tile.value.data(), tile.columns});
  if (wanted.magnitude) sum_above(Of::magnitudes, left, right, ranges, {tile.magnitude.data(), tile.columns});
  if (wanted.squares) sum_above(Of::squares, left, right, ranges, {tile.squares.data(), tile.columns});
  if (a.worst_ratio() * b.worst_ratio() * above(4) > 0x1p53) certify(a, b, count(ranges), tile);
  put_specials(a, b, ranges, tile);
}

void multiply(const Panel& a, const Panel& b, Wanted wanted, Tile& tile) {
  const Range all{0, a.k()};
  multiply(a, b, {&all, 1}, wanted, tile);
}

}  // namespace assay::product
