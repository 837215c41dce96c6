#include "oracles/product/tiles.hpp"

#include <algorithm>

#include "oracles/product/groups.hpp"

namespace assay::product {
namespace {

// What product.cpp holds for a row or column, and for an element of a tile.
constexpr int64_t kCopies = 256 * int64_t(sizeof(double)), kRowOverhead = 256, kPadding = 16;
constexpr int64_t kPacked = int64_t{4} << 20;   // Eigen's packed blocks: they fit the second cache, with room

int64_t row_bytes(int64_t k, const Plan& plan) {
  const int64_t scales = plan.width ? (k + plan.width - 1) / plan.width + kPadding : 0;
  return int64_t(sizeof(double)) * (k + kPadding + scales) + kRowOverhead + (plan.wanted.magnitude || plan.wanted.squares ? kCopies : 0);
}

// Value and radius; by groups a group's sum and the sum of all groups' magnitudes too.
int64_t element_bytes(const Plan& plan) {
  return int64_t(sizeof(double)) * (2 + plan.wanted.magnitude + plan.wanted.squares + (plan.width ? 2 : 0));
}

}  // namespace

Shape tile_shape(int64_t rows, int64_t columns, int64_t k, const Plan& plan) {
  // Rows of b are decoded again for each tile of rows, so a's part is the large one: 1 to 4 while there is room.
  const int64_t row = row_bytes(k, plan), element = element_bytes(plan), memory = plan.memory - kPacked;
  const int64_t column_limit = std::clamp(memory / 5 / row, int64_t{1}, int64_t{256});
  const int64_t tile_columns = std::clamp(columns, int64_t{1}, column_limit);
  const int64_t left = memory - tile_columns * row;
  return {std::clamp(left / (row + tile_columns * element), int64_t{1}, std::max<int64_t>(rows, 1)), tile_columns};
}

void for_each_tile(const Operand& a, const Operand& b, int64_t k, const Plan& plan, const std::function<void(const Piece&)>& visit) {
  const Range rows = plan.rows.count() > 0 ? plan.rows : Range{0, a.rows},
              columns = plan.columns.count() > 0 ? plan.columns : Range{0, b.rows};
  const Shape shape = tile_shape(rows.count(), columns.count(), k, plan);
  const int64_t groups = plan.width ? (k + plan.width - 1) / plan.width : 0;
  Panel left, right, left_scales, right_scales;
  Tile tile;
  int64_t done = 0;
  for (int64_t i = rows.first; i < rows.end; i += shape.rows) {
    const Range some_rows{i, std::min(i + shape.rows, rows.end)};
    left.assign(k, some_rows.first, some_rows.end, a.decode);
    if (plan.width) left_scales.assign(groups, some_rows.first, some_rows.end, a.scales);
    for (int64_t j = columns.first; j < columns.end; j += shape.columns) {
      const Range some_columns{j, std::min(j + shape.columns, columns.end)};
      right.assign(k, some_columns.first, some_columns.end, b.decode);
      if (plan.width) {
        right_scales.assign(groups, some_columns.first, some_columns.end, b.scales);
        multiply_groups({left, left_scales}, {right, right_scales}, plan.width, plan.wanted, tile);
      } else {
        multiply(left, right, plan.wanted, tile);
      }
      visit({some_rows, some_columns, left, right, tile});
      done += some_rows.count() * some_columns.count();
      if (plan.progress) plan.progress(done, rows.count() * columns.count());
    }
  }
}

}  // namespace assay::product
