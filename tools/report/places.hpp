// Where wrong elements lie, in words.
#pragma once
#include "properties/portrait.hpp"

namespace assay::report {

/// "3 of 771 elements of out are wrong: row all 3; column the last, 256", for each step that has some.
std::vector<std::string> places_of(const properties::Look&);
/// Of the first case looked at that has some.
std::vector<std::string> places_of(const properties::Portrait&);

/// "assay repro '<line>' --image x.so", or the cell's own command.
std::string command_again(const properties::Cell&, const std::string& image);
std::string command_again(const Reproducer&, const std::string& image);

}  // namespace assay::report
