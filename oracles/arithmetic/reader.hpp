// Within parse.cpp: reads one stage of a declared arithmetic from left to right, and says where it ends.
#pragma once
#include <fmt/format.h>

#include <charconv>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/parameters.hpp"

namespace assay {

/// The parts between "; " that stand outside of parentheses.
inline std::vector<std::string_view> stages_of(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t first = 0;
  for (size_t i = 0; i < text.size(); i++) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 && text.substr(i).starts_with("; ")) parts.push_back(text.substr(first, i - first)), first = i + 2;
  }
  if (depth) throw BadInput("arithmetic: parentheses that are not balanced");
  if (!text.empty()) parts.push_back(text.substr(first));
  return parts;
}

class Reader {
 public:
  Reader(std::string_view stage_name, std::string_view stage_text) : stage(stage_name), whole(stage_text), rest(stage_text) {}

  bool done() const { return rest.empty(); }
  bool peek(std::string_view text) const { return rest.starts_with(text); }
  bool peek_digit() const { return !rest.empty() && rest.front() >= '0' && rest.front() <= '9'; }
  std::string_view peek_word() const { return rest.substr(0, rest.find_first_of(" ,()")); }

  bool eat(std::string_view text) {
    const bool there = peek(text);
    if (there) rest.remove_prefix(text.size());
    return there;
  }
  bool eat_all(std::string_view text) { return rest == text && eat(text); }
  void want(std::string_view text, std::string_view instead = {}) {
    if (!eat(text)) complain(instead.empty() ? fmt::format("want '{}'", text) : std::string(instead));
  }
  std::string_view word() { return take(peek_word().size()); }

  /// What stands before the first of these, or all.
  std::string_view until(std::initializer_list<std::string_view> ends) {
    size_t end = rest.size();
    for (std::string_view e : ends) end = std::min(end, rest.find(e));
    return take(end);
  }
  /// What stands before this, which is taken too; nothing if it is not there, or in parentheses.
  std::optional<std::string_view> before(std::string_view end) {
    int depth = 0;
    for (size_t at = 0; at < rest.size(); at++) {
      depth += rest[at] == '(' ? 1 : rest[at] == ')' ? -1 : 0;
      if (depth || at == 0 || !rest.substr(at).starts_with(end)) continue;
      const std::string_view found = take(at);
      rest.remove_prefix(end.size());
      return found;
    }
    return {};
  }
  /// " (words)" to the end of the stage, or nothing.
  std::string parenthesis() {
    if (!eat(" (")) return {};
    if (!rest.ends_with(")") || rest.size() == 1) complain("want words and ')' at the end");
    const std::string words(take(rest.size() - 1));
    rest = {};
    return words;
  }

  template <class Number>
  Number number() {
    Number value{};
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc{}) complain("want a number");
    rest.remove_prefix(size_t(end - rest.data()));
    return value;
  }
  template <class Number>
  Number number(Number low, Number high) {
    const std::string_view from = rest;
    const auto value = number<Number>();
    if (value < low || value > high) {
      rest = from;
      complain(fmt::format("want a number from {} to {}", low, high));
    }
    return value;
  }

  /// BadInput; `back`: characters that were taken and are meant.
  [[noreturn]] void complain(const std::string& what, size_t back = 0) const {
    const size_t at = whole.size() - rest.size() - back;
    const std::string here = at < whole.size() ? fmt::format("at '{}'", whole.substr(at, 40)) : "at its end";
    throw BadInput(fmt::format("arithmetic: stage '{}', {}: {}", stage, here, what));
  }

 private:
  std::string_view stage, whole, rest;

  std::string_view take(size_t count) {
    const std::string_view taken = rest.substr(0, count);
    rest.remove_prefix(taken.size());
    return taken;
  }
};

}  // namespace assay
