#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "torch_place.hpp"

/// Builds workers from the sources in share/rooflab/source, at first use, against the PyTorch that
/// is here: no package can have a worker for each of them.
namespace rooflab::task {

/// Workers that were built here.
struct BuiltWorkers {
  TorchPlace torch;
  std::filesystem::path folder;
  std::vector<std::string> names;
  double seconds = 0.0;  ///< 0: they were there
};

/// Builds rooflab-torch against the PyTorch of a Python, and where the CUDA toolkit is here
/// rooflab-probe with its GPU part, unless both are there for that PyTorch; from now on
/// engine::find_worker() finds them. A build that was stopped goes on where it was.
///
/// Throws Error (capability) that names everything that is missing, or the first error of the
/// compiler and the file with all of them; Error (system) where the folder cannot be written, Error
/// (input) where another process builds there.
[[nodiscard]] BuiltWorkers build_workers(const std::string& python, const Session& session);

}  // namespace rooflab::task
