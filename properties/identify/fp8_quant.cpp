// The FP8 quantisers: how a scale is made of the largest magnitude, how it is kept from zero, how it becomes a power of two; whether
// elements are divided by it or multiplied by its reciprocal; how a quotient becomes a code.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "properties/identify/fp8_quant_ways.hpp"

namespace assay::properties {
namespace {

using namespace quantiser;

/// Everything that a candidate chooses.
struct Choice {
  const Way *scale = nullptr, *quotient = nullptr;
  const Floor* floor = nullptr;
  const Power* power = nullptr;
  const Coding* coding = nullptr;
  const OfNan* nan = nullptr;
  bool is_first_floor = true;
};

/// Elements that share a scale, and where it lies.
struct Piece {
  int64_t row, first, end;
  int64_t scale_row, scale_column;
};

std::vector<Piece> pieces(const Case& c) {
  const int64_t rows = c.parameters.whole("rows"), d = c.parameters.whole("d");
  std::vector<Piece> all;
  if (c.contract == "fp8_quant_group") {
    const int64_t group = c.parameters.whole("group");
    const bool columns = c.parameters.word("layout") == "column";
    for (int64_t row = 0; row < rows; row++)
      for (int64_t g = 0; g < d / group; g++) all.push_back({row, g * group, (g + 1) * group, columns ? g : row, columns ? row : g});
    return all;
  }
  for (int64_t row = 0; row < rows; row++) all.push_back({row, 0, d, 0, c.contract == "fp8_quant_token" ? row : 0});
  return all;
}

float amax_of(const Tensor& x, const Piece& p) {
  float most = 0;
  for (int64_t i = p.first; i < p.end; i++) most = std::max(most, std::fabs(float(x.value(p.row, i))));
  return most;
}

float scale_of(float amax, const Choice& choice) {
  float s = choice.scale->of(std::max(amax, choice.floor->before), 0);
  s = std::max(s, choice.floor->after);
  return choice.power && std::isfinite(s) ? choice.power->of(std::max(s, kLeastPower)) : s;
}

std::vector<OutputCode> quantised(const Case& c, const Choice& choice, const Tensors& operands) {
  const Tensor& x = tensor(operands, "x");
  const std::vector<Piece> all = pieces(c);
  std::vector<float> scales;
  for (const Piece& p : all) {
    if (!choice.scale)
      scales.push_back(float(tensor(operands, "scale").value(0, 0)));
    else
      scales.push_back(amax_of(x, p));
  }
  if (c.contract == "fp8_quant_tensor") std::ranges::fill(scales, scales.empty() ? 0 : *std::ranges::max_element(scales));
  if (c.contract == "fp8_quant_token" && c.parameters.whole("bounded"))
    for (float& amax : scales) amax = std::min(amax, float(tensor(operands, "scale_ub").value(0, 0)));
  std::vector<OutputCode> codes;
  for (size_t i = 0; i < all.size(); i++) {
    const Piece& p = all[i];
    const float scale = choice.scale ? scale_of(scales[i], choice) : scales[i];
    if (choice.scale) codes.push_back({"scale", p.scale_row, p.scale_column, encode(Format::fp32, double(scale))});
    for (int64_t k = p.first; k < p.end; k++) {
      const float q = choice.quotient->of(float(x.value(p.row, k)), scale);
      codes.push_back({"y", p.row, k, std::isnan(q) ? saturated(choice.nan->code) : choice.coding->of(q)});
    }
  }
  return codes;
}

/// Contracts whose formula multiplies with the reciprocal have two slots, the others one.
void declare_quotient(Arithmetic& a, const Choice& choice, bool reciprocal_slots) {
  const std::string& name = choice.quotient->name;
  if (!reciprocal_slots) {
    a.with("quotient", choice.quotient->roundings ? Stage{Ops{.count = choice.quotient->roundings}} : Stage{Round{Format::fp32}});
  } else if (name == "x * (1 / scale)") {
    a.with("reciprocal", Round{Format::fp32}).with("product", Round{Format::fp32});
  } else {
    a.with("reciprocal", Ops{.count = 0}).with("product", Ops{.count = std::max(choice.quotient->roundings, 1)});
  }
}

Candidate candidate(const Case& c, const Choice& choice) {
  Candidate found;
  found.choices = {choice.scale ? choice.scale->name : "none",
                   choice.floor ? choice.floor->name : "none",
                   choice.power ? choice.power->name : "none",
                   choice.quotient->name,
                   choice.coding->name,
                   choice.nan->name};
  found.outputs = [c, choice](const Tensors& operands) { return quantised(c, choice, operands); };
  if (choice.scale)
    found.arithmetic.with("scale", choice.scale->roundings ? Stage{Ops{.count = choice.scale->roundings}} : Stage{Round{Format::fp32}});
  declare_quotient(found.arithmetic, choice, c.contract == "fp8_quant_static" || c.contract == "fp8_quant_tensor");
  if (choice.power) {
    const bool logarithm = choice.power == &kPowers[1];
    found.arithmetic.with("exponent", logarithm
                                          ? Fn{.function = "ceil(log2 s)", .relative = 0x1p-24, .source = "a logarithm rounded to FP32"}
                                          : Fn{.function = "ceil(log2 s)", .source = "by the bits of s"});
  }
  auto add = [&](bool declarable, const std::string& what, const std::string& name) {
    if (!declarable) found.beyond += (found.beyond.empty() ? "" : ", ") + what + " " + name;
  };
  add(!choice.floor || choice.is_first_floor, "floor:", choice.floor ? choice.floor->name : "");
  add(!choice.power || choice.power <= &kPowers[1], "power of two:", choice.power ? choice.power->name : "");
  add(choice.quotient != &kQuotients[4], "quotient:", choice.quotient->name);
  add(choice.coding == &kCodings[0], "codes", choice.coding->name);
  add(choice.nan == &kNans[c.contract == "fp8_quant_group" ? 1 : 0], "NaN becomes", choice.nan->name);
  return found;
}

/// The first is the contract's.
std::vector<Floor> floors(const Case& c) {
  if (c.contract == "fp8_quant_tensor" || c.contract == "fp8_quant_static") return {{"none", 0, 0}};
  if (c.contract == "fp8_quant_token")
    return {{"scale at least 1 / (448 * 512)", 0, kLeastRowScale}, {"no floor", 0, 0}, {"amax at least 1e-10", 1e-10f, 0}};
  const auto eps = float(c.parameters.real("eps"));
  return {{"amax at least eps", eps, 0}, {"scale at least eps", 0, eps}, {"no floor", 0, 0}};
}

std::vector<Candidate> candidates(const Case& c, const std::vector<Floor>& floors) {
  const bool given = c.contract == "fp8_quant_static", powers = c.contract == "fp8_quant_group" && c.parameters.word("scales") != "fp32";
  std::vector<Choice> choices;
  for (const Way& quotient : kQuotients)
    for (const Coding& coding : kCodings)
      for (const OfNan& nan : kNans) choices.push_back({.quotient = &quotient, .coding = &coding, .nan = &nan});
  std::vector<Candidate> all;
  for (Choice choice : choices) {
    if (given)
      all.push_back(candidate(c, choice));
    else
      for (const Way& scale : kScales)
        for (const Floor& floor : floors) {
          choice.scale = &scale, choice.floor = &floor, choice.is_first_floor = &floor == floors.data();
          if (!powers)
            all.push_back(candidate(c, choice));
          else
            for (const Power& power : kPowers) choice.power = &power, all.push_back(candidate(c, choice));
        }
  }
  return all;
}

constexpr int kTries = 128;  // a tensor has one scale, of which BF16 has 128 fractions

/// A given scale of 8 bits, and multiples of it that lie half-way between two codes, as far as x holds them: where an error in a last bit
/// shows. Ties of E4M3's subnormal numbers have one bit and more, so that every such scale has some.
Input ties(const Case& c, uint64_t seed) {
  Input input = drawn(c, Fill::normal, c.seed + seed);
  Tensor &x = tensor(input.operands, "x"), &scale = tensor(input.operands, "scale");
  const double s = std::ldexp(1 + double(seed % 128) / 128, -3);
  scale.set_code(0, 0, encode(Format::fp32, s));
  constexpr uint64_t kFinite = 0x7E;  // codes from 0 to 448
  for (int64_t row = 0; row < x.spec.rows(); row++)
    for (int64_t i = 0; i < x.spec.width(); i++) {
      const uint64_t code = uint64_t(row * x.spec.width() + i) % kFinite;
      const double tie = (decode(Format::e4m3fn, code) + decode(Format::e4m3fn, code + 1)) / 2;
      x.set_code(row, i, encode(x.spec.format, s * tie));
    }
  input.name += fmt::format(" with scale {} and x half-way between codes", s);
  return input;
}

Identification identify_quantiser(Bench& bench, const Subject& subject, const Case& c) {
  if (c.contract == "fp8_quant_group" && c.parameters.word("scales") == "packed")
    throw BadInput("scales=packed: identify with scales=ue8m0, whose arithmetic is the same");
  const std::vector<Floor> all_floors = floors(c);
  Sieve sieve(bench, subject, c, {"scale", "floor", "power of two", "quotient", "code", "NaN"}, candidates(c, all_floors));
  sift(sieve, c, {Fill::normal, Fill::exact, Fill::tiny, Fill::outlier, Fill::codes}, kTries);
  if (c.contract == "fp8_quant_static") sieve.separate([&](uint64_t i) { return ties(c, i); }, 128);
  return concluded(sieve, subject, c);
}

}  // namespace

std::vector<Family> quantiser_families() {
  return {{"fp8_quant_static", {"fp8_quant_static rows=8 d=512"}, identify_quantiser},
          {"fp8_quant_tensor", {"fp8_quant_tensor rows=8 d=512"}, identify_quantiser},
          {"fp8_quant_token", {"fp8_quant_token rows=16 d=512", "fp8_quant_token rows=16 d=512 bounded=1"}, identify_quantiser},
          {"fp8_quant_group",
           {"fp8_quant_group rows=8 d=512 group=128", "fp8_quant_group rows=8 d=512 group=128 scales=ue8m0 eps=0.001"},
           identify_quantiser}};
}

}  // namespace assay::properties
