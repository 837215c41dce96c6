// How a packing refuses a shape or a length: std::invalid_argument with one line.
#pragma once
#include <fmt/format.h>

#include <stdexcept>
#include <string_view>
#include <utility>

namespace assay {

template <class... Values>
void require(bool holds, fmt::format_string<Values...> text, Values&&... values) {
  if (!holds) throw std::invalid_argument(fmt::format(text, std::forward<Values>(values)...));
}

inline void require_length(std::string_view what, size_t length, int64_t wanted) {
  require(static_cast<int64_t>(length) == wanted, "{} {} given where the shape has {}", length, what, wanted);
}

}  // namespace assay
