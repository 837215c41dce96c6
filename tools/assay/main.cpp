// The command line of Assay. Exit codes: 0 all passed, 1 a failure, 2 bad usage or input, 3 nothing was checked.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "oracles/parameters.hpp"
#include "tools/assay/commands.hpp"

namespace {

using namespace assay::tools;

constexpr const char* kFooter =
    "A case is one line: a contract, name=value for its parameters, fill= and seed=; see 'assay list <contract>'.\n"
    "Exit codes: 0 all passed, 1 a failure, 2 bad usage or input, 3 nothing was checked (or part of it proves too little).";

void add_check(CLI::App& app, CheckOptions& o) {
  auto* c = app.add_subcommand("check", "check subjects against laws on the cases of a suite and on drawn ones");
  c->add_option("filter", o.filter, "subjects, contracts, laws or law.subject, with * as wildcard; all by default");
  c->add_option("--backend", o.backend, "emu (any machine) or cuda")->capture_default_str();
  c->add_option("--suite", o.suite, "a suite's name (assay list) or a file's path")->capture_default_str();
  c->add_option("--seed", o.seed, "seed of the drawn cases")->capture_default_str();
  c->add_option("--cases", o.cases, "cases to draw for each subject")->check(CLI::Range(0, 1000000))->capture_default_str();
  c->add_option("--schedule", o.schedule, "emulator: seed of a random schedule of lanes, warps and blocks; 0 runs them in order")->capture_default_str();
  c->add_option("--workers", o.workers, "emulator: threads that run blocks; 0 for one a core")->check(CLI::Range(0, 1024))->capture_default_str();
  c->add_option("--image", o.image, "run this kernel image in place of the subject's own");
  c->add_option("--json", o.json, "write a report to this file");
  c->add_option("--junit", o.junit, "write JUnit XML to this file");
}

void add_repro(CLI::App& app, ReproOptions& o) {
  auto* c = app.add_subcommand("repro", "run one reproducer or case line again");
  c->add_option("line", o.line, "the line, in quotes")->required();
  c->add_option("--backend", o.backend, "emu or cuda, whatever the line says");
  c->add_option("--image", o.image, "run this kernel image in place of the subject's own");
}

int run(int argc, char** argv) {
  CLI::App app{"Assay: does a quantised LLM kernel compute what it says it computes?"};
  CheckOptions check_options;
  ReproOptions repro_options;
  std::vector<std::string> names;
  app.require_subcommand(1);
  app.footer(kFooter);
  app.set_version_flag("--version", ASSAY_VERSION);
  add_check(app, check_options);
  add_repro(app, repro_options);
  app.add_subcommand("list", "contracts, subjects, laws, suites and fills; with a name, all about it")->add_option("name", names, "contracts or subjects");
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
  if (app.got_subcommand("repro")) return repro(repro_options);
  return list(names);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const assay::BadInput& e) {
    fmt::print(stderr, "assay: {}\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "assay: internal error: {}\n", e.what());
    return 2;
  }
}
