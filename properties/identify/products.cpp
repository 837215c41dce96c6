// Matrix products: the order of the sum from masks, the roundings of the main loop under scales of one, then how weights are dequantised,
// then the epilogue. Each step keeps what the one before left.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "properties/identify/loops.hpp"
#include "properties/identify/masks.hpp"
#include "properties/identify/product_candidate.hpp"

namespace assay::properties {
namespace {

constexpr Fill kFillsUsed[] = {Fill::normal, Fill::one_sided, Fill::outlier, Fill::cancelling};

/// The same problem without what comes after the sum.
Case without_epilogue(Case c) {
  for (const Setting& s : c.parameters.all()) {
    if (s.name == "bias") c.parameters.set("bias", int64_t{0});
    if (s.name == "activation") c.parameters.set("activation", std::string("none"));
  }
  return c;
}

Input plain_input(const Case& c, const ProductKind& kind, Fill fill, uint64_t seed) {
  Input input = drawn(c, fill, seed);
  kind.make_plain(input.operands);
  if (kind.scales_weights || kind.scales_sums || c.contract == "fp8_scaled_gemm") input.name += " with scales of 1";
  return input;
}

/// The k of the chain that takes the last one; empty for one chain.
std::vector<bool> last_part(const Dot& dot, int64_t k) {
  if (dot.chains.size() < 2) return {};
  for (const Chain& c : dot.chains) {
    std::vector<bool> in(static_cast<size_t>(k));
    for (int64_t first = c.first; first < c.end; first += c.width ? c.stride : c.end - c.first)
      for (int64_t i = first; i < std::min(c.end, first + (c.width ? c.width : c.end - c.first)); i++) in[size_t(i)] = true;
    if (in.back()) return in;
  }
  return {};
}

Epilogue rounding_alone() {
  return {"none", [](const Tensors& t, int64_t, int64_t, double sum) { return encode(tensor(t, "y").spec.format, sum); },
          [](Arithmetic&) {}, ""};
}

/// A sieve over products, with what each of them chooses.
struct Products {
  std::vector<Product> all;
  std::vector<std::vector<std::string>> choices;

  void add(Product p, std::vector<std::string> chosen) { all.push_back(std::move(p)), choices.push_back(std::move(chosen)); }
  std::vector<Candidate> candidates(const std::shared_ptr<Views>& views, const ProductKind& kind) const {
    std::vector<Candidate> some;
    for (size_t i = 0; i < all.size(); i++) {
      Candidate c{.choices = choices[i],
                  .outputs = [p = all[i], views](const Tensors& t) { return outputs(p, *views, t); },
                  .arithmetic = {},
                  .beyond = {}};
      declare(c, all[i], kind);
      some.push_back(std::move(c));
    }
    return some;
  }
  std::vector<Product> left(const Sieve& sieve) const {
    std::vector<Product> some;
    for (const Candidate& s : sieve.survivors())
      for (size_t i = 0; i < all.size(); i++)
        if (choices[i] == s.choices) some.push_back(all[i]);
    return some;
  }
};

/// Adds what a step found; whether anything is left.
bool add_step(Identification& id, const Sieve& sieve) {
  for (Trait& f : sieve.findings()) {
    const bool absent = f.found == std::vector<std::string>{"none"} && f.contradicted.empty() && f.untold.empty();
    if (!absent) id.findings.push_back(std::move(f));
  }
  id.inputs += sieve.inputs(), id.elements += sieve.elements(), id.candidates += sieve.candidates();
  if (sieve.empty()) id.why_not = sieve.nearest();
  return !sieve.empty();
}

/// Whether the declared main loop gives what the found one does, on the same inputs; else the first element that it does not.
void compare_loops(Identification& id, const Subject& subject, const Case& c, const ProductKind& kind, Views& views, const Product& found) {
  const Arithmetic kept = subject.arithmetic && subject.declared ? subject.arithmetic(c.parameters) : Arithmetic();
  const Dot* declared = kept.dot_if_any("dot");
  if (!declared || (declared->chains.empty() && !declared->chains_of)) return;
  if (declared->instruction.aligned_bits == 0 && declared->instruction.terms > 1) {  // exact sums of several products
    id.agreement = Agreement::none;
    return;
  }
  Product other = found;
  other.loop = {.dot = declared->at(0, 0)};
  auto differs = [&](const Input& input) {
    const auto x = outputs(found, views, input.operands), y = outputs(other, views, input.operands);
    for (size_t e = 0; e < x.size(); e++) {
      if (x[e] == y[e]) continue;
      id.agreement = Agreement::contradicted;
      id.disagreement = fmt::format("'dot: {}' gives {:g} for y[{}, {}] of {}, where the kernel gives {:g}", describe(*declared),
                                    decode(kind.result, y[e].code), y[e].row, y[e].column, input.name, decode(kind.result, x[e].code));
      return true;
    }
    return false;
  };
  for (Fill fill : kFillsUsed)
    for (uint64_t seed = c.seed; seed < c.seed + 3; seed++)
      if (differs(drawn(c, fill, seed)) || differs(cancelling(drawn(c, fill, seed), kind, seed))) return;
}

Identification identify_product(Bench& bench, const Subject& subject, const Case& c) {
  Identification id{.problem = c};
  const ProductKind kind = product_kind(c);
  const Case bare = without_epilogue(c);
  const int64_t k = c.parameters.whole("k");

  const Order order = order_of(bench, subject, bare, kind);
  std::vector<Skeleton> forms;
  if (order.sums)
    if (const auto lists = listed(*order.sums)) forms = skeletons(*lists, k, kind.operands, kind.is_split);
  id.findings.push_back({.name = "order of k", .found = {}, .evidence = evidence(order)});
  if (forms.empty()) {
    id.why_not = order.sums ? "the order of the sum is of no form that can be declared: " + evidence(order)
                            : "no order of additions explains the masks: " + order.why_not;
    conclude(id, subject, {});
    return id;
  }
  id.findings.back().found.push_back(words(forms.front()));

  // The main loop. Most candidates fall on one column.
  const auto views = std::make_shared<Views>(kind);
  const std::vector<bool> part = last_part(forms.front().dot, k);
  Products loops_tried;
  for (LoopChoice& choice : loops(forms)) loops_tried.add({choice.loop, {}, rounding_alone()}, choice.choices);
  Sieve roundings(bench, subject, bare, loop_dimensions(), loops_tried.candidates(views, kind));
  views->columns = 1;
  for (uint64_t i = 0; i < 3; i++) roundings.compare(cancelling(plain_input(bare, kind, Fill::normal, c.seed + i), kind, c.seed + i));
  views->columns = kColumns;
  for (Fill fill : kFillsUsed)
    for (uint64_t i = 0; i < 3; i++) {
      roundings.compare(plain_input(bare, kind, fill, c.seed + i));
      roundings.compare(cancelling(plain_input(bare, kind, fill, c.seed + i), kind, c.seed + i));
      if (!part.empty()) roundings.compare(cancelling(plain_input(bare, kind, fill, c.seed + i), kind, c.seed + i, part));
    }
  roundings.separate(
      [&](uint64_t i) {
        const Input plain = plain_input(bare, kind, kFillsUsed[i / 2 % std::size(kFillsUsed)], c.seed + 3 + i);
        return cancelling(plain, kind, c.seed + 3 + i, i % 2 ? part : std::vector<bool>());
      },
      24);
  if (!add_step(id, roundings)) return conclude(id, subject, {}), id;

  // Scales, and what comes after the sum.
  Products whole;
  for (const Product& p : loops_tried.left(roundings))
    for (const Dequantisation& d : dequantisations(kind, c, p.loop))
      for (const Epilogue& e : epilogues(c)) whole.add({p.loop, d, e}, {describe(p.loop.dot), d.name, e.name});
  Sieve last(bench, subject, c, {"main loop", "scales", "epilogue"}, whole.candidates(views, kind));
  const std::vector<Fill> fills(std::begin(kFillsUsed), std::end(kFillsUsed));
  sift(last, c, fills);
  last.separate([&](uint64_t i) { return cancelling(drawn(c, fills[i % fills.size()], c.seed + i), kind, c.seed + i); }, 24);
  last.tell_apart(
      [&](const std::vector<Candidate>& left, uint64_t seed) {
        std::vector<std::string> names;
        for (const Candidate& s : left) names.push_back(s.choices[2]);
        return telling_epilogue(c, kind, names, c.seed + seed);
      },
      4);
  const bool found = add_step(id, last);
  std::erase_if(id.findings, [](const Trait& f) { return f.name == "main loop"; });
  conclude(id, subject, last.survivors());
  if (found) compare_loops(id, subject, c, kind, *views, whole.left(last).front());
  return id;
}

}  // namespace

std::vector<Family> product_families() {
  auto of = [](std::vector<std::string> shapes) {
    const std::string name = shapes.front().substr(0, shapes.front().find(' '));
    return Family{name, std::move(shapes), identify_product};
  };
  return {of({"bf16_gemm m=8 n=8 k=256", "bf16_gemm m=8 n=8 k=448 split_k=3 bias=1", "bf16_gemm m=8 n=8 k=64 activation=silu"}),
          of({"fp8_scaled_gemm m=8 n=8 k=320 a_scale=per_token b_scale=per_channel", "fp8_scaled_gemm m=8 n=8 k=320 bias=1 dtype=fp16"}),
          of({"fp8_block_gemm m=8 n=8 k=320"}),
          of({"w4a16_gemm m=8 n=64 k=384 group=32", "w4a16_gemm m=8 n=64 k=640 group=128 sms=3 zeros=1 dtype=fp16"}),
          of({"w8a16_fp8_gemm m=8 n=64 k=256 group=128"}),
          of({"gptq_gemm m=8 n=8 k=272 group=16", "gptq_gemm m=51 n=8 k=64 group=16"}),
          of({"awq_gemm m=8 n=8 k=288 group=32 split_k=3"})};
}

}  // namespace assay::properties
