#include "oracles/product/tiles.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

#include "oracles/product/test_rows.hpp"

namespace {

std::atomic<int64_t> live{0}, peak{0};

void* counted(size_t size) {
  constexpr size_t kHeader = 64;
  auto* block = static_cast<size_t*>(std::aligned_alloc(kHeader, (size + 2 * kHeader - 1) / kHeader * kHeader));
  if (!block) throw std::bad_alloc();
  *block = size;
  const int64_t now = live += int64_t(size);
  for (int64_t seen = peak; now > seen && !peak.compare_exchange_weak(seen, now);) {
  }
  return reinterpret_cast<char*>(block) + kHeader;
}

void uncounted(void* p) {
  if (!p) return;
  auto* block = reinterpret_cast<size_t*>(static_cast<char*>(p) - 64);
  live -= int64_t(*block);
  std::free(block);
}

}  // namespace

void* operator new(size_t size) { return counted(size); }
void* operator new[](size_t size) { return counted(size); }
void operator delete(void* p) noexcept { uncounted(p); }
void operator delete[](void* p) noexcept { uncounted(p); }
void operator delete(void* p, size_t) noexcept { uncounted(p); }
void operator delete[](void* p, size_t) noexcept { uncounted(p); }

namespace assay::product {
namespace {

using namespace test;

/// Whole numbers that anyone can compute from their place.
double left(int64_t i, int64_t k) { return double((i * 7 + k * 13) % 31 - 15); }
double right(int64_t j, int64_t k) { return double((j * 11 + k * 5) % 29 - 14); }

Operand operand(int64_t rows, double (*entry)(int64_t, int64_t)) {
  return {rows, [entry](int64_t row, std::span<double> values) {
            for (size_t k = 0; k < values.size(); k++) values[k] = entry(row, int64_t(k));
          }};
}

int64_t whole_dot(int64_t i, int64_t j, int64_t k) {
  int64_t sum = 0;
  for (int64_t t = 0; t < k; t++) sum += int64_t(left(i, t)) * int64_t(right(j, t));
  return sum;
}

TEST(Tiles, CoverEveryElementOnceWhateverTheShape) {
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1}, {37, 531, 19}, {300, 5, 1000}, {3, 260, 20000}}) {
    std::vector<int> seen(size_t(m * n));
    int64_t last = 0;
    Plan plan{.memory = (int64_t{4} << 20) + 700'000};   // tiles of a few rows
    plan.progress = [&](int64_t done, int64_t total) {
      EXPECT_GT(done, last);
      EXPECT_EQ(total, m * n);
      last = done;
    };
    for_each_tile(operand(m, left), operand(n, right), k, plan, [&](const Piece& piece) {
      ASSERT_EQ(piece.tile.rows, piece.rows.count());
      ASSERT_EQ(piece.tile.columns, piece.columns.count());
      for (int64_t i = piece.rows.first; i < piece.rows.end; i++)
        for (int64_t j = piece.columns.first; j < piece.columns.end; j++) {
          seen[size_t(i * n + j)]++;
          const double value = piece.tile.value[piece.tile.at(i - piece.rows.first, j - piece.columns.first)];
          EXPECT_TRUE((i * 31 + j) % 97 != 0 || value == double(whole_dot(i, j, k)));
        }
    });
    EXPECT_EQ(last, m * n);
    for (int count : seen) ASSERT_EQ(count, 1);
  }
}

TEST(Tiles, NothingToDo) {
  int visits = 0;
  auto visit = [&](const Piece&) { visits++; };
  for_each_tile(operand(0, left), operand(5, right), 8, {}, visit);
  for_each_tile(operand(5, left), operand(0, right), 8, {}, visit);
  EXPECT_EQ(visits, 0);
  for_each_tile(operand(2, left), operand(2, right), 0, {}, visit);
  EXPECT_EQ(visits, 1);
}

TEST(Tiles, ShapesStayWithinTheirMemoryAndKeepAtLeastOneElement) {
  for (int64_t k : {int64_t{0}, int64_t{128}, int64_t{4096}, int64_t{28672}, int64_t{1} << 24})
    for (int64_t megabytes : {1, 8, 256, 4096}) {
      const Plan plan{.wanted = {.magnitude = true, .squares = true}, .memory = megabytes << 20};
      const Shape s = tile_shape(8192, 28672, k, plan);
      EXPECT_GE(s.rows, 1);
      EXPECT_GE(s.columns, 1);
      const int64_t held = (s.rows + s.columns) * k * 8 + s.rows * s.columns * 32;
      if (12 * k * 8 + (int64_t{5} << 20) > plan.memory) continue;   // hardly a row
      EXPECT_LE(held, plan.memory) << k;
      EXPECT_GE(s.rows, s.columns) << k;
    }
  const Shape model = tile_shape(8192, 28672, 4096, {.wanted = {.magnitude = true}});
  EXPECT_EQ(model.columns, 256);
  EXPECT_GT(model.rows, 4096);
}

// 8192 x 28672 x 4096, with every extent an eighth or less: operands of 6 and 15 MB in FP64 and 28 MB of results through 10 MB.
TEST(Tiles, MemoryIsBoundedByThePlanNotByTheProblem) {
  const int64_t m = 1024, n = 1792, k = 1024;
  const Plan plan{.wanted = {.magnitude = true}, .memory = int64_t{10} << 20};
  int64_t tiles = 0, elements = 0, wrong = 0;
  const int64_t before = live;
  peak = before;
  for_each_tile(operand(m, left), operand(n, right), k, plan, [&](const Piece& piece) {
    tiles++, elements += piece.tile.rows * piece.tile.columns;
    EXPECT_TRUE(piece.tile.radius.empty());
    wrong += piece.tile.value[0] != double(whole_dot(piece.rows.first, piece.columns.first, k));
    wrong += piece.tile.value.back() != double(whole_dot(piece.rows.end - 1, piece.columns.end - 1, k));
  });
  EXPECT_EQ(elements, m * n);
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(tiles, 20);
  EXPECT_LE(peak - before, plan.memory);
  EXPECT_GT(peak - before, plan.memory / 4);
}

TEST(Tiles, ThreadsTakeDisjointRows) {
  const int64_t m = 90, n = 70, k = 64;
  std::vector<double> all(size_t(m * n));
  auto work = [&](Range rows) {
    for_each_tile(operand(m, left), operand(n, right), k, {.rows = rows}, [&](const Piece& piece) {
      for (int64_t i = piece.rows.first; i < piece.rows.end; i++)
        for (int64_t j = piece.columns.first; j < piece.columns.end; j++)
          all[size_t(i * n + j)] = piece.tile.value[piece.tile.at(i - piece.rows.first, j - piece.columns.first)];
    });
  };
  { std::jthread first(work, Range{0, 41}), second(work, Range{41, 90}); }
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) ASSERT_EQ(all[size_t(i * n + j)], double(whole_dot(i, j, k)));
}

}  // namespace
}  // namespace assay::product
