// fused_add_rms_norm. Squares of one sign cannot hide a unit from a sum, so its order is found among those that blocks of threads have: on
// whole numbers, whose squares add without rounding, everything else first; then orders, with weights chosen so that a last bit of the root
// shows in BF16.
#include <algorithm>
#include <cmath>
#include <set>

#include "fixtures/fill/fill.hpp"
#include "fixtures/fill/random.hpp"
#include "kernels/simt/math/card.hpp"
#include "properties/identify/families.hpp"
#include "properties/identify/replay.hpp"
#include "properties/identify/thread_order.hpp"

namespace assay::properties {
namespace {

/// How a row's factor is made of its sum of squares.
struct Root {
  std::string name;
  float (*of)(float mean, float eps);
  Fn fn;
};
float one_over_root(float mean, float eps) { return 1.0f / std::sqrt(mean + eps); }
float outside(float mean, float eps) { return 1.0f / (std::sqrt(mean) + eps); }
float fast_root(float mean, float eps) { return simt::card::reciprocal_sqrt(mean + eps); }
const Root kRoots[] = {
    {"rsqrtf(mean + eps)", fast_root, gpu::rsqrtf()},
    {"1 / sqrtf(mean + eps)", one_over_root, {.function = "1 / sqrtf", .relative = 2 * 0x1p-24, .source = "two IEEE operations"}},
    {"1 / (sqrtf(mean) + eps)", outside, {.function = "1 / (sqrtf + eps)", .relative = 3 * 0x1p-24, .source = "three IEEE operations"}}};

struct Mean {
  std::string name;
  float (*of)(float sum, float d);
  int roundings;
};
const Mean kMeans[] = {{"sum / d", [](float sum, float d) { return sum / d; }, 1},
                       {"sum * (1 / d)", [](float sum, float d) { return sum * (1.0f / d); }, 2}};

/// z times root times weight.
struct Product {
  std::string name;
  float (*of)(float z, float root, float weight);
  bool declarable = true;  // all in FP32
};
float in_order(float z, float root, float w) { return z * root * w; }
float root_and_weight_first(float z, float root, float w) { return z * (root * w); }
float weight_first(float z, float root, float w) { return z * w * root; }
float bf16_before_weight(float z, float root, float w) { return float(rounded(Format::bf16, z * root)) * w; }
float bf16_root(float z, float root, float w) { return z * float(rounded(Format::bf16, root)) * w; }
const Product kProducts[] = {{"(z * root) * weight", in_order},
                             {"z * (root * weight)", root_and_weight_first},
                             {"(z * weight) * root", weight_first},
                             {"bf16(z * root) * weight", bf16_before_weight, false},
                             {"(z * bf16(root)) * weight", bf16_root, false}};

struct Squares {
  std::string name;
  bool rounded;
};
const Squares kSquares[] = {{"of the residual as rounded", true}, {"of the sum before it is rounded", false}};

struct Choice {
  ThreadOrder order;
  const Mean* mean;
  const Root* root;
  const Product* product;
  const Squares* squares;
};

struct Row {
  std::vector<float> sum, z;
  float root = 0;
};

Row row_of(const Case& c, const Choice& choice, const Tensors& operands, int64_t row) {
  Row r;
  const std::vector<double> x = tensor(operands, "x").row(row), residual = tensor(operands, "residual").row(row);
  for (size_t i = 0; i < x.size(); i++) {
    r.sum.push_back(float(x[i]) + float(residual[i]));
    r.z.push_back(float(rounded(Format::bf16, r.sum.back())));
  }
  const float squares = sum_of_squares(choice.squares->rounded ? r.z : r.sum, choice.order);
  r.root = choice.root->of(choice.mean->of(squares, float(x.size())), float(c.parameters.real("eps")));
  return r;
}

uint64_t output(const Choice& choice, float z, float root, double weight) {
  return encode(Format::bf16, choice.product->of(z, root, float(weight)));
}

std::vector<OutputCode> normalised(const Case& c, const Choice& choice, const Tensors& operands) {
  const std::vector<double> weight = tensor(operands, "weight").row(0);
  std::vector<OutputCode> codes;
  for (int64_t row = 0; row < c.parameters.whole("rows"); row++) {
    const Row r = row_of(c, choice, operands, row);
    for (size_t i = 0; i < r.z.size(); i++) {
      codes.push_back({"residual", row, int64_t(i), encode(Format::bf16, double(r.z[i]))});
      codes.push_back({"x", row, int64_t(i), output(choice, r.z[i], r.root, weight[i])});
    }
  }
  return codes;
}

Candidate candidate(const Case& c, const Choice& choice) {
  Candidate found;
  found.choices = {choice.order.name(), choice.squares->name, choice.mean->name, choice.root->name, choice.product->name};
  found.outputs = [c, choice](const Tensors& operands) { return normalised(c, choice, operands); };
  found.arithmetic.with("sum", Sum{.depth = choice.order.depth(c.parameters.whole("d")), .order = choice.order.name()})
      .with("mean", Ops{.count = choice.mean->roundings})
      .with("epsilon", Ops{})
      .with("rsqrt", choice.root->fn)
      .with("normalise", Ops{})
      .with("weight", Ops{});
  auto add = [&](bool declarable, const std::string& what) {
    if (!declarable) found.beyond += (found.beyond.empty() ? "" : ", ") + what;
  };
  add(choice.squares->rounded, "squares " + choice.squares->name);
  add(choice.root->of != outside, choice.root->name);
  add(choice.product->declarable, choice.product->name);
  return found;
}

constexpr int kFractions = 128;  // of a BF16 number
constexpr int kTellingInputs =
    48;  // of 16 rows each: two orders whose roots differ in a tenth of the rows, a quarter of which can be told, meet 19 that tell

const std::vector<std::string> kDimensions{"order of the sum", "squares", "mean", "root", "product"};

/// x and residual whole numbers up to 8 in magnitude: z at most 16, so that 2^16 squares stay below 2^24.
Input whole_numbers(const Case& c, uint64_t seed) {
  Input input = drawn(c, Fill::normal, seed);
  input.name += " with x and residual whole numbers up to 8";
  for (const char* name : {"x", "residual"}) {
    Tensor& t = tensor(input.operands, name);
    const Stream stream(seed, name);
    for (int64_t row = 0; row < t.spec.rows(); row++)
      for (int64_t i = 0; i < t.spec.width(); i++)
        t.set_code(row, i, encode(Format::bf16, double(stream.below(17, uint64_t(row * t.spec.width() + i))) - 8));
  }
  return input;
}

/// Columns of a row by the fraction bits of z, which with those of the weight are all that decides how a product rounds.
std::vector<std::vector<int64_t>> columns_by_fraction(const std::vector<float>& z) {
  std::vector<std::vector<int64_t>> columns(kFractions);
  for (size_t i = 0; i < z.size(); i++)
    if (z[i] != 0) columns[encode(Format::bf16, double(z[i])) % kFractions].push_back(int64_t(i));
  return columns;
}

/// Weights under which neighbouring roots that the choices give for a row round to different results somewhere. Of two roots an ulp apart a
/// quarter can be told: there are 2^13 products of two BF16 fractions, and one in 2^15 has a boundary of BF16 between them.
Input telling_weights(const Case& c, const std::vector<Choice>& choices, uint64_t seed) {
  Input input = drawn(c, Fill::normal, seed);
  input.name += " with weights that tell the roots of orders apart";
  Tensor& weight = tensor(input.operands, "weight");
  std::vector<bool> taken(size_t(weight.spec.width()));
  for (int64_t row = 0; row < c.parameters.whole("rows"); row++) {
    std::set<float> met;
    for (const Choice& choice : choices) met.insert(row_of(c, choice, input.operands, row).root);
    const std::vector<float> roots(met.begin(), met.end()), z = row_of(c, choices[0], input.operands, row).z;
    const auto columns = columns_by_fraction(z);
    auto tells = [&](size_t r, int64_t i, double w) {
      return output(choices[0], z[size_t(i)], roots[r], w) != output(choices[0], z[size_t(i)], roots[r + 1], w);
    };
    auto tell = [&](size_t r) {
      for (const std::vector<int64_t>& alike : columns) {
        const auto free = std::ranges::find_if(alike, [&](int64_t i) { return !taken[size_t(i)]; });
        for (int fraction = 0; free != alike.end() && fraction < kFractions; fraction++) {
          const double w = 1 + double(fraction) / kFractions;
          if (!tells(r, *free, w)) continue;
          weight.set_code(0, *free, encode(Format::bf16, w));
          taken[size_t(*free)] = true;
          return;
        }
      }
    };
    for (size_t r = 0; r + 1 < roots.size(); r++) tell(r);
  }
  return input;
}

Identification identify_norm(Bench& bench, const Subject& subject, const Case& c) {
  std::vector<Candidate> plain;
  std::vector<Choice> plain_choices;
  for (const Squares& squares : kSquares)
    for (const Mean& mean : kMeans)
      for (const Root& root : kRoots)
        for (const Product& product : kProducts) {
          plain_choices.push_back({ThreadOrder{}, &mean, &root, &product, &squares});
          plain.push_back(candidate(c, plain_choices.back()));
        }
  Sieve first(bench, subject, c, kDimensions, plain);
  for (uint64_t i = 0; i < 3; i++) first.compare(whole_numbers(c, c.seed + i));
  first.separate([&](uint64_t i) { return whole_numbers(c, c.seed + 3 + i); }, 8);
  if (first.empty()) return concluded(first, subject, c);

  std::vector<Choice> choices;
  for (const Candidate& s : first.survivors())
    for (const Choice& p : plain_choices)
      if (candidate(c, p).choices == s.choices)
        for (const ThreadOrder& order : thread_orders()) {
          choices.push_back(p);
          choices.back().order = order;
        }
  std::vector<Candidate> ordered;
  for (const Choice& choice : choices) ordered.push_back(candidate(c, choice));
  Sieve second(bench, subject, c, kDimensions, ordered);
  second.tell_apart(
      [&](const std::vector<Candidate>& left, uint64_t seed) {
        std::vector<Choice> some;
        for (const Candidate& s : left)
          for (size_t n = 0; n < ordered.size(); n++)
            if (ordered[n].choices == s.choices) some.push_back(choices[n]);
        return std::optional(telling_weights(c, some, c.seed + seed));
      },
      kTellingInputs);
  Identification id = concluded(second, subject, c);
  for (Trait& f : id.findings)  // what the first sieve spoke against
    for (const Trait& g : first.findings())
      if (g.name == f.name) f.contradicted.insert(f.contradicted.end(), g.contradicted.begin(), g.contradicted.end());
  id.inputs += first.inputs(), id.elements += first.elements(), id.candidates += first.candidates();
  return id;
}

}  // namespace

Family norm_family() {
  return {"fused_add_rms_norm", {"fused_add_rms_norm rows=16 d=768", "fused_add_rms_norm rows=16 d=4096"}, identify_norm};
}

}  // namespace assay::properties
