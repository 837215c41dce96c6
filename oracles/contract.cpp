#include "oracles/contract.hpp"

#include <numeric>

namespace assay {

std::function<void(std::span<const int64_t>, std::span<const int64_t>, std::span<Expected>)> by_row(
    std::function<void(int64_t, std::span<const int64_t>, std::span<Expected>)> of_row) {
  return [of_row = std::move(of_row)](std::span<const int64_t> rows, std::span<const int64_t> columns, std::span<Expected> out) {
    for (size_t i = 0; i < rows.size(); i++) of_row(rows[i], columns, out.subspan(i * columns.size(), columns.size()));
  };
}

bool Slot::takes(const Stage& stage) const {
  if (stage.index() == assumed.index()) return true;
  return either && (std::holds_alternative<Ops>(stage) || std::holds_alternative<Round>(stage));
}

std::string Slot::kinds() const {
  return either ? std::string(kind_of(Stage(Ops{}))) + " or " + std::string(kind_of(Stage(Round{}))) : std::string(kind_of(assumed));
}

std::pair<int64_t, int64_t> columns_of(const Step& step, const Parameters& parameters, int64_t width) {
  return step.columns ? step.columns(parameters) : std::pair{int64_t{0}, width};
}

void for_each_expected(const Step& step, const Oracle& oracle, const Parameters& parameters, const TensorSpec& spec,
                       const std::function<void(int64_t, int64_t, const Expected&)>& visit) {
  const auto [first, end] = columns_of(step, parameters, spec.width());
  std::vector<int64_t> columns(size_t(end - first));
  std::iota(columns.begin(), columns.end(), first);
  std::vector<Expected> expected(columns.size());
  for (int64_t row = 0; row < spec.rows(); row++) {
    oracle.expect({&row, 1}, columns, expected);
    for (size_t i = 0; i < columns.size(); i++) visit(row, columns[i], expected[i]);
  }
}

FromShape::Of times(int64_t factor) {
  return [factor](int64_t length, const Parameters&) { return length * factor; };
}
FromShape::Of divided(int64_t by) {
  return [by](int64_t length, const Parameters&) { return length / by; };
}
FromShape::Of parts_of(std::string parameter) {
  return [name = std::move(parameter)](int64_t length, const Parameters& p) { return length > 0 ? p.whole(name) / length : p.whole(name); };
}

Parameter whole(std::string name, int64_t low, int64_t high, int64_t standard, std::string meaning, int64_t unit) {
  return {.name = std::move(name), .standard = standard, .meaning = std::move(meaning), .low = low, .high = high, .unit = unit};
}

Parameter real(std::string name, double low, double high, double standard, std::string meaning) {
  return {.name = std::move(name), .standard = standard, .meaning = std::move(meaning), .real_low = low, .real_high = high};
}

Parameter word(std::string name, std::vector<std::string> words, std::string meaning) {
  std::string first = words.front();
  return {.name = std::move(name), .standard = std::move(first), .meaning = std::move(meaning), .words = std::move(words)};
}

}  // namespace assay
