// The parameters of a contract and their values in one case: whole numbers, reals or words of a closed list, by name.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace assay {

/// Bad input: one line that says what is wrong, where, and what would be right. Programs print it and exit with 2.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Value = std::variant<int64_t, double, std::string>;

/// One parameter of a contract. Its kind is that of `standard`, the value where a case says nothing.
struct Parameter {
  std::string name;
  Value standard;
  std::string meaning;
  int64_t low = 0, high = 0;         // whole numbers: the legal range
  int64_t unit = 1;                  // of which they are multiples: what random cases are drawn by
  std::vector<std::string> words;    // words: the legal ones
  double real_low = 0, real_high = 0;   // reals: the legal range
};

struct Setting {
  std::string name;
  Value value;
  bool operator==(const Setting&) const = default;
};

/// The values of all parameters of a contract, in its order.
class Parameters {
 public:
  Parameters() = default;
  explicit Parameters(std::vector<Setting> values) : settings(std::move(values)) {}

  int64_t whole(std::string_view name) const { return std::get<int64_t>(at(name)); }
  double real(std::string_view name) const { return std::get<double>(at(name)); }
  const std::string& word(std::string_view name) const { return std::get<std::string>(at(name)); }

  const Value& at(std::string_view name) const {
    for (const Setting& s : settings)
      if (s.name == name) return s.value;
    throw std::logic_error("no parameter '" + std::string(name) + "'");
  }
  void set(std::string_view name, Value value) {
    for (Setting& s : settings)
      if (s.name == name) {
        s.value = std::move(value);
        return;
      }
  }
  const std::vector<Setting>& all() const { return settings; }
  bool operator==(const Parameters&) const = default;

 private:
  std::vector<Setting> settings;
};

}  // namespace assay
