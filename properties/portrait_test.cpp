#include "properties/portrait.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "properties/accept_rules.hpp"

namespace assay::properties {
namespace {

TEST(Slope, IsThePowersExponent) {
  std::vector<std::pair<double, double>> points;
  for (const double k : {128.0, 512.0, 4096.0}) points.emplace_back(k, 3e-7 * std::pow(k, 1.5));
  points.emplace_back(64, 0);  // says nothing
  const auto slope = slope_of(points);
  ASSERT_TRUE(slope);
  EXPECT_NEAR(slope->exponent, 1.5, 1e-12);
  EXPECT_NEAR(slope->deviation, 0, 1e-7);
  EXPECT_FALSE(slope_of({{1, 1}, {2, 2}, {4, NAN}}));
  EXPECT_NEAR(slope_of({{1, 1}, {2, 4}, {4, 4}})->exponent, 1, 1e-12);
  EXPECT_GT(slope_of({{1, 1}, {2, 4}, {4, 4}})->deviation, 0.5);
}

/// What a law says of a subject on a case, as a check would hand it on.
Cell cell(const std::string& subject, const char* law, const Case& c, const BenchSettings& settings) {
  Bench bench(settings);
  Cell cell{.subject = subject,
            .law = law,
            .verdict = verdict_of(*find<Law>(law), bench, *find<Subject>(subject), c),
            .cases = 1,
            .worst_case = to_line(c)};
  if (cell.verdict.outcome == Outcome::fail) cell.smallest.problem = c, cell.first_failing = to_line(c);
  return cell;
}

Portrait painted(const std::string& subject, const std::string& line, const std::string& image = {}, std::vector<Case> cases = {}) {
  const BenchSettings settings{.image = image};
  return portrait({.subject = find<Subject>(subject),
                   .cells = {cell(subject, "conforms", parse_case(line), settings)},
                   .cases = std::move(cases),
                   .work = 2e6},
                  settings);
}

TEST(Portrait, NamesTheColumnsThatAMutantDrops) {
  const Portrait p = painted("silu_and_mul", "silu_and_mul rows=3 d=257 seed=1", "silu_and_mul+silu_leaves_last_column");
  ASSERT_EQ(p.looks.size(), 1u);
  const StepLook& out = p.looks[0].steps.at(0);
  EXPECT_EQ(out.wrong, 3);
  EXPECT_EQ(out.looked_at, 3 * 257);
  EXPECT_EQ(out.shares.all(), 3u * 257);
  EXPECT_EQ(out.shares.beyond, 3u);
  const auto& axes = out.map.axes;
  ASSERT_GE(axes.size(), 2u);
  EXPECT_EQ(axes[0].name, "row");
  EXPECT_EQ(axes[0].which, "all 3");
  EXPECT_EQ(axes[1].name, "column");
  EXPECT_EQ(axes[1].which, "the last, 256");
  EXPECT_EQ(axes[1].hit, 1);
  ASSERT_EQ(out.worst.size(), kWorst);
  EXPECT_TRUE(
      std::all_of(out.worst.begin(), out.worst.begin() + 3, [](const EdgeElement& e) { return !e.right && e.place.ends_with(", 256]"); }));
  EXPECT_EQ(p.looks[0].accepted.size(), accept_rules().size());
}

TEST(Portrait, LooksForALargerCaseThatShowsTheFailure) {
  const Portrait p = painted("silu_and_mul", "silu_and_mul rows=1 d=1 seed=1", "silu_and_mul+silu_leaves_last_column",
                             {parse_case("silu_and_mul rows=2 d=9 seed=2"), parse_case("silu_and_mul rows=5 d=99 seed=2")});
  ASSERT_EQ(p.looks.size(), 2u);
  EXPECT_EQ(p.looks[0].line, to_line(parse_case("silu_and_mul rows=5 d=99 seed=2")));
  EXPECT_EQ(p.looks[0].steps.at(0).map.axes.at(1).which, "the last, 98");
}

TEST(Portrait, CountsHeadsAndTokens) {
  const Case c = parse_case("rope_neox tokens=3 q_heads=4 k_heads=2 head_size=64 rot_dim=64 max_position=32 seed=1");
  TensorSpec q{.name = "q", .shape = {3, 4, 64}, .strides = {256, 64}};
  std::vector<Seen> wrong(size_t(q.elements()), Seen::unhit);
  for (int64_t i = 0; i < 64; i++) wrong[size_t(6 * 64 + i)] = Seen::hit;  // token 1, head 2
  const FailingMap map = failing_map(*find<Subject>("rope_neox"), c, q, wrong);
  ASSERT_GE(map.axes.size(), 3u);
  EXPECT_EQ(map.axes[0].name + " " + map.axes[0].which, "token 1");
  EXPECT_EQ(map.axes[1].name + " " + map.axes[1].which, "head 2");
  EXPECT_EQ(map.axes[2].name + " " + map.axes[2].which, "element of a head all 64");
}

TEST(Portrait, FollowsTheErrorOfAProductOverK) {
  const Portrait p = painted("bf16_gemm", "bf16_gemm m=3 n=40 k=200 split_k=2 bias=1 activation=silu seed=1");
  ASSERT_EQ(p.ladder.absent, "");
  EXPECT_EQ(p.ladder.rungs.front().k, 128);
  ASSERT_TRUE(p.ladder.bound);
  EXPECT_GT(p.ladder.bound->exponent, 0);
  for (const Rung& r : p.ladder.rungs) {
    EXPECT_TRUE(r.conforms) << r.line;
    EXPECT_GT(r.elements, 100) << r.line;
    EXPECT_GT(r.error, 0) << r.line;
  }
  ASSERT_EQ(p.tolerances.size(), 1u);
  EXPECT_GT(p.tolerances[0].normal.atol, 0);
}

TEST(Portrait, IsTheSameEveryTime) {
  const Portrait a = painted("silu_and_mul", "silu_and_mul rows=3 d=64 seed=1"),
                 b = painted("silu_and_mul", "silu_and_mul rows=3 d=64 seed=1");
  EXPECT_EQ(a.looks.at(0).steps.at(0).shares, b.looks.at(0).steps.at(0).shares);
  EXPECT_EQ(a.arithmetic, b.arithmetic);
  EXPECT_EQ(a.ladder.absent, "no sum over k");
}

}  // namespace
}  // namespace assay::properties
