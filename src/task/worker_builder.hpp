#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "torch_place.hpp"

/// Builds workers from the sources in share/rooflab/source, at first use, against the installed
/// PyTorch, because no package can have a worker for every PyTorch.
namespace rooflab::task {

/// Workers that were built here.
struct BuiltWorkers {
  TorchPlace torch;
  std::filesystem::path folder;
  std::vector<std::string> names;
  double seconds = 0.0;  ///< 0: they existed already
};

/// Builds rooflab-torch against the PyTorch of a Python, and with an installed CUDA toolkit also
/// rooflab-probe with its GPU part, unless both exist for that PyTorch. After that
/// engine::find_worker() finds them. A stopped build is continued.
///
/// Throws Error (capability) that names everything that is missing, or the first error of the
/// compiler and the file with all of them; Error (system) where the folder cannot be written, Error
/// (input) where another process builds there.
[[nodiscard]] BuiltWorkers build_workers(const std::string& python, const Session& session);

}  // namespace rooflab::task
