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
  std::filesystem::path libraries;  ///< with libcudart_static.a; nvcc itself looks in lib64 alone
};

/// What builds a worker against a PyTorch, as far as it was found.
struct BuildTools {
  std::filesystem::path compiler;
  std::filesystem::path cmake;
  std::string generator;                             ///< CMake's name: `Ninja`, `Unix Makefiles`
  std::vector<std::filesystem::path> cuda_includes;  ///< empty: PyTorch has no CUDA
  std::optional<Nvcc> nvcc;                          ///< nullopt: rooflab-probe is not built
};

/// A thing that is not here, and how to get it.
struct MissingTool {
  std::string what;
  std::string advice;
};

/// Where tools are looked for: this process' own, or that of a test.
struct ToolSources {
  std::function<std::optional<std::string>(const char* name)> variable;
  std::function<std::optional<std::filesystem::path>(std::string_view name)> program;
  /// The first line that a program prints for `--version`; empty: it does not run.
  std::function<std::string(const std::filesystem::path& program)> version;
  std::filesystem::path toolkit = "/usr/local/cuda";

  ToolSources();
};

/// Looks for compiler, CMake, Ninja or make, and where PyTorch has CUDA for the headers of a CUDA
/// with the same major number: in $CUDA_HOME or $CUDA_PATH, else at the nvcc in PATH, else in
/// /usr/local/cuda; else among pip's packages. Its compiler is looked for in the same places, and
/// need not be where the headers are. What is missing goes to `missing`.
[[nodiscard]] BuildTools find_build_tools(const TorchPlace& torch,
                                          std::vector<MissingTool>& missing,
                                          const ToolSources& sources = {});

}  // namespace rooflab::task
