#include "tools/report/identify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace assay::report {
namespace {

using properties::Agreement, properties::Trait, properties::Identification;

constexpr size_t kShown = 3;  // of the choices that bits spoke against; the JSON report has all

std::string text_of(const Trait& f) {
  std::string text =
      fmt::format("  {:<22} {}\n", f.name, f.found.empty() ? "not determined" : fmt::format("{}", fmt::join(f.found, " | ")));
  if (f.found.size() > 1)
    text += fmt::format("  {:<22}   not told apart by any input tried: where one is declared, its bound must hold for all\n", "");
  if (!f.evidence.empty()) text += fmt::format("  {:<22}   by {}\n", "", f.evidence);
  for (size_t i = 0; i < std::min(kShown, f.contradicted.size()); i++)
    text += fmt::format("  {:<22}   not {}: {}: {}\n", "", f.contradicted[i].choice, f.contradicted[i].input, f.contradicted[i].difference);
  if (f.contradicted.size() > kShown) text += fmt::format("  {:<22}   nor {} others\n", "", f.contradicted.size() - kShown);
  return text;
}

std::string agreement_of(const Identification& id) {
  switch (id.agreement) {
    case Agreement::same: return fmt::format("declared: same ({})", id.declared);
    case Agreement::wider: return fmt::format("declared: holds, and allows more than was found ({})", id.declared);
    case Agreement::contradicted: return "declared: contradicted: " + id.disagreement;
    case Agreement::none: return id.declared.empty() ? "declared: nothing" : fmt::format("declared: not compared ({})", id.declared);
  }
  return {};
}

std::string text_of(const Identification& id) {
  std::string text = fmt::format("{}\n", to_line(id.problem));
  if (!id.identified()) {
    text += fmt::format("  no candidate reproduces it: {}\n", id.why_not);
    for (const Trait& f : id.findings)
      if (!f.evidence.empty()) text += text_of(f);
  } else {
    for (size_t i = 0; i < std::min(kShown, id.arithmetic.size()); i++)
      text += fmt::format("  {:<22} {}\n", i ? "or" : "declare", id.arithmetic[i]);
    if (id.arithmetic.size() > kShown) text += fmt::format("  {:<22} {} others\n", "or", id.arithmetic.size() - kShown);
    for (const Trait& f : id.findings)
      if (f.found != std::vector<std::string>{"none"}) text += text_of(f);
  }
  return text +
         fmt::format("  {}\n  {} candidates, {} inputs, {} elements compared\n", agreement_of(id), id.candidates, id.inputs, id.elements);
}

}  // namespace

int exit_code(const std::vector<Identification>& all) {
  return std::ranges::any_of(all, [](const Identification& id) { return !id.identified() || id.agreement == Agreement::contradicted; });
}

std::string to_text(const std::string& subject, const std::vector<Identification>& all) {
  std::string text = fmt::format("{}\n", subject);
  for (const Identification& id : all) text += "\n" + text_of(id);
  return text;
}

}  // namespace assay::report
