#include "oracles/contract.hpp"

namespace assay {

Parameter whole(std::string name, int64_t low, int64_t high, int64_t standard, std::string meaning) {
  return {.name = std::move(name), .standard = standard, .meaning = std::move(meaning), .low = low, .high = high};
}

Parameter real(std::string name, double low, double high, double standard, std::string meaning) {
  return {.name = std::move(name), .standard = standard, .meaning = std::move(meaning), .real_low = low, .real_high = high};
}

Parameter word(std::string name, std::vector<std::string> words, std::string meaning) {
  std::string first = words.front();
  return {.name = std::move(name), .standard = std::move(first), .meaning = std::move(meaning), .words = std::move(words)};
}

}  // namespace assay
