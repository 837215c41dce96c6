// Kernels that end their process, never answer or print without end: a verdict that names the case, and the run goes on.
#include "tools/assay/test_command_line.hpp"

namespace assay::tools {
namespace {

const Words kSmoke{"--suite", "smoke", "--cases", "3"};

Words check_of(const std::string& law, const std::string& fault) { return Words{"check", law, "--plugin", plugin(fault)} + kSmoke; }

/// The reproducer line of the first failure, for the shell's single quotes.
std::string reproducer_in(const std::string& text) {
  const size_t from = text.find("assay repro '");
  return from == text.npos ? "" : text.substr(from + 13, text.find('\'', from + 13) - from - 13);
}

class Isolation : public CommandLine {};

TEST_F(Isolation, ADeathIsAVerdictThatShrinksAndFailsAgain) {
  const std::pair<const char*, const char*> deaths[] = {
      {"crashes", "the process died: Segmentation fault\n"},
      {"aborts", "the process died: Aborted\n"},
      {"asserts", "the process died: Aborted; the last it said: 'host_silu.c: d <= 40 does not hold'\n"},
      {"exits", "the process ended itself with code 0\n"},
  };
  for (const auto& [fault, how] : deaths) {
    const Ended ended = assay(check_of("conforms", fault));
    EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
    EXPECT_NE(ended.out.find(std::string("FAIL  conforms.host_silu\n  ") + how), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("  first seen with: silu_and_mul rows=3 d=256 fill=normal seed=1\n"), std::string::npos) << ended.out;
    const std::string line = reproducer_in(ended.out);
    EXPECT_TRUE(line.starts_with("silu_and_mul rows=1 d=41 fill=exact seed=0 subject=host_silu law=conforms")) << line;
    const Ended again = assay({"repro", line});
    EXPECT_EQ(again.code, 1) << again.out << again.err;
    EXPECT_NE(again.out.find(how), std::string::npos) << again.out;
  }
}

TEST_F(Isolation, TheRunGoesOnWithTheNextCaseInAnotherProcess) {
  const std::string suite =
      file("mixed.suite", "budget=1e6\nsilu_and_mul rows=2 d=8\nsilu_and_mul rows=2 d=64\nsilu_and_mul rows=3 d=8\nconvert n=8\n");
  const Ended ended =
      assay({"check", "conforms", "guarded", "--plugin", plugin("crashes"), "host_silu", "convert", "--suite", suite, "--cases", "0"});
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  for (const char* part : {"FAIL  conforms.host_silu\n", "FAIL  guarded.host_silu\n"})
    EXPECT_NE(ended.out.find(part), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("convert    pass 1        pass 1 "), std::string::npos) << ended.out;
}

TEST_F(Isolation, WhatGivesNoAnswerIsEndedAndItsCaseStandsAsItIs) {
  const std::string suite = file("wide.suite", "budget=1e6\nsilu_and_mul rows=2 d=8 seed=1\nsilu_and_mul rows=2 d=64 seed=1\n");
  const Words words{"check", "conforms", "--plugin", plugin("hangs"), "--suite", suite, "--cases", "0", "--limit", "5"};
  const Ended ended = assay(words);
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("  no answer within 5 s\n  assay repro 'silu_and_mul rows=2 d=64 fill=normal seed=1 "), std::string::npos)
      << ended.out;
  const Ended again = assay({"repro", reproducer_in(ended.out), "--limit", "5"});
  EXPECT_EQ(again.code, 1) << again.out << again.err;
  EXPECT_NE(again.out.find("no answer within 5 s"), std::string::npos) << again.out;
}

TEST_F(Isolation, AGpuThatAKernelBreaksOrHoldsServesTheNextCase) {
  if (!fs::exists(plugin("device_silu"))) GTEST_SKIP() << "no nvcc";
  const std::pair<const char*, const char*> faults[] = {{"64", "cudaErrorIllegalAddress"}, {"100", "no answer within 10 s"}};
  for (const auto& [d, how] : faults) {
    const std::string suite =
        file("mixed.suite", std::string("budget=1e6\nsilu_and_mul rows=2 d=8 seed=1\nsilu_and_mul rows=2 seed=1 d=") + d + "\nconvert n=8\n");
    const Ended ended = assay({"check", "conforms", "guarded", "--plugin", plugin("device_silu"), "device_silu", "convert", "--suite", suite,
                               "--cases", "0", "--limit", "10"});
    if (ended.code == 3) GTEST_SKIP() << "no GPU";
    EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
    for (const char* part : {"FAIL  conforms.device_silu\n", "FAIL  guarded.device_silu\n", how})
      EXPECT_NE(ended.out.find(part), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("convert      pass 1        pass 1 "), std::string::npos) << ended.out;
    const Ended again = assay({"repro", reproducer_in(ended.out), "--limit", "10"});
    EXPECT_EQ(again.code, 1) << again.out << again.err;
    EXPECT_NE(again.out.find(how), std::string::npos) << again.out;
  }
}

TEST_F(Isolation, MemoryWithoutEndIsAFailure) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "there are no limits to memory: the shadow alone takes terabytes";
#endif
  const std::string suite = file("wide.suite", "budget=1e6\nsilu_and_mul rows=1 d=41 fill=exact\n");
  const Ended ended = assay({"check", "conforms", "--plugin", plugin("allocates"), "--suite", suite, "--cases", "0", "--memory", "0.3"});
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("FAIL  conforms.host_silu\n  the process died: Segmentation fault\n"), std::string::npos)
      << "of its null pointer" << ended.out;
}

TEST_F(Isolation, WhatAKernelPrintsIsNoPartOfTheReport) {
  const Ended ended = assay(check_of("conforms", "prints") + Words{"--json", folder / "loud.json"});
  const Ended quiet = assay(check_of("conforms", "no_fault") + Words{"--json", folder / "quiet.json"});
  EXPECT_EQ(ended.code, quiet.code) << ended.err;
  EXPECT_EQ(ended.out.substr(0, ended.out.rfind(", ")), quiet.out.substr(0, quiet.out.rfind(", ")));  // but for the seconds
  EXPECT_EQ((ended.out + ended.err).find("line 7 on"), std::string::npos) << ended.err;
}

TEST_F(Isolation, OurKernelsAreIsolatedWhereItIsAskedFor) {
  const Words words{"check", "silu_and_mul", "--suite", "smoke", "--cases", "2"};
  const Ended own = assay(words + Words{"--json", folder / "own.json"});
  const Ended isolated = assay(words + Words{"--isolate", "--json", folder / "isolated.json"});
  EXPECT_EQ(own.code, 0) << own.err;
  EXPECT_EQ(isolated.code, 0) << isolated.err;
  const std::string line = "silu_and_mul rows=2 d=8 fill=normal seed=1 subject=silu_and_mul law=conforms backend=emu";
  EXPECT_EQ(assay({"repro", line, "--isolate"}).code, 0);
}

TEST_F(Isolation, APluginThatDiesWhenItIsLoadedOrAskedIsNamed) {
  expect_bad_input(check_of("conforms", "crashes_at_load"), "crashes_at_load.so: cannot be loaded: the process died: Segmentation fault");
  expect_bad_input({"list", "--plugin", plugin("crashes_at_load")}, "cannot be loaded: the process died: Segmentation fault");
  const Ended asked = assay(check_of("conforms", "crashes_in_supports"));
  EXPECT_EQ(asked.code, 1) << asked.out << asked.err;
  EXPECT_NE(asked.out.find("the process died: Aborted, when it was asked whether it takes the case\n"), std::string::npos) << asked.out;
  const Ended again = assay({"repro", reproducer_in(asked.out)});
  EXPECT_EQ(again.code, 1) << again.out << again.err;
}

TEST_F(Isolation, AReportInDepthLeavesOutWhatDies) {
  const Ended ended = assay(check_of("conforms", "crashes") + Words{"--report", folder / "page.html"});
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("host_silu is not looked at in depth: the process died: Segmentation fault"), std::string::npos) << ended.out;
  EXPECT_TRUE(contents(folder / "page.html").starts_with("<!DOCTYPE html>"));
}

TEST_F(Isolation, OnTensorsOfOnesOwnADeathLeavesItsReproducer) {
  const std::string header = R"({"gate_up":{"dtype":"BF16","shape":[1,100],"data_offsets":[0,200]}})";
  const std::string mine =
      file("t.safetensors", std::string(1, char(header.size())) + std::string(7, '\0') + header + std::string(200, '\x3f'));
  const Ended ended =
      assay({"check", "conforms", "--plugin", plugin("crashes"), "--tensors", mine, "--shapes", "d=50", "--out", folder / "failures"});
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("FAIL  conforms.host_silu\n  the process died: Segmentation fault\n"), std::string::npos) << ended.out;
  const Ended again = assay({"repro", folder / "failures/host_silu-conforms.h5"});
  EXPECT_EQ(again.code, 1) << again.out << again.err;
  EXPECT_NE(again.out.find("the process died: Segmentation fault"), std::string::npos) << again.out;
  expect_bad_input({"check", "silu_and_mul", "--tensors", mine, "--shard", "1/2"}, "--shard");
  expect_bad_input({"check", "silu_and_mul", "--tensors", mine, "--journal", folder / "j"}, "--journal");
}

TEST_F(Isolation, FuzzingInDepthAndIdentifyingGoOnWithoutWhatDies) {
  for (const char* fault : {"crashes", "exits"}) {
    const Words words{"silu_and_mul", "--plugin", plugin(fault)};
    const Ended fuzzed = assay(Words{"fuzz"} + words + Words{"--cases", "8", "--report", folder / "page.html", "--json", folder / "fuzz.json"});
    EXPECT_EQ(fuzzed.code, 1) << fuzzed.out << fuzzed.err;
    EXPECT_NE(fuzzed.out.find("is not looked at in depth: the process "), std::string::npos) << fuzzed.out;
    EXPECT_TRUE(fs::exists(folder / "page.html") && fs::exists(folder / "fuzz.json"));
    const Ended identified = assay(Words{"identify"} + words + Words{"--shapes", "d=50", "--json", folder / "identify.json"});
    EXPECT_EQ(identified.code, 1) << identified.out << identified.err;
    EXPECT_NE(identified.out.find("FAIL  host_silu\n  the process "), std::string::npos) << identified.out;
    EXPECT_FALSE(fs::exists(folder / "identify.json"));
  }
}

TEST_F(Isolation, ALineOfAnotherBackendThanThePluginsIsRefused) {
  const std::string line = "silu_and_mul rows=1 d=8 fill=normal seed=1 subject=host_silu law=conforms backend=cuda plugin=" + plugin("no_fault");
  expect_bad_input({"repro", line}, "the line is of backend cuda, and ");
  EXPECT_EQ(assay({"repro", line, "--backend", "emu"}).code, 0);
}

TEST_F(Isolation, BadLimitsAreRefused) {
  for (const char* limit : {"0", "-1", "nan", "x", "1e9"})
    expect_bad_input(kQuickCheck + Words{std::string("--limit=") + limit}, "--limit");
  for (const char* memory : {"-1", "nan", "x"}) expect_bad_input(kQuickCheck + Words{std::string("--memory=") + memory}, "--memory");
  expect_bad_input(kQuickCheck + Words{"--jobs", "-1"}, "--jobs");
  expect_bad_input(kQuickCheck + Words{"--isolate=5"}, "isolate was given a disallowed flag override");
}

// ---- journal

TEST_F(Isolation, ACheckGoesOnFromItsJournalAfterAKill) {
  const std::string journal = folder / "journal";
  const Words words{"check", "silu_and_mul", "--suite", "smoke",   "--cases",
                    "12",    "--jobs",       "2",       "--image", "silu_and_mul+silu_leaves_last_column"};
  const Words written = words + Words{"--journal", journal};
  const Ended undisturbed = assay(words + Words{"--json", folder / "whole.json"});
  EXPECT_EQ(undisturbed.code, 1) << undisturbed.err;
  for (const size_t bytes : {600, 3000, 8000}) {
    const Ended killed = assay_killed(written, [&] {
      std::error_code none;
      return fs::exists(journal) && fs::file_size(journal, none) >= bytes;
    });
    EXPECT_TRUE(killed.code == -SIGKILL || bytes > 3000) << killed.code << killed.out << killed.err;
  }
  const Ended resumed = assay(written + Words{"--json", folder / "resumed.json"});
  EXPECT_EQ(resumed.code, 1) << resumed.err;
  EXPECT_EQ(without_seconds(folder / "resumed.json"), without_seconds(folder / "whole.json"));
  const auto size = fs::file_size(journal);
  EXPECT_EQ(assay(written).code, 1);
  EXPECT_EQ(fs::file_size(journal), size) << "nothing is left to do";
  expect_bad_input(written + Words{"--seed", "2"}, "is of another run (suite=smoke:");
  expect_bad_input({"fuzz", "silu_and_mul", "--cases", "1", "--journal", journal}, "is no journal of assay fuzz");
  expect_bad_input(written + Words{"--json", journal}, "would overwrite what is read from");
}

}  // namespace
}  // namespace assay::tools
