// A journal: what a long run has learned, as lines of text that are only ever appended, so that the run can be killed at any moment and
// taken up again. A line is
//
//   0123456789abcdef<space>key<tab>value
//
// with the hash of the line before and of this one's text. A line is written by one call, so that a kill leaves at most one torn line, the
// last, which opening drops; a line that is damaged, missing, out of place or foreign is found by the hashes. The first line's value says
// whose results these are.
#pragma once
#include <string>
#include <unordered_map>

namespace assay::properties {

class Journal {
 public:
  Journal() = default;  // of no file: nothing is remembered
  /// Opens a file for this process alone, or begins it. `command` writes such journals ("assay fuzz"). Throws BadInput with path, line and
  /// what is wrong: cannot be written, in use, damaged, no journal, or one of another run than `owner` says (text of one line).
  void open(const std::string& path, const std::string& command, const std::string& owner);
  ~Journal();
  Journal(const Journal&) = delete;

  /// The value that an earlier run wrote under the key, or null.
  const std::string* find(const std::string& key) const;
  /// Appends a line; neither text holds a tab or line feed. BadInput where it cannot be written.
  void add(const std::string& key, const std::string& value);
  /// The value of the last line there was when it was opened; empty if there was none.
  const std::string& last() const { return last_value; }

 private:
  std::string path, last_value;
  int file = -1;
  uint64_t hash = 0;
  std::unordered_map<std::string, std::string> values;

  void read(const std::string& command, const std::string& owner);
};

}  // namespace assay::properties
