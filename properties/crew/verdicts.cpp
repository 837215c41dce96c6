#include "properties/crew/verdicts.hpp"

#include <vector>

#include "properties/crew/words.hpp"

namespace assay::properties {
namespace {

// Groups of numbers that most verdicts do not have stand behind a letter, and are left out where all are 0.

template <class V>
auto tally_numbers(V& v) {
  auto& t = v.tally;
  std::vector all{&t.judged, &t.single_legal, &t.off_nearest, &t.outside, &t.decided_wide, &t.nearest};
  for (auto& s : t.stand_ins) all.insert(all.end(), {&s.differ, &s.legal});
  return all;
}

template <class V>
auto share_numbers(V& v) {
  std::vector all{&v.shares.none, &v.shares.beyond};
  for (auto& tenth : v.shares.tenths) all.push_back(&tenth);
  return all;
}

template <class V>
auto drift_numbers(V& v) {
  auto& d = v.drift;
  return std::vector{&d.elements, &d.seen, &d.expected, &d.uncertainty};
}

template <class V>
auto residual_numbers(V& v) {
  auto& r = v.residuals;
  return std::vector{&r.elements, &r.size, &r.seen, &r.squares, &r.up, &r.down, &r.widest, &r.drift, &r.one_sided};
}

template <class V>
auto rounding_numbers(V& v) {
  auto& r = v.roundings;
  std::vector all{&r.off_toward_zero, &r.squares_most, &r.squares_widest, &r.square, &r.predicted, &r.steps};
  auto add = [&](auto& count) { all.insert(all.end(), {&count.trials, &count.seen, &count.expected}); };
  add(r.codes), add(r.decided), add(r.odd), add(r.squares);
  for (auto& h : r.half_way) add(h.away), add(h.toward);
  return all;
}

template <class Numbers>
void write_group(std::string& text, const char* letter, const Numbers& numbers) {
  std::string group = letter;
  bool any = false;
  for (const auto* n : numbers) group += fmt::format(" {}", *n), any |= *n != 0;
  if (any) text += " " + group;
}

template <class Numbers>
void read_group(Words& words, const Numbers& numbers) {
  for (auto* n : numbers) *n = words.number<std::remove_pointer_t<std::decay_t<decltype(n)>>>();
}
void read_reals(Words& words, const std::vector<double*>& numbers) {
  for (double* n : numbers) *n = words.real();
}

std::string word(const std::string& text) {
  if (text.find_first_of(" \t\n") != text.npos || text.empty()) throw std::logic_error("'" + text + "' is no word");
  return text;
}

}  // namespace

std::string to_text(const LawVerdict& l) {
  const Verdict& v = l.verdict;
  std::string text = fmt::format("v {} {} {} {}", word(l.law), int(v.outcome), v.worst_share, int(v.worst_term));
  write_group(text, "t", tally_numbers(v)), write_group(text, "s", share_numbers(v)), write_group(text, "d", drift_numbers(v));
  write_group(text, "e", residual_numbers(v)), write_group(text, "r", rounding_numbers(v));
  if (!v.worst_place.tensor.empty())
    text += fmt::format(" p {} {} {}", word(v.worst_place.tensor), v.worst_place.row, v.worst_place.column);
  for (const std::string& what : v.tried) text += " x " + word(what);
  for (const std::string& what : v.shown) text += " y " + word(what);
  return text + " : " + printable(v.reason);
}

LawVerdict law_verdict_of(std::string_view text) {
  Words words(text);
  if (words.next() != "v") no_result(text);
  LawVerdict l{.law = std::string(words.next()), .verdict = {}};
  Verdict& v = l.verdict;
  const int outcome = words.number<int>();
  v.worst_share = words.real();
  const int term = words.number<int>();
  if (outcome < 0 || outcome > int(Outcome::skip) || term < 0 || term >= kTerms) no_result(text);
  v.outcome = Outcome(outcome), v.worst_term = Term(term);
  for (;;) {
    const std::string_view letter = words.next();
    if (letter == "t")
      read_group(words, tally_numbers(v));
    else if (letter == "s")
      read_group(words, share_numbers(v));
    else if (letter == "d")
      read_reals(words, drift_numbers(v));
    else if (letter == "e")
      read_reals(words, residual_numbers(v));
    else if (letter == "r")
      read_reals(words, rounding_numbers(v));
    else if (letter == "x")
      v.tried.insert(std::string(words.next()));
    else if (letter == "y")
      v.shown.insert(std::string(words.next()));
    else if (letter == "p") {
      v.worst_place.tensor = words.next();
      v.worst_place.row = words.number<int64_t>(), v.worst_place.column = words.number<int64_t>();
    } else if (letter == ":") {
      v.reason = words.all();
      return l;
    } else
      no_result(text);
  }
}

}  // namespace assay::properties
