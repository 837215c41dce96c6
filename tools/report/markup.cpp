#include "tools/report/markup.hpp"

#include <fmt/format.h>

#include "tools/report/html_style.hpp"

namespace assay::report {

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c >= ' ' && c <= '~' ? c : ' ';
    }
  }
  return out;
}

namespace {

std::string opened(std::string_view name, const Attributes& attributes) {
  std::string code = fmt::format("<{}", name);
  for (const auto& [key, value] : attributes) code += fmt::format(" {}=\"{}\"", key, escaped(value));
  return code;
}

}  // namespace

Html text(std::string_view s) { return {escaped(s)}; }
Html tag(std::string_view name, const Html& inside, const Attributes& attributes) {
  return {fmt::format("{}>{}</{}>", opened(name, attributes), inside.code, name)};
}
Html leaf(std::string_view name, const Attributes& attributes) { return {opened(name, attributes) + "/>"}; }

Html HtmlTable::html() const {
  auto of = [&](size_t column) {
    const std::string_view name = column < heading.size() ? std::string_view(heading[column]) : "";
    return name.starts_with('#') ? Attributes{{"class", "number"}} : name.starts_with('|') ? Attributes{{"class", "brief"}} : Attributes{};
  };
  Html head, body;
  for (size_t i = 0; i < heading.size(); i++)
    head += tag("th", tag("span", text(std::string_view(heading[i]).substr(!of(i).empty()))), of(i));
  for (const auto& row : rows) {
    Html cells;
    for (size_t i = 0; i < row.size(); i++) cells += tag("td", row[i], of(i));
    body += tag("tr", cells) + Html{"\n"};
  }
  const Html table = tag("table", tag("thead", tag("tr", head)) + Html{"\n"} + tag("tbody", body));
  return tag("div", table, {{"class", "scroll"}, {"tabindex", "0"}}) + Html{"\n"};
}

std::string document(std::string_view title, const Html& body) {
  const Html head = leaf("meta", {{"charset", "utf-8"}}) +
                    leaf("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}) + tag("title", text(title)) +
                    tag("style", {std::string(kStyle)});
  return "<!DOCTYPE html>\n" + tag("html", tag("head", head) + Html{"\n"} + tag("body", tag("main", body)), {{"lang", "en"}}).code + "\n";
}

}  // namespace assay::report
