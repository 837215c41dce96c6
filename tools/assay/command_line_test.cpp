// The built program as a user meets it: exit codes, the one line that bad input gets, and the files it leaves.
#include "tools/assay/test_command_line.hpp"

namespace assay::tools {
namespace {

// ---- bad usage

TEST_F(CommandLine, BadUsageGetsOneLineAndExitCode2) {
  const std::pair<Words, const char*> uses[] = {
      {{}, "no command: want check, merge, fuzz, identify, repro, golden, bench, tolerances, mutants or list"},
      {{""}, "no command"},
      {{"frobnicate"}, "unknown command 'frobnicate'"},
      {{"two\nlines\033[31m"}, "unknown command 'two\\x0alines\\x1b[31m'"},
      {{"--frobnicate"}, "--frobnicate"},
      {{"check", "--frobnicate"}, "--frobnicate"},
      {{"check", "nonsense"}, "'nonsense' is no subject, contract or law"},
      {{"check", "repeats.nonsense"}, "'repeats.nonsense' is no subject, contract or law"},
      {{"check", "nonsense.silu_and_mul"}, "'nonsense.silu_and_mul'"},
      {{"check", ""}, "'' is no subject"},
      {{"check", "--backend", "tpu"}, "unknown backend 'tpu': want emu, checked or cuda"},
      {{"check", "--backend"}, "--backend"},
      {{"check", "--suite", "everything"}, "unknown suite 'everything'"},
      {{"check", "--suite", ""}, "unknown suite ''"},
      {{"check", "--cases", "-1"}, "'-1' is not a whole number from 0 to 1000000"},
      {{"check", "--cases", "abc"}, "'abc' is not a whole number"},
      {{"check", "--cases", "1", "--cases", "2"}, "--cases"},
      {{"check", "--workers", "-1"}, "'-1' is not a whole number"},
      {{"check", "--seed", "-1"}, "'-1' is not a whole number"},
      {{"check", "--seed", "010"}, "'010' is not a whole number"},
      {{"check", "--cases", "010"}, "'010' is not a whole number"},
      {{"check", "--seed", "18446744073709551616"}, "is not a whole number below 2^64"},
      {{"check", "--schedule", "1.5"}, "'1.5' is not a whole number"},
      {{"check", "--json", ""}, "want a path"},
      {{"check", "--json", "x", "--junit", "./x"}, "--json and --junit both name ./x"},
      {{"check", "--json", "x", "--report", "./x"}, "--json and --report both name ./x"},
      {{"check", "--report", ""}, "want a path"},
      {{"check", "--judge-all=5"}, "judge-all was given a disallowed flag override"},
      {{"tolerances", "--backend", "checked"}, "backend 'checked': want none, emu or cuda"},
      {{"tolerances", "--backend", "tpu"}, "backend 'tpu': want none, emu or cuda"},
      {{"tolerances", "--multiply-adds", "nan"}, "'nan' is not a number from 0 to 1e+18"},
      {{"list", "nonsense"}, "'nonsense' is no contract or subject"},
      {{"list", "silu_and_mul", "nonsense"}, "'nonsense' is no contract or subject"},
      {{"golden"}, "golden: unknown command '': want record, verify or approve"},
      {{"golden", "frobnicate"}, "golden: unknown command 'frobnicate': want record, verify or approve"},
      {{"golden", "record"}, "--out"},
      {{"golden", "record", "--out", ""}, "want a path"},
      {{"golden", "record", "--out", "/dev/null"}, "--out /dev/null: is no folder"},
      {{"golden", "record", "--out", "/proc", "--suite", "everything"}, "unknown suite 'everything'"},
      {{"golden", "approve"}, "folder is required"},
      {{"golden", "approve", "/nonexistent"}, "/nonexistent: there is no such folder"},
      {{"golden", "approve", "/proc/self/fdinfo"}, "holds no golden files"},
      {{"golden", "verify", "--records", "/nonexistent"}, "--records /nonexistent: there is no such folder"},
      {{"golden", "verify", "repeats"}, "golden takes subjects and contracts, no laws"},
      {{"golden", "verify", "--backend", "tpu"}, "unknown backend 'tpu': want emu, checked or cuda"},
      {{"bench", "nonsense"}, "'nonsense' is no subject, contract or law"},
      {{"bench", "conforms"}, "bench takes subjects and contracts, no laws"},
      {{"bench", "--backend", "tpu"}, "unknown backend 'tpu': want emu, checked or cuda"},
      {{"bench", "--repeats", "-1"}, "'-1' is not a whole number"},
      {{"bench", "--time", "-1"}, "'-1' is not a number from 0 to 1000000"},
      {{"bench", "--json", ""}, "want a path"},
      {{"bench", "--backend", "emu", "--shapes", "nonsense"}, "unknown suite 'nonsense'"},
      {{"bench", "--backend", "emu", "--shapes", "silu_and_mul rows=x"}, "case line, column 14, 'rows=x'"},
      {{"bench", "--backend", "emu", "--shapes", "/nonexistent"}, "suite /nonexistent: there is no such file"},
      {{"bench", "w4a16_gemv", "--backend", "emu", "--shapes", "silu_and_mul rows=1 d=8"}, "no case in silu_and_mul rows=1 d=8 is one of"},
      {{"identify"}, "contract"},
      {{"identify", "nonsense"}, "no contract 'nonsense': want one of awq_gemm, "},
      {{"identify", "convert"}, "no candidates are known for contract 'convert': want one of awq_gemm, "},
      {{"identify", "fp8_scaled_gemm"}, "fp8_scaled_gemm has several subjects: want --subject with one of fp8_scaled_gemm, "},
      {{"identify", "bf16_gemm", "--subject", "gptq_gemm"}, "'gptq_gemm' is no subject of bf16_gemm: want one of bf16_gemm"},
      {{"identify", "bf16_gemm", "--backend", "tpu"}, "unknown backend 'tpu': want emu, checked or cuda"},
      {{"identify", "bf16_gemm", "--shapes", "m=x"}, "case line, column 11, 'm=x'"},
      {{"identify", "bf16_gemm", "--shapes", "silu_and_mul rows=1"}, "is a case of silu_and_mul, not of bf16_gemm"},
      {{"identify", "bf16_gemm", "--shapes", "m=0 n=8 k=64"}, "it has no elements"},
      {{"identify", "bf16_gemm", "--shapes", "m=4096 n=4096 k=4096"}, "what to declare is found on shapes of at most"},
      {{"identify", "w4a16_gemm", "--shapes", "m=8 n=64 k=64 perm=1"}, "perm=1: the order of k"},
      {{"identify", "bf16_gemm", "--image", "/nonexistent.so"}, "/nonexistent.so"},
      {{"identify", "bf16_gemm", "--json", "/proc/nonexistent/x"}, "/proc/nonexistent/x"},
      {{"repro"}, "line"},
      {{"repro", "a", "b"}, "b"},
  };
  for (const auto& [arguments, part] : uses) expect_bad_input(arguments, part);
}

// ---- what to declare

TEST_F(CommandLine, TensorsOfAFileAreChecked) {
  const std::string header = R"({"up": {"dtype": "BF16", "shape": [2, 14], "data_offsets": [0, 56]}})";
  std::string data;
  for (int i = 0; i < 28; i++) data += {char(37 * i), '\x3f'};   // BF16 from 0.5 to 2
  const std::string mine = file("t.safetensors", std::string(1, char(header.size())) + std::string(7, '\0') + header + data);
  const Words check{"check", "silu_and_mul", "--tensors", mine, "--map", "gate_up=up"};
  const Ended ended = assay(check);
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("t.safetensors: silu_and_mul rows=2 d=7"), std::string::npos) << ended.out;
  const Ended failing = assay(check + Words{"guarded", "--image", "silu_and_mul+silu_leaves_last_column", "--out", folder / "failures"});
  EXPECT_EQ(failing.code, 1) << failing.out << failing.err;
  const std::string left = folder / "failures/silu_and_mul-guarded.h5";
  EXPECT_NE(failing.out.find("assay repro '" + left + "' --image 'silu_and_mul+silu_leaves_last_column'"), std::string::npos) << failing.out;
  EXPECT_EQ(assay({"repro", left, "--image", "silu_and_mul+silu_leaves_last_column"}).code, 1);
  EXPECT_EQ(assay({"repro", left}).code, 0);

  expect_bad_input({"check", "silu_and_mul", "--tensors", mine}, "holds no operand of silu_and_mul (gate_up): it holds up");
  expect_bad_input({"check", "silu_and_mul", "--tensors", mine, "--map", "gate_up=down"}, "has no tensor 'down' for gate_up");
  expect_bad_input(check + Words{"--shapes", "d=9"}, "tensor 'up' is [2, 14] BF16, want [2, 18] bf16");
  expect_bad_input(check + Words{"--suite", "ci"}, "--suite");
  expect_bad_input({"check", "--tensors", mine}, "of one contract");
  expect_bad_input({"check", "silu_and_mul", "--tensors", folder / "absent"}, "is no file that can be read");
  expect_bad_input({"check", "silu_and_mul", "--shapes", "d=8"}, "--tensors");
}

TEST_F(CommandLine, IdentifyFindsTheDeclaredArithmetic) {
  const fs::path json = folder / "identify.json";
  const Ended ended = assay({"identify", "fp8_quant_token", "--shapes", "rows=8 d=256", "--json", json.string()});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("declare                scale: rounded to fp32; quotient: rounded to fp32\n"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("declared: same"), std::string::npos) << ended.out;
  EXPECT_NE(contents(json).find("\"agreement\": \"same\""), std::string::npos) << contents(json);
}

TEST_F(CommandLine, IdentifySaysWhatNoCandidateReproduces) {
  const Ended ended = assay({"identify", "silu_and_mul", "--subject", "silu_and_mul", "--image", "silu_and_mul+silu_leaves_last_column",
                             "--shapes", "rows=2 d=63"});
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("no candidate reproduces it: "), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("out[0, 62]"), std::string::npos) << ended.out;
}

TEST_F(CommandLine, ABadCaseLineIsRefusedWithItsPlace) {
  const std::pair<const char*, const char*> lines[] = {
      {"", "case line is empty"},
      {"nonsense rows=1", "column 1, 'nonsense': unknown contract"},
      {"silu_and_mul rows", "column 14, 'rows': want name=value"},
      {"silu_and_mul rows=two", "'two' is not a 64-bit whole number"},
      {"silu_and_mul rows=-1", "rows=-1 is outside 0 .. 2147483647"},
      {"silu_and_mul rows=9223372036854775808", "does not fit a 64-bit whole number"},
      {"silu_and_mul rows=1 rows=2", "'rows' is given twice"},
      {"silu_and_mul fill=dense", "unknown fill 'dense'"},
      {"silu_and_mul seed=-1", "'-1' is not a 64-bit whole number"},
      {"fused_add_rms_norm eps=nan", "must be finite"},
      {"w4a16_gemv k=64 group=24", "group=24 does not divide k=64"},
      {"rope_neox rot_dim=9", "must be even"},
      {"silu_and_mul rows=1 subject=nonsense", "unknown subject 'nonsense'"},
      {"silu_and_mul rows=1 law=nonsense", "unknown law 'nonsense'"},
      {"silu_and_mul rows=1 subject=convert", "subject 'convert' implements convert, not silu_and_mul"},
      {"silu_and_mul rows=1 backend=tpu", "unknown backend 'tpu'"},
      {"fused_add_rms_norm rows=2147483647 d=16777215", "GB of operands need"},
      {"convert n=1099511627776", "GB of operands need"},
  };
  for (const auto& [line, part] : lines) expect_bad_input({"repro", line}, part);
  expect_bad_input({"repro", std::string(100000, 'x')}, "at most 4096");
}

TEST_F(CommandLine, ABadSuiteFileIsRefusedWithFileAndLine) {
  expect_bad_input({"check", "--suite", folder / "missing.suite"}, "missing.suite: there is no such file");
  expect_bad_input({"check", "--suite", folder}, "is a folder, want a file");
  expect_bad_input({"check", "--suite", "/dev/zero"}, "is not a regular file");
  expect_bad_input({"check", "--suite", file("binary.suite", std::string("garbage\0\xff", 9))}, "byte 7 is 0: want text");
  expect_bad_input({"check", "--suite", file("empty.suite", "")}, "no line budget=");
  expect_bad_input({"check", "--suite", file("only.suite", "budget=1e6\n")}, "no cases");
  expect_bad_input({"check", "--suite", file("zero.suite", "budget=0\n")}, "zero.suite, line 1: budget '0'");
  expect_bad_input({"check", "--suite", file("twice.suite", "budget=1\nbudget=2\n")}, "line 2: the budget is given twice");
  expect_bad_input({"check", "--suite", file("case.suite", "budget=1e6\n\nsilu_and_mul rows=x\n")},
                   "case.suite, line 3: case line, column 14");
  expect_bad_input({"check", "--suite", file("long.suite", std::string((size_t{16} << 20) + 1, '#'))}, "longer than 16 MiB");
}

TEST_F(CommandLine, AReportIsNotWrittenOverWhatIsRead) {
  const std::string suite = file("own.suite", "budget=1e6\nsilu_and_mul rows=1 d=8\n"), other = folder / "." / "own.suite";
  expect_bad_input({"check", "--suite", suite, "--json", other}, "would overwrite what is read from " + suite);
  expect_bad_input({"tolerances", "--suite", suite, "--markdown", other}, "would overwrite what is read from " + suite);
  expect_bad_input({"bench", "--backend", "emu", "--shapes", suite, "--json", other}, "would overwrite what is read from " + suite);
  const std::string mutant = file("own.toml", "kernel = 5\n");
  expect_bad_input({"mutants", "--folder", folder, "--json", mutant}, "would overwrite what is read from " + mutant);
}

TEST_F(CommandLine, ATolerancesCaseWithoutResultsIsRefused) {
  expect_bad_input({"tolerances", "--suite", file("empty.suite", "budget=1e6\nsilu_and_mul rows=0 d=8\n")},
                   "'silu_and_mul rows=0 d=8 fill=normal seed=0' has no results");
}

TEST_F(CommandLine, AnUnreadableSuiteFileIsRefused) {
  if (geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const std::string path = file("secret.suite", "budget=1e6\nsilu_and_mul\n");
  fs::permissions(path, fs::perms::none);
  expect_bad_input({"check", "--suite", path}, "Permission denied");
}

// ---- reports

TEST_F(CommandLine, AReportThatCannotBeWrittenIsRefusedBeforeAnyWork) {
  for (const char* option : {"--json", "--junit", "--report"}) {
    expect_bad_input(kQuickCheck + Words{option, folder}, "is a folder");
    expect_bad_input(kQuickCheck + Words{option, folder / "missing" / "report"}, "No such file or directory");
    expect_bad_input(kQuickCheck + Words{option, "/proc/report"}, "/proc/report: cannot be written");
    expect_bad_input(kQuickCheck + Words{option, folder / std::string(300, 'x')}, "File name too long");
  }
  EXPECT_EQ(names_in_folder(), std::set<std::string>());
}

TEST_F(CommandLine, AFullDiskIsSaid) {
  const Ended ended = assay(kQuickCheck + Words{"--json", "/dev/full"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("assay: report /dev/full: cannot be written: No space left on device\n"), std::string::npos) << ended.err;
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(CommandLine, AFullStandardOutputIsSaid) {
  const int full = open("/dev/full", O_WRONLY);
  const Ended ended = assay({"list"}, nullptr, full);
  close(full);
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err, "assay: standard output: No space left on device\n");
}

TEST_F(CommandLine, AReaderThatLeavesEndsItQuietly) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const Ended killed = assay({"list"}, nullptr, ends[1]), told = assay({"list"}, nullptr, ends[1], SIG_IGN);
  close(ends[1]);
  EXPECT_EQ(killed.code, -SIGPIPE);
  EXPECT_EQ(killed.err, "");
  EXPECT_EQ(told.code, 2);
  EXPECT_EQ(told.err, "assay: standard output: Broken pipe\n");
}

TEST_F(CommandLine, ReportsHoldTheCellsAndNothingElseIsLeft) {
  const Ended ended = assay(kQuickCheck + Words{"--json", folder / "report.json", "--junit", folder / "report.xml"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(names_in_folder(), (std::set<std::string>{"report.json", "report.xml"}));
  const std::string json = contents(folder / "report.json"), xml = contents(folder / "report.xml");
  for (const char* part : {"\"subject\": \"silu_and_mul\"", "\"law\": \"repeats\"", "\"outcome\": \"pass\"", "\"exit_code\": 0"})
    EXPECT_NE(json.find(part), std::string::npos) << part << "\n" << json;
  EXPECT_NE(xml.find("classname=\"assay.silu_and_mul\" name=\"repeats\""), std::string::npos) << xml;
}

TEST_F(CommandLine, APipeThatNobodyReadsIsRefusedWithoutWaiting) {
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  const Ended ended = assay(kQuickCheck + Words{"--json", folder / "pipe"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("cannot be written: No such device or address\n"), std::string::npos) << ended.err;
  expect_bad_input({"check", "--suite", folder / "pipe"}, "is not a regular file");
}

TEST_F(CommandLine, AReportReplacesAnOldOneThroughALink) {
  const std::string old = file("old.json", "old");
  fs::create_symlink(old, folder / "link.json");
  EXPECT_EQ(assay(kQuickCheck + Words{"--json", folder / "link.json"}).code, 0);
  EXPECT_TRUE(fs::is_symlink(folder / "link.json"));
  EXPECT_TRUE(contents(old).starts_with("{"));
}

TEST_F(CommandLine, AnOldReportStaysWhenTheCommandIsRefused) {
  const std::string old = file("old.json", "old");
  expect_bad_input({"check", "nonsense", "--json", old}, "'nonsense'");
  expect_bad_input(kQuickCheck + Words{"--json", old, "--junit", folder}, "is a folder");
  EXPECT_EQ(contents(old), "old");
}

// ---- images and devices

TEST_F(CommandLine, AMissingOrBrokenImageIsRefusedWithItsPath) {
  expect_bad_input(kQuickCheck, "device.emu.so: no such file", folder.c_str());
  expect_bad_input({"repro", "silu_and_mul"}, "device.emu.so: no such file", folder.c_str());
  expect_bad_input(kQuickCheck + Words{"--image", "nonsense"}, "nonsense.emu.so: no such file");
  file("device.emu.so", "this is no shared object, and longer than the header that one has to begin with: 64 bytes\n");
  expect_bad_input(kQuickCheck, "device.emu.so: invalid ELF header", folder.c_str());
  file("device.emu.so", "");
  expect_bad_input(kQuickCheck, "device.emu.so: file too short", folder.c_str());
}

TEST_F(CommandLine, AnImageWithoutTheFunctionIsRefused) {
  expect_bad_input(kQuickCheck + Words{"--image", "rope_neox"}, "rope_neox.emu.so: exports no function 'silu_and_mul'");
  fs::copy(kProgram.parent_path().parent_path() / "images" / "rope_neox.emu.so", folder / "device.emu.so");
  expect_bad_input(kQuickCheck, "device.emu.so: exports no function 'device_query'", folder.c_str());
}

TEST_F(CommandLine, WithoutAGpuNothingIsCheckedAndItSaysWhy) {
  const Words command = kQuickCheck + Words{"--backend", "cuda"};
  if (!fs::exists(kProgram.parent_path().parent_path() / "images" / "device.cuda.so"))
    return expect_bad_input(command, "device.cuda.so: no such file: GPU images are built with -DASSAY_CUDA=ON");
  const Ended ended = assay(command);
  if (ended.code == 0) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_NE(ended.out.find("backend cuda: no CUDA device: "), std::string::npos) << ended.out;
}

TEST_F(CommandLine, WithoutAGpuNothingIsTimedAndItSaysWhy) {
  if (!fs::exists(kProgram.parent_path().parent_path() / "images" / "device.cuda.so"))
    return expect_bad_input({"bench"}, "device.cuda.so: no such file: GPU images are built with -DASSAY_CUDA=ON");
  const Ended ended = assay({"bench", "silu_and_mul", "--shapes", "silu_and_mul rows=1 d=8", "--json", folder / "speed.json"});
  if (ended.code == 0) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("nothing was measured: backend cuda: no CUDA device: ")) << ended.out;
  EXPECT_EQ(names_in_folder(), std::set<std::string>());
}

// ---- speed

TEST_F(CommandLine, TheEmulatorsHostTimeIsNoGpusTime) {
  const std::string mine = file("mine.suite", "budget=1e6\nsilu_and_mul rows=3 d=64\nsilu_and_mul rows=2 d=64\nsilu_and_mul rows=0 d=64\n");
  const Words shapes{"--shapes", "silu_and_mul rows=2 d=64", "--shapes", mine};
  const Words rest{"--repeats", "3", "--json", folder / "speed.json"};
  const Ended ended = assay(Words{"bench", "silu_and_mul", "--backend", "emu"} + shapes + rest);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("Host time of the emulator (emu, ")) << ended.out;
  for (const char* part : {"rows=2 d=64", "rows=3 d=64", "skip: an empty problem (", "4 measured, 2 not"})
    EXPECT_NE(ended.out.find(part), std::string::npos) << part << "\n" << ended.out;
  EXPECT_NE(contents(folder / "speed.json").find("\"multiply_adds_per_second\""), std::string::npos);
}

TEST_F(CommandLine, WhatDoesNotConformIsNotTimed) {
  const std::string mutant = "silu_and_mul+silu_leaves_last_column";
  if (!fs::exists(kProgram.parent_path().parent_path() / "images" / (mutant + ".emu.so"))) GTEST_SKIP() << "no mutant";
  const Ended ended = assay({"bench", "silu_and_mul_rounded", "--backend", "emu", "--image", mutant});
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("FAIL: not timed, since it is not known to conform: "), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("host time ms"), std::string::npos) << ended.out;
  const size_t from = ended.out.find("assay repro '") + 13;
  ASSERT_LT(from, ended.out.size()) << ended.out;
  EXPECT_EQ(assay({"repro", ended.out.substr(from, ended.out.find('\'', from) - from), "--image", mutant}).code, 1);
}

// ---- good usage

TEST_F(CommandLine, GoodCommandsEndWith0WithoutComplaintsAndEscapeCodes) {
  const std::pair<Words, const char*> uses[] = {
      {{"--help"}, "Exit codes"},
      {{"check", "--help"}, "--suite"},
      {{"--version"}, "0."},
      {{"list"}, "w4a16_gemv"},
      {{"list", "w4a16_gemv"}, "group"},
      {{"list", "silu_and_mul_rounded"}, "silu_and_mul"},
      {{"repro", "silu_and_mul rows=2 d=8 fill=normal seed=1"}, "passed"},
      {{"repro", "silu_and_mul rows=2 d=8 fill=normal seed=1", "--backend", "checked"}, "clean"},
      {{"repro", "silu_and_mul rows=2 d=8 fill=normal seed=1 subject=silu_and_mul law=repeats backend=emu schedule=3"},
       "1 passed, 0 failed"},
  };
  for (const auto& [arguments, part] : uses) {
    const Ended ended = assay(arguments);
    EXPECT_EQ(ended.code, 0) << testing::PrintToString(arguments) << ended.out << ended.err;
    EXPECT_NE(ended.out.find(part), std::string::npos) << ended.out;
    EXPECT_EQ(ended.err, "");
    EXPECT_EQ(ended.out.find('\033'), std::string::npos);
  }
}

TEST_F(CommandLine, AnExplicitCellIsCheckedInPlainText) {
  const Ended ended = assay(kQuickCheck);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ((ended.out + ended.err).find('\033'), std::string::npos);
  EXPECT_NE(ended.out.find("repeats"), std::string::npos);
  EXPECT_EQ(ended.out.find("conforms"), std::string::npos);
}

TEST_F(CommandLine, ASuiteThatProvesNothingEndsWith3AndSaysWhy) {
  const std::pair<const char*, const char*> suites[] = {
      {"silu_and_mul rows=0 d=8", "untrusted: no case has an element to check"},
      // 13 bits for 4096 products that nearly cancel: what the bound lets pass is larger than the sums
      {"fp8_scaled_gemm m=2 n=4 k=4096 fill=cancelling seed=1", "untrusted: no case would reject results that are 4 % too large"},
  };
  for (const auto& [line, why] : suites) {
    const std::string suite = file("vacuous.suite", std::string("budget=1e9\n") + line + "\n");
    const std::string subject(line, std::strchr(line, ' '));
    const Ended ended = assay({"check", "conforms." + subject, "--suite", suite, "--cases", "0"});
    EXPECT_EQ(ended.code, 3) << ended.out << ended.err;
    EXPECT_NE(ended.out.find(why), std::string::npos) << ended.out;
  }
}

TEST_F(CommandLine, AFailureEndsWith1AndItsReproducerFailsAgain) {
  const std::string mutant = "silu_and_mul+silu_leaves_last_column";
  const Ended ended = assay({"check", "silu_and_mul", "--suite", "smoke", "--cases", "0", "--image", mutant});
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  const size_t from = ended.out.find("assay repro '") + 13;
  ASSERT_LT(from, ended.out.size()) << ended.out;
  const std::string line = ended.out.substr(from, ended.out.find('\'', from) - from);
  EXPECT_EQ(assay({"repro", line, "--image", mutant}).code, 1) << line;
  EXPECT_EQ(assay({"repro", line}).code, 0) << line;
}

TEST_F(CommandLine, AReportIsAPageThatNamesWhatAMutantDrops) {
  const Words check{"check", "silu_and_mul", "--suite", "smoke", "--cases", "0", "--report"};
  const Ended failed = assay(check + Words{folder / "page.html", "--image", "silu_and_mul+silu_leaves_last_column", "--json", folder / "page.json"});
  EXPECT_EQ(failed.code, 1) << failed.out << failed.err;
  EXPECT_NE(failed.out.find(" elements of out are wrong: row all "), std::string::npos) << failed.out;
  EXPECT_NE(failed.out.find("column the last, "), std::string::npos) << failed.out;
  const std::string page = contents(folder / "page.html");
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>")) << page.substr(0, 200);
  EXPECT_NE(page.find("column the last, "), std::string::npos);
  EXPECT_NE(page.find(" --image silu_and_mul+silu_leaves_last_column</pre>"), std::string::npos);
  EXPECT_NE(contents(folder / "page.json").find("\"at\": \"the last, "), std::string::npos);
  const Ended passed = assay(check + Words{folder / "right.html"});
  EXPECT_EQ(passed.code, 0) << passed.out << passed.err;
  EXPECT_NE(contents(folder / "right.html").find("Pass: every law that was checked holds"), std::string::npos);
}

// ---- the ledger of known failures

TEST_F(CommandLine, AKnownFailureEndsWith0AndOneThatNoLongerHappensWith1) {
  const std::string mutant = "silu_and_mul+silu_leaves_last_column", entry =
                                                                         "[[failure]]\nsubject = \"silu_*\"\nlaw = \"guarded\"\n"
                                                                         "reason = \"the last column\"\nlink = \"https://example.org/7\"\n";
  const Words check = Words{"check", "guarded.silu_and_mul", "--suite", "smoke", "--cases", "0", "--ledger", file("known.toml", entry)};
  const Ended known = assay(check + Words{"--image", mutant, "--json", folder / "report.json"}), gone = assay(check);
  EXPECT_EQ(known.code, 0) << known.out << known.err;
  EXPECT_NE(known.out.find("known  guarded.silu_and_mul: the last column (https://example.org/7)"), std::string::npos) << known.out;
  EXPECT_NE(contents(folder / "report.json").find("\"outcome\": \"known\""), std::string::npos);
  EXPECT_EQ(gone.code, 1) << gone.out << gone.err;
  EXPECT_NE(gone.out.find("unexpected pass: ledger "), std::string::npos) << gone.out;
  EXPECT_NE(gone.out.find("known.toml, line 1: 'the last column' is said to fail"), std::string::npos) << gone.out;
}

TEST_F(CommandLine, ABadLedgerIsRefusedWithItsPlace) {
  expect_bad_input(
      kQuickCheck +
          Words{"--ledger", file("stale.toml", "[[failure]]\nsubject = \"swish\"\nlaw = \"*\"\nreason = \"r\"\nlink = \"a://b\"\n")},
      "stale.toml, line 1: is stale: there is no subject 'swish'");
  expect_bad_input(kQuickCheck + Words{"--ledger", file("broken.toml", "[[failure]\n")}, "broken.toml, line 1: ");
  expect_bad_input(kQuickCheck + Words{"--ledger", folder / "none.toml"}, "none.toml: there is no such file");
  expect_bad_input(kQuickCheck + Words{"--ledger", folder}, ": is a folder, want a file");
  expect_bad_input(kQuickCheck + Words{"--ledger", ""}, "want a path");
  const std::string empty = file("empty.toml", "");
  expect_bad_input(kQuickCheck + Words{"--ledger", empty, "--json", empty}, "would overwrite what is read from");
}

// ---- golden records

TEST_F(CommandLine, ALawMayBeCalledLikeACommand) {
  const Ended ended = assay({"check", "golden", "convert", "--suite", "smoke", "--cases", "0"});
  EXPECT_TRUE(ended.code == 0 || ended.code == 3) << ended.err;
  EXPECT_NE(ended.out.find("convert"), std::string::npos) << ended.out;
}

TEST_F(CommandLine, RecordedBitsAreVerifiedAndAMutantIsCaught) {
  const Words verify{"golden", "verify", "silu_and_mul", "--records", folder};
  EXPECT_EQ(assay(verify).code, 3);
  EXPECT_EQ(assay({"golden", "record", "silu_and_mul", "--suite", "smoke", "--out", folder}).code, 0);
  EXPECT_TRUE(fs::exists(folder / "emu_sm_90" / "smoke" / "silu_and_mul.h5"));
  if (!fs::exists(kProgram.parent_path().parent_path() / "images" / "silu_and_mul+silu_leaves_last_column.emu.so"))
    GTEST_SKIP() << "no mutant";
  const Ended right = assay(verify), wrong = assay(verify + Words{"--image", "silu_and_mul+silu_leaves_last_column"});
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_NE(wrong.out.find("FAIL  golden.silu_and_mul\n  out row "), std::string::npos) << wrong.out;
  EXPECT_NE(wrong.out.find("; the recorded bits are nearer the exact value; the new bits do not conform ("), std::string::npos)
      << wrong.out;
  EXPECT_NE(wrong.out.find("\n    out differs in rows: "), std::string::npos) << wrong.out;
  EXPECT_NE(wrong.out.find("law=golden backend=emu' --image silu_and_mul+silu_leaves_last_column"), std::string::npos) << wrong.out;
}

TEST_F(CommandLine, ADamagedGoldenFileIsRefusedWithItsPath) {
  EXPECT_EQ(assay({"golden", "record", "silu_and_mul", "--suite", "smoke", "--out", folder}).code, 0);
  const fs::path path = folder / "emu_sm_90" / "smoke" / "silu_and_mul.h5";
  fs::resize_file(path, fs::file_size(path) - 1);
  expect_bad_input({"golden", "verify", "silu_and_mul", "--records", folder}, "silu_and_mul.h5: has ");
  std::ofstream(path) << "text";
  expect_bad_input({"golden", "verify", "silu_and_mul", "--records", folder}, "silu_and_mul.h5: is no golden file");
}

TEST_F(CommandLine, OnlyApproveWritesTheRecordsThatAreComparedWith) {
  const std::string fresh = folder / "fresh", standing = folder / "standing";
  fs::create_directory(standing);
  const Words approve{"golden", "approve", fresh, "--records", standing};
  EXPECT_EQ(assay({"golden", "record", "silu_and_mul", "--suite", "smoke", "--out", fresh}).code, 0);
  const Ended dry = assay(approve + Words{"--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_NE(dry.out.find("emu_sm_90/smoke/silu_and_mul.h5: 0 same, 0 changed, 3 added, 0 removed"), std::string::npos) << dry.out;
  EXPECT_TRUE(fs::is_empty(standing));
  EXPECT_EQ(assay(approve).code, 0);
  EXPECT_EQ(assay({"golden", "verify", "silu_and_mul", "--records", standing}).code, 0);
  const Ended again = assay(approve);
  EXPECT_NE(again.out.find("3 same, 0 changed, 0 added, 0 removed"), std::string::npos) << again.out;
  expect_bad_input({"golden", "approve", standing, "--records", standing}, "lies in the folder that would be replaced");
  expect_bad_input({"golden", "approve", standing + "/emu_sm_90", "--records", standing}, "lies in the folder that would be replaced");
  fs::create_directory(fs::path(standing) / "copies");
  fs::copy(fs::path(standing) / "emu_sm_90/smoke/silu_and_mul.h5", fs::path(standing) / "copies");
  expect_bad_input({"golden", "verify", "silu_and_mul", "--records", standing}, "is for emu_sm_90/smoke/silu_and_mul.h5 too");
  fs::remove_all(fs::path(standing) / "copies");
  setenv("ASSAY_RECORDS", standing.c_str(), 1);
  for (const std::string& out : {standing, standing + "/new", standing + "/../standing/./new"})
    expect_bad_input({"golden", "record", "silu_and_mul", "--suite", "smoke", "--out", out},
                     "which only assay golden approve changes: record elsewhere");
  unsetenv("ASSAY_RECORDS");
  EXPECT_FALSE(fs::exists(standing + "/new"));
}

// ---- plug-ins

Words check_plugin(const std::string& fault) { return {"check", "--plugin", plugin(fault), "--suite", "smoke", "--cases", "5"}; }

TEST_F(CommandLine, AnUnusablePluginIsBadInput) {
  expect_bad_input(check_plugin("other_abi"), "was built for plug-in ABI 2, this program has ABI 1");
  expect_bad_input(check_plugin("missing_symbol"), "exports no function 'assay_plugin'");
  expect_bad_input(check_plugin("taken_name"), "is that of a subject that is here already: rename the kernel");
  expect_bad_input(check_plugin("odd_supports"), "answered 7: want 1 for yes, 0 for no");
  expect_bad_input({"check", "--plugin", file("text.so", "text")}, "want a shared object that exports assay_plugin()");
  expect_bad_input({"check", "--plugin", ""}, "want a path");
  expect_bad_input(check_plugin("no_fault") + Words{"--backend", "checked"}, "was built for backend emu, not checked: leave --backend out");
  expect_bad_input(check_plugin("no_fault") + Words{"--image", "silu_and_mul"}, "--image replaces the image of our kernels");
  expect_bad_input(check_plugin("no_fault") + Words{"--plugin", plugin("no_fault")},
                   "the name 'host_silu' of its kernel is that of one of plug-in");
  expect_bad_input(check_plugin("no_fault") + Words{"rope_*"}, "the filter selects none of the kernels of");
  expect_bad_input({"list", "--plugin", plugin("bad_arithmetic")}, "arithmetic: stage 'exp', at ' ulp': want 'relative'");
}

TEST_F(CommandLine, APluginAloneIsCheckedAndSaysWhatItDoesNotDeclare) {
  const Ended declared = assay(check_plugin("declared"));
  EXPECT_EQ(declared.code, 0) << declared.out << declared.err;
  EXPECT_EQ(declared.out.find("\nsilu_and_mul "), std::string::npos) << declared.out;
  EXPECT_EQ(declared.out.find("declares no arithmetic"), std::string::npos) << declared.out;
  const Ended undeclared = assay(check_plugin("no_fault"));
  EXPECT_EQ(undeclared.code, 3) << undeclared.out << undeclared.err;
  EXPECT_NE(undeclared.out.find("host_silu declares no arithmetic. Assumed: exp: __expf"), std::string::npos) << undeclared.out;
  EXPECT_NE(undeclared.out.find("laws that say less, or nothing, without it:"), std::string::npos) << undeclared.out;
  const Ended both = assay(check_plugin("declared") + Words{"host_silu", "silu_and_mul"});
  EXPECT_NE(both.out.find("\nsilu_and_mul "), std::string::npos) << both.out;
}

TEST_F(CommandLine, AFailingPluginGetsALineThatFailsAgain) {
  for (const char* fault : {"wrong_result", "run_fails", "leaves_last_column", "writes_behind_error", "unterminated_error"}) {
    const Ended failed = assay(check_plugin(fault));
    EXPECT_EQ(failed.code, 1) << fault << failed.out << failed.err;
    const size_t from = failed.out.find("assay repro '");
    ASSERT_NE(from, std::string::npos) << failed.out;
    const std::string line = failed.out.substr(from + 13, failed.out.find('\'', from + 13) - from - 13);
    EXPECT_NE(line.find(" plugin=" + plugin(fault)), std::string::npos) << line;
    EXPECT_EQ(assay({"repro", line}).code, 1) << line;
    EXPECT_EQ(assay({"repro", line, "--plugin", plugin("declared")}).code, 0) << line;
  }
  const Ended unwritten = assay({"check", "guarded", "--plugin", plugin("leaves_last_column"), "--suite", "smoke", "--cases", "0"});
  EXPECT_NE(unwritten.out.find("was not written"), std::string::npos) << unwritten.out;
}

TEST_F(CommandLine, ListShowsAPluginsKernelsAndWhatMayBeDeclared) {
  const Ended listed = assay({"list", "silu_and_mul", "--plugin", plugin("no_fault")});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_NE(listed.out.find("stages that may be declared\n    exp: a function; one_plus: a count of roundings"), std::string::npos)
      << listed.out;
  EXPECT_NE(listed.out.find("subject host_silu\n    in plain C\n    nothing is declared; assumed: exp: "), std::string::npos) << listed.out;
}

// ---- fuzz

const Words kMutated{"--image", "silu_and_mul+silu_leaves_last_column"};

bool has_mutant() { return fs::exists(kProgram.parent_path().parent_path() / "images" / "silu_and_mul+silu_leaves_last_column.emu.so"); }

TEST_F(CommandLine, FuzzingARightKernelEndsWith0) {
  const Ended ended = assay({"fuzz", "silu_and_mul", "--subject", "silu_and_mul", "--cases", "40", "--jobs", "2", "--json", folder / "report.json",
                             "--report", folder / "page.html"});
  EXPECT_NE(contents(folder / "page.html").find("Pass: no failure in 40 cases of silu_and_mul"), std::string::npos);
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_TRUE(ended.out.starts_with("PASS  silu_and_mul: no failure in 40 cases\n")) << ended.out;
  EXPECT_NE(ended.out.find("cases/s with 2 jobs on emu"), std::string::npos) << ended.out;
  EXPECT_NE(contents(folder / "report.json").find("\"findings\": []"), std::string::npos);
  EXPECT_EQ(names_in_folder(), (std::set<std::string>{"report.json", "page.html"}));
}

TEST_F(CommandLine, WhatFuzzingFindsFailsAgainFromItsLineAndItsFile) {
  if (!has_mutant()) GTEST_SKIP() << "no mutant";
  const Ended ended = assay(Words{"fuzz", "silu_and_mul", "--subject", "silu_and_mul", "--cases", "30", "--out", folder / "out", "--report", folder / "page.html"} + kMutated);
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_TRUE(ended.out.starts_with("FAIL  silu_and_mul: 1 finding; ")) << ended.out;
  EXPECT_NE(contents(folder / "page.html").find("column the last, "), std::string::npos);
  const std::string line = "silu_and_mul rows=1 d=1 fill=exact seed=0 subject=silu_and_mul law=conforms backend=emu";
  EXPECT_NE(ended.out.find("  assay repro '" + line + "' --image " + kMutated[1] + "\n"), std::string::npos) << ended.out;
  const std::string file = folder / "out" / "silu_and_mul-conforms-1.h5";
  EXPECT_NE(ended.out.find("  assay repro " + file + " --image "), std::string::npos) << ended.out;
  EXPECT_EQ(assay(Words{"repro", line} + kMutated).code, 1);
  EXPECT_EQ(assay(Words{"repro", file} + kMutated).code, 1);
  EXPECT_EQ(assay({"repro", file}).code, 0);
  fs::resize_file(file, fs::file_size(file) - 1);
  expect_bad_input({"repro", file}, "bytes after its first");
  expect_bad_input({"repro", folder / "none.h5"}, "there is no such file");
}

TEST_F(CommandLine, FuzzingGoesOnFromItsJournal) {
  const std::string journal = folder / "journal";
  const Words words{"fuzz", "silu_and_mul", "--cases", "60", "--journal", journal};
  EXPECT_EQ(assay(words).code, 0);
  const Ended again = assay(words);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("; 120 cases from " + journal), std::string::npos) << again.out;   // two subjects
  expect_bad_input(words + Words{"--seed", "2"}, "journal " + journal + ": is of another run (silu_and_mul seed=1");
  std::string text = contents(journal);
  text[text.size() / 2] ^= 1;
  file("journal", text);
  expect_bad_input(words, " is damaged, its hash is wrong");
  file("journal", "garbage\n");
  expect_bad_input(words, "journal: is no journal of assay fuzz");
  EXPECT_EQ(contents(journal), "garbage\n");
}

TEST_F(CommandLine, FuzzingRefusesBadInputInOneLine) {
  for (const char* time : {"-1", "0", "nan", "inf", "1e99", "60x", "s", "1e-400", "60 s"})
    expect_bad_input({"fuzz", "convert", "--time=" + std::string(time)}, "--time '" + std::string(time) + "': want seconds");
  const std::string out = file("taken", "");
  const std::pair<Words, const char*> bad[] = {
      {{"fuzz"}, "contract is required"},
      {{"fuzz", "nonesuch"}, "unknown contract 'nonesuch': want one of awq_gemm, "},
      {{"fuzz", "convert", "--subject", "nonesuch"}, "convert has no subject 'nonesuch': want one of convert"},
      {{"fuzz", "convert", "--cases", "0"}, "--cases"},
      {{"fuzz", "convert", "--cases", "-1"}, "--cases"},
      {{"fuzz", "convert", "--jobs", "-1"}, "--jobs"},
      {{"fuzz", "convert", "--backend", "gpu"}, "unknown backend 'gpu'"},
      {{"fuzz", "convert", "--cases", "1", "--image", "nonesuch"}, "no such file"},
      {{"fuzz", "convert", "--cases", "1", "--json", "/nowhere/report.json"}, "cannot be written"},
      {{"fuzz", "convert", "--cases", "1", "--journal", "/nowhere/journal"}, "cannot be written"},
      {{"fuzz", "convert", "--cases", "1", "--out", out}, "taken"},
      {{"fuzz", "convert", "--multiply-adds", "nan"}, "--multiply-adds"},
      {{"fuzz", "convert", "--cases", "1", "--journal", out, "--json", out}, "--json"},
      {{"fuzz", "convert", "--cases", "1", "--journal", out, "--report", out}, "--report"},
  };
  for (const auto& [words, part] : bad) expect_bad_input(words, part);
}

TEST_F(CommandLine, FuzzingStopsWhenItsTimeIsUp) {
  const Ended ended = assay({"fuzz", "convert", "--time", "0.5s"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_TRUE(ended.out.starts_with("PASS  convert: no failure in ")) << ended.out;
}

}  // namespace
}  // namespace assay::tools
