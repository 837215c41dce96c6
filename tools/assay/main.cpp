// The command line of Assay. Exit codes: 0 all passed, 1 a failure, 2 bad usage or input, 3 nothing was checked.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <limits>
#include <system_error>

#include "fixtures/case/shown.hpp"
#include "oracles/parameters.hpp"
#include "tools/assay/commands.hpp"

namespace {

using namespace assay::tools;

constexpr const char* kCommands = "check, merge, fuzz, identify, repro, golden, bench, tolerances, mutants or list";
constexpr const char* kFooter =
    "A case is one line: a contract, name=value for its parameters, fill= and seed=; see 'assay list <contract>'.\n"
    "Exit codes: 0 all passed, 1 a failure, 2 bad usage or input, 3 nothing was checked (or part of it proves too little).";

/// In decimal: CLI11 takes -1 for 2^64 - 1, cuts larger numbers off, and reads 010 as eight.
CLI::Validator whole_number(uint64_t low = 0, uint64_t high = std::numeric_limits<uint64_t>::max()) {
  return CLI::Validator(
      [=](const std::string& text) -> std::string {
        uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool whole = error == std::errc{} && end == text.data() + text.size() && std::to_string(value) == text;
        if (whole && value >= low && value <= high) return {};
        const bool any = low == 0 && high == std::numeric_limits<uint64_t>::max();
        return fmt::format("'{}' is not a whole number {}", assay::shown(text), any ? "below 2^64" : fmt::format("from {} to {}", low, high));
      },
      "");
}

/// CLI::Range lets NaN through.
CLI::Validator number(double low, double high) {
  return CLI::Validator(
      [=](const std::string& text) {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc{} && end == text.data() + text.size() && value >= low && value <= high
                   ? std::string()
                   : fmt::format("'{}' is not a number from {} to {}", assay::shown(text), low, high);
      },
      "");
}

CLI::Validator path() {
  return CLI::Validator([](const std::string& text) { return text.empty() ? std::string("want a path") : std::string(); }, "");
}

void add_plugins(CLI::App* command, std::vector<std::string>& plugins, const char* text) {
  command->add_option("--plugin", plugins, text)->allow_extra_args(false)->check(path());
}

void add_workers(CLI::App* command, int& workers) {
  command->add_option("--workers", workers, "emulator: threads that run blocks; 0 for one a core")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
}

void add_schedule(CLI::App* command, uint64_t& seed) {
  command->add_option("--schedule", seed, "emulator: seed of a random schedule of lanes, warps and blocks; 0 runs them in order")
      ->check(whole_number())
      ->capture_default_str();
}

void add_image(CLI::App* command, std::string& image) {
  command->add_option("--image", image, "run this kernel image, a file or the name of one beside the program, in place of the subject's own");
}

void add_judge_all(CLI::App* command, bool& all) {
  command->add_flag("--judge-all", all, "judge every element of large matrix products, not a sample of rows and columns")
      ->disable_flag_override();
}

void add_limits(CLI::App* command, IsolationOptions& o) {
  command->add_option("--limit", o.limit, "isolated: seconds for one law on one case")->check(number(0.1, 1e6))->capture_default_str();
  command->add_option("--memory", o.gigabytes, "isolated: GB that a process may allocate; 0: what the machine has. Not on a GPU")
      ->check(number(0, 1e6))
      ->capture_default_str();
}

void add_isolation(CLI::App* command, IsolationOptions& o) {
  command->add_flag("--isolate", o.isolate, "run kernels in other processes: one that crashes, hangs or ends its process fails, and the run goes on; plug-ins, and all kernels on a GPU, always do")
      ->disable_flag_override();
  add_limits(command, o);
}

void add_check(CLI::App& app, CheckOptions& o) {
  auto* c = app.add_subcommand("check", "check subjects against laws on the cases of a suite and on drawn ones");
  c->add_option("filter", o.filter, "subjects, contracts, laws or law.subject, with * as wildcard; all by default");
  c->add_option("--backend", o.backend,
                "emu (any machine), checked (emu that also watches every access) or cuda; by default what the plug-ins were built for, or emu");
  add_plugins(c, o.plugins, "check the kernels of this shared object (fixtures/plugin/assay_plugin.h), and of ours those that the filter names");
  auto* suite = c->add_option("--suite", o.suite, "a suite's name (assay list) or a file's path")->capture_default_str();
  auto* seed = c->add_option("--seed", o.seed, "seed of the drawn cases")->check(whole_number())->capture_default_str();
  auto* cases = c->add_option("--cases", o.cases, "cases to draw for each subject")->check(whole_number(0, 1000000))->capture_default_str();
  add_schedule(c, o.schedule);
  add_workers(c, o.workers);
  add_image(c, o.image);
  add_judge_all(c, o.judge_all);
  c->add_option("--ledger", o.ledger, "TOML file of known failures; by default properties/ledger.toml, which is built in")->check(path());
  c->add_option("--json", o.json, "write a report to this file")->check(path());
  c->add_option("--junit", o.junit, "write JUnit XML to this file")->check(path());
  auto* page = c->add_option("--report", o.report, "write a page of HTML to this file: subjects in depth, element by element")->check(path());
  auto* tensors = c->add_option("--tensors", o.tensors, "a .safetensors or HDF5 file: its tensors are the operands of the one case that is checked")
                      ->check(path())
                      ->excludes(suite)
                      ->excludes(seed)
                      ->excludes(cases)
                      ->excludes(page);
  c->add_option("--map", o.map, "operand=tensor, where a tensor of the file has another name than the contract's")->allow_extra_args(false)->needs(tensors);
  c->add_option("--shapes", o.shapes, "words of a case line in quotes, 'group=128 eps=1e-5': parameters that do not follow from the tensors' shapes; with a fill, operands that the file lacks are drawn")
      ->needs(tensors);
  c->add_option("--out", o.out, "folder for a reproducer of each failure on --tensors")->check(path())->needs(tensors);
  add_isolation(c, o.isolation);
  c->add_option("--jobs", o.jobs, "run cases in so many processes; 0: in one where kernels are isolated, else in this one")->check(whole_number(0, 1024));
  auto* journal = c->add_option("--journal", o.journal, "write what is learned to this file, and go on from what it holds")->check(path());
  auto* shard = c->add_option("--shard", o.shard, "k/n: every n-th case from the k-th on; --json then writes what assay merge joins");
  tensors->excludes(journal)->excludes(shard);
}

void add_merge(CLI::App& app, MergeOptions& o) {
  auto* c = app.add_subcommand("merge", "join the reports of the shards of a check: the report of the whole run");
  c->add_option("files", o.files, "reports that assay check --shard k/n --json wrote, one of each shard")->required()->check(path());
  c->add_option("--json", o.json, "write the report to this file")->check(path());
  c->add_option("--junit", o.junit, "write JUnit XML to this file")->check(path());
}

void add_repro(CLI::App& app, ReproOptions& o) {
  auto* c = app.add_subcommand("repro", "run one reproducer or case line again");
  c->add_option("line", o.line, "the line, in quotes, or a file that assay fuzz --out wrote")->required();
  c->add_option("--backend", o.backend, "emu, checked or cuda, whatever the line says");
  c->add_option("--plugin", o.plugin, "the shared object that the subject comes from, whatever the line says")->check(path());
  add_judge_all(c, o.judge_all);
  add_image(c, o.image);
  add_isolation(c, o.isolation);
}

void add_fuzz(CLI::App& app, FuzzOptions& o) {
  auto* c = app.add_subcommand("fuzz", "draw cases of a contract where they are thinnest, shrink and group what fails");
  c->add_option("contract", o.contract, "the contract (see assay list)")->required();
  c->add_option("--subject", o.subject, "one of its subjects, with * as wildcard; all by default");
  add_plugins(c, o.plugins, "fuzz the kernels of this shared object (fixtures/plugin/assay_plugin.h) instead of ours");
  c->add_option("--time", o.time, "when to stop: 60, 60s, 5m, 2h, in all runs on the journal; 60s where there is no --cases");
  c->add_option("--cases", o.cases, "cases to try of each subject")->check(whole_number(1, 1000000000));
  c->add_option("--backend", o.backend, "emu (any machine), checked (emu that also watches every access) or cuda; by default emu, or what the plug-in was built for");
  c->add_option("--seed", o.seed, "seed of the drawn cases")->check(whole_number())->capture_default_str();
  c->add_option("--jobs", o.jobs, "processes; 0 for one a core")->check(whole_number(0, 1024))->capture_default_str();
  add_schedule(c, o.schedule);
  c->add_option("--multiply-adds", o.multiply_adds, "of a case at most; 0: on the emulator 1.5e5 of a matrix product, 6e5 otherwise; 1e7 on a GPU")->check(number(0, 1e12));
  add_image(c, o.image);
  c->add_option("--journal", o.journal, "write what is learned to this file, and go on from what it holds")->check(path());
  c->add_option("--ledger", o.ledger, "TOML file of known failures, which are no findings; by default properties/ledger.toml, which is built in")
      ->check(path());
  c->add_option("--out", o.out, "reduce the contents of failures too, and write them to this folder, for assay repro FILE.h5")->check(path());
  c->add_option("--json", o.json, "write a report to this file")->check(path());
  c->add_option("--report", o.report, "write a page of HTML to this file: findings, coverage, subjects in depth")->check(path());
  add_limits(c, o.isolation);
}

void add_bench(CLI::App& app, BenchOptions& o) {
  auto* c = app.add_subcommand("bench", "how fast subjects are, beside what the card allows and beside cuBLAS");
  c->add_option("filter", o.filter, "subjects or contracts, with * as wildcard; all by default");
  c->add_option("--backend", o.backend, "cuda, or emu: the emulator's host time, which says nothing of a GPU's")->capture_default_str();
  c->add_option("--shapes", o.shapes, "suites, files or case lines in quotes; by default the suite bench, and smoke on the emulator")
      ->allow_extra_args(false);
  c->add_option("--repeats", o.repeats, "measurements of each time; 0: what a fifth of a second allows, 10 to 200 (emulator: 3 to 100)")
      ->check(whole_number(0, 100000))
      ->capture_default_str();
  c->add_option("--time", o.seconds, "seconds after which nothing more is measured, what was measured is reported; 0 for no limit")
      ->check(number(0, 1e6))
      ->capture_default_str();
  add_workers(c, o.workers);
  add_image(c, o.image);
  c->add_option("--json", o.json, "write a report to this file")->check(path());
}

void add_tolerances(CLI::App& app, ToleranceOptions& o) {
  auto* c = app.add_subcommand("tolerances", "what the declared arithmetic of subjects allows, as a table over format, granularity and K");
  c->add_option("filter", o.filter, "subjects or contracts, with * as wildcard; all by default");
  c->add_option("--suite", o.suite, "a suite's name (assay list) or a file's path")->capture_default_str();
  c->add_option("--backend", o.backend, "none, or emu or cuda: also run the kernels, for the share of the bound that they use")->capture_default_str();
  c->add_option("--multiply-adds", o.multiply_adds, "emulator: cases of more are not run; 0 for no limit")
      ->check(number(0, 1e18))
      ->capture_default_str();
  add_workers(c, o.workers);
  c->add_option("--markdown", o.markdown, "write the table to this file")->check(path());
  c->add_option("--json", o.json, "write the table to this file")->check(path());
}

void add_mutants(CLI::App& app, MutantOptions& o) {
  auto* c = app.add_subcommand("mutants", "faults planted in copies of the kernels: which laws see them, and what the accept rules of other suites let pass");
  c->add_option("filter", o.filter, "mutants or kernels, with * as wildcard; all by default");
  c->add_option("--folder", o.folder, "of mutant files; by default properties/mutants. Their images lie beside the program")->check(path());
  c->add_option("--seed", o.seed, "seed of the drawn cases")->check(whole_number())->capture_default_str();
  c->add_option("--cases", o.cases, "cases to draw for each mutant that names none")->check(whole_number(1, 1000000))->capture_default_str();
  c->add_option("--markdown", o.markdown, "write the table to this file")->check(path());
  c->add_option("--json", o.json, "write a report to this file")->check(path());
}

void add_identify(CLI::App& app, IdentifyOptions& o) {
  auto* c = app.add_subcommand("identify", "which arithmetic reproduces a kernel's bits: what to declare of an unknown one");
  c->add_option("contract", o.contract, "what the kernel computes (assay list)")->required();
  c->add_option("--subject", o.subject, "the kernel; by default the contract's only subject. What it declares is compared, and no evidence");
  add_plugins(c, o.plugins, "a kernel of this shared object (fixtures/plugin/assay_plugin.h) instead of ours");
  c->add_option("--backend", o.backend, "emu (any machine) or cuda; by default emu, or what the plug-in was built for");
  c->add_option("--shapes", o.shapes, "case lines in quotes, 'm=8 n=8 k=256'; by default some of the contract's")->allow_extra_args(false);
  add_workers(c, o.workers);
  add_image(c, o.image);
  c->add_option("--json", o.json, "write a report to this file")->check(path());
  add_limits(c, o.isolation);
}

void add_golden(CLI::App& app, GoldenOptions& o) {
  auto* c = app.add_subcommand("golden", "golden records: the bits that kernels gave, and whether they still do")->require_subcommand(1);
  auto* record = c->add_subcommand("record", "run the cases of a suite and keep the bits");
  record->add_option("--suite", o.suite, "a suite's name (assay list) or a file's path")->capture_default_str();
  record->add_option("--out", o.out, "folder to write <architecture>/<suite>/<subject>.h5 to")->required()->check(path());
  auto* verify = c->add_subcommand("verify", "run every recorded case and compare every bit; where bits may differ, bounds");
  auto* approve =
      c->add_subcommand("approve", "put newly recorded files in the place of those that are compared with, and say what changes");
  approve->add_option("folder", o.fresh, "that assay golden record wrote")->required()->check(path());
  approve->add_option("--records", o.records, "folder whose files they replace; by default as for verify")->check(path());
  approve->add_flag("--dry-run", o.dry_run, "say what would change, and write nothing");
  verify->add_option("--records", o.records, "folder of golden files; by default $ASSAY_RECORDS, then golden/records")->check(path());
  add_image(verify, o.image);
  for (CLI::App* command : {record, verify}) {
    command->add_option("filter", o.filter, "subjects or contracts, with * as wildcard; all by default");
    command->add_option("--backend", o.backend, "emu (any machine) or cuda")->capture_default_str();
    add_workers(command, o.workers);
  }
}

/// CLI11 would only say that a command is missing.
void require_command(CLI::App& app, int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first.empty()) throw assay::BadInput(fmt::format("no command: want {} (see assay --help)", kCommands));
  if (first[0] != '-' && app.get_subcommands([&](const CLI::App* a) { return a->get_name() == first; }).empty())
    throw assay::BadInput(
        fmt::format("unknown command '{}': want {} (see assay --help)", assay::shown(first), kCommands));
  const std::string second = first == "golden" && argc > 2 ? argv[2] : "";
  if (first == "golden" && second != "record" && second != "verify" && second != "approve" && !second.starts_with('-'))
    throw assay::BadInput(
        fmt::format("golden: unknown command '{}': want record, verify or approve (see assay golden --help)", assay::shown(second)));
}

int run(int argc, char** argv) {
  CLI::App app{"Assay: does a quantised LLM kernel compute what it says it computes?"};
  CheckOptions check_options;
  MergeOptions merge_options;
  ReproOptions repro_options;
  FuzzOptions fuzz_options;
  GoldenOptions golden_options;
  BenchOptions bench_options;
  ToleranceOptions tolerance_options;
  MutantOptions mutant_options;
  IdentifyOptions identify_options;
  std::vector<std::string> names, plugins;
  app.footer(kFooter);
  app.set_version_flag("--version", ASSAY_VERSION);
  add_check(app, check_options);
  add_merge(app, merge_options);
  add_repro(app, repro_options);
  add_fuzz(app, fuzz_options);
  add_golden(app, golden_options);
  add_bench(app, bench_options);
  add_tolerances(app, tolerance_options);
  add_mutants(app, mutant_options);
  add_identify(app, identify_options);
  auto* list_command =
      app.add_subcommand("list", "contracts, subjects, laws, terms of bounds, suites and fills; all about the contracts or subjects named");
  list_command->add_option("name", names, "contracts or subjects");
  add_plugins(list_command, plugins, "list the kernels of this shared object too");
  app.require_subcommand(0, 1);   // with more, a law or subject that is called like a command would be taken for one
  require_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    throw assay::BadInput(fmt::format("{} (see assay --help)", e.what()));
  }
  if (app.got_subcommand("check")) return check(check_options);
  if (app.got_subcommand("merge")) return merge(merge_options);
  if (app.got_subcommand("repro")) return repro(repro_options);
  if (app.got_subcommand("fuzz")) return fuzz(fuzz_options);
  if (const auto* golden = app.get_subcommand("golden"); app.got_subcommand(golden))
    return (golden->got_subcommand("record")   ? golden_record
            : golden->got_subcommand("verify") ? golden_verify
                                               : golden_approve)(golden_options);
  if (app.got_subcommand("bench")) return bench(bench_options);
  if (app.got_subcommand("mutants")) return mutants(mutant_options);
  if (app.got_subcommand("tolerances")) return tolerances(tolerance_options);
  if (app.got_subcommand("identify")) return identify(identify_options);
  if (app.got_subcommand("list")) return list(names, plugins);
  throw assay::BadInput(fmt::format("no command: want {} (see assay --help)", kCommands));
}

int complain(const std::string& what) {
  fmt::print(stderr, "assay: {}\n", assay::printable(what));
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int code = run(argc, argv);
    if (std::fflush(stdout) == 0) return code;
    return complain("standard output: " + std::generic_category().message(errno));
  } catch (const assay::BadInput& e) {
    return complain(e.what());
  } catch (const std::bad_alloc&) {
    return complain("out of memory: smaller cases need less");
  } catch (const std::system_error& e) {  // fmt's, where the output is longer than the stream's buffer
    return complain(fmt::format("{}: {}", std::ferror(stdout) ? "standard output" : "internal error", e.code().message()));
  } catch (const std::exception& e) {
    return complain(fmt::format("internal error: {}", e.what()));
  }
}
