#include "oracles/product/groups.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "oracles/product/certify.hpp"
#include "oracles/product/sums.hpp"

namespace assay::product {
namespace {

constexpr int64_t kBlock = 192;   // rows and columns at a time, so that a block's sums stay in the second cache over all groups

/// Everything about one call.
struct Job {
  const Scaled &a, &b;
  int64_t width;
  Tile& tile;
  bool inner_exact;
  std::vector<double> column_scales;   // [group][column]

  int64_t groups() const { return a.scales.k(); }
  Range group(int64_t g) const { return {g * width, std::min((g + 1) * width, a.values.k())}; }
};

/// The sums of some rows and columns, side by side: in the tile they would be too far apart for the caches.
struct Block {
  Range rows, columns;
  std::vector<double> sums, value, partials, magnitude;

  Block(Range rows, Range columns, bool magnitudes) : rows(rows), columns(columns) {
    const size_t elements = size_t(rows.count() * columns.count());
    sums.resize(elements), value.resize(elements), partials.resize(elements), magnitude.resize(magnitudes ? elements : 0);
  }
};

void add_scaled(int64_t n, double scale, const double* scales, const double* sums, double* value, double* partials) {
  for (int64_t j = 0; j < n; j++) {
    const double term = scale * scales[j] * sums[j];
    value[j] += term;
    partials[j] += std::fabs(term);
  }
}

void add_magnitudes(int64_t n, double scale, const double* scales, const double* sums, double* magnitude) {
  for (int64_t j = 0; j < n; j++) magnitude[j] += std::fabs(scale * scales[j]) * sums[j];
}

void add_group(const Job& job, int64_t g, Block& block) {
  const Range k = job.group(g);
  const int64_t width = block.columns.count();
  const Part a{job.a.values, block.rows}, b{job.b.values, block.columns};
  const Target target{block.sums.data(), width};
  const double *scales = &job.column_scales[size_t(g * job.tile.columns + block.columns.first)], *sums = block.sums.data();
  auto scale = [&](int64_t i) { return job.a.scales.finite_row(block.rows.first + i)[size_t(g)]; };
  sum_terms(a, b, {&k, 1}, target);
  for (int64_t i = 0; i < block.rows.count(); i++)
    add_scaled(width, scale(i), scales, sums + i * width, &block.value[size_t(i * width)], &block.partials[size_t(i * width)]);
  if (block.magnitude.empty()) return;
  sum_above(Of::magnitudes, a, b, {&k, 1}, target);
  for (int64_t i = 0; i < block.rows.count(); i++)
    add_magnitudes(width, scale(i), scales, sums + i * width, &block.magnitude[size_t(i * width)]);
}

void sum_block(const Job& job, Range rows, Range columns) {
  Block block(rows, columns, !job.tile.magnitude.empty());
  for (int64_t g = 0; g < job.groups(); g++) add_group(job, g, block);
  auto put = [&](const std::vector<double>& from, std::vector<double>& to) {
    for (int64_t i = 0; i < rows.count() && !from.empty(); i++)
      std::copy_n(&from[size_t(i * columns.count())], columns.count(), &to[job.tile.at(rows.first + i, columns.first)]);
  };
  put(block.value, job.tile.value), put(block.partials, job.tile.partials), put(block.magnitude, job.tile.magnitude);
}

double scaled_grid(const Scaled& x, int64_t row) { return x.values.grid(row) * x.scales.grid(row); }
double scaled_norm(const Scaled& x, int64_t row) { return x.values.norm(row) * x.scales.norm(row) * above(2); }

/// The radii of a row of elements; magnitudes and partials become upper bounds.
void certify_elements(const Job& job, int64_t i, std::span<const double> grid, std::span<double> bound) {
  Tile& tile = job.tile;
  const int64_t n = tile.columns, outer = job.groups() + 2, inner = job.inner_exact ? 0 : std::min(job.width, job.a.values.k());
  double *radius = &tile.radius[tile.at(i, 0)], *partials = &tile.partials[tile.at(i, 0)];
  if (!tile.magnitude.empty())
    for (int64_t j = 0; j < n; j++) tile.magnitude[tile.at(i, j)] *= above(outer);
  for (int64_t j = 0; j < n; j++)
    bound[size_t(j)] = job.inner_exact          ? partials[j] * above(outer)
                       : tile.magnitude.empty() ? scaled_norm(job.a, i) * scaled_norm(job.b, j) * above(2)
                                                : tile.magnitude[tile.at(i, j)];
  certify_row({n, bound.data(), grid.data(), scaled_grid(job.a, i)}, double(outer + inner) * 0x1p-52, radius);
  for (int64_t j = 0; j < n; j++)   // the inner sums are off by less than the radius
    if (radius[j] != 0) partials[j] = (job.inner_exact ? partials[j] : partials[j] + radius[j]) * above(outer);
}

/// An element with an infinity or NaN among its entries or scales, evaluated group by group as IEEE 754 says.
double special_value(const Job& job, int64_t i, int64_t j) {
  const std::span<const double> a = job.a.values.finite_row(i), b = job.b.values.finite_row(j);
  double value = 0;
  for (int64_t g = 0; g < job.groups(); g++) {
    const Range k = job.group(g);
    double sum = special_sum(job.a.values, i, job.b.values, j, {&k, 1});
    for (int64_t t = sum == 0 ? k.first : k.end; t < k.end; t++) sum += a[size_t(t)] * b[size_t(t)];
    value += job.a.scales.entry(i, g) * job.b.scales.entry(j, g) * sum;
  }
  return value;
}

bool special_row(const Scaled& x, int64_t row) { return !x.values.specials(row).empty() || !x.scales.specials(row).empty(); }

void put_specials(Job& job) {
  Tile& tile = job.tile;
  std::vector<char> special_column(size_t(tile.columns));
  for (int64_t j = 0; j < tile.columns; j++) special_column[size_t(j)] = special_row(job.b, j);
  for (int64_t i = 0; i < tile.rows; i++)
    for (int64_t j = 0; j < tile.columns; j++)
      if (special_column[size_t(j)] || special_row(job.a, i))
        tile.value[tile.at(i, j)] = special_value(job, i, j), tile.radius[tile.at(i, j)] = 0;
}

void check(const Scaled& a, const Scaled& b, int64_t width) {
  const int64_t k = a.values.k(), groups = a.scales.k();
  if (b.values.k() != k || b.scales.k() != groups || width <= 0 || (k + width - 1) / width != groups ||
      a.scales.rows() != a.values.rows() || b.scales.rows() != b.values.rows())
    throw std::logic_error("groups of " + std::to_string(width) + " k do not fit the rows, their scales or each other");
}

Job job_of(const Scaled& a, const Scaled& b, int64_t width, Tile& tile) {
  Job job{a, b, width, tile, a.values.worst_ratio() * b.values.worst_ratio() * above(4) <= 0x1p53, {}};
  for (int64_t g = 0; g < job.groups(); g++)
    for (int64_t j = 0; j < b.values.rows(); j++) job.column_scales.push_back(b.scales.finite_row(j)[size_t(g)]);
  return job;
}

}  // namespace

void multiply_groups(const Scaled& a, const Scaled& b, int64_t width, Wanted wanted, Tile& tile) {
  check(a, b, width);
  tile.rows = a.values.rows(), tile.columns = b.values.rows();
  const size_t elements = size_t(tile.rows * tile.columns);
  tile.value.assign(elements, 0), tile.partials.assign(elements, 0), tile.magnitude.assign(wanted.magnitude ? elements : 0, 0);
  tile.squares.clear(), fit(tile.radius, elements);
  Job job = job_of(a, b, width, tile);
  for (int64_t i = 0; i < tile.rows; i += kBlock)
    for (int64_t j = 0; j < tile.columns; j += kBlock)
      sum_block(job, {i, std::min(i + kBlock, tile.rows)}, {j, std::min(j + kBlock, tile.columns)});
  std::vector<double> grid(size_t(tile.columns)), bound(size_t(tile.columns));
  for (int64_t j = 0; j < tile.columns; j++) grid[size_t(j)] = scaled_grid(b, j);
  for (int64_t i = 0; i < tile.rows && tile.columns > 0; i++) certify_elements(job, i, grid, bound);
  put_specials(job);
}

}  // namespace assay::product
