#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// The PyTorch of a Python installation, for building a C++ program against it.
/// tools/torch_place.py finds it.
struct TorchPlace {
  std::string python;               ///< a path, or the given name
  std::string version;              ///< `2.11.0+cu130`
  std::optional<std::string> cuda;  ///< `13.0`; nullopt: built without CUDA
  bool old_abi = false;             ///< std::string before C++11, in wheels before PyTorch 2.7
  std::filesystem::path folder;     ///< the package `torch`
  std::vector<std::filesystem::path> cmake_folders;  ///< possible folders of its CMake package
  std::vector<std::filesystem::path> includes;       ///< headers of CUDA installed by pip

  /// Whether the package itself has the headers, as in wheels; Debian has them elsewhere.
  [[nodiscard]] bool has_own_headers() const;
  /// The folder of `Torch/TorchConfig.cmake`; nullopt: not found.
  [[nodiscard]] std::optional<std::filesystem::path> cmake_folder() const;
};

/// Text such as `PyTorch 2.11.0+cu130 of /usr/bin/python3 (CUDA 13.0)`.
[[nodiscard]] std::string to_text(const TorchPlace& torch);

/// Runs a Python, given as a name in PATH or a path, to find its PyTorch. Throws Error (capability)
/// with Python's message where it was not found or cannot import torch.
[[nodiscard]] TorchPlace ask_torch(const std::string& python, const Session& session);

/// Parses the script's output, one `NAME VALUE` per line.
[[nodiscard]] TorchPlace torch_place_from(std::string_view lines);

}  // namespace rooflab::task
