// Words of a line of text, one after the other, as tasks and what comes of them are written.
#pragma once
#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "fixtures/case/shown.hpp"
#include "oracles/parameters.hpp"

namespace assay::properties {

/// Throws BadInput: the text is not what a task's result looks like.
[[noreturn]] inline void no_result(std::string_view text) { throw BadInput(fmt::format("'{}' is no result of a task", shown(text))); }

class Words {
 public:
  explicit Words(std::string_view text) : rest(text) {}

  std::string_view next() {
    const size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return word;
  }
  /// A whole number, in decimal.
  template <class Number>
  Number number() {
    return parsed<Number>(10);
  }
  /// In hexadecimal digits.
  uint64_t code() { return parsed<uint64_t>(16); }
  double real() { return parsed<double>(); }
  std::string_view all() const { return rest; }

 private:
  std::string_view rest;

  template <class Number, class... Base>
  Number parsed(Base... base) {
    const std::string_view word = next();
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base...);
    if (error != std::errc{} || end != word.data() + word.size()) no_result(word);
    return value;
  }
};

}  // namespace assay::properties
