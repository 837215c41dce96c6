#include "oracles/contract.hpp"

namespace assay {

std::function<void(std::span<const int64_t>, std::span<const int64_t>, std::span<Expected>)> by_row(
    std::function<void(int64_t, std::span<const int64_t>, std::span<Expected>)> of_row) {
  return [of_row = std::move(of_row)](std::span<const int64_t> rows, std::span<const int64_t> columns, std::span<Expected> out) {
    for (size_t i = 0; i < rows.size(); i++) of_row(rows[i], columns, out.subspan(i * columns.size(), columns.size()));
  };
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
