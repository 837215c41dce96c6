// Markup that cannot be broken from outside: what is text comes in through text() or as the value of an attribute, escaped; only tags made
// here are tags. Well-formed as XML as well as HTML.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::report {

/// & < > and quotes as entities, anything that is not printable ASCII as a blank: a name or a path from outside may hold whatever it likes.
std::string escaped(std::string_view);

struct Html {
  std::string code;

  Html& operator+=(const Html& other) { return code += other.code, *this; }
  friend Html operator+(Html a, const Html& b) { return a += b; }
};

using Attributes = std::vector<std::pair<std::string_view, std::string>>;

Html text(std::string_view);
Html tag(std::string_view name, const Html& inside, const Attributes& = {});
Html leaf(std::string_view name, const Attributes& = {});  // <name .../>

/// A table in a box of its own that scrolls where the page is too narrow. Columns are of text, or of numbers where the heading begins with
/// '#' (which is not shown).
class HtmlTable {
 public:
  explicit HtmlTable(std::vector<std::string> heading) : heading(std::move(heading)) {}
  void add(std::vector<Html> row) { rows.push_back(std::move(row)); }
  bool empty() const { return rows.empty(); }
  Html html() const;

 private:
  std::vector<std::string> heading;
  std::vector<std::vector<Html>> rows;
};

/// A whole page: no script, nothing to fetch.
std::string document(std::string_view title, const Html& body);

}  // namespace assay::report
