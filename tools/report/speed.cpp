#include "tools/report/speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tools/report/table.hpp"

namespace assay::report {
namespace {

/// Three or four digits, whatever the size.
std::string digits(double x) {
  return x < 10     ? fmt::format("{:.3f}", x)
         : x < 100  ? fmt::format("{:.2f}", x)
         : x < 1000 ? fmt::format("{:.1f}", x)
                    : fmt::format("{:.0f}", x);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// The case without what is the same in all of them: contract, fill, seed.
std::string shape(const Case& c) {
  const std::string line = to_line(c);
  const size_t from = line.find(' ') + 1;
  return line.substr(from, line.find(" fill=") - from);
}

bool is_card(const SpeedReport& r) { return r.backend == name(Backend::cuda); }

// ---- the head: what was measured with, and how

std::string clocks_text(const SpeedReport& r) {
  if (r.card.sm_mhz == 0) return "not told by the driver";
  return fmt::format("SM {} MHz with the ceilings, {} MHz at the end (limit {} MHz), memory {} MHz", r.card.sm_mhz, r.card_after.sm_mhz,
                     r.card.sm_highest_mhz, r.card.memory_mhz);
}

std::string matrix_text(const MatrixRate& m) {
  if (m.flops_per_second == 0) return fmt::format("{} unknown ({})", info(m.operand).name, m.source);
  return fmt::format("{} {:.0f} {} ({}, {}^3)", info(m.operand).name, m.flops_per_second / 1e12,
                     info(m.operand).floating ? "TFLOP/s" : "TOP/s", m.source, m.size);
}

std::string card_head(const SpeedReport& r) {
  std::string out = fmt::format("card      {}, {} multiprocessors, driver {}; images {}\n", r.device.name, r.device.multiprocessors,
                                r.card.driver.empty() ? "unknown" : r.card.driver, r.device.toolkit);
  out += fmt::format("library   {}\n", r.library.empty() ? "none: " + r.no_library : r.library);
  out += fmt::format("clocks    {}\n", clocks_text(r));
  out += fmt::format("ceilings  copy {:.2f} TB/s ({:.2f} GiB read and written)", r.ceilings.values.bytes_per_second / 1e12,
                     r.ceilings.copied_bytes / 0x1p30);
  for (const MatrixRate& m : r.ceilings.matrix) out += ", " + matrix_text(m);
  out += fmt::format("\ntiming    medians between CUDA events; before each, {} MiB read to flush L2; an empty kernel takes {} us\n",
                     r.flush_bytes >> 20, digits(1e6 * r.nothing.median));
  return out;
}

std::string emulator_head(const SpeedReport& r) {
  return fmt::format("Host time of the emulator ({}, {}): it says nothing of a GPU's.\n", r.backend, r.device.toolkit);
}

// ---- a subject

std::string rate(double amount, const Speed& s) { return amount > 0 ? digits(amount / s.time->median / 1e12) : "-"; }

std::string share_text(const Speed& s) {
  if (!s.roofline) return "-";
  return fmt::format("{} {}{}", percent(s.roofline->seconds / s.time->median), s.roofline->limit == Limit::memory ? "memory" : "matrix",
                     s.roofline->whole ? "" : "?");
}

std::vector<std::string> card_row(const Speed& s) {
  std::vector<std::string> row{shape(s.problem),
                               digits(s.work.bytes / 1e6),
                               s.work.flops > 0 ? digits(s.work.flops / 1e9) : "-",
                               digits(1e6 * s.time->median) + (s.time->queued ? "" : "*"),
                               percent(s.time->relative()),
                               rate(s.work.bytes, s),
                               rate(s.work.flops, s),
                               s.roofline ? digits(1e6 * s.roofline->seconds) : "-",
                               share_text(s)};
  for (const Rival& r : s.rivals) {
    row.push_back(r.time ? digits(1e6 * r.time->median) : "-");
    row.push_back(r.time ? fmt::format("{:.2f}", r.time->median / s.time->median) : "-");
  }
  return row;
}

std::vector<std::string> card_heading(const Speed& first) {
  std::vector<std::string> heading{"case", "MB", "GFLOP", "time us", "spread", "TB/s", "TFLOP/s", "roofline us", "reached"};
  for (const Rival& r : first.rivals) heading.insert(heading.end(), {r.name + " us", "ratio"});
  return heading;
}

std::vector<std::string> emulator_row(const Speed& s) {
  return {shape(s.problem), digits(1e3 * s.time->median), percent(s.time->relative()), std::to_string(s.time->count),
          digits(s.work.multiply_adds / s.time->median / 1e6)};
}

std::vector<std::string> emulator_heading() { return {"case", "host time ms", "spread", "repeats", "10^6 multiply-adds/s"}; }

/// Each reason once, with how many cases it kept from being measured.
std::string reasons_text(const std::vector<const Speed*>& speeds) {
  std::map<std::string, std::vector<const Speed*>> reasons;
  for (const Speed* s : speeds)
    if (!s->time) reasons[s->unmeasured].push_back(s);
  std::string out;
  for (const auto& [reason, all] : reasons)
    out += fmt::format("  {}: {} ({} case{}: {}{})\n", all.front()->failed ? "FAIL" : "skip", reason, all.size(),
                       all.size() == 1 ? "" : "s", shape(all.front()->problem), all.size() == 1 ? "" : ", ...");
  return out;
}

/// A table for each set of rivals, since operands of another format have others.
std::string subject_text(const std::vector<const Speed*>& speeds, bool card) {
  std::vector<std::pair<std::vector<std::string>, Table>> tables;
  for (const Speed* s : speeds) {
    if (!s->time) continue;
    const std::vector<std::string> heading = card ? card_heading(*s) : emulator_heading();
    auto table = std::find_if(tables.begin(), tables.end(), [&](const auto& t) { return t.first == heading; });
    if (table == tables.end()) table = tables.insert(table, {heading, Table(heading, "  ")});
    table->second.add(card ? card_row(*s) : emulator_row(*s));
  }
  std::string out = fmt::format("\n{}\n", speeds.front()->subject);
  for (const auto& [heading, table] : tables) out += table.text();
  return out + reasons_text(speeds);
}

// ---- the headline

std::string headline_text(const std::vector<Headline>& all) {
  std::set<double> columns;
  for (const Headline& h : all)
    for (const SpeedUp& p : h.points) columns.insert(p.m);
  std::vector<std::string> heading{"subject and shape"};
  for (const double m : columns) heading.push_back(fmt::format("M={:.0f}", m));
  Table table(heading, "  ");
  for (const Headline& h : all) {
    std::vector<std::string> row{h.subject + "  " + h.shape};
    for (const double m : columns) {
      const auto p = std::find_if(h.points.begin(), h.points.end(), [&](const SpeedUp& s) { return s.m == m; });
      row.push_back(p == h.points.end() ? "" : fmt::format("{:.2f}", p->ratio));
    }
    row.push_back(h.crossover ? to_text(*h.crossover) : "");
    table.add(row);
  }
  return fmt::format("\nSpeed-up over {} (its time / the subject's) by M, and the M where it crosses 1\n{}", baseline_name(Format::bf16),
                     table.text());
}

/// Why ratios are missing, each reason once.
std::string absent_text(const std::vector<Speed>& speeds) {
  std::set<std::string> reasons;
  for (const Speed& s : speeds)
    for (const Rival& r : s.rivals)
      if (!r.time) reasons.insert(fmt::format("no ratio to {}: {}", r.name, r.absent));
  std::string out;
  for (const std::string& reason : reasons) out += (out.empty() ? "\n" : "") + reason + "\n";
  return out;
}

std::string notes_text(const SpeedReport& r) {
  bool unqueued = false, partial = false;
  for (const Speed& s : r.speeds) unqueued |= s.time && !s.time->queued, partial |= s.time && s.roofline && !s.roofline->whole;
  std::string out;
  if (unqueued) out += "* the device began before all of the work was queued: the host's launching is in the time\n";
  if (partial) out += "memory? the matrix rate is unknown: the roofline counts bytes alone\n";
  return out.empty() ? out : "\n" + out;
}

}  // namespace

int exit_code(const std::vector<Speed>& speeds) {
  bool measured = false;
  for (const Speed& s : speeds) {
    if (s.failed) return 1;
    measured |= s.time.has_value();
  }
  return measured ? 0 : 3;
}

std::string to_text(const SpeedReport& r) {
  std::string out = is_card(r) ? card_head(r) : emulator_head(r);
  for (size_t first = 0; first < r.speeds.size();) {
    std::vector<const Speed*> speeds;
    for (size_t i = first; i < r.speeds.size() && r.speeds[i].subject == r.speeds[first].subject; i++) speeds.push_back(&r.speeds[i]);
    out += subject_text(speeds, is_card(r));
    first += speeds.size();
  }
  if (const std::vector<Headline> all = headlines_of(r.speeds); !all.empty()) out += headline_text(all);
  out += absent_text(r.speeds) + notes_text(r);
  const auto measured = std::count_if(r.speeds.begin(), r.speeds.end(), [](const Speed& s) { return s.time.has_value(); });
  return out + fmt::format("\n{} measured, {} not; shapes {}, {} ({}), {:.1f} s\n", measured, r.speeds.size() - size_t(measured), r.shapes,
                           r.backend, r.device.name, r.seconds);
}

}  // namespace assay::report
