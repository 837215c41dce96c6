#include "tools/report/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::report {
namespace {

constexpr double kWidth = 360;

std::string number(double x) {
  std::string text = fmt::format("{:.1f}", x);
  if (text.ends_with(".0")) text.erase(text.size() - 2);
  return text;
}

Html rectangle(double x, double y, double width, double height, std::string kind, Attributes more = {}) {
  Attributes all{{"class", std::move(kind)}, {"x", number(x)}, {"y", number(y)}, {"width", number(width)}, {"height", number(height)}};
  all.insert(all.end(), more.begin(), more.end());
  return leaf("rect", all);
}

Html label(double x, double y, std::string_view what, std::string anchor = "middle") {
  return tag("text", text(what), {{"x", number(x)}, {"y", number(y)}, {"text-anchor", std::move(anchor)}});
}

Html line(double x1, double y1, double x2, double y2) {
  return leaf("line", {{"class", "axis"}, {"x1", number(x1)}, {"y1", number(y1)}, {"x2", number(x2)}, {"y2", number(y2)}});
}

Html drawing(double height, const Html& inside, std::string_view caption) {
  const Html svg =
      tag("svg", inside,
          {{"viewBox", fmt::format("0 0 {} {}", number(kWidth), number(height))}, {"role", "img"}, {"aria-label", std::string(caption)}});
  return tag("figure", svg + (caption.empty() ? Html{} : tag("figcaption", text(caption)))) + Html{"\n"};
}

/// Cells of one shade that follow each other are one rectangle.
Html row_of_cells(std::span<const double> shares, double y, double width, double height) {
  Html all;
  for (size_t i = 0; i < shares.size();) {
    size_t end = i + 1;
    while (end < shares.size() && shares[end] == shares[i]) end++;
    const double x = double(i) * width, wide = double(end - i) * width;
    if (shares[i] < 0) all += rectangle(x, y, wide, height, "unseen");
    // A single wrong element of a cell must still be seen.
    else if (shares[i] > 0)
      all += rectangle(x, y, wide, height, "wrong", {{"fill-opacity", fmt::format("{:.2f}", 0.35 + 0.65 * shares[i])}});
    i = end;
  }
  return all;
}

}  // namespace

std::string short_count(uint64_t n) {
  const char* unit = "";
  auto x = double(n);
  for (const char* next : {"k", "M", "G", "T"}) {
    if (x < 999.5) break;
    x /= 1000, unit = next;
  }
  return *unit && x < 99.95 ? fmt::format("{:.1f}{}", x, unit) : fmt::format("{:.0f}{}", x, unit);
}

Html histogram(const Shares& shares, std::string_view caption) {
  std::vector<uint64_t> counts{shares.none};
  counts.insert(counts.end(), shares.tenths.begin(), shares.tenths.end());
  counts.push_back(shares.beyond);
  const double top = 18, bottom = 132, step = kWidth / double(counts.size()), most = std::log10(1 + double(std::ranges::max(counts)));
  Html inside = line(0, bottom, kWidth, bottom);
  for (size_t i = 0; i < counts.size(); i++) {
    const double middle = (double(i) + 0.5) * step, height = most > 0 ? (bottom - top) * std::log10(1 + double(counts[i])) / most : 0;
    const bool last = i + 1 == counts.size();
    const std::string range = i == 0 ? "0" : last ? "above" : fmt::format("{:.1f}", double(i) / 10);
    if (counts[i]) {
      inside += tag("g", tag("title", text(fmt::format("{}: {}",
                                                       i == 0 ? "none"
                                                       : last ? "beyond"
                                                              : "up to " + range,
                                                       counts[i]))) +
                             rectangle(middle - 0.4 * step, bottom - height, 0.8 * step, height,
                                       i == 0 ? "bar none"
                                       : last ? "bar beyond"
                                              : "bar"));
      inside += label(middle, bottom - height - 4, short_count(counts[i]));
    }
    inside += label(middle, bottom + 14, range);
  }
  return drawing(150, inside, caption);
}

Html map_of(const properties::FailingMap& map) {
  const double cell = std::min({kWidth / double(map.grid_columns), 200.0 / double(map.grid_rows), 14.0});
  // Elongated where one side is much longer: at least 3 high, so that a row is seen.
  const double width = std::max(cell, std::min(14.0, kWidth / double(map.grid_columns))), height = std::max(cell, 3.0);
  Html inside = rectangle(0, 0, width * double(map.grid_columns), height * double(map.grid_rows), "frame");
  for (int64_t row = 0; row < map.grid_rows; row++)
    inside += row_of_cells(std::span(map.cells).subspan(size_t(row * map.grid_columns), size_t(map.grid_columns)), double(row) * height,
                           width, height);
  const std::string spans = map.cell_rows * map.cell_columns == 1
                                ? "a cell is an element"
                                : fmt::format("a cell is {} x {} elements", map.cell_rows, map.cell_columns);
  return drawing(height * double(map.grid_rows) + 1, inside,
                 fmt::format("{}: {} rows, {} columns; {}", map.tensor, map.rows, map.columns, spans));
}

Html strip_of(const properties::FailingAxis& axis) {
  const double width = 192.0 / double(axis.shares.size());
  const Html inside = rectangle(0, 0, 192, 12, "frame") + row_of_cells(axis.shares, 0, width, 12);
  return tag("svg", inside,
             {{"viewBox", "0 0 192 12"},
              {"style", "width: 192px; height: 12px; margin-top: 3px"},
              {"role", "img"},
              {"aria-label", axis.name + ": " + axis.which}});
}

Html curves(const std::vector<Curve>& all, std::string_view caption) {
  double least_x = INFINITY, most_x = 0, least_y = INFINITY, most_y = 0;
  auto is_drawn = [](const std::pair<double, double>& p) { return p.first > 0 && p.second > 0 && std::isfinite(p.second); };
  std::vector<double> ks;
  for (const Curve& c : all)
    for (const auto& p : c.points) {
      if (!is_drawn(p)) continue;
      least_x = std::min(least_x, p.first), most_x = std::max(most_x, p.first), least_y = std::min(least_y, p.second),
      most_y = std::max(most_y, p.second);
      if (std::ranges::find(ks, p.first) == ks.end()) ks.push_back(p.first);
    }
  if (ks.empty()) return {};
  const double left = 46, right = kWidth - 14, top = 8, bottom = 150;
  // Whole decades, at least one.
  const double low = std::floor(std::log10(least_y)), high = std::max(low + 1, std::ceil(std::log10(most_y)));
  auto x_of = [&](double x) {
    return most_x > least_x ? left + 8 + (right - left - 16) * std::log(x / least_x) / std::log(most_x / least_x) : (left + right) / 2;
  };
  auto y_of = [&](double y) { return bottom - (bottom - top) * (std::log10(y) - low) / (high - low); };
  Html inside;
  const double every = std::ceil((high - low) / 5);
  for (double decade = low; decade <= high; decade += every) {
    inside += line(left, y_of(std::pow(10, decade)), right, y_of(std::pow(10, decade)));
    inside += label(left - 6, y_of(std::pow(10, decade)) + 4, fmt::format("1e{:.0f}", decade), "end");
  }
  for (const double k : ks) inside += label(x_of(k), bottom + 15, fmt::format("{:.0f}", k));
  for (const Curve& c : all) {
    std::string path;
    Html dots;
    for (const auto& p : c.points) {
      if (!is_drawn(p)) continue;
      const std::string x = number(x_of(p.first)), y = number(y_of(p.second));
      path += fmt::format("{}{},{}", path.empty() ? "" : " ", x, y);
      if (c.kind == "found")
        dots += tag("circle", tag("title", text(fmt::format("k {:.0f}: {:.3g}", p.first, p.second))),
                    {{"class", "found"}, {"cx", x}, {"cy", y}, {"r", "3"}});
    }
    if (!path.empty()) inside += leaf("polyline", {{"class", std::string(c.kind)}, {"points", path}}) + dots;
  }
  return drawing(170, inside, caption);
}

}  // namespace assay::report
