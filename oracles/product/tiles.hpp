// Products too large to hold: all of c, tile by tile, in bounded memory. An operand is asked for each of its rows when a tile needs it;
// rows of a stay while all of b passes by.
#pragma once
#include "oracles/product/product.hpp"

namespace assay::product {

struct Operand {
  int64_t rows = 0;
  Panel::Decode decode;
  Panel::Decode scales{};   // one for each group of k; empty: none
};

struct Plan {
  Wanted wanted;
  int64_t width = 0;                                           // elements of k that share scales, both operands then having them; 0: none
  int64_t memory = int64_t{256} << 20;                         // bytes that panels, copies and the tile may hold together
  Range rows, columns;                                         // of c; all of it if empty. Threads take disjoint rows.
  std::function<void(int64_t done, int64_t total)> progress;   // elements, after each tile; may be empty
};

/// Where a tile lies, and what it was made of.
struct Piece {
  Range rows, columns;
  const Panel &a, &b;   // row i of the tile is row i of a
  const Tile& tile;
};

/// Calls visit for every tile, row by row of tiles. Thread-safe.
void for_each_tile(const Operand& a, const Operand& b, int64_t k, const Plan&, const std::function<void(const Piece&)>& visit);

/// Rows and columns of a tile within the plan's memory: at least one each, whatever the memory.
struct Shape {
  int64_t rows = 0, columns = 0;
};
Shape tile_shape(int64_t rows, int64_t columns, int64_t k, const Plan&);

}  // namespace assay::product
