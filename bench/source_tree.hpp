#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

namespace rooflab::bench {

/// The source tree that the working folder or this program lies in; empty when neither does.
inline std::filesystem::path source_tree() {
  namespace fs = std::filesystem;
  for (const fs::path& start : {fs::current_path(), fs::read_symlink("/proc/self/exe")}) {
    for (fs::path folder = start; folder != folder.root_path(); folder = folder.parent_path()) {
      if (fs::is_directory(folder / "bench") && fs::is_directory(folder / "tests/data/onnx")) {
        return folder;
      }
    }
  }
  return {};
}

/// The reason for benchmarks that are skipped where source_tree() is empty.
inline constexpr const char* outside_source_tree =
    "run it in the source tree or from a build folder in it";

/// A path in the source tree; throws outside of it.
inline std::filesystem::path in_source_tree(const std::string& name) {
  const std::filesystem::path tree = source_tree();
  if (tree.empty()) throw std::runtime_error(outside_source_tree);
  return tree / name;
}

/// The folder of the made inputs: build/bench-data of the source tree.
inline std::filesystem::path data_folder() {
  const std::filesystem::path folder = in_source_tree("build/bench-data");
  std::filesystem::create_directories(folder);
  return folder;
}

/// The file of that name in data_folder(), which `make` writes if it is not there yet. A file that
/// is there is complete: it gets its name when it is.
inline std::filesystem::path made_file(
    const std::string& name, const std::function<void(const std::filesystem::path&)>& make) {
  const std::filesystem::path path = data_folder() / name;
  if (std::filesystem::exists(path)) return path;
  const std::filesystem::path unfinished = path.string() + ".part";
  make(unfinished);
  std::filesystem::rename(unfinished, path);
  return path;
}

}  // namespace rooflab::bench
