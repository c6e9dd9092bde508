#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "disturbance.hpp"
#include "sandbox/child_run.hpp"
#include "sandbox/folder_state.hpp"
#include "scenario.hpp"

namespace faults {

/// The programs under test.
struct Programs {
  std::filesystem::path rooflab;
  std::filesystem::path workers;  ///< folder of the workers; empty: those of the installed tree
  std::filesystem::path python;   ///< the interpreter for scenarios of the Python package
  bool installed = false;         ///< whether files of the program's own tree are watched, too
  std::filesystem::path library;  ///< librooflab_fault.so
};

/// A call of the program on a watched file, as the library has logged it.
struct Call {
  long number = 0;
  std::string kind;     ///< a name in fault_protocol.hpp
  std::string program;  ///< that made it
  std::string path;
};

/// A folder in which commands run, with their own TMPDIR. The paths are the same in each run.
class WorkPlace {
 public:
  WorkPlace(Programs programs, std::filesystem::path folder);
  ~WorkPlace();
  WorkPlace(const WorkPlace&) = delete;
  WorkPlace& operator=(const WorkPlace&) = delete;

  /// An empty place with the files that a scenario reads.
  void prepare(const Scenario& scenario);
  /// Runs a command of the scenario; `later`: by how many seconds its date is ahead.
  [[nodiscard]] sandbox::ChildEnd run(const Scenario& scenario,
                                      const std::vector<std::string>& words,
                                      const Disturbance& disturbance, long later = 0);

  [[nodiscard]] sandbox::FolderState state() const {
    return sandbox::read_folder(folder_ / "here");
  }
  [[nodiscard]] sandbox::FolderState temporary() const {
    return sandbox::read_folder(folder_ / "tmp");
  }
  /// Calls of the last run: all of them without a fault, else those that it hit.
  [[nodiscard]] std::vector<Call> calls() const;

 private:
  [[nodiscard]] sandbox::ChildRequest request(const Scenario& scenario,
                                              const std::vector<std::string>& words,
                                              const Disturbance& disturbance, long later) const;

  Programs programs_;
  std::filesystem::path folder_;
};

}  // namespace faults
