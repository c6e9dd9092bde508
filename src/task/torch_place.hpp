#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// The PyTorch of a Python, as a C++ program is built against it; tools/torch_place.py tells it.
struct TorchPlace {
  std::string python;               ///< a path, or the name that was given
  std::string version;              ///< `2.11.0+cu130`
  std::optional<std::string> cuda;  ///< `13.0`; nullopt: built without CUDA
  bool old_abi = false;             ///< std::string of before C++11, in wheels before PyTorch 2.7
  std::filesystem::path folder;     ///< the package `torch`
  std::vector<std::filesystem::path> cmake_folders;  ///< where its CMake package may be
  std::vector<std::filesystem::path> includes;       ///< headers of CUDA that pip put beside it

  /// Whether the headers are in the package itself, as in wheels; Debian has them elsewhere.
  [[nodiscard]] bool has_own_headers() const;
  /// The folder of `Torch/TorchConfig.cmake`.
  [[nodiscard]] std::optional<std::filesystem::path> cmake_folder() const;
};

/// `PyTorch 2.11.0+cu130 of /usr/bin/python3 (CUDA 13.0)`.
[[nodiscard]] std::string to_text(const TorchPlace& torch);

/// Runs a Python, a name in PATH or a path. Throws Error (capability) with Python's own words where
/// it was not found or cannot import torch.
[[nodiscard]] TorchPlace ask_torch(const std::string& python, const Session& session);

/// What the script prints, a `NAME VALUE` a line.
[[nodiscard]] TorchPlace torch_place_from(std::string_view lines);

}  // namespace rooflab::task
