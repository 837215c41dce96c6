#include "properties/identify/identify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "properties/identify/families.hpp"

namespace assay::properties {
namespace {

const std::vector<Family>& families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> some{silu_family(), norm_family(), gemv_family()};
    for (auto more : {quantiser_families(), product_families()}) some.insert(some.end(), more.begin(), more.end());
    std::ranges::sort(some, {}, &Family::name);
    return some;
  }();
  return all;
}

/// The first two runs on the case's own operands that differ, if any: nothing can be said of bits that change.
std::optional<std::string> changing(Bench& bench, const Subject& subject, const Case& c) {
  constexpr int kRuns = 4;  // on the emulator each but the first with a schedule of its own
  const Tensors first = bench.run(subject, c, 0).outputs;
  for (int attempt = 1; attempt < kRuns; attempt++) {
    const Tensors& again = bench.run(subject, c, attempt).outputs;
    for (size_t i = 0; i < first.size() && i < again.size(); i++)
      for (int64_t row = 0; row < first[i].spec.rows(); row++)
        for (int64_t column = 0; column < first[i].spec.width(); column++)
          if (first[i].code(row, column) != again[i].code(row, column))
            return fmt::format(
                "bits change from run to run, so that no order of additions is its own: {}: {}[{}, {}] is {:g} once and {:g} once",
                to_line(c), first[i].spec.name, row, column, first[i].value(row, column), again[i].value(row, column));
  }
  return {};
}

}  // namespace

const Family* family_of(const std::string& contract) {
  const auto found = std::ranges::find(families(), contract, &Family::name);
  return found == families().end() ? nullptr : &*found;
}

std::vector<std::string> identifiable_contracts() {
  std::vector<std::string> names;
  for (const Family& f : families()) names.push_back(f.name);
  return names;
}

Identification identify(Bench& bench, const Subject& subject, const Case& c) {
  // Masks run some 2 k times k / 256 probes: larger shapes add time, and chains and parts show on small ones.
  constexpr double kMostMultiplyAdds = 0x1p23;
  const double work = c.definition().work(c.parameters).multiply_adds;
  if (work > kMostMultiplyAdds)
    throw BadInput(
        fmt::format("{}: {:.2g} multiply-adds; what to declare is found on shapes of at most {:.2g}", to_line(c), work, kMostMultiplyAdds));
  if (work == 0) throw BadInput(fmt::format("{}: it has no elements", to_line(c)));
  if (const auto why = bench.refusal(subject, c)) throw BadInput(fmt::format("{}: {}", to_line(c), *why));
  const Run& run = bench.run(subject, c);
  if (!run.error.empty()) throw BadInput(fmt::format("{}: {}", to_line(c), run.error));
  if (const auto why = changing(bench, subject, c)) {
    Identification id{.problem = c, .why_not = *why};
    conclude(id, subject, {});
    return id;
  }
  return family_of(c.contract)->identify(bench, subject, c);
}

}  // namespace assay::properties
