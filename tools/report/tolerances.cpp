#include "tools/report/tolerances.hpp"

#include <fmt/format.h>

namespace assay::report {
namespace {

using properties::Allowance, properties::Tolerance;

constexpr std::string_view kHead = R"(# Tolerances

What the declared arithmetic of each subject allows, from the bounds that `assay check` judges by; [oracles](README.md) derives them, and
[why](DERIVATIONS.md) in short. Made by `assay tolerances`; the committed table on a GPU by

    assay tolerances --backend cuda --markdown oracles/TOLERANCES.md --json oracles/tolerances.json

and kept by a test that makes it again.

* **bound**: how far an output may lie from the exact value before it is rounded to its format, as a share of the sum of the magnitudes of
  its terms (of itself where nothing is summed): median and largest of the case's elements, N(0,1) data. `0`: one legal value.
* **from**: the term that dominates it.
* **rtol, atol**: for those who must call an allclose: |y - x| <= atol + rtol |x|, x exact, holds for every y that the judge accepts. rtol is
  the unit roundoff of the output's format, atol the widest bound of the sample; for N(0,1) data and for that times 1/sqrt(K) (by its scales
  where it is quantised), weight scales as the fills draw them. An allclose has one atol for all elements: it accepts, beside what is right, what the judge rejects.
* **used**: the largest share of its bound that the kernel used beyond the rounding of its output, N(0,1) and 1/sqrt(K) data; measured on
  {}.
)";

std::string number(double x) { return x == 0 ? "0" : fmt::format("{:.2g}", x); }

std::string pair(const Allowance& a) { return a.atol == 0 ? "equal" : fmt::format("{}, {}", number(a.rtol), number(a.atol)); }

std::string used(const Tolerance& t) {
  if (t.normal.largest == 0) return "";
  auto one = [](double share) { return share < 0 ? std::string("-") : fmt::format("{:.2f}", share); };
  return one(t.normal.used) + ", " + one(t.sqrt_k.used);
}

std::string row(const Tolerance& t) {
  const Allowance& a = t.normal;
  const std::string bound = a.largest == 0 ? "0" : number(a.median) + " .. " + number(a.largest);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", t.subjects, t.step, t.settings, t.k ? std::to_string(t.k) : "", bound,
                     a.largest == 0 ? "" : name(a.dominant), pair(a), pair(t.sqrt_k), used(t));
}

}  // namespace

std::string to_markdown(const ToleranceReport& r) {
  std::string text = fmt::format(kHead, r.measured_on.empty() ? "nothing" : r.measured_on), contract;
  for (const Tolerance& t : r.rows) {
    if (t.contract != contract) {
      contract = t.contract;
      text += fmt::format("\n## {}\n\n| subjects | step | settings | K | bound | from | rtol, atol: N(0,1) | rtol, atol: 1/sqrt(K) | used |\n"
                          "|---|---|---|---|---|---|---|---|---|\n",
                          contract);
    }
    text += row(t);
  }
  return text;
}

}  // namespace assay::report
