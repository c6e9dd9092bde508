#include "torch_place.hpp"

#include <array>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "system/child_process.hpp"
#include "system/path_status.hpp"

namespace rooflab::task {
namespace fs = std::filesystem;

bool TorchPlace::has_own_headers() const { return is_file(folder / "include/ATen/ATen.h"); }

std::optional<fs::path> TorchPlace::cmake_folder() const {
  for (const fs::path& each : cmake_folders) {
    if (is_file(each / "Torch/TorchConfig.cmake")) return each;
  }
  return std::nullopt;
}

std::string to_text(const TorchPlace& torch) {
  return format("PyTorch {} of {} ({})", torch.version, torch.python,
                torch.cuda ? "CUDA " + *torch.cuda : "without CUDA");
}

TorchPlace torch_place_from(std::string_view lines) {
  TorchPlace torch;
  for (const std::string& line : split(lines, '\n')) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    const std::string name = line.substr(0, space);
    const std::string value = line.substr(space + 1);
    if (name == "version") {
      torch.version = value;
    } else if (name == "cuda") {
      if (value != "none") torch.cuda = value;
    } else if (name == "abi") {
      torch.old_abi = value == "old";
    } else if (name == "folder") {
      torch.folder = value;
    } else if (name == "cmake") {
      torch.cmake_folders.emplace_back(value);
    } else if (name == "prefix") {
      torch.cmake_folders.push_back(fs::path(value) / "share/cmake");
      torch.cmake_folders.push_back(fs::path(value) / "lib/cmake");
    } else if (name == "include") {
      torch.includes.emplace_back(value);
    }
  }
  return torch;
}

TorchPlace ask_torch(const std::string& python, const Session& session) {
  const bool is_path = python.find('/') != std::string::npos;
  const std::optional<fs::path> program =
      is_path ? std::optional<fs::path>(python) : find_program(python);
  if (!program || (is_path && !is_file(*program))) {
    throw Error(ErrorKind::capability, format("no Python was found: {}", python),
                "--python names that of the environment with PyTorch");
  }
  const std::array<std::string, 1> arguments = {
      (share_folder(session.prefix) / "torch_place.py").string()};
  const ChildResult child = run_child(*program, arguments,
                                      {.timeout = std::chrono::seconds(120),
                                       .should_stop = session.should_stop,
                                       .own_group = true});
  TorchPlace torch = torch_place_from(child.output);
  torch.python = program->string();
  if (child.exit_status != 0 || torch.version.empty()) {
    const std::string_view said = trim(child.output.empty() ? child.errors : child.output);
    throw Error(
        ErrorKind::capability,
        format("{} cannot import torch: {}", torch.python,
               said.empty() ? "it ended without a reason" : said.substr(said.rfind('\n') + 1)),
        "pip install torch, or name the Python of the environment that has it with "
        "--python");
  }
  return torch;
}

}  // namespace rooflab::task
