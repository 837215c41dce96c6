#include "properties/check/checker.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "fixtures/fill/random.hpp"
#include "properties/crew/words.hpp"
#include "properties/generators/cases.hpp"

namespace assay::properties {
namespace {

// Answers are items between tabs. "d <case>": drawn; "s <law> <what>": must be shown; "x <how>" and "at <case>": died on an
// opening; "e <law>", "h <law>": the process ended, without an answer in time; "l <law>,...": are left; and verdicts.

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> all;
  for (size_t end; !text.empty(); text.remove_prefix(std::min(end + 1, text.size())))
    end = std::min(text.find(at), text.size()), all.push_back(text.substr(0, end));
  return all;
}

std::string text_of(const Asked& asked) {
  std::vector<std::string> items;
  for (const LawVerdict& l : asked.verdicts) items.push_back(to_text(l));
  if (!asked.left.empty()) items.push_back(fmt::format("l {}", fmt::join(asked.left, ",")));
  return fmt::format("{}", fmt::join(items, "\t"));
}

class Checker {
 public:
  explicit Checker(const CheckerSettings& settings) : settings(settings), bench(settings.bench) {
    if (!settings.operands.empty()) bench.put(settings.given, settings.operands);
  }

  Answer operator()(const std::string& task, const Say& say) {
    Words words(task);
    const bool opens = words.next() == "open";
    const std::string_view name = words.next();
    const auto subject = std::ranges::find(settings.subjects, name, &Subject::name);
    if (subject == settings.subjects.end()) no_result(task);
    if (opens) return {.text = opening(**subject, say)};
    const std::vector<const Law*> laws = named(words.next());
    const Asked found = asked(bench, **subject, laws, parse_case(words.all()), say);
    return {.text = text_of(found), .worn_out = found.broken};
  }

 private:
  CheckerSettings settings;
  Bench bench;

  std::vector<const Law*> named(std::string_view names) const {
    std::vector<const Law*> laws;
    for (const std::string_view name : split(names, ','))
      for (const Law* law : settings.laws)
        if (law->name == name) laws.push_back(law);
    return laws;
  }

  std::string opening(const Subject& subject, const Say& say) const {
    std::string text;
    auto add = [&](const std::string& item) { text += (text.empty() ? "" : "\t") + item; };
    const Stream random(settings.seed, subject.name);
    uint64_t index = 0;
    const Below below = [&](uint64_t n) { return random.below(n, index++); };
    const Wanted taken = [&](const Case& c) {
      say(to_line(c));
      return !subject.refuses || !subject.refuses(c.parameters);
    };
    say(to_line(standard_case(*find<Contract>(subject.contract))));  // what `must_show` asks about
    for (const Law* law : settings.laws)
      if (law->must_show)
        for (const std::string& what : law->must_show(subject)) add(fmt::format("s {} {}", law->name, what));
    for (int i = 0; i < settings.drawn_cases; i++)
      add("d " + to_line(draw_case(*find<Contract>(subject.contract), 100 * (i + 1) / settings.drawn_cases, 1e6, below, taken)));
    return text;
  }
};

}  // namespace

Work checker(const CheckerSettings& settings) {
  return [it = std::make_shared<Checker>(settings)](const std::string& task, const Say& say) { return (*it)(task, say); };
}

std::string opening_task(const std::string& subject) { return "open " + subject; }

std::string case_task(const std::string& subject, const std::vector<std::string>& laws, const Case& c) {
  return fmt::format("check {} {} {}", subject, fmt::join(laws, ","), to_line(c));
}

Opening opening_of(const Subject& subject, std::string_view answer) {
  Opening opening{.sheet = {.subject = subject.name, .plugin = subject.plugin}, .drawn = {}};
  for (const std::string_view item : split(answer, '\t')) {
    Words words(item);
    const std::string_view kind = words.next();
    if (kind == "d")
      opening.drawn.push_back(parse_case(words.all()));
    else if (kind == "s") {
      const std::string law(words.next());
      opening.sheet.must_show[law].emplace_back(words.all());
    } else if (kind == "x")
      opening.sheet.death = words.all();
    else if (kind == "at")
      opening.sheet.death_case = words.all();
    else
      no_result(item);
  }
  return opening;
}

void read_case(CaseSheet& sheet, std::string_view answer) {
  for (const std::string_view item : split(answer, '\t'))
    if (item.starts_with("h ") || item.starts_with("e "))
      sheet.died[std::string(item.substr(2))] = item[0] == 'h';
    else
      sheet.laws.push_back(law_verdict_of(item));
}

Tasks::Outcome checkers_outcome(const std::string& task, const Reply& reply) {
  Words words(task);
  const bool opens = words.next() == "open";
  const std::string_view subject = words.next();
  if (opens && !reply.died) return {reply.text, ""};
  if (opens) {
    if (reply.said.empty()) throw BadInput(fmt::format("{} cannot be run: {}", subject, reply.text));
    return {fmt::format("x {}, when it was asked whether it takes the case\tat {}", reply.text, reply.said.back()), ""};
  }
  std::vector<std::string> laws;
  for (const std::string_view law : split(words.next(), ',')) laws.emplace_back(law);
  const std::string_view problem = words.all();
  const auto again = [&](const std::vector<std::string>& left) {
    return left.empty() ? std::string() : fmt::format("check {} {} {}", subject, fmt::join(left, ","), problem);
  };
  if (!reply.died) {
    const size_t left = reply.text.rfind("\tl ");  // where there are any, the last item
    if (left == reply.text.npos) return {reply.text, ""};
    return {reply.text.substr(0, left), fmt::format("check {} {} {}", subject, reply.text.substr(left + 3), problem)};
  }
  const std::string first = std::ranges::count(laws, "conforms") ? "conforms" : laws.front();
  Asked found = asked_by(reply, first);
  if (reply.said.empty()) {  // not even which laws apply is known
    std::erase(laws, first);
    found.left = laws;
  }
  std::vector<std::string> left = std::move(found.left);
  found.left.clear();
  return {fmt::format("{}\t{} {}", text_of(found), reply.hung ? "h" : "e", found.verdicts.back().law), again(left)};
}

}  // namespace assay::properties
