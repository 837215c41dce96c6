#include "tools/assay/plugins.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "fixtures/fill/fill.hpp"
#include "fixtures/memory/room.hpp"
#include "oracles/declaration.hpp"

namespace assay::tools {
namespace {

constexpr double kMostWork = 1e6;  // multiply-adds of the case on which bounds are compared: a moment's work

constexpr double kPatience = 60;   // seconds for loading a plug-in: libraries of some gigabytes from a slow disk

/// Standard output and error go nowhere while it lives.
class Silence {
 public:
  Silence() {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (size_t i = 0; i < 2; i++) {
      std::fflush(streams[i]);
      kept[i] = dup(fileno(streams[i]));
      if (nowhere >= 0) dup2(nowhere, fileno(streams[i]));
    }
    close(nowhere);
  }
  ~Silence() {
    for (size_t i = 0; i < 2; i++) {
      std::fflush(streams[i]);
      dup2(kept[i], fileno(streams[i])), close(kept[i]);
    }
  }
  Silence(const Silence&) = delete;

 private:
  std::FILE* const streams[2] = {stdout, stderr};
  int kept[2];
};

bool takes(const Subject& s, const Case& c) { return s.contract == c.contract && (!s.refuses || !s.refuses(c.parameters)); }

/// The sum of all bounds of a case, earlier steps' outputs taken from the operands.
double total_of_bounds(const Case& c, const Tensors& operands, const Arithmetic& arithmetic) {
  double total = 0;
  for (const Step& step : c.definition().steps) {
    if (step.compare != Compare::value) continue;
    const Oracle oracle = step.prepare({c.parameters, operands, operands, arithmetic});
    for_each_expected(step, oracle, c.parameters, tensor(operands, step.tensor).spec, [&](int64_t, int64_t, const Expected& e) {
      if (e.inside && std::isfinite(e.bound.total())) total += e.bound.total();
    });
  }
  return total;
}

/// "7.1 times as wide as those of silu_and_mul (silu_and_mul rows=1 ...)", or nothing where there is nothing to compare.
std::string width_text(const Subject& subject, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    if (c.fill != Fill::normal || !takes(subject, c) || c.definition().work(c.parameters).multiply_adds > kMostWork) continue;
    for (const Subject& other : registry<Subject>()) {
      if (!other.plugin.empty() || !takes(other, c)) continue;
      const Tensors operands = make_tensors(c);
      const double own = total_of_bounds(c, operands, subject.arithmetic(c.parameters)),
                   declared = total_of_bounds(c, operands, other.arithmetic(c.parameters));
      if (own > 0 && declared > 0) return fmt::format("{:.3g} times as wide as those of {} ({})", own / declared, other.name, to_line(c));
    }
  }
  return {};
}

}  // namespace

std::vector<const Subject*> Plugins::subjects() const {
  std::vector<const Subject*> all;
  for (const Subject& s : registry<Subject>())
    if (std::ranges::find(files, s.plugin) != files.end()) all.push_back(&s);
  return all;
}

Selection Plugins::only(Selection selection, const std::vector<std::string>& words) const {
  if (files.empty()) return selection;
  std::erase_if(selection.subjects,
                [&](const Subject* s) { return s->plugin.empty() && std::ranges::find(words, s->name) == words.end(); });
  if (selection.subjects.empty())
    throw BadInput(fmt::format("the filter selects none of the kernels of {}: see assay list --plugin", fmt::join(files, ", ")));
  return selection;
}

Plugin loaded(const std::string& file) {
  const auto load = [&] {
    load_plugin(file);
    return std::string();
  };
  if (const properties::Reply told = properties::in_child({.patience = kPatience}, load); told.died)
    throw BadInput(fmt::format("plug-in {}: cannot be loaded: {}", file, told.text));
  const Silence silence;
  return load_plugin(file);
}

bool isolates(const IsolationOptions& options, const Plugins& plugins) {
  return options.isolate || !plugins.files.empty() || plugins.backend == Backend::cuda;
}

properties::Limits limits_of(const IsolationOptions& options, Backend backend) {
  const double most = options.gigabytes > 0 ? options.gigabytes * 1e9 : host_memory();
  return {.patience = options.limit, .bytes = is_emulated(backend) ? most : 0, .chosen = options.gigabytes > 0};   // a GPU's driver reserves more than there is
}

Plugins load_plugins(const std::vector<std::string>& files, const std::string& backend, const std::string& image) {
  Plugins all{.backend = backend_named(backend.empty() ? "emu" : backend), .files = files};
  if (files.empty()) return all;
  if (!image.empty()) throw BadInput("--image replaces the image of our kernels: a plug-in's kernels have none");
  for (const std::string& file : files) {
    const Plugin plugin = loaded(file);
    if (backend.empty() && &file == &files.front()) all.backend = plugin.backend;
    if (plugin.backend != all.backend)
      throw BadInput(
          fmt::format("plug-in {}: was built for backend {}, not {}: {}", file, name(plugin.backend), name(all.backend),
                      backend.empty() ? "check plug-ins of one backend at a time" : "leave --backend out, or build it for that one"));
    add_to_registry(plugin);
  }
  return all;
}

std::vector<report::Undeclared> undeclared(const std::vector<const Subject*>& subjects, const std::vector<Case>& cases,
                                           const std::optional<properties::Limits>& limits) {
  std::vector<report::Undeclared> all;
  for (const Subject* s : subjects) {
    const Contract& contract = *find<Contract>(s->contract);
    if (s->declared || !contract.slots) continue;
    report::Undeclared one{.subject = s->name,
                   .assumed = fmt::format("{} declares no arithmetic. Assumed: {}\n", s->name, s->arithmetic(standard_case(contract).parameters).text()),
                   .advice = fmt::format("  its plug-in may declare {}\n  as 'assay list {}' shows it", slots_text(contract), contract.name)};
    const auto width = [&] { return width_text(*s, cases); };
    const properties::Reply told = limits ? properties::in_child(*limits, width) : properties::Reply{.text = width()};
    if (!told.died && !told.text.empty()) one.assumed += fmt::format("  its bounds are {}\n", told.text);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace assay::tools
