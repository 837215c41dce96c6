#include "tools/report/identify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fixtures/case/shown.hpp"
#include "tools/assay/commands.hpp"
#include "tools/assay/plugins.hpp"
#include "tools/assay/progress.hpp"
#include "tools/report/report.hpp"

namespace assay::tools {
namespace {

const properties::Family& family_named(const std::string& contract) {
  if (const properties::Family* family = properties::family_of(contract)) return *family;
  const char* what = find<Contract>(contract) ? "no candidates are known for contract" : "no contract";
  throw BadInput(fmt::format("{} '{}': want one of {}", what, shown(contract), fmt::join(properties::identifiable_contracts(), ", ")));
}

const Subject& subject_for(const std::string& contract, const std::string& name, bool plugged) {
  std::vector<const Subject*> all;
  std::vector<std::string> names;
  for (const Subject& s : registry<Subject>())
    if (s.contract == contract && (s.name == name || !plugged || !s.plugin.empty())) all.push_back(&s), names.push_back(s.name);
  if (name.empty() && all.size() == 1) return *all[0];
  for (const Subject* s : all)
    if (s->name == name) return *s;
  if (all.empty()) throw BadInput(fmt::format("no kernel of the plug-in implements {}: see assay list --plugin", contract));
  if (name.empty()) throw BadInput(fmt::format("{} has several subjects: want --subject with one of {}", contract, fmt::join(names, ", ")));
  throw BadInput(fmt::format("'{}' is no subject of {}: want one of {}", shown(name), contract, fmt::join(names, ", ")));
}

/// Case lines, their contract left out or not.
std::vector<Case> shapes_of(const properties::Family& family, const std::vector<std::string>& lines) {
  std::vector<Case> all;
  for (const std::string& line : lines.empty() ? family.shapes : lines) {
    const std::string first = line.substr(0, line.find(' '));
    all.push_back(parse_case(find<Contract>(first) ? line : family.name + " " + line));
    if (all.back().contract != family.name)
      throw BadInput(fmt::format("--shapes '{}' is a case of {}, not of {}", shown(line), all.back().contract, family.name));
  }
  return all;
}

/// What is printed and written. Between processes it goes as one line, without the two characters that stand for its ends of lines and of
/// parts.
struct Findings {
  int code = 0;
  std::string text, json;
};
constexpr char kLine = '\x1e', kPart = '\x1f';

std::string in_one_line(const Findings& f) {
  std::string line = fmt::format("{}{}{}{}{}", f.code, kPart, f.text, kPart, f.json);
  std::ranges::replace(line, '\n', kLine);
  return line;
}

Findings from_line(std::string line) {
  std::ranges::replace(line, kLine, '\n');
  const size_t text = line.find(kPart) + 1, json = line.find(kPart, text) + 1;
  return {std::stoi(line), line.substr(text, json - 1 - text), line.substr(json)};
}

}  // namespace

int identify(const IdentifyOptions& options) {
  const properties::Family& family = family_named(options.contract);
  const Plugins plugins = load_plugins(options.plugins, options.backend, options.image);
  const Subject& subject = subject_for(options.contract, options.subject, !options.plugins.empty());
  const std::vector<Case> shapes = shapes_of(family, options.shapes);
  std::vector<std::string> inputs = options.plugins;
  inputs.push_back(options.image);
  report::check_outputs({{"--json", options.json}}, inputs);
  const bool isolated = isolates(options.isolation, plugins);
  const auto look = [&] {
    Bench bench({.backend = plugins.backend, .workers = options.workers, .image = options.image});
    ProgressBar bar;
    std::vector<properties::Identification> all;
    for (size_t i = 0; i < shapes.size(); i++) {
      if (!isolated) bar.show(double(i), shapes.size(), to_line(shapes[i]));
      const auto why = bench.refusal(subject, shapes[i]);
      if (why && options.shapes.empty() && subject.refuses && subject.refuses(shapes[i].parameters)) continue;  // another subject's shape
      all.push_back(properties::identify(bench, subject, shapes[i]));
    }
    if (!isolated) bar.show(double(shapes.size()), shapes.size(), "");
    if (all.empty()) throw BadInput(fmt::format("{} takes none of the shapes that are looked at by default: want --shapes", subject.name));
    return Findings{report::exit_code(all), report::to_text(subject.name, all), report::to_json(subject.name, all)};
  };
  Findings found;
  if (isolated) {
    const properties::Reply told = properties::in_child(limits_of(options.isolation, plugins.backend), [&] { return in_one_line(look()); });
    if (told.died) {
      fmt::print("FAIL  {}\n  {}\n", subject.name, told.text);
      return 1;
    }
    found = from_line(told.text);
  } else {
    found = look();
  }
  fmt::print("{}", found.text);
  if (!options.json.empty()) report::write_file(options.json, found.json);
  return found.code;
}

}  // namespace assay::tools
