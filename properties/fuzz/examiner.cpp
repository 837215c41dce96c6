#include "properties/fuzz/examiner.hpp"

#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "fixtures/case/shown.hpp"
#include "properties/fuzz/reduce.hpp"

namespace assay::properties {
namespace {

/// Of drawn cases there are no records.
bool is_asked(const Law& law) { return law.name != "golden"; }

[[noreturn]] void complain(std::string_view text) { throw BadInput(fmt::format("'{}' is no result of a task", shown(text))); }

/// Words of a text, one after the other.
class Words {
 public:
  explicit Words(std::string_view text) : rest(text) {}
  std::string_view next() {
    const size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return word;
  }
  template <class Number>
  Number number(int base = 10) {
    const std::string_view word = next();
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    if (error != std::errc{} || end != word.data() + word.size()) complain(word);
    return value;
  }
  double real() {
    const std::string_view word = next();
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size()) complain(word);
    return value;
  }
  std::string_view all() const { return rest; }

 private:
  std::string_view rest;
};

std::string to_text(const LawVerdict& l) {
  const Verdict& v = l.verdict;
  const Tally& t = v.tally;
  std::string text = fmt::format("v {} {} {} {} {} {} {} {}", l.law, int(v.outcome), t.judged, t.single_legal, t.off_nearest, t.outside,
                                 t.decided_wide, t.nearest);
  for (const StoodIn& s : t.stand_ins) text += fmt::format(" {} {}", s.differ, s.legal);
  return text + fmt::format(" {} {} {}", v.worst_share, int(v.worst_term), printable(v.reason));
}

LawVerdict law_verdict(Words words) {
  LawVerdict l{.law = std::string(words.next()), .verdict = {}};
  Verdict& v = l.verdict;
  Tally& t = v.tally;
  const int outcome = words.number<int>();
  if (outcome < 0 || outcome > int(Outcome::skip)) complain(words.all());
  v.outcome = Outcome(outcome);
  for (uint64_t* count : {&t.judged, &t.single_legal, &t.off_nearest, &t.outside, &t.decided_wide, &t.nearest})
    *count = words.number<uint64_t>();
  for (StoodIn& s : t.stand_ins) s.differ = words.number<uint64_t>(), s.legal = words.number<uint64_t>();
  v.worst_share = words.real();
  const int term = words.number<int>();
  if (term < 0 || term >= kTerms) complain(words.all());
  v.worst_term = Term(term), v.reason = words.all();
  return l;
}

std::string to_text(const SeenCodes& s) {
  std::string digits;
  for (size_t i = 0; i < s.seen.size(); i += 4)
    digits += fmt::format("{:x}", s.seen[i] + 2 * s.seen[i + 1] + 4 * s.seen[i + 2] + 8 * s.seen[i + 3]);
  return fmt::format("c {} {}", digits, s.operand);
}

SeenCodes seen_codes(Words words) {
  SeenCodes s;
  for (const char digit : words.next()) {
    int four = 0;
    if (std::from_chars(&digit, &digit + 1, four, 16).ec != std::errc{}) complain(words.all());
    for (int bit = 0; bit < 4; bit++) s.seen.push_back(four >> bit & 1);
  }
  s.operand = words.all();
  return s;
}

std::string to_text(const Contents& c) {
  std::string text = fmt::format("t {} {}", c.tensor, c.codes.size());
  for (const uint64_t code : c.codes) text += fmt::format(" {:x}", code);
  return text;
}

Contents contents(Words words) {
  Contents c{.tensor = std::string(words.next()), .codes = {}};
  const auto count = words.number<size_t>();
  if (count > words.all().size()) complain(words.all());
  for (size_t i = 0; i < count; i++) c.codes.push_back(words.number<uint64_t>(16));
  return c;
}

/// One process's bench, and what it looks names up in.
class Examiner {
 public:
  Examiner(std::vector<const Subject*> subjects, std::vector<const Law*> laws, const BenchSettings& settings)
      : subjects(std::move(subjects)), laws(std::move(laws)), bench(settings) {}

  Answer operator()(const std::string& text) {
    Words words(text);
    const bool reduces = words.next() == "reduce";
    const Subject& subject = named(subjects, words.next());
    const std::string_view law = words.next();
    const Case c = parse_case(words.all());
    const TaskResult result = reduces ? reduced(subject, named(laws, law), c) : checked(subject, law, c);
    return {properties::to_text(result), bench.settings().backend == Backend::cuda && is_broken()};
  }

 private:
  std::vector<const Subject*> subjects;
  std::vector<const Law*> laws;
  Bench bench;

  template <class T>
  static const T& named(const std::vector<const T*>& all, std::string_view name) {
    for (const T* one : all)
      if (one->name == name) return *one;
    throw BadInput(fmt::format("a task names '{}', which is not there", shown(name)));
  }

  TaskResult checked(const Subject& subject, std::string_view only, const Case& c) {
    TaskResult result;
    if (only == "*" && !bench.refusal(subject, c)) result.codes = codes_of(bench.operands(c));
    for (const Law* law : laws)
      if ((only == "*" ? is_asked(*law) : law->name == only) && law->applies(subject, c))
        result.laws.push_back({law->name, verdict_of(*law, bench, subject, c)});
    return result;
  }

  TaskResult reduced(const Subject& subject, const Law& law, const Case& c) {
    TaskResult result;
    int64_t elements = 0;
    for (const TensorSpec& t : c.definition().tensors(c.parameters)) elements += t.elements();
    if (elements > kReducible) return result;
    Bench own(bench.settings());  // what is put into it stays there
    const std::optional<Reduced> found = reduce(own, subject, law, c, kReductions);
    if (!found) return result;
    result.laws.push_back({law.name, found->verdict});
    for (const Tensor& t : found->operands) {
      if (t.spec.role == Role::output) continue;
      Contents one{t.spec.name, {}};
      for (int64_t row = 0; row < t.spec.rows(); row++)
        for (int64_t column = 0; column < t.spec.width(); column++) one.codes.push_back(t.code(row, column));
      result.contents.push_back(std::move(one));
    }
    return result;
  }

  /// After some failures a GPU answers every later call with an error, until its process ends.
  bool is_broken() const {
    try {
      bench.device().synchronize();
      return false;
    } catch (const DeviceError&) {
      return true;
    }
  }
};

}  // namespace

std::string to_text(const Task& t) {
  return fmt::format("{} {} {} {}", t.kind == Task::Kind::check ? "check" : "reduce", t.subject, t.law.empty() ? "*" : t.law,
                     to_line(t.problem));
}

std::string to_text(const TaskResult& r) {
  std::string text;
  auto add = [&](const std::string& item) { text += (text.empty() ? "" : "\t") + item; };
  for (const LawVerdict& l : r.laws) add(to_text(l));
  for (const SeenCodes& s : r.codes) add(to_text(s));
  for (const Contents& c : r.contents) add(to_text(c));
  return text;
}

TaskResult result_of(std::string_view text) {
  TaskResult r;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\t'), text.size());
    Words words(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view kind = words.next();
    if (kind == "v")
      r.laws.push_back(law_verdict(words));
    else if (kind == "c")
      r.codes.push_back(seen_codes(words));
    else if (kind == "t")
      r.contents.push_back(contents(words));
    else
      complain(kind);
  }
  return r;
}

Work examiner(std::vector<const Subject*> subjects, std::vector<const Law*> laws, const BenchSettings& settings) {
  return [it = std::make_shared<Examiner>(std::move(subjects), std::move(laws), settings)](const std::string& task) { return (*it)(task); };
}

std::string kind_of_failure(const std::string& reason) { return reason.substr(0, reason.find_first_of("0123456789[(")); }

}  // namespace assay::properties
