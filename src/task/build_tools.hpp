#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "torch_place.hpp"

namespace rooflab::task {

/// CUDA's compiler, for the GPU part of rooflab-probe.
struct Nvcc {
  std::filesystem::path program;
  std::filesystem::path libraries;  ///< has libcudart_static.a; nvcc itself searches only lib64
};

/// The tools found for building a worker against a PyTorch.
struct BuildTools {
  std::filesystem::path compiler;
  std::filesystem::path cmake;
  std::string generator;                             ///< CMake's name: `Ninja`, `Unix Makefiles`
  std::vector<std::filesystem::path> cuda_includes;  ///< empty: PyTorch has no CUDA
  std::optional<Nvcc> nvcc;                          ///< nullopt: rooflab-probe is not built
};

/// A missing tool, and how to get it.
struct MissingTool {
  std::string what;
  std::string advice;
};

/// Environment in which tools are searched: that of this process, or of a test.
struct ToolSources {
  std::function<std::optional<std::string>(const char* name)> variable;
  std::function<std::optional<std::filesystem::path>(std::string_view name)> program;
  /// Returns the first line that a program prints for `--version`; empty: it does not run.
  std::function<std::string(const std::filesystem::path& program)> version;
  std::filesystem::path toolkit = "/usr/local/cuda";

  ToolSources();
};

/// Finds compiler, CMake, Ninja or make, and if PyTorch has CUDA, the headers of a CUDA with equal
/// major version: in $CUDA_HOME or $CUDA_PATH, else next to the nvcc in PATH, else in
/// /usr/local/cuda, else in pip's packages. CUDA's compiler is searched in these places too,
/// independently of the headers. Missing tools are added to `missing`.
[[nodiscard]] BuildTools find_build_tools(const TorchPlace& torch,
                                          std::vector<MissingTool>& missing,
                                          const ToolSources& sources = {});

}  // namespace rooflab::task
