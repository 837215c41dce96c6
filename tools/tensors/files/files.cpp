#include "tools/tensors/files/files.hpp"

#include <fmt/format.h>

#include "golden/arrays.hpp"
#include "golden/contents.hpp"
#include "properties/fuzz/reduce.hpp"
#include "tools/tensors/safetensors.hpp"

namespace assay::tools {
namespace {

/// Has a case of its own.
GivenCase from_reproducer(const Contract& contract, const Replay& r) {
  if (!r.line.empty() || !r.names.empty())
    throw BadInput(fmt::format("tensors {}: a reproducer says which case it is of: leave --shapes and --map out", r.file));
  golden::Contents c = golden::read_contents(r.file);
  if (c.reproducer.problem.contract != contract.name)
    throw BadInput(fmt::format("tensors {}: holds a case of {}, not {}", r.file, c.reproducer.problem.contract, contract.name));
  return {.problem = std::move(c.reproducer.problem), .operands = std::move(c.operands), .drawn = {}, .unused = {}};
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string command(const properties::Cell& cell, const Replay& r, const BenchSettings& settings) {
  std::string text =
      fmt::format("assay check {}.{} --tensors {} --backend {}", cell.law, cell.subject, quoted(r.file), name(settings.backend));
  if (!r.line.empty()) text += " --shapes " + quoted(r.line);
  for (const std::string& word : r.names) text += " --map " + quoted(word);
  if (!cell.smallest.plugin.empty()) text += " --plugin " + quoted(cell.smallest.plugin);
  if (!settings.image.empty()) text += " --image " + quoted(settings.image);
  return settings.schedule ? text + fmt::format(" --schedule {}", settings.schedule) : text;
}

int64_t elements_of_all(const Tensors& operands) {
  int64_t all = 0;
  for (const Tensor& t : operands)
    if (t.spec.role != Role::output) all += t.spec.elements();
  return all;
}

/// The operands of a failure; `simplest`: as simple as they can be where they are few.
golden::Contents contents_of(const properties::Cell& cell, const Tensors& operands, const BenchSettings& settings, bool simplest) {
  golden::Contents c{.reproducer = cell.smallest, .reason = cell.verdict.reason, .operands = operands};
  if (!simplest || elements_of_all(operands) > properties::kReducible) return c;
  Bench bench(settings);
  bench.put(cell.smallest.problem, operands);
  const auto reduced =
      properties::reduce(bench, *find<Subject>(cell.subject), *find<Law>(cell.law), cell.smallest.problem, properties::kReductions);
  if (reduced) c.operands = reduced->operands, c.reason = reduced->verdict.reason;
  return c;
}

}  // namespace

GivenCase from_file(const Contract& contract, const Replay& r) {
  if (golden::holds_contents(r.file)) return from_reproducer(contract, r);
  return from_tensors(contract, r, golden::holds_arrays(r.file) ? golden::read_arrays(r.file) : read_safetensors(r.file));
}

void say_again(std::vector<properties::Cell>& cells, const properties::Plan& plan, const Replay& r, const BenchSettings& settings,
               const std::string& folder) {
  for (properties::Cell& cell : cells) {
    if (cell.verdict.outcome != Outcome::fail || cell.smallest.law.empty()) continue;
    cell.again = command(cell, r, settings);
    if (folder.empty()) continue;
    const std::string path = fmt::format("{}/{}-{}.h5", folder, cell.subject, cell.law);
    const auto write = [&](bool simplest) {
      golden::write_contents(path, contents_of(cell, plan.operands, settings, simplest));
      return std::string();
    };
    if (plan.jobs == 0)
      write(true);
    else if (properties::in_child(plan.limits, [&] { return write(true); }).died)
      write(false);   // the kernel is one that ends its process
    cell.again = "assay repro " + quoted(path);
    if (!settings.image.empty()) cell.again += " --image " + quoted(settings.image);
  }
}

}  // namespace assay::tools
