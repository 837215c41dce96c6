#include "oracles/arithmetic/parse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "oracles/arithmetic/reader.hpp"
#include "oracles/parameters.hpp"

namespace assay {
namespace {

constexpr std::string_view kKinds =
    "'fp32 sum of depth N', 'fp32 sum in any order', 'NAME within X relative', 'N fp32 roundings', 'rounded to FORMAT', or an instruction "
    "such as 'tensor core bf16, ascending k'";

Format format(Reader& in) {
  const std::string word(in.word());
  const auto found = format_named(word);
  if (!found || !info(*found).floating) in.complain("want a floating-point format: fp32, bf16, fp16, e4m3fn, e5m2", word.size());
  return *found;
}

double figure(Reader& in) {
  const double m = in.number<double>();
  const double x = in.eat("*2^") ? std::ldexp(m, int(in.number<int64_t>(-1100, 1023))) : m;
  if (!(x >= 0) || std::isinf(x)) in.complain("an error is a finite number that is not negative");
  return x;
}

// ---- stages other than dot products

Fn function(Reader& in, std::string_view name) {
  Fn fn{.function = std::string(name)};
  if (!in.eat_all("0") && !(in.peek("0 (") && in.eat("0")) && !(in.peek("0, ") && in.eat("0"))) {
    do {
      const double x = figure(in);
      double& to = in.eat(" relative") ? fn.relative : in.eat(" |x| relative") ? fn.relative_per_argument : fn.absolute_per_argument;
      if (&to == &fn.absolute_per_argument && !in.eat(" |x| absolute")) in.complain("want 'relative', '|x| relative' or '|x| absolute'");
      to += x;
    } while (in.eat(" + "));
  }
  if (in.eat(", nothing sure below ")) fn.smallest = figure(in);
  fn.source = in.parenthesis();
  return fn;
}

Stage counted(Reader& in, int64_t terms) {
  if (in.peek_digit()) {
    const auto count = int(in.number<int64_t>(0, 1000000));
    in.want(" ");
    const Ops ops{.format = format(in), .count = count};
    in.want(" rounding");
    if (count != 1) in.want("s");
    return ops;
  }
  Sum sum{.accumulator = format(in)};
  in.want(" sum ");
  if (in.eat("in any order"))
    sum.depth = std::max<int64_t>(terms - 1, 0);
  else
    in.want("of depth "), sum.depth = in.number<int64_t>(0, int64_t{1} << 40);
  sum.order = in.parenthesis();
  return sum;
}

// ---- dot products

Rounding rounding(Reader& in) {
  for (Rounding r : {Rounding::fp32_toward_zero, Rounding::e8m13_toward_zero, Rounding::fp32_to_nearest, Rounding::fp16_to_nearest})
    if (in.eat(name(r))) return r;
  in.complain("want 'fp32 toward zero', '13 fraction bits toward zero', 'fp32 to nearest' or 'fp16 to nearest'");
}

/// An instruction that is described whole.
Instruction described(Reader& in, std::string_view name) {
  Instruction i{.name = std::string(name), .aligned_bits = 0};
  i.terms = int(in.number<int64_t>(1, 4096));
  in.want(i.terms == 1 ? " product a sum" : " products a sum");
  if (in.eat(" aligned to ")) i.aligned_bits = int(in.number<int64_t>(1, 60)), in.want(" bits");
  in.want(", ");
  i.rounding = rounding(in);
  in.want(", ");
  i.depth = int(in.number<int64_t>(1, 4096));
  in.want(" k of ");
  i.operands = format(in);
  in.want(" at a time)");
  if (i.depth % i.terms) in.complain(fmt::format("{} k at a time are no multiple of {} products", i.depth, i.terms));
  return i;
}

std::string names_of_instructions() {
  std::vector<std::string> names;
  for (const Instruction& i : known_instructions())
    if (names.empty() || names.back() != i.name) names.push_back(i.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Instruction instruction(Reader& in) {
  for (const Instruction& i : known_instructions())
    if (in.eat(describe(i))) return i;
  const std::string_view name = in.until({" (", ","});
  if (in.eat(" (")) return described(in, name);
  for (const Instruction& i : known_instructions())
    if (i.name == name) return i;
  in.complain(fmt::format("'{}' is no instruction by that name alone: want one of {}, or another with its '(N products a sum ...)'",
                          name.substr(0, 40), names_of_instructions()),
              name.size());
}

Promotion promotion(Reader& in) {
  Promotion p;
  while (in.eat(", added to fp32 every ")) {
    if (p.inner) in.complain("at most two promotions, one within the other");
    p.inner = p.every, p.every = in.number<int64_t>(1, int64_t{1} << 40);
    in.want(" k");
  }
  if (p.inner && p.every % p.inner) in.complain(fmt::format("{} k are no multiple of the {} within", p.every, p.inner));
  if (in.eat(" by a scale of ")) {
    p.scale_roundings = int(in.number<int64_t>(0, 1000));
    in.want(p.scale_roundings == 1 ? " rounding" : " roundings");
  }
  p.fused = !in.eat(" unfused");
  return p;
}

std::vector<Chain> equal_chains(Reader& in, std::optional<int64_t> count, int64_t k) {
  const int64_t length = in.number<int64_t>(1, int64_t{1} << 40);
  in.want(" k");
  const std::vector<Chain> chains = contiguous_chains(k, (std::max<int64_t>(k, 1) + length - 1) / length, length);
  if (count && *count != int64_t(chains.size()))
    in.complain(fmt::format("{} k are {} chains of {}, not {}", k, chains.size(), length, *count));
  return chains;
}

std::vector<Chain> listed_chains(Reader& in) {
  std::vector<Chain> chains;
  while (in.eat(" ")) {
    Chain c{.first = in.number<int64_t>(0, int64_t{1} << 40)};
    in.want("..");
    c.end = in.number<int64_t>(c.first, int64_t{1} << 40);
    if (in.eat(":")) {
      c.width = in.number<int64_t>(1, int64_t{1} << 40);
      in.want("/");
      c.stride = in.number<int64_t>(c.width, int64_t{1} << 40);
    }
    chains.push_back(c);
    if (!in.peek(" ") || in.peek(" each")) break;
  }
  return chains;
}

/// Nothing: undeclared.
std::vector<Chain> order(Reader& in, int64_t k) {
  if (in.eat(", in an undeclared order") || in.done()) return {};
  if (in.eat(", ascending k")) return {{.end = k}};
  if (in.peek(", chains by row and column"))
    in.complain("chains by row and column cannot be told in a text: name the chains, or leave the order undeclared");
  if (in.eat(", chains of ")) return equal_chains(in, {}, k);
  if (in.eat(", chains")) return listed_chains(in);
  in.want(", ", "want ', in an undeclared order', ', ascending k', ', N chains of L k' or ', chains FIRST..END ...'");
  const int64_t count = in.number<int64_t>(1, int64_t{1} << 40);
  in.want(" chains of ");
  return equal_chains(in, count, k);
}

Combination combination(Reader& in) {
  Combination c;
  if (in.eat(" each rounded to ")) c.part = format(in);
  if (!in.eat(", added in ")) {
    if (!in.done()) in.complain("want ', added in FORMAT in order' or ', added in FORMAT in any order'");
    return c;
  }
  c.sum = format(in);
  c.ascending = !in.eat(" in any order");
  if (c.ascending) in.want(" in order");
  if (in.eat(" of depth ")) c.depth = in.number<int64_t>(1, int64_t{1} << 40);
  if (in.eat(", first ")) {
    c.together = in.number<int64_t>(2, int64_t{1} << 20);
    in.want(fmt::format(" by {}", c.together));
  }
  c.into_output = in.eat(", the last in the result");
  return c;
}

Dot dot(Reader& in, int64_t k) {
  Dot dot{.instruction = instruction(in)};
  dot.promotion = promotion(in);
  dot.chains = order(in, k);
  dot.combination = combination(in);
  return dot;
}

Stage stage(Reader& in, int64_t terms) {
  if (in.eat("rounded to ")) return Round{format(in)};
  if (const auto function_name = in.before(" within ")) return function(in, *function_name);
  const std::string_view first = in.peek_word();
  if (in.peek_digit() || (format_named(first) && in.peek(std::string(first) + " sum "))) return counted(in, terms);
  if (in.done()) in.complain(fmt::format("want {}", kKinds));
  return dot(in, terms);
}

bool is_slot(std::string_view name) {
  constexpr size_t kLongest = 40;  // no contract's is half as long, and complaints repeat it
  return !name.empty() && name.size() <= kLongest && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
}

}  // namespace

Arithmetic parse_arithmetic(std::string_view text, int64_t terms) {
  Arithmetic arithmetic;
  bool tail = false;
  for (std::string_view part : stages_of(text)) {
    if (part == "multiply-adds fused" || part == "multiply-adds fused or not") {
      arithmetic.contraction = part.ends_with("or not") ? Contraction::either : Contraction::always, tail = true;
      continue;
    }
    if (part == "subnormals flushed") {
      arithmetic.flush_subnormals = true, tail = true;
      continue;
    }
    const size_t colon = std::min(part.find(": "), part.size());
    const std::string_view slot = part.substr(0, colon);
    if (colon == part.size() || !is_slot(slot) || tail)
      throw BadInput(
          fmt::format("arithmetic: '{}': want 'slot: stage', then '; ' and more of them, last 'multiply-adds fused', 'multiply-adds "
                      "fused or not' and 'subnormals flushed'",
                      part.substr(0, 60)));
    if (arithmetic.declares(slot)) throw BadInput(fmt::format("arithmetic: stage '{}' is declared twice", slot));
    Reader in(slot, part.substr(colon + 2));
    Stage parsed = stage(in, terms);
    if (!in.done()) in.complain("nothing more is expected");
    arithmetic.with(std::string(slot), std::move(parsed));
  }
  return arithmetic;
}

}  // namespace assay
