#pragma once

#include <map>
#include <string>
#include <vector>

namespace mutator {

/// A folder with files that the program reads, and the commands that read them.
struct Subject {
  std::string name;
  std::vector<std::string> made_by;  ///< commands that write its files: words after `rooflab`
  std::map<std::string, std::string> files;  ///< others: name, path in the sources; no path: empty
  std::string damaged;                       ///< regular expression of the files that are damaged
  /// Commands that read them; the word `@` stands for the damaged file.
  std::vector<std::string> commands;
  std::map<std::string, std::string> environment{};  ///< for all its commands
  /// Files with what the tests' worker says: name, words after `rooflab-torch`.
  std::map<std::string, std::string> said_by_worker{};
};

[[nodiscard]] std::vector<Subject> all_subjects();

}  // namespace mutator
