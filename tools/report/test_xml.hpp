// Whether XML, and HTML that is XML too, is well-formed; and text that breaks what does not escape it.
#pragma once
#include <stack>
#include <string>

namespace assay::report {

inline const std::string kNasty = "a < b && c > \"d\" 'e'\n\t\x01\x1b[31m caf\xc3\xa9 \xff ]]> <!-- & &amp; <script>alert(1)</script>";

/// A walk over XML as strict as this test needs: tags nest, attributes are quoted, and every & begins a known entity.
class Xml {
 public:
  Xml(std::string_view all, std::string_view declaration) : text(all), declaration(declaration) {}

  /// Empty, or what is wrong.
  std::string fault() {
    if (!take(declaration)) return "no declaration";
    while (at < text.size()) {
      if (std::string why = text[at] == '<' ? tag() : character(); !why.empty()) return why + " at byte " + std::to_string(at);
    }
    return open.empty() && roots == 1 ? "" : "an element is not closed, or there is more than one root";
  }

 private:
  std::string_view text, declaration;
  size_t at = 0;
  int roots = 0;
  std::stack<std::string> open;

  bool take(std::string_view expected) {
    if (!text.substr(at).starts_with(expected)) return false;
    at += expected.size();
    return true;
  }

  std::string name() {
    const size_t first = at;
    while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_' || text[at] == '-')) at++;
    return std::string(text.substr(first, at - first));
  }

  std::string character() {
    const auto c = static_cast<unsigned char>(text[at]);
    if ((c < ' ' && c != '\n') || c > '~') return "a character that XML or ASCII lacks";
    if (c == '<') return "a bare <";
    if (open.empty() && c != '\n') return "text outside the root";
    for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;"})
      if (take(entity)) return "";
    return c == '&' ? "a bare &" : (at++, "");
  }

  std::string attribute() {
    if (name().empty() || !take("=\"")) return "no attribute";
    while (at < text.size() && text[at] != '"')
      if (std::string why = text[at] == '\n' ? "a line end in an attribute" : character(); !why.empty()) return why;
    return take("\"") ? "" : "an attribute without an end";
  }

  std::string tag() {
    if (take("</")) {
      if (open.empty() || name() != open.top() || !take(">")) return "a wrong end tag";
      return open.pop(), "";
    }
    take("<");
    roots += open.empty();
    open.push(name());
    while (take(" "))
      if (std::string why = attribute(); !why.empty()) return why;
    if (take("/>")) return open.pop(), "";
    return take(">") ? "" : "a tag without an end";
  }
};

inline std::string xml_fault(const std::string& xml) { return Xml(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").fault(); }
inline std::string html_fault(const std::string& page) { return Xml(page, "<!DOCTYPE html>\n").fault(); }

}  // namespace assay::report
