// silu_and_mul: which exponential, which division, and whether silu is rounded to BF16 before the product.
#include "properties/identify/families.hpp"
#include "properties/identify/replay.hpp"
#include "properties/identify/sieve.hpp"
#include "properties/identify/sigmoid.hpp"

namespace assay::properties {
namespace {

struct Materialised {
  std::string name;
  std::optional<Format> format;
};

Candidate candidate(const Silu& silu, const Materialised& before, const OutputRounding& output) {
  Candidate c;
  c.choices = {silu.exponential, silu.division, before.name, output.name};
  c.outputs = [silu, before, output](const Tensors& operands) {
    const Tensor& in = tensor(operands, "gate_up");
    const int64_t d = in.spec.width() / 2;
    std::vector<OutputCode> codes;
    for (int64_t row = 0; row < in.spec.rows(); row++) {
      const std::vector<double> values = in.row(row);
      for (int64_t i = 0; i < d; i++) {
        double s = silu.of(float(values[size_t(i)]));
        if (before.format) s = rounded(*before.format, s);
        codes.push_back({"out", row, i, output.encode(Format::bf16, rounded(Format::fp32, s * values[size_t(d + i)]))});
      }
    }
    return codes;
  };
  declare(c.arithmetic, silu).with("product", Ops{});
  if (before.format) c.arithmetic.with("silu", Round{*before.format});
  if (output.name != output_roundings()[0].name) c.beyond = "output " + output.name;
  return c;
}

std::vector<Candidate> candidates() {
  const Materialised kinds[] = {{"kept in FP32", {}}, {"rounded to BF16", Format::bf16}, {"rounded to FP16", Format::fp16}};
  std::vector<Candidate> all;
  for (const Silu& silu : silu_variants())
    for (const Materialised& before : kinds)
      for (const OutputRounding& output : output_roundings()) all.push_back(candidate(silu, before, output));
  return all;
}

constexpr int kFractions = 128;  // of a BF16 number

/// Gates and values of up on which the candidates that are left differ, from every gate there is and every fraction of up; as many as the
/// case has room for. Nothing where none of them tells any two apart: exponents of up add nothing, as products round alike in every octave.
std::optional<Input> telling_gates(const Case& c, const std::vector<Candidate>& left, uint64_t seed) {
  Case one = c;
  one.parameters.set("rows", int64_t{1});
  one.parameters.set("d", int64_t{kFractions});
  Tensors trial = drawn(one, Fill::normal, 0).operands;
  Tensor& pairs = tensor(trial, "gate_up");
  for (int64_t i = 0; i < kFractions; i++) pairs.set_code(0, kFractions + i, encode(Format::bf16, 1 + double(i) / kFractions));
  Input input = drawn(c, Fill::normal, seed);
  Tensor& chosen = tensor(input.operands, "gate_up");
  const int64_t d = c.parameters.whole("d");
  int64_t placed = 0;
  constexpr uint64_t kGates = 1 << 16;
  for (uint64_t n = 0; n < kGates && placed < chosen.spec.rows() * d; n++) {
    const uint64_t gate = (n * 40503 + seed * 977) % kGates;  // all of them, in another order each time
    for (int64_t i = 0; i < kFractions; i++) pairs.set_code(0, i, gate);
    const auto first = left[0].outputs(trial);
    for (size_t other = 1; other < left.size(); other++) {
      const auto result = left[other].outputs(trial);
      for (size_t i = 0; i < result.size() && placed < chosen.spec.rows() * d; i++)
        if (result[i].code != first[i].code && !(is_nan(Format::bf16, result[i].code) && is_nan(Format::bf16, first[i].code))) {
          chosen.set_code(placed / d, placed % d, gate);
          chosen.set_code(placed / d, d + placed % d, pairs.code(0, kFractions + int64_t(i)));
          placed++;
          break;
        }
    }
  }
  if (placed == 0) return {};
  input.name += " with gates and up chosen to tell candidates apart";
  return input;
}

Identification identify_silu(Bench& bench, const Subject& subject, const Case& c) {
  Sieve sieve(bench, subject, c, {"exponential", "division", "silu before the product", "output"}, candidates());
  sift(sieve, c, {Fill::normal, Fill::one_sided, Fill::outlier, Fill::codes, Fill::huge, Fill::tiny});
  sieve.tell_apart([&](const std::vector<Candidate>& left, uint64_t seed) { return telling_gates(c, left, seed); }, 2);
  return concluded(sieve, subject, c);
}

}  // namespace

Family silu_family() { return {"silu_and_mul", {"silu_and_mul rows=4 d=1024"}, identify_silu}; }

}  // namespace assay::properties
