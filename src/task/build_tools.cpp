#include "build_tools.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "rooflab/system/file.hpp"
#include "system/child_process.hpp"
#include "system/environment_variable.hpp"
#include "system/path_status.hpp"

namespace rooflab::task {
namespace {
namespace fs = std::filesystem;

/// What the headers of libtorch include of CUDA.
constexpr std::array cuda_headers = {"cuda_runtime_api.h", "crt/host_defines.h", "cublas_v2.h",
                                     "cublasLt.h",         "cusparse.h",         "cusolverDn.h"};
/// What the kernels of rooflab-probe and nvcc itself include besides; folders of the includes.
constexpr std::array nvcc_headers = {"cuda_runtime.h", "crt/host_config.h", "cublasLt.h"};
constexpr int least_gcc = 11;  ///< knows C++20 as it is used here
constexpr int least_clang = 14;
constexpr std::array<int, 2> least_cmake = {3, 25};

/// The first number with a point in a line: `3.25` of `cmake version 3.25.1`.
std::array<int, 2> version_in(std::string_view line) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (!is_digit(line[at])) continue;
    const std::size_t end = std::min(line.find_first_not_of("0123456789.", at), line.size());
    const std::vector<std::string> parts = split(line.substr(at, end - at), '.');
    if (parts.size() < 2) {
      at = end;
      continue;
    }
    return {static_cast<int>(parse_integer(parts[0]).value_or(0)),
            static_cast<int>(parse_integer(parts[1]).value_or(0))};
  }
  return {0, 0};
}

/// Folders of headers that belong together.
struct HeaderPlace {
  std::string name;
  std::vector<fs::path> includes;
};

std::optional<fs::path> header_in(const HeaderPlace& place, std::string_view header) {
  for (const fs::path& include : place.includes) {
    if (is_file(include / header)) return include / header;
  }
  return std::nullopt;
}

/// `13` of `#define CUDART_VERSION  13000`.
std::optional<std::int64_t> cuda_of(const HeaderPlace& place) {
  const auto header = header_in(place, cuda_headers.front());
  const auto text = header ? read_file_if_possible(*header) : std::nullopt;
  if (!text) return std::nullopt;
  constexpr std::string_view define = "#define CUDART_VERSION";
  const std::size_t at = text->find(define);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t end = text->find('\n', at);
  const auto number = parse_integer(
      trim(std::string_view(*text).substr(at + define.size(), end - at - define.size())));
  return number ? std::optional(*number / 1000) : std::nullopt;
}

HeaderPlace toolkit_place(const ToolSources& sources) {
  fs::path home = sources.toolkit;
  if (const auto nvcc = sources.program("nvcc")) {
    std::error_code ignored;
    const fs::path real = fs::canonical(*nvcc, ignored);
    home = (ignored ? *nvcc : real).parent_path().parent_path();
  }
  for (const char* const name : {"CUDA_PATH", "CUDA_HOME"}) {
    if (auto named = absolute_path(sources.variable(name))) home = *std::move(named);
  }
  return {home.string(), {home / "include"}};
}

/// The compiler next to a folder of headers, as a toolkit and pip's packages have it, if nothing
/// that it needs is missing.
std::optional<Nvcc> nvcc_of(const HeaderPlace& place) {
  for (const fs::path& include : place.includes) {
    const fs::path home = include.parent_path();
    if (!is_file(home / "bin/nvcc")) continue;
    const HeaderPlace own{place.name, {include}};
    const bool whole = std::ranges::all_of(
        nvcc_headers, [&](const char* header) { return header_in(own, header).has_value(); });
    for (const char* const folder : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
      if (whole && is_file(home / folder / "libcudart_static.a")) {
        return Nvcc{home / "bin/nvcc", home / folder};
      }
    }
  }
  return std::nullopt;
}

void find_cuda(const TorchPlace& torch, BuildTools& tools, std::vector<MissingTool>& missing,
               const ToolSources& sources) {
  const std::optional<std::int64_t> wanted = parse_integer(split(*torch.cuda, '.').front());
  std::vector<std::string> reasons;
  const std::array places = {toolkit_place(sources),
                             HeaderPlace{"pip's packages next to PyTorch", torch.includes}};
  for (const HeaderPlace& place : places) {
    if (!tools.nvcc && cuda_of(place) == wanted) tools.nvcc = nvcc_of(place);
  }
  for (const HeaderPlace& place : places) {
    std::vector<std::string> lacking;
    for (const char* const header : cuda_headers) {
      if (!header_in(place, header)) lacking.emplace_back(header);
    }
    const auto found = cuda_of(place);
    if (lacking.empty() && found == wanted) {
      tools.cuda_includes = place.includes;
      return;
    }
    if (!lacking.empty()) {
      reasons.push_back(format("{}: no {}", place.name, join(lacking, ", ")));
    } else {
      reasons.push_back(format("{}: of CUDA {}", place.name,
                               found ? std::to_string(*found) : "of unknown version"));
    }
  }
  missing.push_back({format("headers of CUDA {} ({})", *torch.cuda, join(reasons, "; ")),
                     format("install the CUDA toolkit {} (CUDA_HOME names its folder), or pip's "
                            "packages with its headers: nvidia-cuda-runtime, nvidia-cuda-crt, "
                            "nvidia-cublas, nvidia-cusparse, nvidia-cusolver",
                            *torch.cuda)});
}

std::optional<fs::path> first_program(const ToolSources& sources,
                                      std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (auto found = sources.program(name)) return found;
  }
  return std::nullopt;
}

}  // namespace

ToolSources::ToolSources()
    : variable(environment_variable), program(find_program), version([](const fs::path& path) {
        const std::array<std::string, 1> arguments = {"--version"};
        const ChildResult child =
            run_child(path, arguments, {.timeout = std::chrono::seconds(20), .own_group = true});
        return child.exit_status == 0 ? split(child.output, '\n').front() : std::string();
      }) {}

BuildTools find_build_tools(const TorchPlace& torch, std::vector<MissingTool>& missing,
                            const ToolSources& sources) {
  BuildTools tools;
  std::optional<fs::path> compiler;
  if (const auto named = sources.variable("CXX"); named && !named->empty()) {
    compiler = sources.program(*named);
  } else {
    compiler = first_program(sources, {"c++", "g++", "clang++"});
  }
  const std::string compiler_version = compiler ? sources.version(*compiler) : std::string();
  const bool is_clang = compiler_version.find("clang") != std::string::npos;
  if (compiler_version.empty()) {
    missing.push_back({"a C++ compiler", "apt-get install g++, or CXX names another"});
  } else if (version_in(compiler_version)[0] < (is_clang ? least_clang : least_gcc)) {
    missing.push_back(
        {format("a compiler for C++20 ({}: {})", compiler->string(), compiler_version),
         format("GCC {} or clang {} and later; CXX names another", least_gcc, least_clang)});
  }
  if (compiler) tools.compiler = *compiler;

  const auto cmake = sources.program("cmake");
  const std::string cmake_version = cmake ? sources.version(*cmake) : std::string();
  if (cmake_version.empty() || version_in(cmake_version) < least_cmake) {
    missing.push_back({cmake ? format("CMake {}.{} or later ({}: {})", least_cmake[0],
                                      least_cmake[1], cmake->string(), cmake_version)
                             : format("CMake {}.{} or later", least_cmake[0], least_cmake[1]),
                       "apt-get install cmake, or pip install cmake"});
  }
  if (cmake) tools.cmake = *cmake;
  if (sources.program("ninja")) {
    tools.generator = "Ninja";
  } else if (sources.program("make")) {
    tools.generator = "Unix Makefiles";
  } else {
    missing.push_back({"Ninja or make", "apt-get install ninja-build, or pip install ninja"});
  }
  if (!torch.has_own_headers() && !torch.cmake_folder()) {
    missing.push_back(
        {format("the C++ headers of PyTorch {}", torch.version),
         "Debian: apt-get install libtorch-dev libgloo-dev; wheels of pip have them"});
  } else if (torch.cuda && torch.has_own_headers()) {
    find_cuda(torch, tools, missing, sources);
  }
  return tools;
}

}  // namespace rooflab::task
