#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace faults {

/// What scenarios run on.
enum class Group {
  fake,    ///< workers with invented figures
  real,    ///< rooflab-torch
  python,  ///< the Python package, with PyTorch
};

/// A command that keeps files, what it reads, and how it is continued.
struct Scenario {
  std::string name;
  std::vector<std::string> words;              ///< the command without `rooflab`, or `python3`
  std::vector<std::string> again;              ///< words that continue it after a kill or an error
  std::map<std::string, std::string> files{};  ///< what it reads, by name
  std::map<std::string, std::string> environment{};  ///< for every run
  std::map<std::string, std::string> hang{};  ///< environment in which a worker waits for ever
  std::string
      finished{};         ///< regular expression of files that stay as they are once they are there
  std::string changes{};  ///< regular expression of places that a continued run may change
  bool resumes =
      false;  ///< whether it may be killed: it keeps what it has finished, or begins anew
  bool failed_cases = false;  ///< whether it reports a case that failed and goes on, exit code 0
  Group group = Group::fake;
};

[[nodiscard]] std::vector<Scenario> all_scenarios(Group group);

}  // namespace faults
