#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "rooflab/device/calibration.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Issue costs of PyTorch's modules; nullopt where they were not measured, with the reason.
struct PythonCosts {
  std::optional<device::HostCosts> costs;
  std::optional<Note> problem;
};

/// The script that measures issue costs of PyTorch with a program `python`.
class PythonProbe {
 public:
  /// `python`: a name to look for in the folders of PATH, or a path. The costs go to `file`.
  PythonProbe(std::string python, std::filesystem::path file);

  /// Whether there is a program and the script.
  [[nodiscard]] bool is_possible() const;
  /// Measures on the device for `seconds`.
  [[nodiscard]] PythonCosts run(const std::string& device, double seconds,
                                const Session& session) const;

 private:
  std::string python_;
  std::filesystem::path file_;
  std::optional<std::filesystem::path> program_;
  std::filesystem::path script_;
};

}  // namespace rooflab::task
