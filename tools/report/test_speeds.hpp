// Reports of a card that never was, for tests.
#pragma once
#include "tools/report/speed.hpp"

namespace assay::report {

/// A card of round numbers: 4 TB/s, 800 TFLOP/s, and a kernel that takes 10 us and 1 us more a row beside a cuBLAS of 42 us.
inline SpeedReport card(std::vector<int64_t> rows, bool with_library = true) {
  SpeedReport r{.shapes = "bench",
                .backend = "cuda",
                .device = {.name = "NVIDIA H200", .toolkit = "CUDA 13.0, sm_90", .compute_capability = 90, .multiprocessors = 132},
                .card = {.l2_bytes = 6e7, .driver = "580.1", .sm_mhz = 1980, .sm_highest_mhz = 1980, .memory_mhz = 3201},
                .card_after = {.sm_mhz = 1755},
                .library = with_library ? "cuBLAS 13.1.0" : "",
                .no_library = with_library ? "" : "libcublasLt.so.13: no such file",
                .nothing = spread_of({2e-6}),
                .flush_bytes = size_t{256} << 20};
  r.ceilings.values.bytes_per_second = 4e12, r.ceilings.copied_bytes = 0x1p30;
  if (with_library) r.ceilings.values.flops_per_second[Format::bf16] = 8e14;
  r.ceilings.matrix = {{Format::bf16, with_library ? 8e14 : 0, with_library ? 8192 : 0, with_library ? "cuBLAS bf16" : r.no_library}};
  SpeedPlan plan{.subjects = {find<Subject>("w4a16_gemv")}, .cases = {}};
  for (const int64_t m : rows) plan.cases.push_back(parse_case("w4a16_gemv m=" + std::to_string(m) + " n=4096 k=4096 group=128"));
  const Stopwatch stopwatch{
      .refusal = [](const Subject&, const Case&) { return std::optional<std::string>(); },
      .conforms = [](const Subject&) { return Verdict(); },
      .time =
          [](const Subject&, const Case& c) {
            const double t = 10e-6 + 1e-6 * double(c.parameters.whole("m"));
            return spread_of({t, t, t, 1.1 * t, 1.1 * t});
          },
      .rival =
          [=](const Product& p) {
            Rival rival{.name = baseline_name(p.operand), .time = {}, .absent = with_library ? "" : "libcublasLt.so.13: no such file"};
            if (with_library) rival.time = spread_of({42e-6});
            return rival;
          }};
  r.speeds = measure(plan, stopwatch, r.ceilings.values);
  return r;
}

inline Speed unmeasured(const char* why, bool failed) {
  return {.subject = "silu_and_mul",
          .problem = parse_case("silu_and_mul rows=2 d=8"),
          .work = {},
          .product = {},
          .time = {},
          .unmeasured = why,
          .failed = failed};
}

}  // namespace assay::report
