#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace faults {

/// A command that keeps files, what it reads, and how it is continued.
struct Scenario {
  std::string name;
  std::vector<std::string> words;              ///< the command without `rooflab`
  std::vector<std::string> again;              ///< words that continue it after a kill or an error
  std::map<std::string, std::string> files{};  ///< what it reads, by name
  std::map<std::string, std::string> environment{};  ///< for every run
  std::map<std::string, std::string> hang{};  ///< environment in which a worker waits for ever
  std::string
      finished{};         ///< regular expression of files that stay as they are once they are there
  std::string changes{};  ///< regular expression of places that a continued run may change
  bool resumes = false;   ///< whether it keeps what it has finished
  bool failed_cases = false;  ///< whether it reports a case that failed and goes on, exit code 0
  bool real = false;          ///< with the real workers
};

/// The scenarios on fake workers, and with `real` those on rooflab-torch.
[[nodiscard]] std::vector<Scenario> all_scenarios(bool real);

}  // namespace faults
