#include "tools/report/places.hpp"

#include <fmt/format.h>

namespace assay::report {

std::vector<std::string> places_of(const properties::Look& look) {
  std::vector<std::string> all;
  for (const properties::StepLook& s : look.steps) {
    if (s.wrong == 0) continue;
    std::string text = fmt::format("{} of {} elements of {} are wrong", s.wrong, s.looked_at, s.tensor);
    for (size_t i = 0; i < s.map.axes.size(); i++) text += fmt::format("{} {} {}", i ? ";" : ":", s.map.axes[i].name, s.map.axes[i].which);
    all.push_back(std::move(text));
  }
  return all;
}

std::vector<std::string> places_of(const properties::Portrait& p) {
  for (const properties::Look& l : p.looks)
    if (l.wrong() > 0) return places_of(l);
  return {};
}

std::string command_again(const Reproducer& r, const std::string& image) {
  return fmt::format("assay repro '{}'{}", to_line(r), image.empty() ? "" : " --image " + image);
}

std::string command_again(const properties::Cell& c, const std::string& image) { return c.again.empty() ? command_again(c.smallest, image) : c.again; }

}  // namespace assay::report
