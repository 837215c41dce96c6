#include "oracles/arithmetic/arithmetic.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace assay {
namespace {

template <class Kind>
const Kind& stage_of(const Stage* stage, std::string_view slot, const char* kind) {
  const Kind* found = stage ? std::get_if<Kind>(stage) : nullptr;
  if (!found) throw std::invalid_argument(fmt::format("arithmetic: slot '{}' needs a {}", slot, kind));
  return *found;
}

std::string in_parentheses(const std::string& text) { return text.empty() ? "" : fmt::format(" ({})", text); }

/// The shortest text that is exactly x: "0.001", "5*2^-24". A power of two is taken out without rounding.
std::string exact_text(double x) {
  std::string best = fmt::format("{}", x);
  const int exponent = std::ilogb(x);
  if (x == 0 || exponent < -1022) return best;
  for (int e = exponent; e >= exponent - 6; e--)
    if (const std::string text = fmt::format("{}*2^{}", std::ldexp(x, -e), e); text.size() < best.size()) best = text;
  return best;
}

std::string describe(const Sum& s) { return fmt::format("{} sum of depth {}{}", info(s.accumulator).name, s.depth, in_parentheses(s.order)); }
std::string describe(const Fn& f) {
  std::string error;
  auto add = [&](double x, const char* unit) { if (x > 0) error += fmt::format("{}{}{}", error.empty() ? "" : " + ", exact_text(x), unit); };
  add(f.relative, " relative");
  add(f.relative_per_argument, " |x| relative");
  add(f.absolute_per_argument, " |x| absolute");
  const std::string lost = f.smallest == Fn{}.smallest ? "" : fmt::format(", nothing sure below {}", exact_text(f.smallest));
  return fmt::format("{} within {}{}{}", f.function, error.empty() ? "0" : error, lost, in_parentheses(f.source));
}
std::string describe(const Ops& o) { return fmt::format("{} {} rounding{}", o.count, info(o.format).name, o.count == 1 ? "" : "s"); }
std::string describe(const Round& r) { return fmt::format("rounded to {}", info(r.to).name); }

}  // namespace

std::string_view kind_of(const Stage& stage) {
  struct {
    std::string_view operator()(const Sum&) const { return "a sum"; }
    std::string_view operator()(const Dot&) const { return "a dot product"; }
    std::string_view operator()(const Fn&) const { return "a function"; }
    std::string_view operator()(const Ops&) const { return "a count of roundings"; }
    std::string_view operator()(const Round&) const { return "a rounding to a format"; }
  } kind;
  return std::visit(kind, stage);
}

Arithmetic& Arithmetic::with(std::string slot, Stage stage) {
  if (find(slot)) throw std::logic_error("two stages are declared for slot '" + slot + "'");
  stages.emplace_back(std::move(slot), std::move(stage));
  return *this;
}

const Stage* Arithmetic::find(std::string_view slot) const {
  for (const auto& [name, stage] : stages)
    if (name == slot) return &stage;
  return nullptr;
}

const Sum& Arithmetic::sum(std::string_view slot) const { return stage_of<Sum>(find(slot), slot, "sum"); }
const Dot* Arithmetic::dot_if_any(std::string_view slot) const {
  const Stage* stage = find(slot);
  return stage ? std::get_if<Dot>(stage) : nullptr;
}
const Dot& Arithmetic::dot(std::string_view slot) const { return stage_of<Dot>(find(slot), slot, "dot product"); }
const Fn& Arithmetic::fn(std::string_view slot) const { return stage_of<Fn>(find(slot), slot, "function"); }
const Ops& Arithmetic::ops(std::string_view slot) const { return stage_of<Ops>(find(slot), slot, "count of roundings"); }
const Round* Arithmetic::round(std::string_view slot) const {
  const Stage* stage = find(slot);
  return stage ? &stage_of<Round>(stage, slot, "rounding to a format") : nullptr;
}

bool Arithmetic::materialises(std::string_view slot) const {
  const Stage* stage = find(slot);
  return stage && std::holds_alternative<Round>(*stage);
}

std::string Arithmetic::text() const {
  std::string line;
  auto add = [&line](std::string_view part) { line += (line.empty() ? "" : "; "), line += part; };
  for (const auto& [slot, stage] : stages) add(fmt::format("{}: {}", slot, std::visit([](const auto& s) { return describe(s); }, stage)));
  if (contraction == Contraction::always) add("multiply-adds fused");
  if (contraction == Contraction::either) add("multiply-adds fused or not");
  if (flush_subnormals) add("subnormals flushed");
  return line;
}

double unit_roundoff(Format format) { return std::ldexp(1.0, -(info(format).fraction_bits + 1)); }

double growth(Format format, int64_t roundings) {
  // n u / (1 - n u) >= (1+u)^n - 1 (Higham, Accuracy and Stability of Numerical Algorithms, lemma 3.1), for n u < 1
  const double nu = double(roundings) * unit_roundoff(format);
  return nu < 1 ? nu / (1 - nu) * (1 + 0x1p-50) : INFINITY;
}

Fn gpu::rsqrtf() { return {.function = "rsqrtf", .relative = 2.5 * 0x1p-23, .source = "CUDA guide: 2 ulp"}; }

Fn gpu::fast_expf() {
  return {.function = "__expf", .relative = 2.5 * 0x1p-23, .relative_per_argument = 1.224 * 0x1p-24,
          .source = "ex2.approx 2 ulp (PTX ISA) of the rounded product with 0x3FB8AA3B"};
}

}  // namespace assay
