#include "oracles/arithmetic/parse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "oracles/parameters.hpp"

namespace assay {
namespace {

bool same(const Dot& a, const Dot& b) {
  return a.instruction == b.instruction && a.chains == b.chains && a.promotion == b.promotion && a.combination == b.combination;
}
template <class T>
bool same(const T& a, const T& b) {
  return a == b;
}

bool same(const Arithmetic& a, const Arithmetic& b) {
  if (a.contraction != b.contraction || a.flush_subnormals != b.flush_subnormals || a.all().size() != b.all().size()) return false;
  for (size_t i = 0; i < a.all().size(); i++) {
    const auto& [slot_a, stage_a] = a.all()[i];
    const auto& [slot_b, stage_b] = b.all()[i];
    if (slot_a != slot_b || stage_a.index() != stage_b.index()) return false;
    if (!std::visit([&other = stage_b](const auto& s) { return same(s, std::get<std::decay_t<decltype(s)>>(other)); }, stage_a))
      return false;
  }
  return true;
}

/// Draws declarations with every kind of stage and every option of it.
class Draw {
 public:
  explicit Draw(unsigned seed) : random(seed) {}

  int64_t k() { return whole(1, 5000); }
  Arithmetic arithmetic(int64_t k) {
    Arithmetic a;
    for (int64_t i = 0, count = whole(0, 5); i < count; i++) a.with("slot_" + std::to_string(i), stage(k));
    a.contraction = Contraction(whole(0, 2)), a.flush_subnormals = whole(0, 1);
    return a;
  }

 private:
  std::mt19937 random;

  int64_t whole(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); }
  bool coin() { return whole(0, 1); }
  double real() { return std::ldexp(std::uniform_real_distribution<>(0, 1)(random), int(whole(-130, 2))); }
  double figure() {
    return coin() ? 0 : coin() ? double(whole(1, 99)) / 100 : coin() ? std::ldexp(double(whole(1, 20)), int(whole(-60, -1))) : real();
  }
  Format format() { return std::array{Format::fp32, Format::bf16, Format::fp16, Format::e4m3fn, Format::e5m2}[size_t(whole(0, 4))]; }
  std::string words() {
    return std::array{"", "a tree", "8 links; then (a tree (of 32)), rounded to bf16", "sum: within 0"}[size_t(whole(0, 3))];
  }

  Instruction instruction() {
    const auto& known = known_instructions();
    if (coin()) return known[size_t(whole(0, int64_t(known.size()) - 1))];
    const int terms = int(whole(1, 32));
    return {.name = "some core",
            .depth = int(terms * whole(1, 4)),
            .terms = terms,
            .aligned_bits = coin() ? 0 : int(whole(1, 40)),
            .rounding = Rounding(whole(0, 3)),
            .operands = format()};
  }
  std::vector<Chain> chains(int64_t k) {
    if (coin()) return coin() ? std::vector<Chain>() : std::vector<Chain>{{.end = k}};
    if (coin()) return contiguous_chains(k, whole(1, 6), whole(1, 200));
    std::vector<Chain> all;
    for (int64_t i = 0, count = whole(2, 4); i < count; i++) {
      const int64_t first = whole(0, k), width = whole(1, 40);
      all.push_back({.first = first, .end = whole(first, k)});
      if (coin()) all.back().width = width, all.back().stride = width + whole(0, 50);
    }
    return all;
  }
  Promotion promotion() {
    Promotion p;
    if (coin()) return p;
    p.inner = coin() ? 0 : whole(1, 64), p.every = p.inner ? p.inner * whole(1, 8) : whole(1, 300);
    p.scale_roundings = int(whole(0, 2)), p.fused = coin();
    return p;
  }
  Combination combination() {
    Combination c{.part = format(), .sum = format(), .ascending = coin(), .into_output = coin()};
    if (c.ascending)
      c.together = whole(1, 3);
    else
      c.depth = whole(0, 4);
    return c;
  }
  Stage stage(int64_t k) {
    switch (whole(0, 4)) {
      case 0: return Sum{.accumulator = format(), .depth = whole(0, 3000), .order = words()};
      case 1: return Ops{.format = format(), .count = int(whole(0, 9))};
      case 2: return Round{format()};
      case 3:
        return Fn{.function = coin() ? "f of x" : "ceil(log2 x)",
                  .relative = figure(),
                  .relative_per_argument = figure(),
                  .absolute_per_argument = figure(),
                  .smallest = coin() ? 0x1p-126 : figure(),
                  .source = words()};
      default: {
        Dot dot{.instruction = instruction(), .chains = chains(k), .promotion = promotion()};
        if (dot.chains.size() > 1) dot.combination = combination();
        return dot;
      }
    }
  }
};

TEST(ParseArithmetic, IsTheInverseOfPrinting) {
  for (unsigned seed = 0; seed < 5000; seed++) {
    Draw draw(seed);
    const int64_t k = draw.k();
    const Arithmetic declared = draw.arithmetic(k);
    const std::string text = declared.text();
    try {
      const Arithmetic parsed = parse_arithmetic(text, k);
      ASSERT_TRUE(same(parsed, declared)) << text << "\n" << parsed.text();
    } catch (const BadInput& e) {
      FAIL() << e.what() << "\n" << text;
    }
  }
}

TEST(ParseArithmetic, NamesAloneAndChainsWithoutANumberAreEnough) {
  const Arithmetic a = parse_arithmetic("dot: wgmma e4m3, added to fp32 every 128 k, chains of 256 k, added in fp32 in order", 1000);
  EXPECT_EQ(a.dot("dot").instruction, sm_90::wgmma_e4m3());
  EXPECT_EQ(a.dot("dot").chains, contiguous_chains(1000, 4, 256));
  EXPECT_EQ(parse_arithmetic("dot: ffma", 7).dot("dot").chains.size(), 0u);
  EXPECT_EQ(parse_arithmetic("s: fp32 sum in any order", 7).sum("s").depth, 6);
}

std::string complaint(const char* text) {
  try {
    parse_arithmetic(text, 1024);
  } catch (const BadInput& e) {
    return e.what();
  }
  return "none";
}

TEST(ParseArithmetic, BadTextIsOneLineWithTheStageAndWhatWouldBeRight) {
  EXPECT_EQ(complaint("exp: __expf within 2 ulp"), "arithmetic: stage 'exp', at ' ulp': want 'relative', '|x| relative' or '|x| absolute'");
  EXPECT_EQ(complaint("mean: 1 fp33 rounding"),
            "arithmetic: stage 'mean', at 'fp33 rounding': want a floating-point format: fp32, bf16, fp16, e4m3fn, e5m2");
  EXPECT_EQ(complaint("a: 2 fp32 rounding"), "arithmetic: stage 'a', at its end: want 's'");
  EXPECT_EQ(complaint("a: rounded to bf16; a: rounded to fp16"), "arithmetic: stage 'a' is declared twice");
  EXPECT_EQ(complaint("dot: tensor core bf16, 3 chains of 512 k"),
            "arithmetic: stage 'dot', at its end: 1024 k are 2 chains of 512, not 3");
  EXPECT_NE(complaint("dot: tensor core bf16, chains by row and column").find("name the chains, or leave the order undeclared"),
            std::string::npos);
  EXPECT_NE(complaint("dot: tensor core bf17")
                .find("'tensor core bf17' is no instruction by that name alone: want one of tensor core bf16, tensor core fp16"),
            std::string::npos);
  EXPECT_NE(complaint("dot").find("'dot': want 'slot: stage'"), std::string::npos);
  EXPECT_NE(complaint("a: ").find("arithmetic: stage 'a', at its end: want 'fp32 sum of depth N'"), std::string::npos);
  EXPECT_EQ(complaint("a: f within 0 ((x)"), "arithmetic: parentheses that are not balanced");
  EXPECT_EQ(complaint("a: f within -1 relative"),
            "arithmetic: stage 'a', at ' relative': an error is a finite number that is not negative");
}

TEST(ParseArithmetic, DamagedTextNeverEndsInAnythingButAComplaint) {
  std::mt19937 random(1);
  for (unsigned seed = 0; seed < 3000; seed++) {
    Draw draw(seed);
    const int64_t k = draw.k();
    std::string text = draw.arithmetic(k).text();
    for (int i = 0; i < 3 && !text.empty(); i++) {
      const size_t at = random() % text.size();
      if (random() % 2)
        text.erase(at, 1 + random() % 5);
      else
        text.insert(at, 1, char(" ;:(),0k"[random() % 8]));
    }
    try {
      const Arithmetic parsed = parse_arithmetic(text, k);
      EXPECT_TRUE(same(parse_arithmetic(parsed.text(), k), parsed)) << text << "\n" << parsed.text();
    } catch (const BadInput& e) {
      EXPECT_EQ(std::string(e.what()).rfind("arithmetic: ", 0), 0u);
    }
  }
}

}  // namespace
}  // namespace assay
