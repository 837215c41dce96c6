#include "properties/fuzz/examiner.hpp"

#include <fmt/format.h>

#include <memory>

#include "properties/crew/words.hpp"
#include "properties/fuzz/reduce.hpp"

namespace assay::properties {
namespace {

/// Of drawn cases there are no records.
bool is_asked(const Law& law) { return law.name != "golden"; }

std::string to_text(const SeenCodes& s) {
  std::string digits;
  for (size_t i = 0; i < s.seen.size(); i += 4)
    digits += fmt::format("{:x}", s.seen[i] + 2 * s.seen[i + 1] + 4 * s.seen[i + 2] + 8 * s.seen[i + 3]);
  return fmt::format("c {} {}", digits, s.operand);
}

SeenCodes seen_codes(Words words) {
  SeenCodes s;
  for (const char digit : words.next()) {
    const size_t four = std::string_view("0123456789abcdef").find(digit);
    if (four == std::string_view::npos) no_result(words.all());
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
  if (count > words.all().size()) no_result(words.all());
  for (size_t i = 0; i < count; i++) c.codes.push_back(words.code());
  return c;
}

/// One process's bench, and what it looks names up in.
class Examiner {
 public:
  Examiner(std::vector<const Subject*> subjects, std::vector<const Law*> laws, const BenchSettings& settings)
      : subjects(std::move(subjects)), laws(std::move(laws)), bench(settings) {}

  Answer operator()(const std::string& text, const Say& say) {
    Words words(text);
    const bool reduces = words.next() == "reduce";
    const Subject& subject = named(subjects, words.next());
    const std::string_view law = words.next();
    const Case c = parse_case(words.all());
    const TaskResult result = reduces ? reduced(subject, named(laws, law), c) : checked(subject, law, c, say);
    return {properties::to_text(result), is_broken(bench)};
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

  TaskResult checked(const Subject& subject, std::string_view only, const Case& c, const Say& say) {
    TaskResult result;
    if (only == "*" && !bench.refusal(subject, c)) result.codes = codes_of(bench.operands(c));
    std::vector<const Law*> chosen;
    for (const Law* law : laws)
      if (only == "*" ? is_asked(*law) : law->name == only) chosen.push_back(law);
    Asked found = asked(bench, subject, chosen, c, say);
    result.laws = std::move(found.verdicts);
    for (const std::string& law : found.left) result.laws.push_back(not_asked(law));
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
    const std::string_view item = text.substr(0, end);
    Words words(item);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view kind = words.next();
    if (kind == "v")
      r.laws.push_back(law_verdict_of(item));
    else if (kind == "c")
      r.codes.push_back(seen_codes(words));
    else if (kind == "t")
      r.contents.push_back(contents(words));
    else
      no_result(kind);
  }
  return r;
}

Work examiner(std::vector<const Subject*> subjects, std::vector<const Law*> laws, const BenchSettings& settings) {
  return [it = std::make_shared<Examiner>(std::move(subjects), std::move(laws), settings)](const std::string& task, const Say& say) {
    return (*it)(task, say);
  };
}

std::string kind_of_failure(const std::string& reason) { return reason.substr(0, reason.find_first_of("0123456789[(")); }

}  // namespace assay::properties
